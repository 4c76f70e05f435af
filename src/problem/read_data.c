#include "base/memory.h"
#include "problem/csv.h"
#include "problem/names.h"
#include "problem/scalar.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The names of the columns, for a hint. */
static void list_columns(const csv_table *table, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int k = 0; table->header && k < table->columns && used < size; k++)
        used += (size_t)snprintf(text + used, size - used, "%s%.40s", k ? ", " : ": ", table->header[k].text);
}

static gofh_status choose_column(reader *r, const yaml_node *node, const csv_table *table, int *column)
{
    char columns[160];
    list_columns(table, columns, sizeof columns);
    if (node->kind != YAML_SCALAR)
        return reader_fail(r, node, "the column must be a name or a number, not %s", reader_kind(node));
    *column = csv_find(table, node->text);
    for (int k = *column + 1; *column >= 0 && k < table->columns; k++)
        if (strcmp(table->header[k].text, node->text) == 0)
            return reader_fail(r, node,
                               "%.200s has the column \"%.60s\" twice: choose one by its number, %d or %d",
                               table->text.path, node->text, *column + 1, k + 1);
    if (*column >= 0) return GOFH_OK;
    double number;
    if (node->style == YAML_PLAIN && scalar_number(node->text, &number)) {
        int one_based;
        gofh_status status = reader_integer(r, node, "the column", 1, table->columns, &one_based);
        *column = one_based - 1;
        return status;
    }
    reader_fail(r, node, "there is no column \"%.60s\" in %.200s", node->text, table->text.path);
    return reader_hint(r, "it has %d%s", table->columns, columns);
}

/* Without a choice: the only column, or the one that is called like the data. */
static gofh_status default_column(reader *r, const yaml_node *node, const char *name, const csv_table *table,
                                  int *column)
{
    char columns[160];
    list_columns(table, columns, sizeof columns);
    *column = table->columns == 1 ? 0 : csv_find(table, name);
    if (*column >= 0) return GOFH_OK;
    reader_fail(r, node, "%.200s has %d columns%s", table->text.path, table->columns, columns);
    return reader_hint(r, "choose one: {file: ..., column: a name, or a number from 1}");
}

/* What belongs to each value of the data: the value itself, its sigma, or where it was measured. */
typedef enum { PART_VALUE, PART_SIGMA, PART_AT } data_part;

static const char *part_name(data_part part)
{
    return part == PART_SIGMA ? "sigma" : part == PART_AT ? "at" : "a value";
}

/* Whether nothing may stand in place of the number of row i: a value may be missing, and then so may
 * its sigma. */
static bool may_be_missing(const problem_data *data, data_part part, int i)
{
    return part == PART_VALUE || (part == PART_SIGMA && isnan(data->values[i]));
}

static gofh_status take_cell(reader *r, const csv_table *table, int row, int column, const problem_data *data,
                             data_part part, double *value)
{
    if (csv_is_missing(table, row, column) && may_be_missing(data, part, row)) {
        *value = NAN;
        return GOFH_OK;
    }
    gofh_status status = csv_number(table, row, column, value, r->error);
    if (!status && part == PART_SIGMA && !(*value > 0.0) && !isnan(data->values[row]))
        status = csv_fail(table, row, column, r->error, "sigma is %g: it must be above 0", *value);
    return status;
}

static gofh_status take_column(reader *r, const csv_table *table, int column, const problem_data *data,
                               data_part part, double **values)
{
    *values = memory_doubles((size_t)table->rows);
    if (!*values) return reader_memory(r);
    gofh_status status = GOFH_OK;
    for (int i = 0; i < table->rows && !status; i++)
        status = take_cell(r, table, i, column, data, part, &(*values)[i]);
    return status;
}

static gofh_status take_item(reader *r, const yaml_node *node, const problem_data *data, data_part part,
                             int i, double *value)
{
    char what[100];
    snprintf(what, sizeof what, "%s of data \"%s\"", part_name(part), data->name);
    int nothing = node->kind == YAML_NOTHING ||
                  (node->kind == YAML_SCALAR && node->style == YAML_PLAIN && scalar_is_missing(node->text));
    if (nothing && may_be_missing(data, part, i)) {
        *value = NAN;
        return GOFH_OK;
    }
    gofh_status status = reader_number(r, node, what, value);
    if (!status && part == PART_SIGMA && !(*value > 0.0) && (i < 0 || !isnan(data->values[i])))
        status = reader_fail(r, node, "%s is %g: it must be above 0", what, *value);
    return status;
}

static gofh_status take_list(reader *r, const yaml_node *const *items, size_t count, const problem_data *data,
                             data_part part, double **values)
{
    *values = memory_doubles(count);
    if (!*values) return reader_memory(r);
    gofh_status status = GOFH_OK;
    for (size_t i = 0; i < count && !status; i++)
        status = take_item(r, items[i], data, part, (int)i, &(*values)[i]);
    return status;
}

static bool is_number(const yaml_node *node)
{
    double ignored;
    return node->kind == YAML_SCALAR && node->style == YAML_PLAIN && scalar_number(node->text, &ignored);
}

/* sigma or at: a list of numbers, as many as there are values, or a column of the file. */
static gofh_status read_part(reader *r, const yaml_node *node, const csv_table *table, problem_data *data,
                             data_part part, double **values)
{
    if (node->kind == YAML_LIST) {
        if (node->count != (size_t)data->size)
            return reader_fail(r, node, "%s of data \"%s\" has %zu values, but there are %d", part_name(part),
                               data->name, node->count, data->size);
        return take_list(r, (const yaml_node *const *)node->items, node->count, data, part, values);
    }
    if (!table) {
        reader_fail(r, node, "%s of data \"%s\" is the name of a column, but there is no file",
                    part_name(part), data->name);
        return reader_hint(r, "write numbers in [ ]");
    }
    int column = 0;
    gofh_status status = choose_column(r, node, table, &column);
    return status ? status : take_column(r, table, column, data, part, values);
}

static gofh_status read_sigma(reader *r, const yaml_node *node, const csv_table *table, problem_data *data)
{
    char name[100];
    snprintf(name, sizeof name, "%s_sigma", data->name);
    const char *owner = names_owner(r, name);
    if (owner)
        return reader_fail(r, node, "sigma of data \"%s\" is called \"%s\", which is the name of %s already",
                           data->name, name, owner);
    data->sigma_size = is_number(node) ? 1 : data->size;
    if (!is_number(node)) return read_part(r, node, table, data, PART_SIGMA, &data->sigma);
    data->sigma = memory_doubles(1);
    return data->sigma ? take_item(r, node, data, PART_SIGMA, -1, data->sigma) : reader_memory(r);
}

static gofh_status read_at(reader *r, const yaml_node *node, const csv_table *table, problem_data *data)
{
    gofh_status status = read_part(r, node, table, data, PART_AT, &data->at);
    if (status || node->kind != YAML_SCALAR) return status;
    data->at_name = memory_copy_text(node->text);
    return data->at_name ? GOFH_OK : reader_memory(r);
}

/* Whether the simulator may differ from the data: then it is a function of where they were measured. */
static gofh_status read_discrepancy(reader *r, const yaml_node *node, problem_data *data)
{
    static const char *const choices[] = {"false", "true", NULL};
    gofh_status status = reader_choice(r, node, "discrepancy", choices, &data->discrepancy);
    if (!status && data->discrepancy && !data->at) {
        reader_fail(r, node, "the discrepancy of data \"%s\" is a function of where they were measured",
                    data->name);
        return reader_hint(r, "give that too: at: a column, or numbers in [ ]");
    }
    return status;
}

/* sigma: estimated is the same as none, unless a column is called that. */
static bool is_estimated(const yaml_node *node, const csv_table *table)
{
    return node->kind == YAML_SCALAR && strcmp(node->text, "estimated") == 0 &&
           (!table || csv_find(table, node->text) < 0);
}

/* What is said of the values beside them. */
static gofh_status read_about(reader *r, const yaml_node *value, const csv_table *table, problem_data *data)
{
    const yaml_node *sigma = yaml_get(value, "sigma"), *at = yaml_get(value, "at"),
                    *unit = yaml_get(value, "unit"), *label = yaml_get(value, "label");
    if (sigma && is_estimated(sigma, table)) sigma = NULL;
    gofh_status status = sigma ? read_sigma(r, sigma, table, data) : GOFH_OK;
    if (!status && at) status = read_at(r, at, table, data);
    const yaml_node *discrepancy = yaml_get(value, "discrepancy");
    if (!status && discrepancy) status = read_discrepancy(r, discrepancy, data);
    if (!status && unit) status = reader_text(r, unit, "unit", &data->unit);
    if (!status && label) status = reader_text(r, label, "label", &data->label);
    return status;
}

/* value: the mapping that names the file, or the file's name alone. */
static gofh_status read_file(reader *r, const yaml_node *node, const yaml_node *value, problem_data *data)
{
    char *name = NULL;
    gofh_status status = reader_path(r, node, "the data file", &name);
    if (!status && !(data->path = reader_join(r, name))) status = reader_memory(r);
    free(name);
    if (status) return status;
    csv_table table;
    int chosen = 0;
    const yaml_node *column = value == node ? NULL : yaml_get(value, "column");
    status = csv_read(&table, data->path, data->path, r->error);
    if (!status)
        status = column ? choose_column(r, column, &table, &chosen)
                        : default_column(r, node, data->name, &table, &chosen);
    if (!status) status = take_column(r, &table, chosen, data, PART_VALUE, &data->values);
    data->size = table.rows;
    if (!status && value != node) status = read_about(r, value, &table, data);
    csv_free(&table);
    return status;
}

static gofh_status read_list(reader *r, const yaml_node *const *items, size_t count, problem_data *data)
{
    data->size = (int)count;
    return take_list(r, items, count, data, PART_VALUE, &data->values);
}

static gofh_status read_mapping(reader *r, const yaml_node *key, const yaml_node *value, problem_data *data)
{
    static const char *const keys[] = {"file", "column", "values",      "sigma", "at",
                                       "unit", "label",  "discrepancy", NULL};
    char where[100];
    snprintf(where, sizeof where, "data \"%s\"", data->name);
    gofh_status status = reader_mapping(r, value, where, keys);
    if (status) return status;
    const yaml_node *file = yaml_get(value, "file"), *values = yaml_get(value, "values");
    if (file && values)
        return reader_fail(r, yaml_key(value, "values"), "data \"%s\" have a file and values: leave one out",
                           data->name);
    if (file) return read_file(r, file, value, data);
    if (!values) return reader_fail(r, key, "data \"%s\" have no file", data->name);
    if (yaml_get(value, "column"))
        return reader_fail(r, yaml_key(value, "column"), "data \"%s\" have a column, but no file",
                           data->name);
    if (values->kind == YAML_LIST && values->count > 0)
        status = read_list(r, (const yaml_node *const *)values->items, values->count, data);
    else
        status = read_list(r, &values, 1, data);
    return status ? status : read_about(r, value, NULL, data);
}

static gofh_status read_values(reader *r, const yaml_node *key, const yaml_node *value, problem_data *data)
{
    if (value->kind == YAML_LIST && value->count > 0)
        return read_list(r, (const yaml_node *const *)value->items, value->count, data);
    if (is_number(value)) return read_list(r, &value, 1, data);
    if (value->kind == YAML_SCALAR) return read_file(r, value, value, data);
    if (value->kind == YAML_MAPPING) return read_mapping(r, key, value, data);
    reader_fail(r, key, "data \"%s\" have no values", data->name);
    return reader_hint(r, "write the name of a CSV file, or numbers in [ ]");
}

/* Makes numbers known by name to expressions and to the problem. */
static gofh_status define(reader *r, const yaml_node *key, const problem_data *data)
{
    gofh_problem *problem = r->file->problem;
    gofh_error found = {.status = GOFH_OK};
    gofh_status status = gofh_symbols_add_data(r->symbols, data->name, data->values, data->size, &found);
    if (!status) {
        status = gofh_problem_set_data(problem, data->name, data->values, data->size);
        if (!status && data->sigma)
            status = gofh_problem_set_sigma(problem, data->name, data->sigma, data->sigma_size);
        if (!status && data->discrepancy)
            status = gofh_problem_set_discrepancy(problem, data->name, data->at, data->size);
        snprintf(found.message, sizeof found.message, "%s", gofh_problem_message(problem));
    }
    return names_check(r, key, status, &found);
}

/* The same of the standard deviations; those of missing values may be anything. */
static gofh_status define_sigma(reader *r, const yaml_node *key, const problem_data *data)
{
    char name[100];
    gofh_error found = {.status = GOFH_OK};
    snprintf(name, sizeof name, "%s_sigma", data->name);
    for (int i = 0; i < data->sigma_size && data->sigma_size > 1; i++)
        if (isnan(data->values[i])) data->sigma[i] = 1.0;
    gofh_status status = gofh_symbols_add_data(r->symbols, name, data->sigma, data->sigma_size, &found);
    return names_check(r, key, status, &found);
}

static gofh_status read_entry(reader *r, const yaml_node *key, const yaml_node *value)
{
    problem_file *file = r->file;
    problem_data *data = &file->data[file->data_count];
    gofh_status status = names_claim(r, key, "data", &data->name);
    if (status) return status;
    file->data_count++;
    status = read_values(r, key, value, data);
    for (int i = 0; i < data->size && !status; i++) data->missing += isnan(data->values[i]) != 0;
    if (!status && data->missing == data->size)
        status = reader_fail(r, key, "all values of data \"%s\" are missing", data->name);
    if (!status) status = define(r, key, data);
    return status || !data->sigma ? status : define_sigma(r, key, data);
}

gofh_status read_data(reader *r, const yaml_node *section)
{
    if (section->kind != YAML_MAPPING) {
        reader_fail(r, section, "data must be a mapping of names to CSV files or numbers");
        return reader_hint(r, "such as {observed: measured.csv}");
    }
    r->file->data = memory_new(section->count, sizeof *r->file->data);
    if (!r->file->data) return reader_memory(r);
    gofh_status status = GOFH_OK;
    for (size_t i = 0; i < section->count && !status; i++)
        status = read_entry(r, section->keys[i], section->items[i]);
    return status;
}

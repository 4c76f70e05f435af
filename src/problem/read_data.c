#include "base/memory.h"
#include "problem/csv.h"
#include "problem/names.h"
#include "problem/scalar.h"

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

static gofh_status take_column(reader *r, const csv_table *table, int column, problem_data *data)
{
    data->values = memory_doubles((size_t)table->rows);
    if (!data->values) return reader_memory(r);
    data->size = table->rows;
    for (int i = 0; i < table->rows; i++) {
        gofh_status status = csv_number(table, i, column, &data->values[i], r->error);
        if (status) return status;
    }
    return GOFH_OK;
}

static gofh_status read_file(reader *r, const yaml_node *node, const yaml_node *column, problem_data *data)
{
    char *name = NULL;
    gofh_status status = reader_path(r, node, "the data file", &name);
    if (!status && !(data->path = reader_join(r, name))) status = reader_memory(r);
    free(name);
    if (status) return status;
    csv_table table;
    int chosen = 0;
    status = csv_read(&table, data->path, data->path, r->error);
    if (!status)
        status = column ? choose_column(r, column, &table, &chosen)
                        : default_column(r, node, data->name, &table, &chosen);
    if (!status) status = take_column(r, &table, chosen, data);
    csv_free(&table);
    return status;
}

static gofh_status read_numbers(reader *r, const yaml_node *const *items, size_t count, problem_data *data)
{
    char what[100];
    snprintf(what, sizeof what, "a value of data \"%s\"", data->name);
    data->values = memory_doubles(count);
    if (!data->values) return reader_memory(r);
    data->size = (int)count;
    for (size_t i = 0; i < count; i++) {
        gofh_status status = reader_number(r, items[i], what, &data->values[i]);
        if (status) return status;
    }
    return GOFH_OK;
}

static gofh_status read_values(reader *r, const yaml_node *key, const yaml_node *value, problem_data *data)
{
    static const char *const keys[] = {"file", "column", NULL};
    double ignored;
    if (value->kind == YAML_LIST && value->count > 0)
        return read_numbers(r, (const yaml_node *const *)value->items, value->count, data);
    if (value->kind == YAML_SCALAR && value->style == YAML_PLAIN && scalar_number(value->text, &ignored))
        return read_numbers(r, &value, 1, data);
    if (value->kind == YAML_SCALAR) return read_file(r, value, NULL, data);
    if (value->kind != YAML_MAPPING) {
        reader_fail(r, key, "data \"%s\" have no values", data->name);
        return reader_hint(r, "write the name of a CSV file, or numbers in [ ]");
    }
    char where[100];
    snprintf(where, sizeof where, "data \"%s\"", data->name);
    gofh_status status = reader_mapping(r, value, where, keys);
    if (status) return status;
    const yaml_node *file = yaml_get(value, "file");
    if (!file) return reader_fail(r, key, "data \"%s\" have no file", data->name);
    return read_file(r, file, yaml_get(value, "column"), data);
}

static gofh_status read_entry(reader *r, const yaml_node *key, const yaml_node *value)
{
    problem_file *file = r->file;
    problem_data *data = &file->data[file->data_count];
    gofh_status status = names_claim(r, key, "data", &data->name);
    if (status) return status;
    file->data_count++;
    status = read_values(r, key, value, data);
    if (status) return status;
    gofh_error found = {.status = GOFH_OK};
    status = gofh_symbols_add_data(r->symbols, data->name, data->values, data->size, &found);
    if (!status) {
        status = gofh_problem_set_data(file->problem, data->name, data->values, data->size);
        snprintf(found.message, sizeof found.message, "%s", gofh_problem_message(file->problem));
    }
    return names_check(r, key, status, &found);
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

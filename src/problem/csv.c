#include "problem/csv.h"

#include "base/letters.h"
#include "base/memory.h"
#include "problem/scalar.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 64 << 20, CELLS_MAX = 4000000 };

typedef struct {
    csv_table *table;
    problem_error *error;
    size_t at;
    char separator; /* ' ': any number of blanks */
} scanner;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool ends_line(char c)
{
    return c == '\n' || c == '\r' || c == '\0';
}

static char here(const scanner *s)
{
    return s->table->text.bytes[s->at];
}

static void skip_blanks(scanner *s)
{
    while (is_blank(here(s)) && here(s) != s->separator) s->at++;
    if (s->separator == ' ')
        while (is_blank(here(s))) s->at++;
}

static bool starts_comment(const scanner *s)
{
    return here(s) == '#' && (s->at == s->table->text.start || is_blank(s->table->text.bytes[s->at - 1]) ||
                              ends_line(s->table->text.bytes[s->at - 1]));
}

static void skip_line(scanner *s)
{
    while (!ends_line(here(s))) s->at++;
    if (here(s) == '\r') s->at++;
    if (here(s) == '\n') s->at++;
}

/* Whether a row starts on this line: it is neither blank nor a comment. */
static bool row_starts(const scanner *s)
{
    scanner ahead = *s;
    while (is_blank(here(&ahead))) ahead.at++;
    return !ends_line(here(&ahead)) && !starts_comment(&ahead);
}

static void next_row(scanner *s)
{
    while (s->at < s->table->text.length && !row_starts(s)) skip_line(s);
}

/* The strongest separator of the line outside quotes: a decimal comma is possible beside a
 * semicolon or a tab. */
static char find_separator(scanner s)
{
    bool quoted = false;
    char found = ' ';
    for (; here(&s) != '\0' && (quoted || (!ends_line(here(&s)) && !starts_comment(&s))); s.at++) {
        char c = here(&s);
        if (c == '"') quoted = !quoted;
        if (quoted) continue;
        if (c == ';') return ';';
        if (c == ',' && found == ' ') found = ',';
        if (c == '\t' && s.at > 0 && !ends_line(s.table->text.bytes[s.at + 1])) found = '\t';
    }
    return found;
}

static gofh_status add_cell(scanner *s, const char *text, size_t length, size_t at)
{
    csv_table *table = s->table;
    if (table->count == CELLS_MAX)
        return text_fail(&table->text, at, s->error, "there are more than %d cells", CELLS_MAX);
    char *copy = memory_new(length + 1, 1);
    if (!copy || memory_grow((void **)&table->all, &table->capacity, table->count + 1, sizeof *table->all)) {
        free(copy);
        return problem_error_memory(s->error, table->text.path);
    }
    memcpy(copy, text, length);
    table->all[table->count++] = (csv_cell){.text = copy, .at = at};
    return GOFH_OK;
}

/* A cell in quotes; a quote in it is written twice. */
static gofh_status quoted_cell(scanner *s)
{
    size_t start = s->at++;
    while (here(s) != '\0' && (here(s) != '"' || s->table->text.bytes[s->at + 1] == '"'))
        s->at += here(s) == '"' ? 2 : 1;
    if (here(s) == '\0') return text_fail(&s->table->text, start, s->error, "the quote is never closed");
    gofh_status status = add_cell(s, s->table->text.bytes + start + 1, s->at - start - 1, start);
    if (status) return status;
    char *to = s->table->all[s->table->count - 1].text;
    for (const char *from = to; (*to++ = *from) != '\0'; from++)
        if (*from == '"') from++;
    s->at++;
    size_t after = s->at;
    skip_blanks(s);
    bool ends = ends_line(here(s)) || here(s) == s->separator || starts_comment(s);
    if (ends || (s->separator == ' ' && s->at > after)) return GOFH_OK;
    return text_fail(&s->table->text, s->at, s->error,
                     "after a quoted cell the next one, or the end of the "
                     "line, is expected");
}

static gofh_status plain_cell(scanner *s)
{
    size_t start = s->at, end = start;
    for (; !ends_line(here(s)) && !starts_comment(s); s->at++) {
        char c = here(s);
        if (s->separator == ' ' ? is_blank(c) : c == s->separator) break;
        if (!is_blank(c)) end = s->at + 1;
    }
    return add_cell(s, s->table->text.bytes + start, end - start, start);
}

/* One row of cells. Gives how many, or -1. */
static int read_row(scanner *s)
{
    int count = 0;
    for (;; count++) {
        skip_blanks(s);
        bool line_ends = ends_line(here(s)) || starts_comment(s);
        if (line_ends && s->separator == ' ') break;
        if (here(s) == '"' ? quoted_cell(s) : plain_cell(s)) return -1;
        skip_blanks(s);
        if (s->separator == ' ') continue;
        if (here(s) != s->separator) {
            count++;
            break;
        }
        s->at++;
    }
    skip_line(s);
    return count;
}

static bool looks_like_a_number(const char *text)
{
    static const char *const words[] = {"nan", "inf", "infinity", "na", "null"};
    double ignored;
    if (scalar_number(text, &ignored) || *text == '\0') return true;
    text += *text == '-' || *text == '+';
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (letters_alike(text, words[i], SIZE_MAX)) return true;
    return false;
}

static bool has_header(const csv_table *table)
{
    for (int k = 0; k < table->columns; k++)
        if (!looks_like_a_number(table->all[k].text)) return true;
    return false;
}

static void split_header(csv_table *table)
{
    int all = table->columns > 0 ? (int)table->count / table->columns : 0;
    table->rows = all;
    table->cells = table->all;
    if (!has_header(table)) return;
    table->header = table->all;
    table->cells = table->all + table->columns;
    table->rows = all - 1;
}

static gofh_status read_rows(scanner *s)
{
    csv_table *table = s->table;
    for (next_row(s); s->at < table->text.length; next_row(s)) {
        size_t start = s->at;
        if (table->columns == 0) s->separator = find_separator(*s);
        int count = read_row(s);
        if (count < 0) return s->error->status;
        if (table->columns == 0) table->columns = count;
        if (count == table->columns) continue;
        text_fail(&table->text, start, s->error, "%d cell%s here, but %d in the first row", count,
                  count == 1 ? "" : "s", table->columns);
        return s->separator == ' ' && count < table->columns && has_header(table)
                   ? problem_error_hint(s->error,
                                        "blanks separate cells; a name with one needs quotes, \"T [K]\"")
                   : s->error->status;
    }
    split_header(table);
    if (table->rows == 0)
        return problem_error_set(s->error, GOFH_ERROR_PROBLEM, table->text.path, 0, 0,
                                 "there are no numbers in it");
    return GOFH_OK;
}

gofh_status csv_parse(csv_table *table, text_file *text, problem_error *error)
{
    *table = (csv_table){.text = *text};
    *text = (text_file){.path = NULL};
    scanner s = {.table = table, .error = error, .at = table->text.start, .separator = ' '};
    gofh_status status = read_rows(&s);
    if (status) csv_free(table);
    return status;
}

gofh_status csv_read(csv_table *table, const char *path, const char *shown, problem_error *error)
{
    text_file text;
    *table = (csv_table){.rows = 0};
    gofh_status status = text_read(&text, path, shown, LARGEST, error);
    return status ? status : csv_parse(table, &text, error);
}

void csv_free(csv_table *table)
{
    for (size_t i = 0; i < table->count; i++) free(table->all[i].text);
    free(table->all);
    text_free(&table->text);
    *table = (csv_table){.rows = 0};
}

int csv_find(const csv_table *table, const char *name)
{
    for (int k = 0; table->header && k < table->columns; k++)
        if (strcmp(table->header[k].text, name) == 0) return k;
    return -1;
}

const csv_cell *csv_at(const csv_table *table, int row, int column)
{
    return &table->cells[(size_t)row * (size_t)table->columns + (size_t)column];
}

bool csv_is_missing(const csv_table *table, int row, int column)
{
    return scalar_is_missing(csv_at(table, row, column)->text);
}

gofh_status csv_number(const csv_table *table, int row, int column, double *value, problem_error *error)
{
    const csv_cell *cell = csv_at(table, row, column);
    if (*cell->text == '\0')
        return text_fail(&table->text, cell->at, error, "the cell is empty: a number is expected");
    if (!scalar_number(cell->text, value)) {
        text_fail(&table->text, cell->at, error, "\"%.60s\" is not a number", cell->text);
        return problem_error_hint(error, "%s", scalar_number_hint(cell->text));
    }
    if (isfinite(*value)) return GOFH_OK;
    return text_fail(&table->text, cell->at, error, "%.60s is too large", cell->text);
}

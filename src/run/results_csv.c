#include "run/results.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "run/curve.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL = 128 };

typedef struct {
    const char *name;
    const char *bytes, *end;
    char separator;
    int header; /* whether the first row has the names */
} table;

/* One cell after the other of a row. */
typedef struct {
    const char *cell;
    size_t length;
    const char *next; /* NULL after the last cell of the row */
} cells;

static const char *line_end(const table *t, const char *from)
{
    const char *end = memchr(from, '\n', (size_t)(t->end - from));
    return end ? end : t->end;
}

/* Quotes are taken off a cell; a line end or a separator inside quotes is not supported. */
static void next_cell(const table *t, cells *c, const char *row_end)
{
    const char *from = c->next, *to = memchr(from, t->separator, (size_t)(row_end - from));
    size_t length = (size_t)((to ? to : row_end) - from);
    c->next = to ? to + 1 : NULL;
    while (length > 0 && (*from == ' ' || *from == '\t')) from++, length--;
    while (length > 0 && (from[length - 1] == ' ' || from[length - 1] == '\t' || from[length - 1] == '\r'))
        length--;
    if (length >= 2 && *from == '"' && from[length - 1] == '"') from++, length -= 2;
    c->cell = from;
    c->length = length;
}

/* The cell in column `column` of the row at `row`; 0 if the row is shorter. */
static int find_cell(const table *t, const char *row, int column, cells *c)
{
    const char *end = line_end(t, row);
    *c = (cells){.next = row};
    for (int i = 0; c->next; i++) {
        next_cell(t, c, end);
        if (i == column) return 1;
    }
    return 0;
}

static int find_column(const table *t, const char *name)
{
    const char *end = line_end(t, t->bytes);
    cells c = {.next = t->bytes};
    for (int i = 0; c.next; i++) {
        next_cell(t, &c, end);
        if (c.length == strlen(name) && memcmp(c.cell, name, c.length) == 0) return i;
    }
    return -1;
}

/* Reads exactly `size` values from a column, up to the last cell that is not empty, or, where values
 * may be missing, those of the first rows. */
static gofh_status read_column(const table *t, int column, const char *title, int may_miss, int size,
                               double *y, gofh_error *error)
{
    int found = 0, line = 1, empty = 0;
    for (const char *row = t->bytes; row < t->end; row = line_end(t, row) + 1, line++) {
        cells c;
        if ((line == 1 && t->header)) continue;
        int there = find_cell(t, row, column, &c) && c.length > 0;
        if (!there && found < size && line_end(t, row) > row && may_miss) {
            y[found++] = NAN;
            continue;
        }
        if (!there) {
            if (!empty) empty = line;
            continue;
        }
        if (empty && found > 0)
            return error_set(error, GOFH_ERROR_ARGUMENT, "%s:%d: column \"%s\" is empty here", t->name, empty,
                             title);
        double value;
        gofh_status status = results_value(may_miss, t->name, line, c.cell, c.length, &value, error);
        if (status != GOFH_OK) return status;
        if (found < size) y[found] = value;
        found++;
        empty = 0;
    }
    if (found != size)
        return error_set(error, GOFH_ERROR_ARGUMENT, "%s: column \"%s\" has %d value%s, %d %s expected",
                         t->name, title, found, found == 1 ? "" : "s", size, size == 1 ? "was" : "were");
    return GOFH_OK;
}

static gofh_status no_column(const table *t, const char *name, gofh_error *error)
{
    char header[NUMBER_EXCERPT];
    number_excerpt(t->bytes, (size_t)(line_end(t, t->bytes) - t->bytes), header);
    return error_set(error, GOFH_ERROR_ARGUMENT, "%s:1: no column \"%s\" in \"%s\"", t->name, name, header);
}

/* The column chosen by name, or by number where there is no header. */
static gofh_status read_chosen(const table *t, const simulator *sim, double *y, gofh_error *error)
{
    int column = t->header ? find_column(t, sim->column) : -1;
    if (column < 0 && sim->column[strspn(sim->column, "0123456789")] == '\0')
        column = (int)strtol(sim->column, NULL, 10) - 1;
    if (column < 0) return no_column(t, sim->column, error);
    return read_column(t, column, sim->column, results_may_miss(sim, 0), results_size(sim), y, error);
}

static table open_table(const char *name, const char *bytes, size_t count)
{
    if (count >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0) bytes += 3, count -= 3;
    table t = {name, bytes, bytes + count, ',', 0};
    const char *end = line_end(&t, bytes);
    for (const char *at = bytes; at < end; at++)
        if (*at == ',' || *at == ';' || *at == '\t') {
            t.separator = *at;
            break;
        }
    cells c = {.next = bytes};
    while (c.next) {
        double value;
        next_cell(&t, &c, end);
        if (c.length > 0 && number_read(c.cell, c.length, &value) == NUMBER_NOT_ONE) t.header = 1;
    }
    return t;
}

/* Rows up to the last cell of a column that is not empty. */
static int count_column(const table *t, int column)
{
    int rows = 0, last = 0, is_header = t->header;
    for (const char *row = t->bytes; row < t->end; row = line_end(t, row) + 1, is_header = 0) {
        cells c;
        if (is_header) continue;
        rows++;
        if (find_cell(t, row, column, &c) && c.length > 0) last = rows;
    }
    return last;
}

/* The columns of a curve and of its places, of any length. */
static gofh_status read_curve(const table *t, const simulator *sim, int i, double *y, gofh_error *error)
{
    const char *name = sim->output_names[i], *at = sim->output_curves[i].at_name;
    int column = find_column(t, name), places = find_column(t, at);
    if (column < 0 || places < 0) return no_column(t, column < 0 ? name : at, error);
    int count = count_column(t, places);
    double *place = memory_doubles(2 * (size_t)count + 1);
    if (!place) return error_memory(error);
    double *value = place + count;
    gofh_status status = read_column(t, places, at, 0, count, place, error);
    if (!status)
        status = read_column(t, column, name, sim->output_missing && sim->output_missing[i], count, value,
                             error);
    if (!status) status = curve_interpolate(sim, i, t->name, place, value, count, y, error);
    free(place);
    return status;
}

/* The values of output i: down the column of its name, or, of several, across c[0], c[1]... as
 * "gofh export" has them. */
static gofh_status read_output(const table *t, const simulator *sim, int i, double *y, gofh_error *error)
{
    const char *name = sim->output_names[i];
    int size = sim->output_sizes[i], column = find_column(t, name);
    int may_miss = sim->output_missing && sim->output_missing[i];
    if (results_is_curve(sim, i)) return read_curve(t, sim, i, y, error);
    if (column >= 0) return read_column(t, column, name, may_miss, size, y, error);
    char label[LABEL];
    snprintf(label, sizeof label, "%s[0]", name);
    if (size == 1 || find_column(t, label) < 0) return no_column(t, name, error);
    gofh_status status = GOFH_OK;
    for (int k = 0; status == GOFH_OK && k < size; k++) {
        snprintf(label, sizeof label, "%s[%d]", name, k);
        column = find_column(t, label);
        status = column < 0 ? no_column(t, label, error)
                            : read_column(t, column, label, may_miss, 1, y + k, error);
    }
    return status;
}

gofh_status results_csv(const simulator *sim, const char *name, const char *bytes, size_t count, double *y,
                        gofh_error *error)
{
    if (count == 0) return error_set(error, GOFH_ERROR_ARGUMENT, "%s is empty", name);
    table t = open_table(name, bytes, count);
    if (sim->column) return read_chosen(&t, sim, y, error);
    if (!t.header && sim->output_count == 1 && !results_is_curve(sim, 0))
        return read_column(&t, 0, "1", results_may_miss(sim, 0), sim->output_sizes[0], y, error);
    gofh_status status = GOFH_OK;
    for (int i = 0; status == GOFH_OK && i < sim->output_count; i++) {
        status = read_output(&t, sim, i, y, error);
        y += sim->output_sizes[i];
    }
    return status;
}

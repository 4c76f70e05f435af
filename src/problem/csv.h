/* CSV files, as people and programs write them: commas, semicolons, tabs or blanks between the
 * cells, quotes or none, a header or none, CRLF, a byte order mark, comments from "#" on. */
#ifndef PROBLEM_CSV_H
#define PROBLEM_CSV_H

#include "problem/text.h"

#include <stdbool.h>

typedef struct {
    char *text; /* without quotes and blanks around it */
    size_t at;  /* its byte in the file */
} csv_cell;

typedef struct {
    text_file text;
    csv_cell *header; /* of each column; NULL: the file has none */
    csv_cell *cells;  /* rows x columns */
    int rows, columns;
    csv_cell *all; /* what is owned: all cells of the file */
    size_t count, capacity;
} csv_table;

/* The first row is the header unless all of its cells are numbers. All rows have as many cells. On
 * failure nothing is left to free. `shown` is what errors call the file. */
gofh_status csv_read(csv_table *table, const char *path, const char *shown, problem_error *error);
/* Takes over `text`, also when it fails. */
gofh_status csv_parse(csv_table *table, text_file *text, problem_error *error);
void csv_free(csv_table *table);

/* The column of a name, from 0; -1 where there is none. */
int csv_find(const csv_table *table, const char *name);
/* Whether a cell says that there is no number: it is empty, or NA, nan or null. */
bool csv_is_missing(const csv_table *table, int row, int column);
/* An error at a cell. */
#define csv_fail(table, row, column, error, ...)                                                             \
    text_fail(&(table)->text, csv_at((table), (row), (column))->at, (error), __VA_ARGS__)
const csv_cell *csv_at(const csv_table *table, int row, int column);
/* The number in a cell: an error points at it. */
gofh_status csv_number(const csv_table *table, int row, int column, double *value, problem_error *error);

#endif

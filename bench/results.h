/* The results of replications: CSV files of one row per evaluation, in memory and on disk. */
#ifndef BENCH_RESULTS_H
#define BENCH_RESULTS_H

#include "gofh.h"

#include <stdio.h>

enum { BENCH_NAME = 32 };

typedef struct {
    char problem[BENCH_NAME], method[BENCH_NAME];
    int rep;
    int evaluation;  /* 0: the last of the initial design; those before it, where recorded, are -1, -2, ... */
    double observed; /* log10 regret of the best point observed; infinite while nothing is feasible */
    double recommended; /* log10 regret of the recommended point; NaN: not asked for */
    double seconds;     /* of processor time spent choosing */
} bench_row;

typedef struct {
    bench_row *rows;
    size_t count, room;
} bench_results;

void bench_results_free(bench_results *results); /* leaves it empty */
gofh_status bench_results_add(bench_results *results, const bench_row *rows, size_t count);

/* Adds what `path` has. A last line without its end was cut off while it was written: it is left
 * out. *whole is the size in bytes of all before it; whole may be NULL. */
gofh_status bench_results_read(bench_results *results, const char *path, long *whole, gofh_error *error);

/* Sorts by problem (as listed), method (the library's first), replication and evaluation. Of rows
 * that were added twice the last stays; what follows a missing evaluation is dropped, so that all
 * replications are whole from 0, or from the first evaluation of the design. */
gofh_status bench_results_sort(bench_results *results);

/* The rows of one replication in sorted results: how many there are, from *first. */
size_t bench_results_find(const bench_results *results, const char *problem, const char *method, int rep,
                          size_t *first);

extern const char BENCH_RESULTS_HEADER[]; /* with its line end */
void bench_results_print(FILE *file, const bench_row *rows, size_t count);

/* Puts a file of these results in the place of `path`, whole or not at all. */
gofh_status bench_results_replace(const bench_results *results, const char *path, gofh_error *error);

/* Fills an error of this layer; returns status. */
gofh_status bench_fail(gofh_error *error, gofh_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif

/* The CSV file of a run while it is written: replications are appended whole, or not at all. */
#ifndef BENCH_JOURNAL_H
#define BENCH_JOURNAL_H

#include "bench/results.h"

typedef struct {
    int file;
    long size; /* up to where all is whole */
    const char *path;
} bench_journal;

/* Opens the file or makes it, keeps others from writing to it, cuts off a line that was not
 * finished, and adds what it has to results. */
gofh_status bench_journal_open(bench_journal *journal, const char *path, bench_results *results,
                               gofh_error *error);
/* When it returns the rows are on disk. */
gofh_status bench_journal_append(bench_journal *journal, const bench_row *rows, size_t count,
                                 gofh_error *error);
void bench_journal_close(bench_journal *journal);

#endif

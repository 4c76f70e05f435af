/* What a study says of its best evaluation (section 8.11 of docs/method.md), beside what is so. */
#ifndef BENCH_VERDICT_H
#define BENCH_VERDICT_H

#include "bench/problems.h"

#include <stdio.h>

/* What is said is 1 or 0, what is so too; the last three count parameters. */
typedef struct {
    int sure;           /* success */
    int right;          /* the best evaluation is the optimum */
    int possible;       /* f is said to be as good as it can be */
    int ended;          /* nothing more is said to be expected */
    int stuck;          /* it is said that it may be stuck */
    int explained;      /* the model is said to explain at least half of the outputs' variation */
    int explains;       /* it does at fresh points */
    int at_bound;       /* parameters that are said to be at a bound, */
    int optimum_there;  /* those of them that the optimum has there, */
    int optimum_missed; /* and those that the optimum has at a bound while nothing is said of them */
} bench_verdict;

enum { BENCH_VERDICT_FIELDS = 10 };

/* Asks the study. scale: the median regret of its design; seed: of the fresh points. Left alone where
 * nothing is done yet. */
gofh_status bench_judge(gofh_study *study, const bench_instance *instance, double scale, uint64_t seed,
                        bench_verdict *v);

/* The fields in their order: written each after a comma; and read so, where the line goes on with
 * them. Returns what follows, or NULL. */
void bench_verdict_write(FILE *file, const bench_verdict *v);
const char *bench_verdict_read(const char *line, bench_verdict *v);
/* The names of the fields, each after a comma and `before`. */
void bench_verdict_header(FILE *file, const char *before);

/* How often each statement was made, and was right. */
typedef struct {
    int made, right;
} bench_statement;

enum { BENCH_STATEMENTS = 9 };
extern const char *const BENCH_STATEMENT_NAME[BENCH_STATEMENTS];
void bench_statements_add(bench_statement list[BENCH_STATEMENTS], const bench_verdict *v);

#endif

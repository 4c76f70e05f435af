/* What the files of the benchmark of More and Wild share. */
#ifndef BENCH_PROBLEMS_MORE_WILD_H
#define BENCH_PROBLEMS_MORE_WILD_H

enum { MORE_WILD_COUNT = 53, MORE_WILD_FUNCTIONS = 22, MORE_WILD_MAX_PARAMETERS = 12 };

typedef struct {
    const char *name;
    void (*residuals)(const double *x, int n, int m, double *y);
    /* The standard start is one of these. */
    const double *start; /* n */
    double start_value;  /* of all parameters */
    void (*fill_start)(int n, double *x);
} more_wild_function;

extern const more_wild_function bench_more_wild_functions[MORE_WILD_FUNCTIONS];

typedef struct {
    double value;
    double x[MORE_WILD_MAX_PARAMETERS];
} more_wild_optimum;

extern const more_wild_optimum bench_more_wild_optima[MORE_WILD_COUNT];

#endif

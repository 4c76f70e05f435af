/* Reads a problem file (docs/problem.md) into a problem, ready for a study and for running its
 * simulator. */
#ifndef PROBLEM_PROBLEM_FILE_H
#define PROBLEM_PROBLEM_FILE_H

#include "gofh_expression.h"
#include "problem/parameter.h"
#include "problem/problem_error.h"
#include "problem/simulator.h"

typedef struct {
    char *name;
    int size;
    double noise;  /* known variance of each of its values; NaN: not given */
    int missing;   /* whether values of it may be missing from results */
    char *at_name; /* of the places that results bring with it; NULL: it is no curve */
    int extend;    /* a curve has its last value beyond its end */
    int data;      /* of a curve: the data at whose places it is wanted */
} problem_output;

typedef struct {
    char *name;
    char *path;     /* as errors name it; NULL: the values are in the problem file */
    double *values; /* NaN: missing */
    int size, missing;
    double *sigma; /* standard deviations: sigma_size of them, 1 or size; NULL: not given */
    int sigma_size;
    double *at;                   /* size: where they were measured; NULL: not given */
    int discrepancy;              /* whether the simulator may differ from them, as a function of that */
    char *at_name, *unit, *label; /* for people; NULL: not given */
} problem_data;

/* A pair of objective: {fit: ...}, by their places. */
typedef struct {
    int output, data;
    gofh_residual residual;
    gofh_loss loss;
    double threshold; /* 0: the usual one */
} problem_pair;

/* From 1. */
typedef struct {
    int line, column;
} problem_place;

/* All of it belongs to the problem file. */
typedef struct {
    char *path; /* as it was given */
    gofh_problem *problem;
    gofh_settings settings;
    double wall_clock;   /* stop after this many seconds; 0: never */
    simulator simulator; /* command == NULL: there is none, only ask and tell */
    problem_parameter *parameters;
    int parameter_count;
    double *starts;          /* the points that the user has, one row each; NaN: left out */
    problem_place *start_at; /* where each is in the file */
    int start_count;
    problem_output *outputs;
    int output_count;
    problem_data *data;
    int data_count;
    gofh_sense sense;
    int log_likelihood; /* whether the objective is the logarithm of a likelihood */
    char *objective;
    gofh_expression_kind kind;
    int ignores_outputs; /* whether the objective names none */
    problem_pair *fits;  /* what the objective was made of; none: it was written as it is */
    int fit_count;
    char **constraints;
    unsigned char *known;         /* which of them name no outputs */
    problem_place *constraint_at; /* where each is in the file */
    int constraint_count;
} problem_file;

/* Whatever is wrong with it is found here: nothing needs to run first. `error` comes zeroed; on
 * failure nothing is left to free. */
gofh_status problem_file_read(problem_file *file, const char *path, problem_error *error);
/* The same of `length` bytes of text, as if they were in a file at `path`. */
gofh_status problem_file_parse(problem_file *file, const char *path, const char *bytes, size_t length,
                               problem_error *error);
void problem_file_free(problem_file *file);

#endif

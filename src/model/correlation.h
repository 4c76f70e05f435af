/* The correlation R of the outputs given the data, from the errors that the model has made (section 2
 * of docs/method.md). Kept as a multiple of the identity plus a matrix of low rank, never as outputs x
 * outputs. */
#ifndef MODEL_CORRELATION_H
#define MODEL_CORRELATION_H

#include <stddef.h>

typedef struct {
    int outputs, rank;
    double rest;             /* R = rest I + vectors diag(value) vectors' */
    double *value, *vectors; /* rank, in ascending order; outputs x rank, orthonormal columns */
    double *block;           /* to be freed */
} output_correlation;

/* Rows of errors that R is made from, at most: its rank is no larger. */
enum { CORRELATION_ROWS = 300 };

/* From count rows of errors (count x outputs, each output's in a unit of its own), which are lost; how
 * far they are trusted is chosen by evidence. Returns 0; or -1 when there is no memory, with *r as it
 * was. */
int correlation_estimate(output_correlation *r, int count, int outputs, double *errors);
/* The same of coordinates, in one unit, of `all` > count outputs that have errors in no other
 * direction. */
int correlation_estimate_part(output_correlation *r, int count, int outputs, int all, double *errors);
void correlation_free(output_correlation *r);

/* Independent normals z (count x outputs) become R^(1/2) z, row by row. */
void correlation_mix(const output_correlation *r, int count, double *z);
/* R_jl. */
double correlation_between(const output_correlation *r, int j, int l);

#endif

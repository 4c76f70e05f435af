/* Elementwise mathematics on whole arrays, vectorised by the compiler for the instruction set found
 * at run time. */
#ifndef BASE_VECTOR_H
#define BASE_VECTOR_H

/* out[i] = exp(in[i]), within 1.02 units in the last place for in[i] <= 709; 0 below -708. in and
 * out may be the same. */
void vector_exp(const double *in, int count, double *out);
/* out[i] = cos(in[i]) or sin(in[i]), within 3 units in the last place; NaN where in[i] is not
 * finite. In place too. */
void vector_cos(const double *in, int count, double *out);
void vector_sin(const double *in, int count, double *out);

/* sum of weight[i] (at - x[i]), in a fixed order of eight interleaved partial sums. */
double vector_weighted_difference(const double *weight, double at, const double *x, int count);
/* sum of weight[i] (at - x[i])^2, of a[i] b[i], and of x[i], in the same order. */
double vector_weighted_squares(const double *weight, double at, const double *x, int count);
double vector_dot(const double *a, const double *b, int count);
double vector_sum(const double *x, int count);
/* Index of the largest of count >= 1 values, the first of equals. */
int vector_largest(const double *values, int count);

#endif

/* Polynomials of degree 2 in the outputs that analysis.c carries along a tape:
 *   constant + sum of terms [square (y_j - centre)^2 + linear (y_j - centre)] + sum of weight (row)^2
 * where j is different in each term, and a row is a polynomial of degree 1 in several outputs. */
#ifndef OUTER_POLYNOMIAL_H
#define OUTER_POLYNOMIAL_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    int output;
    double square, linear, centre;
} polynomial_term;

typedef struct {
    int row; /* the number of another polynomial */
    double weight;
} polynomial_square;

typedef struct {
    double constant;
    size_t first_term, terms, first_square, squares;
} polynomial;

/* All polynomials of an analysis, and the one being added up. */
typedef struct {
    polynomial *items;
    polynomial_term *terms;
    polynomial_square *squares;
    size_t count, capacity, term_count, term_capacity, square_count, square_capacity;
    size_t *place; /* where the term of an output is in the sum being made, from 1; 0: nowhere */
    double constant;
    size_t sum_first_term, sum_first_square;
    bool failed;    /* no memory */
    bool too_large; /* given up */
} polynomials;

/* 0, or -1 when there is no memory. */
int polynomials_init(polynomials *pool, int outputs);
void polynomials_clear(polynomials *pool);

/* Makes a sum: start, add as often as needed, finish, which gives its number or -1 (then failed or
 * too_large is set, or it is not finite). */
void polynomial_start(polynomials *pool);
void polynomial_add_constant(polynomials *pool, double constant);
void polynomial_add_term(polynomials *pool, polynomial_term term);
void polynomial_add_square(polynomials *pool, int row, double weight);
/* (scale / divisor) times another; both, so that dividing by a number is exact where it can be. */
void polynomial_add(polynomials *pool, int other, double scale, double divisor);
int polynomial_finish(polynomials *pool);

bool polynomial_is_constant(const polynomials *pool, int number);
bool polynomial_is_affine(const polynomials *pool, int number);
/* The product, or -1 where it is not of degree 2 or mixes outputs. */
int polynomial_product(polynomials *pool, int a, int b);
int polynomial_squared(polynomials *pool, int a);

#endif

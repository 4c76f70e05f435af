#include "outer/polynomial.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

enum { LARGEST = 1 << 23 }; /* terms in all: beyond, an expression is not looked into */

int polynomials_init(polynomials *pool, int outputs)
{
    *pool = (polynomials){0};
    pool->place = memory_new((size_t)outputs, sizeof *pool->place);
    return pool->place ? 0 : -1;
}

void polynomials_clear(polynomials *pool)
{
    free(pool->items);
    free(pool->terms);
    free(pool->squares);
    free(pool->place);
    *pool = (polynomials){0};
}

void polynomial_start(polynomials *pool)
{
    pool->constant = 0.0;
    pool->sum_first_term = pool->term_count;
    pool->sum_first_square = pool->square_count;
}

void polynomial_add_constant(polynomials *pool, double constant)
{
    pool->constant += constant;
}

static bool reserve(polynomials *pool, void **items, size_t *capacity, size_t count, size_t size)
{
    if (count > LARGEST) pool->too_large = true;
    if (pool->failed || pool->too_large) return false;
    if (memory_grow(items, capacity, count, size)) pool->failed = true;
    return !pool->failed;
}

/* The same term about another centre; what is left over goes to the constant. */
static polynomial_term recentred(polynomials *pool, polynomial_term term, double centre)
{
    double shift = centre - term.centre;
    pool->constant += (term.square * shift + term.linear) * shift;
    term.linear += 2.0 * term.square * shift;
    term.centre = centre;
    return term;
}

/* Two terms of the same output. With equal centres nothing is rounded; with different ones the new
 * centre is where the sum of both squares is smallest, so that no linear part comes up. */
static polynomial_term merged(polynomials *pool, polynomial_term a, polynomial_term b)
{
    if (a.centre != b.centre) {
        double weight = a.square + b.square;
        double centre = a.square == 0.0 && b.square != 0.0 ? b.centre : a.centre;
        if (a.square != 0.0 && b.square != 0.0 && weight != 0.0)
            centre = a.centre + b.square / weight * (b.centre - a.centre);
        a = recentred(pool, a, centre);
        b = recentred(pool, b, centre);
    }
    a.square += b.square;
    a.linear += b.linear;
    return a;
}

void polynomial_add_term(polynomials *pool, polynomial_term term)
{
    size_t *place = &pool->place[term.output];
    if (*place) {
        polynomial_term *there = &pool->terms[*place - 1];
        *there = merged(pool, *there, term);
        return;
    }
    if (!reserve(pool, (void **)&pool->terms, &pool->term_capacity, pool->term_count + 1,
                 sizeof *pool->terms))
        return;
    pool->terms[pool->term_count] = term;
    *place = ++pool->term_count;
}

void polynomial_add_square(polynomials *pool, int row, double weight)
{
    if (!reserve(pool, (void **)&pool->squares, &pool->square_capacity, pool->square_count + 1,
                 sizeof *pool->squares))
        return;
    pool->squares[pool->square_count++] = (polynomial_square){.row = row, .weight = weight};
}

void polynomial_add(polynomials *pool, int other, double scale, double divisor)
{
    polynomial from = pool->items[other];
    pool->constant += from.constant * scale / divisor;
    for (size_t i = 0; i < from.terms; i++) {
        polynomial_term term = pool->terms[from.first_term + i];
        term.square = term.square * scale / divisor;
        term.linear = term.linear * scale / divisor;
        polynomial_add_term(pool, term);
    }
    for (size_t i = 0; i < from.squares; i++) {
        polynomial_square square = pool->squares[from.first_square + i];
        polynomial_add_square(pool, square.row, square.weight * scale / divisor);
    }
}

/* a (y - t) + c is a (y - (t - c/a)): then its square has one centre and no constant. */
static void absorb_constant(polynomials *pool)
{
    if (pool->term_count != pool->sum_first_term + 1 || pool->square_count != pool->sum_first_square) return;
    polynomial_term *term = &pool->terms[pool->sum_first_term];
    double centre = term->centre - pool->constant / term->linear;
    if (term->square != 0.0 || pool->constant == 0.0 || !isfinite(centre)) return;
    term->centre = centre;
    pool->constant = 0.0;
}

static bool close_terms(polynomials *pool)
{
    bool finite = isfinite(pool->constant);
    size_t kept = pool->sum_first_term;
    for (size_t i = pool->sum_first_term; i < pool->term_count; i++) {
        polynomial_term term = pool->terms[i];
        pool->place[term.output] = 0;
        finite = finite && isfinite(term.square) && isfinite(term.linear) && isfinite(term.centre);
        if (term.square != 0.0 || term.linear != 0.0) pool->terms[kept++] = term;
    }
    pool->term_count = kept;
    for (size_t i = pool->sum_first_square; i < pool->square_count; i++)
        finite = finite && isfinite(pool->squares[i].weight);
    return finite;
}

int polynomial_finish(polynomials *pool)
{
    bool finite = close_terms(pool);
    if (!reserve(pool, (void **)&pool->items, &pool->capacity, pool->count + 1, sizeof *pool->items) ||
        !finite) {
        pool->term_count = pool->sum_first_term;
        pool->square_count = pool->sum_first_square;
        return -1;
    }
    absorb_constant(pool);
    pool->items[pool->count] = (polynomial){.constant = pool->constant,
                                            .first_term = pool->sum_first_term,
                                            .terms = pool->term_count - pool->sum_first_term,
                                            .first_square = pool->sum_first_square,
                                            .squares = pool->square_count - pool->sum_first_square};
    return (int)pool->count++;
}

bool polynomial_is_constant(const polynomials *pool, int number)
{
    return pool->items[number].terms == 0 && pool->items[number].squares == 0;
}

bool polynomial_is_affine(const polynomials *pool, int number)
{
    const polynomial *p = &pool->items[number];
    for (size_t i = 0; i < p->terms; i++)
        if (pool->terms[p->first_term + i].square != 0.0) return false;
    return p->squares == 0;
}

/* c = 0 too: a (y - t) by itself. */
static bool is_one_output(const polynomials *pool, int number)
{
    const polynomial *p = &pool->items[number];
    return p->terms == 1 && p->squares == 0 && p->constant == 0.0 && pool->terms[p->first_term].square == 0.0;
}

static int scaled(polynomials *pool, int number, double scale)
{
    polynomial_start(pool);
    polynomial_add(pool, number, scale, 1.0);
    return polynomial_finish(pool);
}

int polynomial_product(polynomials *pool, int a, int b)
{
    if (polynomial_is_constant(pool, a)) return scaled(pool, b, pool->items[a].constant);
    if (polynomial_is_constant(pool, b)) return scaled(pool, a, pool->items[b].constant);
    if (!is_one_output(pool, a) || !is_one_output(pool, b)) return -1;
    polynomial_term left = pool->terms[pool->items[a].first_term],
                    right = pool->terms[pool->items[b].first_term];
    if (left.output != right.output) return -1;
    double scale = left.linear * right.linear, half = 0.5 * (left.centre - right.centre);
    double centre = left.centre == right.centre ? left.centre : right.centre + half;
    polynomial_start(pool);
    polynomial_add_constant(pool, -scale * half * half);
    polynomial_add_term(pool, (polynomial_term){.output = left.output, .square = scale, .centre = centre});
    return polynomial_finish(pool);
}

int polynomial_squared(polynomials *pool, int a)
{
    if (polynomial_is_constant(pool, a) || is_one_output(pool, a)) return polynomial_product(pool, a, a);
    if (!polynomial_is_affine(pool, a)) return -1;
    polynomial_start(pool);
    polynomial_add_square(pool, a, 1.0);
    return polynomial_finish(pool);
}

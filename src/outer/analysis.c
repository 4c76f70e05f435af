#include "outer/analysis.h"

#include "base/memory.h"
#include "outer/polynomial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const tape *tape;
    polynomials pool;
    int *first; /* of each node, its first element's polynomial; -1: it has none */
    bool *needed;
} walk;

static void mark_needed(walk *w, int root)
{
    const tape *t = w->tape;
    w->needed[root] = true;
    for (int i = root; i >= 0; i--) {
        const tape_node *node = &t->nodes[i];
        if (!w->needed[i]) continue;
        for (int j = 0; j < 3 && node->argument[j] >= 0; j++) w->needed[node->argument[j]] = true;
        for (int j = 0; j < node->parts; j++) w->needed[t->parts[node->first + j]] = true;
    }
}

/* The polynomial of an element of argument `a` of a node, whose single one serves for all. */
static int element_of(const walk *w, const tape_node *node, int a, int e)
{
    int argument = node->argument[a];
    return w->first[argument] + (tape_size(w->tape, argument) > 1 ? e : 0);
}

static int copy_element(walk *w, int from)
{
    polynomial_start(&w->pool);
    polynomial_add(&w->pool, from, 1.0, 1.0);
    return polynomial_finish(&w->pool);
}

static int concatenated_element(walk *w, const tape_node *node, int e)
{
    for (int i = 0; i < node->parts; i++) {
        int part = w->tape->parts[node->first + i], size = tape_size(w->tape, part);
        if (e < size) return w->first[part] < 0 ? -1 : copy_element(w, w->first[part] + e);
        e -= size;
    }
    return -1;
}

static int sum_of_elements(walk *w, const tape_node *node)
{
    int argument = node->argument[0];
    polynomial_start(&w->pool);
    for (int e = 0; e < tape_size(w->tape, argument); e++)
        polynomial_add(&w->pool, w->first[argument] + e, 1.0, 1.0);
    return polynomial_finish(&w->pool);
}

/* One element of a node whose arguments all have polynomials; -1 if it has none. `previous` is the
 * element before. */
static int make_element(walk *w, int number, int e, int previous)
{
    const tape_node *node = &w->tape->nodes[number];
    polynomials *pool = &w->pool;
    int a = node->argument[0] >= 0 ? element_of(w, node, 0, e) : -1;
    int b = node->argument[1] >= 0 ? element_of(w, node, 1, e) : -1;
    switch (node->op) {
    case TAPE_CONSTANT:
        polynomial_start(pool);
        polynomial_add_constant(pool, tape_values(w->tape, number)[e]);
        return polynomial_finish(pool);
    case TAPE_OUTPUT:
        polynomial_start(pool);
        polynomial_add_term(pool, (polynomial_term){.output = node->first + e, .linear = 1.0});
        return polynomial_finish(pool);
    case TAPE_SLICE:
        return copy_element(w, w->first[node->argument[0]] + node->first + e);
    case TAPE_CONCATENATE:
        return concatenated_element(w, node, e);
    case TAPE_SUM:
        return sum_of_elements(w, node);
    case TAPE_CUMSUM:
        polynomial_start(pool);
        if (e > 0) polynomial_add(pool, previous, 1.0, 1.0);
        polynomial_add(pool, a, 1.0, 1.0);
        return polynomial_finish(pool);
    case TAPE_NEGATE:
        polynomial_start(pool);
        polynomial_add(pool, a, -1.0, 1.0);
        return polynomial_finish(pool);
    case TAPE_ADD:
    case TAPE_SUBTRACT:
        polynomial_start(pool);
        polynomial_add(pool, a, 1.0, 1.0);
        polynomial_add(pool, b, node->op == TAPE_ADD ? 1.0 : -1.0, 1.0);
        return polynomial_finish(pool);
    case TAPE_MULTIPLY:
        return polynomial_product(pool, a, b);
    case TAPE_SQUARE:
        return polynomial_squared(pool, a);
    case TAPE_DIVIDE:
        if (!polynomial_is_constant(pool, b)) return -1;
        polynomial_start(pool);
        polynomial_add(pool, a, 1.0, pool->items[b].constant);
        return polynomial_finish(pool);
    default:
        return -1;
    }
}

/* Elements of a node have consecutive numbers: squares refer to older polynomials only, and nothing
 * else is made in between. */
static int make_node(walk *w, int number)
{
    const tape_node *node = &w->tape->nodes[number];
    for (int i = 0; i < 3 && node->argument[i] >= 0; i++)
        if (w->first[node->argument[i]] < 0) return -1;
    int first = -1, last = -1;
    for (int e = 0; e < node->size; e++) {
        last = make_element(w, number, e, last);
        if (last < 0) return -1;
        if (e == 0) first = last;
    }
    return first;
}

static void end_walk(walk *w)
{
    polynomials_clear(&w->pool);
    free(w->first);
    free(w->needed);
}

/* GOFH_OK: w->first[root] tells. In any case it must be ended. */
static gofh_status make_walk(walk *w, const tape *t, int root)
{
    *w = (walk){.tape = t};
    w->first = memory_new((size_t)root + 1, sizeof *w->first);
    w->needed = memory_new((size_t)root + 1, sizeof *w->needed);
    if (polynomials_init(&w->pool, t->outputs) || !w->first || !w->needed) return GOFH_ERROR_MEMORY;
    mark_needed(w, root);
    for (int i = 0; i <= root; i++) {
        w->first[i] = w->needed[i] ? make_node(w, i) : -1;
        if (w->pool.failed) return GOFH_ERROR_MEMORY;
        if (w->pool.too_large) break;
    }
    if (w->pool.too_large) w->first[root] = -1;
    return GOFH_OK;
}

/* constant + weights . y of a polynomial of degree 1. */
static void write_linear(const polynomials *pool, int number, double *weights, double *constant)
{
    const polynomial *p = &pool->items[number];
    *constant = p->constant;
    for (size_t i = 0; i < p->terms; i++) {
        const polynomial_term *term = &pool->terms[p->first_term + i];
        weights[term->output] = term->linear;
        *constant -= term->linear * term->centre;
    }
}

static gofh_status find_linear(analysis *result, const walk *w, int number)
{
    result->weights = memory_doubles((size_t)w->tape->outputs);
    if (!result->weights) return GOFH_ERROR_MEMORY;
    write_linear(&w->pool, number, result->weights, &result->constant);
    if (isfinite(result->constant)) result->kind = GOFH_EXPRESSION_LINEAR;
    return GOFH_OK;
}

/* Whether every term has a square, and all weights the same sign. */
static bool is_sum_of_squares(const polynomials *pool, const polynomial *p)
{
    bool above = false, below = false;
    for (size_t i = 0; i < p->terms; i++) {
        double square = pool->terms[p->first_term + i].square;
        if (square == 0.0) return false;
        *(square > 0.0 ? &above : &below) = true;
    }
    for (size_t i = 0; i < p->squares; i++) {
        double weight = pool->squares[p->first_square + i].weight;
        if (weight != 0.0) *(weight > 0.0 ? &above : &below) = true;
    }
    return above != below;
}

static gofh_status reserve_residuals(analysis *result, size_t residuals, size_t coefficients)
{
    result->start = memory_new(residuals + 1, sizeof *result->start);
    result->column = memory_new(coefficients, sizeof *result->column);
    result->coefficient = memory_doubles(coefficients);
    result->target = memory_doubles(residuals);
    result->weight = memory_doubles(residuals);
    return result->start && result->column && result->coefficient && result->target && result->weight
               ? GOFH_OK
               : GOFH_ERROR_MEMORY;
}

static void add_coefficient(analysis *result, int column, double coefficient)
{
    int end = result->start[result->residuals + 1]++;
    result->column[end] = column;
    result->coefficient[end] = coefficient;
}

static void begin_residual(analysis *result)
{
    result->start[result->residuals + 1] = result->start[result->residuals];
}

static gofh_status find_least_squares(analysis *result, const walk *w, int number)
{
    const polynomials *pool = &w->pool;
    const polynomial *p = &pool->items[number];
    if (!is_sum_of_squares(pool, p)) return GOFH_OK;
    size_t coefficients = p->terms;
    for (size_t i = 0; i < p->squares; i++)
        coefficients += pool->items[pool->squares[p->first_square + i].row].terms;
    if (reserve_residuals(result, p->terms + p->squares, coefficients)) return GOFH_ERROR_MEMORY;

    result->constant = p->constant;
    for (size_t i = 0; i < p->terms; i++) {
        const polynomial_term *term = &pool->terms[p->first_term + i];
        double half = 0.5 * term->linear / term->square;
        begin_residual(result);
        add_coefficient(result, term->output, 1.0);
        result->target[result->residuals] = term->centre - half;
        result->weight[result->residuals++] = term->square;
        result->constant -= half * half * term->square;
    }
    for (size_t i = 0; i < p->squares; i++) {
        const polynomial_square *square = &pool->squares[p->first_square + i];
        const polynomial *row = &pool->items[square->row];
        if (square->weight == 0.0) continue;
        double target = -row->constant;
        begin_residual(result);
        for (size_t k = 0; k < row->terms; k++) {
            const polynomial_term *term = &pool->terms[row->first_term + k];
            add_coefficient(result, term->output, term->linear);
            target += term->linear * term->centre;
        }
        result->target[result->residuals] = target;
        result->weight[result->residuals++] = square->weight;
    }
    bool finite = isfinite(result->constant);
    for (int i = 0; i < result->residuals; i++) finite = finite && isfinite(result->target[i]);
    if (finite) result->kind = GOFH_EXPRESSION_LEAST_SQUARES;
    result->separable = p->squares == 0;
    return GOFH_OK;
}

gofh_status analysis_find(analysis *result, const tape *t, int node)
{
    *result = (analysis){.kind = GOFH_EXPRESSION_GENERAL};
    walk w;
    gofh_status status = make_walk(&w, t, node);
    if (status == GOFH_OK && w.first[node] >= 0)
        status = polynomial_is_affine(&w.pool, w.first[node]) ? find_linear(result, &w, w.first[node])
                                                              : find_least_squares(result, &w, w.first[node]);
    end_walk(&w);
    if (status != GOFH_OK) analysis_clear(result);
    return status;
}

void analysis_clear(analysis *result)
{
    free(result->weights);
    free(result->start);
    free(result->column);
    free(result->coefficient);
    free(result->target);
    free(result->weight);
    *result = (analysis){.kind = GOFH_EXPRESSION_GENERAL};
}

gofh_status analysis_linear(const tape *t, int node, bool *linear, double *weights, double *constant)
{
    walk w;
    *linear = false;
    gofh_status status = make_walk(&w, t, node);
    int size = tape_size(t, node), first = status == GOFH_OK ? w.first[node] : -1;
    if (first >= 0) {
        *linear = true;
        for (int e = 0; e < size; e++) *linear = *linear && polynomial_is_affine(&w.pool, first + e);
    }
    for (int e = 0; *linear && e < size; e++) {
        double *row = weights + (size_t)e * (size_t)t->outputs;
        memset(row, 0, (size_t)t->outputs * sizeof *row);
        write_linear(&w.pool, first + e, row, &constant[e]);
        *linear = isfinite(constant[e]);
    }
    end_walk(&w);
    return status;
}

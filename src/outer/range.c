#define _XOPEN_SOURCE 700 /* M_PI */
#include "outer/range.h"

#include "base/memory.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

static const range ALL = {-INFINITY, INFINITY};

static range join(range a, range b)
{
    return (range){fmin(a.low, b.low), fmax(a.high, b.high)};
}

/* Of values that may be NaN, which an end has where infinities meet. */
static range span(const double *value, int count)
{
    range r = {INFINITY, -INFINITY};
    for (int i = 0; i < count; i++) {
        if (isnan(value[i])) return ALL;
        r = join(r, (range){value[i], value[i]});
    }
    return r;
}

static range rising(double (*f)(double), range a)
{
    return span((const double[]){f(a.low), f(a.high)}, 2);
}

static range magnitude(range a)
{
    if (a.low >= 0.0) return a;
    if (a.high <= 0.0) return (range){-a.high, -a.low};
    return (range){0.0, fmax(-a.low, a.high)};
}

/* Below 0 the function is not a number: that is none of its values. */
static range from_zero(range a)
{
    return (range){fmax(a.low, 0.0), fmax(a.high, 0.0)};
}

/* 0 times anything that grows beyond all numbers is 0. */
static double product(double a, double b)
{
    return a == 0.0 || b == 0.0 ? 0.0 : a * b;
}

static range multiply(range a, range b)
{
    const double corner[] = {product(a.low, b.low), product(a.low, b.high), product(a.high, b.low),
                             product(a.high, b.high)};
    return span(corner, 4);
}

static range divide(range a, range b)
{
    if (b.low <= 0.0 && b.high >= 0.0) return ALL;
    return multiply(a, (range){1.0 / b.high, 1.0 / b.low});
}

static range power(range a, range b)
{
    if (a.low < 0.0) return ALL;
    const double corner[] = {pow(a.low, b.low), pow(a.low, b.high), pow(a.high, b.low), pow(a.high, b.high),
                             a.low <= 1.0 && a.high >= 1.0 ? 1.0 : pow(a.low, b.low)};
    return span(corner, 5);
}

static double normal_cdf(double x)
{
    return 0.5 * erfc(-x * M_SQRT1_2);
}

static range of_unary(const tape_node *n, range a, int size)
{
    double count = size;
    range sum;
    switch (n->op) {
    case TAPE_SLICE:
    case TAPE_SMALLEST:
    case TAPE_LARGEST:
        return a;
    case TAPE_SUM:
        return (range){count * a.low, count * a.high};
    case TAPE_CUMSUM:
        sum = (range){count * a.low, count * a.high};
        return join(a, sum);
    case TAPE_NEGATE:
        return (range){-a.high, -a.low};
    case TAPE_ABS:
        return magnitude(a);
    case TAPE_SQUARE:
        a = magnitude(a);
        return (range){a.low * a.low, a.high * a.high};
    case TAPE_COSH:
        return rising(cosh, magnitude(a));
    case TAPE_EXP:
        return rising(exp, a);
    case TAPE_LOG:
        return rising(log, from_zero(a));
    case TAPE_LOG10:
        return rising(log10, from_zero(a));
    case TAPE_SQRT:
        return rising(sqrt, from_zero(a));
    case TAPE_ATAN:
        return rising(atan, a);
    case TAPE_SINH:
        return rising(sinh, a);
    case TAPE_TANH:
        return rising(tanh, a);
    case TAPE_ERF:
        return rising(erf, a);
    case TAPE_NORMAL_CDF:
        return rising(normal_cdf, a);
    case TAPE_FLOOR:
        return rising(floor, a);
    case TAPE_SIN:
    case TAPE_COS:
        return (range){-1.0, 1.0};
    case TAPE_ASIN:
        return (range){-M_PI_2, M_PI_2};
    case TAPE_ACOS:
        return (range){0.0, M_PI};
    case TAPE_NOT:
        return (range){0.0, 1.0};
    default:
        return ALL;
    }
}

static range of_binary(tape_op op, range a, range b)
{
    switch (op) {
    case TAPE_ADD:
        return (range){a.low + b.low, a.high + b.high};
    case TAPE_SUBTRACT:
        return (range){a.low - b.high, a.high - b.low};
    case TAPE_MULTIPLY:
        return multiply(a, b);
    case TAPE_DIVIDE:
        return divide(a, b);
    case TAPE_POWER:
        return power(a, b);
    case TAPE_SMALLER:
        return (range){fmin(a.low, b.low), fmin(a.high, b.high)};
    case TAPE_LARGER:
        return (range){fmax(a.low, b.low), fmax(a.high, b.high)};
    default: /* comparisons */
        return (range){0.0, 1.0};
    }
}

/* For what rounding does, here and where the expression is evaluated. 0 stays 0. */
static range widen(range r, int size)
{
    double part = (4.0 + size) * DBL_EPSILON;
    if (isnan(r.low) || isnan(r.high)) return ALL;
    if (isfinite(r.low)) r.low -= part * fabs(r.low);
    if (isfinite(r.high)) r.high += part * fabs(r.high);
    return r;
}

static range of_node(const tape *t, const tape_node *n, const range *known, const double *lower,
                     const double *upper)
{
    range r = {INFINITY, -INFINITY};
    switch (n->op) {
    case TAPE_CONSTANT:
        return span(t->values + n->first, n->size);
    case TAPE_OUTPUT:
        return ALL;
    case TAPE_PARAMETER:
        return (range){lower[n->first], upper[n->first]};
    case TAPE_CONCATENATE:
        for (int i = 0; i < n->parts; i++) r = join(r, known[t->parts[n->first + i]]);
        return r;
    case TAPE_WHERE:
        return join(known[n->argument[1]], known[n->argument[2]]);
    default:
        break;
    }
    range a = known[n->argument[0]];
    int size = t->nodes[n->argument[0]].size;
    r = tape_arguments(n->op) == 1 ? of_unary(n, a, size) : of_binary(n->op, a, known[n->argument[1]]);
    return widen(r, size);
}

gofh_status range_find(const tape *t, int node, const double *lower, const double *upper, range *found)
{
    range *known = memory_new((size_t)node + 1, sizeof *known);
    if (!known) return GOFH_ERROR_MEMORY;
    for (int i = 0; i <= node; i++) known[i] = of_node(t, &t->nodes[i], known, lower, upper);
    *found = known[node];
    free(known);
    return GOFH_OK;
}

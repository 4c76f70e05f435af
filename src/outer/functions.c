#include "outer/functions.h"

#include "base/error.h"
#include "base/memory.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int apply_unary(tape *t, tape_op op, const int *argument, int count)
{
    (void)count;
    return tape_unary(t, op, argument[0]);
}

static int mean(tape *t, tape_op op, const int *argument, int count)
{
    (void)op;
    (void)count;
    int size = tape_size(t, argument[0]);
    return size == 1
               ? argument[0]
               : tape_binary(t, TAPE_DIVIDE, tape_unary(t, TAPE_SUM, argument[0]), tape_number(t, size));
}

/* The smallest or largest element of one vector, or of several, element by element. */
static int extremum(tape *t, tape_op op, const int *argument, int count)
{
    if (count == 1) return tape_unary(t, op == TAPE_SMALLER ? TAPE_SMALLEST : TAPE_LARGEST, argument[0]);
    int result = argument[0];
    for (int i = 1; i < count; i++) result = tape_binary(t, op, result, argument[i]);
    return result;
}

static int norm(tape *t, tape_op op, const int *argument, int count)
{
    (void)op;
    (void)count;
    if (tape_size(t, argument[0]) == 1) return tape_unary(t, TAPE_ABS, argument[0]);
    return tape_unary(t, TAPE_SQRT, tape_unary(t, TAPE_SUM, tape_unary(t, TAPE_SQUARE, argument[0])));
}

static int norm1(tape *t, tape_op op, const int *argument, int count)
{
    (void)op;
    (void)count;
    return tape_unary(t, TAPE_SUM, tape_unary(t, TAPE_ABS, argument[0]));
}

static int dot(tape *t, tape_op op, const int *argument, int count)
{
    (void)op;
    (void)count;
    return tape_unary(t, TAPE_SUM, tape_binary(t, TAPE_MULTIPLY, argument[0], argument[1]));
}

static int length(tape *t, tape_op op, const int *argument, int count)
{
    (void)op;
    (void)count;
    return tape_number(t, tape_size(t, argument[0]));
}

/* Huber's: r^2 up to a threshold k, the tangent beyond: a (2 |r| - a) with a = min(|r|, k). */
static int huber(tape *t, tape_op op, const int *argument, int count)
{
    (void)op;
    (void)count;
    int r = tape_unary(t, TAPE_ABS, argument[0]), a = tape_binary(t, TAPE_SMALLER, r, argument[1]);
    int twice = tape_binary(t, TAPE_MULTIPLY, tape_number(t, 2.0), r);
    return tape_binary(t, TAPE_MULTIPLY, a, tape_binary(t, TAPE_SUBTRACT, twice, a));
}

/* The elements of the first argument whose datum in the last one is not missing. */
static int known(tape *t, tape_op op, const int *argument, int count)
{
    (void)op;
    int from = argument[0], by = argument[count - 1], size = tape_size(t, by), parts = 0;
    if (tape_size(t, from) == 1 && size > 1) return from;
    int *part = memory_new((size_t)size, sizeof *part);
    if (!part) {
        error_memory(t->error);
        return -1;
    }
    for (int first = 0, end; first < size; first = end + 1) {
        for (end = first; end < size && !isnan(tape_values(t, by)[end]);) end++;
        if (end == first) continue;
        part[parts] = tape_slice(t, from, first, end - first);
        if (part[parts++] < 0) break;
    }
    int result = parts > 0 && part[parts - 1] >= 0 ? tape_concatenate(t, part, parts) : -1;
    free(part);
    return result;
}

static int where(tape *t, tape_op op, const int *argument, int count)
{
    (void)op;
    (void)count;
    return tape_where(t, argument[0], argument[1], argument[2]);
}

static const function FUNCTIONS[] = {
    {"sum", 1, 1, apply_unary, TAPE_SUM},
    {"mean", 1, 1, mean, TAPE_SUM},
    {"min", 1, INT_MAX, extremum, TAPE_SMALLER},
    {"max", 1, INT_MAX, extremum, TAPE_LARGER},
    {"norm", 1, 1, norm, TAPE_SUM},
    {"norm1", 1, 1, norm1, TAPE_SUM},
    {"dot", 2, 2, dot, TAPE_SUM},
    {"cumsum", 1, 1, apply_unary, TAPE_CUMSUM},
    {"length", 1, 1, length, TAPE_CONSTANT},
    {"exp", 1, 1, apply_unary, TAPE_EXP},
    {"log", 1, 1, apply_unary, TAPE_LOG},
    {"log10", 1, 1, apply_unary, TAPE_LOG10},
    {"sqrt", 1, 1, apply_unary, TAPE_SQRT},
    {"abs", 1, 1, apply_unary, TAPE_ABS},
    {"sin", 1, 1, apply_unary, TAPE_SIN},
    {"cos", 1, 1, apply_unary, TAPE_COS},
    {"tan", 1, 1, apply_unary, TAPE_TAN},
    {"asin", 1, 1, apply_unary, TAPE_ASIN},
    {"acos", 1, 1, apply_unary, TAPE_ACOS},
    {"atan", 1, 1, apply_unary, TAPE_ATAN},
    {"sinh", 1, 1, apply_unary, TAPE_SINH},
    {"cosh", 1, 1, apply_unary, TAPE_COSH},
    {"tanh", 1, 1, apply_unary, TAPE_TANH},
    {"erf", 1, 1, apply_unary, TAPE_ERF},
    {"normal_cdf", 1, 1, apply_unary, TAPE_NORMAL_CDF},
    {"floor", 1, 1, apply_unary, TAPE_FLOOR},
    {"huber", 2, 2, huber, TAPE_WHERE},
    {"known", 1, 2, known, TAPE_SLICE},
    {"where", 3, 3, where, TAPE_WHERE},
};

const function *function_at(size_t index)
{
    return index < sizeof FUNCTIONS / sizeof *FUNCTIONS ? &FUNCTIONS[index] : NULL;
}

const function *function_find(const char *name, size_t length_of_name)
{
    const function *f;
    for (size_t i = 0; (f = function_at(i)); i++)
        if (strlen(f->name) == length_of_name && memcmp(f->name, name, length_of_name) == 0) return f;
    return NULL;
}

bool function_selects(const function *f)
{
    return f->apply == known;
}

int function_apply(tape *t, const function *f, const int *argument, int count)
{
    return f->apply(t, f->op, argument, count);
}

/* The compiled form of an expression: a list of operations on vectors, each after its arguments.
 * Whatever can be computed while compiling is, and equal operations are there once. */
#ifndef OUTER_TAPE_H
#define OUTER_TAPE_H

#include "gofh.h"

#include <stdbool.h>

enum {
    TAPE_NODES = 1 << 17,    /* at most so many operations */
    TAPE_ELEMENTS = 1 << 22, /* and so many elements in all their results */
    TAPE_FOLDED = 1 << 28    /* elements looked at to compute constants, while compiling */
};

/* X(name, arguments). Norms, means and products of vectors are made of these. */
#define TAPE_OP_LIST(X)                                                                                      \
    X(CONSTANT, 0)                                                                                           \
    X(OUTPUT, 0)                                                                                             \
    X(PARAMETER, 0)                                                                                          \
    X(SLICE, 1)                                                                                              \
    X(CONCATENATE, 0)                                                                                        \
    X(SUM, 1)                                                                                                \
    X(SMALLEST, 1)                                                                                           \
    X(LARGEST, 1)                                                                                            \
    X(CUMSUM, 1)                                                                                             \
    X(NEGATE, 1)                                                                                             \
    X(SQUARE, 1)                                                                                             \
    X(EXP, 1)                                                                                                \
    X(LOG, 1)                                                                                                \
    X(LOG10, 1)                                                                                              \
    X(SQRT, 1)                                                                                               \
    X(ABS, 1)                                                                                                \
    X(SIN, 1)                                                                                                \
    X(COS, 1)                                                                                                \
    X(TAN, 1)                                                                                                \
    X(ASIN, 1)                                                                                               \
    X(ACOS, 1)                                                                                               \
    X(ATAN, 1)                                                                                               \
    X(SINH, 1)                                                                                               \
    X(COSH, 1)                                                                                               \
    X(TANH, 1)                                                                                               \
    X(ERF, 1)                                                                                                \
    X(NORMAL_CDF, 1)                                                                                         \
    X(FLOOR, 1)                                                                                              \
    X(NOT, 1)                                                                                                \
    X(ADD, 2)                                                                                                \
    X(SUBTRACT, 2)                                                                                           \
    X(MULTIPLY, 2)                                                                                           \
    X(DIVIDE, 2)                                                                                             \
    X(POWER, 2)                                                                                              \
    X(SMALLER, 2)                                                                                            \
    X(LARGER, 2)                                                                                             \
    X(LESS, 2)                                                                                               \
    X(LESS_EQUAL, 2)                                                                                         \
    X(EQUAL, 2)                                                                                              \
    X(NOT_EQUAL, 2)                                                                                          \
    X(AND, 2)                                                                                                \
    X(OR, 2)                                                                                                 \
    X(WHERE, 3)

typedef enum {
#define TAPE_OP_ITEM(name, arguments) TAPE_##name,
    TAPE_OP_LIST(TAPE_OP_ITEM)
#undef TAPE_OP_ITEM
        TAPE_OPS
} tape_op;

typedef struct {
    tape_op op;
    int argument[3];
    int size;
    /* OUTPUT, PARAMETER: column; SLICE: first element; CONSTANT: in values; CONCATENATE: in parts */
    int first;
    int parts;        /* of a CONCATENATE */
    int data;         /* CONSTANT: which data it is made of, from 1; 0: numbers only; -1: several data */
    bool derived;     /* by more than slices of them */
    bool constant;    /* its values are known */
    bool nonnegative; /* its values are surely not below 0 */
} tape_node;

typedef struct {
    int outputs, parameters;
    tape_node *nodes;
    double *values; /* of the constants */
    int *parts;     /* the nodes that are concatenated */
    size_t count, capacity, value_count, value_capacity, part_count, part_capacity;
    size_t elements, folded;
    gofh_error *error; /* while compiling */
} tape;

int tape_arguments(tape_op op);

void tape_init(tape *t, int outputs, int parameters, gofh_error *error);
void tape_clear(tape *t);

/* Each gives the number of the node, or -1 with the error set. Sizes must fit: equal, or one of
 * them 1. */
int tape_constant(tape *t, const double *values, int size);
int tape_number(tape *t, double value);
/* Constants that are data, the `number`th, from 1. */
int tape_data(tape *t, const double *values, int size, int number);
/* Of what is made of both, as in tape_node. */
int tape_data_of_both(int a, int b);
int tape_output(tape *t, int column, int size);
int tape_parameter(tape *t, int column);
int tape_unary(tape *t, tape_op op, int a);
int tape_binary(tape *t, tape_op op, int a, int b);
int tape_where(tape *t, int condition, int a, int b);
int tape_slice(tape *t, int a, int first, int size);
int tape_concatenate(tape *t, const int *parts, int count);
/* a^b, without a call of pow() for the usual exponents. */
int tape_power(tape *t, int a, int b);

/* Sets used[column] of each output on the tape to 1. */
void tape_mark_outputs(const tape *t, unsigned char *used);

/* Drops what `root` does not need, and renumbers; gives the new number of the root, always the
 * last. */
int tape_trim(tape *t, int root);

static inline int tape_size(const tape *t, int node)
{
    return t->nodes[node].size;
}
static inline const double *tape_values(const tape *t, int constant)
{
    return t->values + t->nodes[constant].first;
}

#endif

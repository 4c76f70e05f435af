/* Random expressions for tests: a tree of its own, printed as text, and evaluated in long double by
 * walking it, without any of the code under test. */
#ifndef TESTS_OUTER_RANDOM_TREE_H
#define TESTS_OUTER_RANDOM_TREE_H

#include "base/random.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TREE_LONG = 5, TREE_OUTPUTS = 9, TREE_PARAMETERS = 2, TREE_NODES = 400, TREE_TEXT = 1 << 14 };

/* Outputs u (5), v (3), s; parameters a, b; data q (5), p (3). */
static const double TREE_Q[] = {0.5, 1.5, -2.0, 3.0, 0.25}, TREE_P[] = {2.0, 0.1, 1.25};

typedef struct tree {
    /* a leaf's name, an operator, a function, "number", "index", "slice" or "list" */
    char kind[12];
    int size, children, first;
    double number;
    struct tree *child[3];
} tree;

typedef struct {
    random_stream stream;
    tree nodes[TREE_NODES];
    int used;
} tree_garden;

static inline tree *tree_new(tree_garden *g, const char *kind, int size)
{
    tree *node = &g->nodes[g->used++];
    *node = (tree){.size = size};
    snprintf(node->kind, sizeof node->kind, "%s", kind);
    return node;
}

static inline int tree_pick(tree_garden *g, int count)
{
    return (int)random_below(&g->stream, (uint32_t)count);
}

static inline tree *tree_leaf(tree_garden *g, int size)
{
    static const char *const ones[] = {"s", "a", "b"}, *const threes[] = {"v", "p"},
                             *const fives[] = {"u", "q"};
    if (size == 5) return tree_new(g, fives[tree_pick(g, 2)], 5);
    if (size == 3) return tree_new(g, threes[tree_pick(g, 2)], 3);
    if (tree_pick(g, 3) > 0) return tree_new(g, ones[tree_pick(g, 3)], 1);
    tree *number = tree_new(g, "number", 1);
    number->number = (double)tree_pick(g, 33) / 8.0;
    return number;
}

static inline tree *tree_grow(tree_garden *g, int size, int depth);

static inline tree *tree_call(tree_garden *g, const char *kind, int size, int children, const int *sizes,
                              int depth)
{
    tree *node = tree_new(g, kind, size);
    node->children = children;
    for (int i = 0; i < children; i++) node->child[i] = tree_grow(g, sizes[i], depth - 1);
    return node;
}

static inline tree *tree_grow(tree_garden *g, int size, int depth)
{
    static const char *const binaries[] = {"+", "-", "*", "/", "+", "-", "*", "^2", "^", "min", "max"};
    static const char *const comparisons[] = {"<", "<=", ">", ">=", "==", "!=", "and", "or", "not"};
    static const char *const unaries[] = {"exp",  "log",  "log10", "sqrt",       "abs",   "sin",
                                          "cos",  "tan",  "asin",  "acos",       "atan",  "sinh",
                                          "cosh", "tanh", "erf",   "normal_cdf", "floor", "-"};
    static const char *const reductions[] = {"sum", "mean", "min", "max", "norm", "norm1", "dot"};
    if (depth <= 0 || g->used > TREE_NODES - 60 || tree_pick(g, 8) == 0) return tree_leaf(g, size);
    int sizes[3] = {size, size, size}, choice = tree_pick(g, 20);
    int large = tree_pick(g, 2) ? 3 : 5;
    if (size > 1 && tree_pick(g, 3) == 0) sizes[tree_pick(g, 2)] = 1; /* broadcast */
    if (choice < 8) {
        const char *kind = binaries[tree_pick(g, 11)];
        if (sizes[0] == 1) sizes[1] = size;
        if (strcmp(kind, "^2") == 0) return tree_call(g, kind, size, 1, (int[]){size}, depth);
        return tree_call(g, kind, size, 2, sizes, depth);
    }
    if (choice < 13) return tree_call(g, unaries[tree_pick(g, 18)], size, 1, (int[]){size}, depth);
    if (choice < 15) {
        sizes[2] = size;
        tree *node = tree_call(g, "where", size, 3, sizes, depth);
        if (sizes[0] == 1 || tree_pick(g, 2)) {
            const char *kind = comparisons[tree_pick(g, 9)];
            int both[2] = {sizes[0], sizes[0]};
            node->child[0] = tree_call(g, kind, sizes[0], strcmp(kind, "not") == 0 ? 1 : 2, both, depth);
        }
        return node;
    }
    if (size == 1 && choice < 18) {
        const char *kind = reductions[tree_pick(g, 7)];
        return tree_call(g, kind, 1, strcmp(kind, "dot") == 0 ? 2 : 1, (int[]){large, large}, depth);
    }
    if (size == 1) {
        tree *node = tree_call(g, "index", 1, 1, &large, depth);
        node->first = tree_pick(g, large);
        return node;
    }
    if (choice < 17) return tree_call(g, "cumsum", size, 1, (int[]){size}, depth);
    if (size == 3 && choice < 19) {
        tree *node = tree_call(g, "slice", 3, 1, (int[]){5}, depth);
        node->first = tree_pick(g, 3);
        return node;
    }
    if (size == 5) return tree_call(g, "list", 5, 3, (int[]){1, 3, 1}, depth);
    return tree_call(g, "list", 3, 3, (int[]){1, 1, 1}, depth);
}

static inline char *tree_append(char *text, const char *word)
{
    size_t length = strlen(word);
    memcpy(text, word, length + 1);
    return text + length;
}

static inline char *tree_print(const tree *node, char *text)
{
    const char *kind = node->kind;
    if (strcmp(kind, "number") == 0) return text + snprintf(text, 32, "%.17g", node->number);
    if (node->children == 0) return tree_append(text, kind);
    bool infix = node->children == 2 &&
                 (strchr("+-*/^<>=!", kind[0]) || strcmp(kind, "and") == 0 || strcmp(kind, "or") == 0);
    bool prefix = strcmp(kind, "not") == 0 || (kind[0] == '-' && node->children == 1);
    bool postfix = strcmp(kind, "index") == 0 || strcmp(kind, "slice") == 0 || strcmp(kind, "^2") == 0;
    bool list = strcmp(kind, "list") == 0;
    if (!infix && !prefix && !postfix && !list) text = tree_append(text, kind);
    if (strcmp(kind, "^2") == 0) text = tree_append(text, "(");
    text = tree_append(text, list ? "[" : "(");
    if (prefix) text = tree_append(tree_append(text, kind), " ");
    for (int i = 0; i < node->children; i++) {
        if (i > 0)
            text = infix ? tree_append(tree_append(tree_append(text, " "), kind), " ")
                         : tree_append(text, ", ");
        text = tree_print(node->child[i], text);
    }
    text = tree_append(text, list ? "]" : ")");
    if (strcmp(kind, "index") == 0) text += snprintf(text, 32, "[%d]", node->first);
    if (strcmp(kind, "slice") == 0)
        text += snprintf(text, 32, "[%d:%d]", node->first, node->first + node->size);
    return strcmp(kind, "^2") == 0 ? tree_append(text, "^2)") : text;
}

typedef long double real;

static inline real tree_unary(const char *kind, real x)
{
    if (strcmp(kind, "exp") == 0) return expl(x);
    if (strcmp(kind, "log") == 0) return logl(x);
    if (strcmp(kind, "log10") == 0) return log10l(x);
    if (strcmp(kind, "sqrt") == 0) return sqrtl(x);
    if (strcmp(kind, "abs") == 0) return fabsl(x);
    if (strcmp(kind, "sin") == 0) return sinl(x);
    if (strcmp(kind, "cos") == 0) return cosl(x);
    if (strcmp(kind, "tan") == 0) return tanl(x);
    if (strcmp(kind, "asin") == 0) return asinl(x);
    if (strcmp(kind, "acos") == 0) return acosl(x);
    if (strcmp(kind, "atan") == 0) return atanl(x);
    if (strcmp(kind, "sinh") == 0) return sinhl(x);
    if (strcmp(kind, "cosh") == 0) return coshl(x);
    if (strcmp(kind, "tanh") == 0) return tanhl(x);
    if (strcmp(kind, "erf") == 0) return erfl(x);
    if (strcmp(kind, "normal_cdf") == 0) return 0.5L * erfcl(-x / sqrtl(2.0L));
    if (strcmp(kind, "floor") == 0) return floorl(x);
    if (strcmp(kind, "^2") == 0) return x * x;
    if (strcmp(kind, "not") == 0) return isnan(x) ? x : x == 0.0L;
    return -x;
}

static inline real tree_binary(const char *kind, real x, real y)
{
    if (strcmp(kind, "and") == 0) return isnan(x) ? x : x == 0.0L ? 0.0L : isnan(y) ? y : y != 0.0L;
    if (strcmp(kind, "or") == 0) return isnan(x) ? x : x != 0.0L ? 1.0L : isnan(y) ? y : y != 0.0L;
    if (isnan(x) || isnan(y)) return isnan(x) ? x : y;
    if (strcmp(kind, "+") == 0) return x + y;
    if (strcmp(kind, "-") == 0) return x - y;
    if (strcmp(kind, "*") == 0) return x * y;
    if (strcmp(kind, "/") == 0) return x / y;
    if (strcmp(kind, "^") == 0) return powl(x, y);
    if (strcmp(kind, "min") == 0) return x <= y ? x : y;
    if (strcmp(kind, "max") == 0) return x >= y ? x : y;
    if (strcmp(kind, "<") == 0) return x < y;
    if (strcmp(kind, "<=") == 0) return x <= y;
    if (strcmp(kind, ">") == 0) return x > y;
    if (strcmp(kind, ">=") == 0) return x >= y;
    if (strcmp(kind, "==") == 0) return x == y;
    return x != y;
}

static inline real tree_reduce(const char *kind, const tree *node, const real *a, const real *b)
{
    int n = node->child[0]->size;
    real result = strcmp(kind, "min") == 0 || strcmp(kind, "max") == 0 ? a[0] : 0.0L;
    for (int i = 0; i < n; i++) {
        if (strcmp(kind, "sum") == 0 || strcmp(kind, "mean") == 0)
            result += a[i];
        else if (strcmp(kind, "norm") == 0)
            result += a[i] * a[i];
        else if (strcmp(kind, "norm1") == 0)
            result += fabsl(a[i]);
        else if (strcmp(kind, "dot") == 0)
            result += a[i] * b[i];
        else
            result = tree_binary(kind, result, a[i]);
    }
    return strcmp(kind, "mean") == 0 ? result / n : strcmp(kind, "norm") == 0 ? sqrtl(result) : result;
}

static inline bool tree_is_leaf(const tree *node, const char *name)
{
    return node->children == 0 && strcmp(node->kind, name) == 0;
}

static bool tree_rounds; /* every step to a double, to see what rounding does */

/* out[size] at y[9], x[2]. What no double can hold is infinite. */
static inline void tree_evaluate(const tree *node, const real *y, const real *x, real *out)
{
    real value[3][TREE_LONG];
    const char *kind = node->kind;
    for (int c = 0; c < node->children; c++) tree_evaluate(node->child[c], y, x, value[c]);
    for (int i = 0, first = 0; i < node->size; i++) {
        real arguments[3];
        for (int c = 0; c < node->children; c++) arguments[c] = value[c][node->child[c]->size > 1 ? i : 0];
        if (tree_is_leaf(node, "number"))
            out[i] = node->number;
        else if (tree_is_leaf(node, "u"))
            out[i] = y[i];
        else if (tree_is_leaf(node, "v"))
            out[i] = y[5 + i];
        else if (tree_is_leaf(node, "s"))
            out[i] = y[8];
        else if (tree_is_leaf(node, "a"))
            out[i] = x[0];
        else if (tree_is_leaf(node, "b"))
            out[i] = x[1];
        else if (tree_is_leaf(node, "q"))
            out[i] = TREE_Q[i];
        else if (tree_is_leaf(node, "p"))
            out[i] = TREE_P[i];
        else if (strcmp(kind, "index") == 0 || strcmp(kind, "slice") == 0)
            out[i] = value[0][node->first + i];
        else if (strcmp(kind, "cumsum") == 0)
            out[i] = value[0][i] + (i > 0 ? out[i - 1] : 0.0L);
        else if (strcmp(kind, "where") == 0)
            out[i] = isnan(arguments[0]) ? arguments[0] : arguments[0] != 0.0L ? arguments[1] : arguments[2];
        else if (strcmp(kind, "list") == 0) {
            int part = i == 0 ? 0 : i == node->size - 1 ? 2 : 1;
            first = part == 1 ? i - 1 : 0;
            out[i] = value[part][first];
        } else if (node->size == 1 && node->child[0]->size > 1)
            out[i] = tree_reduce(kind, node, value[0], value[1]);
        else if (node->children == 2)
            out[i] = tree_binary(kind, arguments[0], arguments[1]);
        else
            out[i] = tree_unary(kind, arguments[0]);
        if (tree_rounds) out[i] = (double)out[i];
        if (fabsl(out[i]) > DBL_MAX) out[i] = out[i] > 0.0L ? (real)INFINITY : -(real)INFINITY;
    }
}

#endif

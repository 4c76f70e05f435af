/* Random problem files with relations between parameters, and what they mean by an evaluation of the
 * test's own. */
#ifndef TESTS_PROBLEM_RELATION_FILES_H
#define TESTS_PROBLEM_RELATION_FILES_H

#include <stddef.h>
#include <stdint.h>

enum { RELATION_PARAMETERS = 6, RELATION_VALUES = 40, RELATIONS = 4, RELATION_NODES = 24 };

typedef enum { AT_MOST, AT_LEAST, BAND, EQUAL } relation_sense;

/* Of a tree: a number, a parameter, or an operation on one or two nodes before it. */
typedef struct {
    char
        operation; /* 'n', 'x', + - * / ^ (square), e (exp), l (log), s (sqrt), a (abs), m (min), M (max), c (cos) */
    double number;
    int left, right;
} relation_node;

typedef struct {
    relation_sense sense;
    relation_node nodes[RELATION_NODES]; /* the last is the root */
    int count;
    double bound, width; /* of a band: bound -+ width */
    double range;        /* of its left side over the box, of many points and the corners */
} relation;

typedef struct {
    int d;
    double lower[RELATION_PARAMETERS], upper[RELATION_PARAMETERS]; /* of an interval */
    double values[RELATION_PARAMETERS][RELATION_VALUES];
    int value_count[RELATION_PARAMETERS]; /* 0: an interval */
    int logarithmic[RELATION_PARAMETERS];
    relation relations[RELATIONS];
    int relation_count, equalities;
    int initial, is_satisfiable;
    char text[20000];
} relation_problem;

/* The problem of a seed. Unless is_satisfiable is 0 there is a point that meets all relations, often
 * barely. */
void relation_problem_make(relation_problem *problem, uint64_t seed);
/* How far x is from breaking relation i, of which rounding may take *rounding: below 0 it is broken. */
double relation_margin(const relation_problem *problem, int i, const double *x, double *rounding);
/* How many points there are; 0: infinitely many. */
size_t relation_points(const relation_problem *problem);
void relation_point(const relation_problem *problem, size_t number, double *x);
/* Whether x has values that are allowed, exactly. */
int relation_allows(const relation_problem *problem, const double *x);

#endif

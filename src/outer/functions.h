/* The functions an expression may call. */
#ifndef OUTER_FUNCTIONS_H
#define OUTER_FUNCTIONS_H

#include "outer/tape.h"

typedef struct {
    const char *name;
    int least, most; /* arguments */
    int (*apply)(tape *t, tape_op op, const int *argument, int count);
    tape_op op;
} function;

/* By number, from 0; NULL after the last. */
const function *function_at(size_t index);
/* NULL when there is none of that name; the name need not end with a zero. */
const function *function_find(const char *name, size_t length);
/* Whether it is known(): its last argument is data, whose missing values it leaves out. */
bool function_selects(const function *f);
/* The node, or -1 with the tape's error set. The arguments' sizes must fit each other. */
int function_apply(tape *t, const function *f, const int *argument, int count);

#endif

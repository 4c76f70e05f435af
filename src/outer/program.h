/* A tape with a workspace, run on blocks of samples. In the workspace an element of a vector is a
 * row of samples, so that every operation, sums over elements included, is a loop along samples; a
 * slice is a view of rows. */
#ifndef OUTER_PROGRAM_H
#define OUTER_PROGRAM_H

#include "outer/tape.h"

typedef struct {
    tape tape;
    int root;
    int size;        /* elements of the root */
    int block;       /* samples at a time */
    size_t *offset;  /* of each node's rows */
    double *values;  /* rows of all nodes: first those that vary, then the constants */
    double *bars;    /* of those that vary */
    size_t varying;  /* rows */
    double *scratch; /* one row */
} program;

/* Takes over the tape, on failure too; drops the nodes that `root` does not need. */
gofh_status program_build(program *p, tape *t, int root, gofh_error *error);
void program_clear(program *p);

/* Values at n <= block samples: y n x outputs, x n x parameters. */
void program_forward(program *p, const double *y, const double *x, int n);

/* After program_forward: the gradient of one element of the root. dy and dx (either may be NULL)
 * have one row per sample, dy_step and dx_step doubles apart, and are overwritten; what is not
 * finite in them becomes 0. */
void program_backward(program *p, int element, int n, double *dy, size_t dy_step, double *dx, size_t dx_step);

static inline const double *program_value(const program *p, int element)
{
    return p->values + p->offset[p->root] + (size_t)element * (size_t)p->block;
}

/* Whether it depends on any parameter. */
bool program_uses_parameters(const program *p);

#endif

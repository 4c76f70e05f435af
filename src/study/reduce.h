/* A study of very many outputs by one of few (section 8.12 of docs/method.md).
 *
 * n runs span n directions. Where g is linear or a sum of squares and all outputs have one kernel, the
 * residuals of the data in an orthonormal basis of what they span are outputs of a smaller study with
 * the same f. The study itself keeps a model of some of its outputs only: the kernel is learned there,
 * and what is kept from one fit to the next is theirs.
 */
#ifndef STUDY_REDUCE_H
#define STUDY_REDUCE_H

#include "study/fitted.h"

enum {
    REDUCE_ABOVE = 500,  /* outputs: all then have one kernel, whatever g is */
    REDUCE_LEARNED = 100 /* outputs, in even strides, that it is learned from */
};

typedef struct reduction reduction;

/* Whether there are so many outputs. */
int reduce_is_large(const study_spec *spec);
/* Whether a study of this is reduced, and a reduction to begin with; NULL: no memory. */
int reduce_applies(const study_spec *spec, const method *chosen);
reduction *reduce_create(void);
void reduce_free(reduction *r);
/* A trial has changed. */
void reduce_forget(study *st);

/* The study that suggestions and what is said of f are made with: st itself where it is not reduced, else
 * the smaller one, up to date. NULL where that failed: *status says why. */
study *reduce_study(study *st, gofh_status *status);

#endif

/* How sure the study is of its best evaluation (section 8.11 of docs/method.md): the one place that
 * computes it. */
#ifndef STUDY_ASSESS_H
#define STUDY_ASSESS_H

#include "outer/comparisons.h"
#include "study/study.h"

enum { ASSESS_TEXT = 1024 };

typedef struct {
    const char *const *name;     /* of each parameter */
    const unsigned char *choice; /* of each: whether its values are texts, which have no bounds */
    const comparisons *compared; /* what the outputs are compared with */
} assess_context;

/* text: ASSESS_TEXT bytes, for the message; bound: one per parameter. The message and the bounds in
 * *result point there. GOFH_ERROR_EMPTY: no trial is done. */
gofh_status study_assess(study *st, const assess_context *context, gofh_assessment *result, char *text,
                         int *bound);

#endif

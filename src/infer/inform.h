/* Which run would tell most of the posterior (section 4 of docs/posterior.md): EIVAR of Sürer, Plumlee and
 * Wild (2023), the expected integrated variance of the posterior density that is left after it. */
#ifndef INFER_INFORM_H
#define INFER_INFORM_H

#include "base/random.h"
#include "infer/sampler.h"

/* What a study that is for the posterior wants to know; all borrowed. */
typedef struct {
    const infer_prior *prior; /* d */
    const infer_datum *data;
    int count, groups;
} infer_goal;

/* A study_goal's function, whose context is an infer_goal. u[d]: where to run next; *change: by what
 * share of its width that is expected to change the interval of a parameter, the largest of all. The
 * model is fitted and calibrated, and may have fantasies of open trials. */
gofh_status inform_propose(study *st, random_stream *stream, double *u, double *change, void *context);

/* About how many such runs make the emulator's share of the variance of each parameter at most `wanted`; 0:
 * that can't be told. states: points of the posterior, count x dimension. exact: d deviations in the user's
 * units, if the emulator were exact. The model, which must be entered, is as before afterwards. */
gofh_status inform_count_runs(likelihood *l, const double *states, int count, const double *exact,
                              double wanted, random_stream *stream, int *runs);

/* Of one point: the logarithm, up to a constant, of the expected square of the likelihood's mean after a run
 * that leaves a share v of the emulator's variance there,
 * A(v) = N(y; mu, (Sigma + (2 - v) K) / 2) |Sigma + v K|^(-1/2). What is expected to go of the likelihood's
 * variance is A(v) - A(1). */
gofh_status inform_log_square(likelihood *l, const double *point, double left, double *value);

#endif

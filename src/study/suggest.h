/* What the methods' files share. */
#ifndef STUDY_SUGGEST_H
#define STUDY_SUGGEST_H

#include "study/study.h"

/* The model of all done trials, with fantasies of the open ones: until study_unfantasise. */
gofh_status suggest_prepare(study *st, uint64_t key);

/* What a suggestion is expected to gain in units of f: its expected improvement. NaN where that is a probability, because
 * under some sample nothing allowed is known that it could improve on. */
double suggest_gain(const study *st, double improvement);

/* Scrambled Sobol' normals, count x outputs, of the stream (purpose, key, part); to be freed. NULL: no memory. */
double *suggest_normals(const study *st, random_purpose purpose, uint64_t key, uint64_t part, int count);

/* The acquisition as an objective of a search. */
typedef struct {
    study *st;
    acquire_kind kind;
    uint64_t key;
    const double *z; /* NULL: closed form */
    int draws;
    int screening; /* hyperparameter samples that candidates are screened with */
    /* NULL, or what each of those says of the candidates: CANDIDATES x outputs means, then deviations. */
    double *posterior;
    int logarithm; /* its logarithm instead, whose shape does not depend on its size */
    gofh_status status;
} suggest_context;

/* A search_objective; the context is a suggest_context. */
int suggest_objective(const double *x, int count, double *value, double *gradient, void *context);

/* engine.c */
gofh_status suggest_gofh(study *st, uint64_t key, double *u, double *expected, const char **origin);

/* suggest_pes.c */
gofh_status suggest_entropy(study *st, uint64_t key, double *u, double *expected, const char **origin);
gofh_status report_entropy(study *st, uint64_t key, const double *points, int q, double *value);

#endif

/* Samples of a posterior on the unit cube: populations of walkers that go from the prior to it through
 * tempered ones between them, by moves of an affine-invariant ensemble and into the known modes
 * (docs/posterior.md). Populations are independent, so that they can be compared. */
#ifndef INFER_SAMPLER_H
#define INFER_SAMPLER_H

#include "base/random.h"
#include "infer/likelihood.h"

enum { SAMPLER_POPULATIONS = 4 };

typedef struct {
    int d;
    /* Up to a constant, at points within the unit cube (count x d) */
    gofh_status (*log_density)(const double *point, int count, double *value, void *context);
    /* What is known beforehand: a draw, and its log density, which integrates to 1 */
    void (*draw)(random_stream *stream, double *point, void *context);
    double (*log_prior)(const double *point, void *context);
    void *context;
    const infer_basin *basin; /* the modes that are known */
    int basins;
    /* d: whether the density is constant within cells of a coordinate; NULL where none is */
    const unsigned char *discrete;
    int discrete_count;
    uint64_t seed, key; /* of the random stream */
    int samples;        /* effective ones that are wanted */
    int populations;    /* at most SAMPLER_POPULATIONS; 0: so many */
} sampler_target;

typedef struct {
    int d, walkers, steps; /* walkers of each population */
    int populations;
    int temperatures;         /* the most of any population */
    double accepted;          /* share of the moves */
    double *chain;            /* populations x walkers x steps_room x d */
    size_t room;              /* steps */
    double *density;          /* populations x walkers x room */
    double *rhat, *effective; /* d */
} sampler_result;

/* GOFH_STOP_CALLER: interrupted. sampler_release frees, whatever the outcome. */
gofh_status sampler_run(const sampler_target *target, sampler_result *result);
void sampler_release(sampler_result *result);
/* The state of walker w of population p at step t. */
double *sampler_state(const sampler_result *result, int p, int w, int t);

/* diagnose.c: fills in rhat and effective. Returns -1 when there is no memory. */
int sampler_diagnose(sampler_result *result);

#endif

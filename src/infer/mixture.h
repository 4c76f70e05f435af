/* A mixture that moves are proposed from, wherever a walker is: Student's distributions that are fitted
 * to the walkers themselves, others at the modes that are known, and a wide normal one. */
#ifndef INFER_MIXTURE_H
#define INFER_MIXTURE_H

#include "base/random.h"
#include "infer/bend.h"
#include "infer/likelihood.h"

enum { MIXTURE_FITTED = 6, MIXTURE_MODES = 8 };

typedef struct {
    int d, modes, fitted;
    infer_basin wide, mode[MIXTURE_MODES], fit[MIXTURE_FITTED];
    double log_weight[MIXTURE_FITTED]; /* of what is fitted, among itself */
    double log_peak;                   /* of Student's distribution, relative to a normal one */
    bend straight;                     /* of what is fitted, which is fitted there */
    double *whitened, *floor;          /* d; d: the least variances of what is fitted */
    double *share;                     /* walkers x MIXTURE_FITTED: of each point, of each component */
    double *bent;                      /* walkers x d: the points, straightened */
    double *block;
} mixture;

/* Modes are given in the unit cube, and are at most MIXTURE_MODES; those of the mixture are of normal
 * quantiles. Returns -1 when there is no memory; to be freed by mixture_free. */
int mixture_create(mixture *q, int d, int walkers, const infer_basin *mode, int modes);
void mixture_free(mixture *q);

/* Fits what is fitted to points (count x d, at most `walkers`) by a few steps of
 * expectation and maximisation. */
void mixture_fit(mixture *q, random_stream *stream, const double *point, int count);

void mixture_draw(const mixture *q, random_stream *stream, double *point);
double mixture_log_density(const mixture *q, const double *point);

#endif

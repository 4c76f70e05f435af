/* Choices as places on a line, which are hyperparameters (eq. 2a of docs/method.md): the kernel sees the
 * place of a choice as the one coordinate of its parameter, so that choices may be alike in groups, or
 * have an order that nobody knows. The other form is one lengthscale for each choice. */
#ifndef MODEL_LATENT_H
#define MODEL_LATENT_H

#include "base/domain.h"

/* The parameters that may have places: those of four choices or more, which have one coordinate each. Three
 * lengthscales give three choices nearly all distances that they may have. */
enum { LATENT_MIN = 4 };

typedef struct {
    int count;
    struct {
        int first, width;
    } of[GOFH_MAX_PARAMETERS / LATENT_MIN];
} latent_choices;

latent_choices latent_find(const domain *box);

/* Which choice parameter i of the list has: x with `stride` between its coordinates. */
int latent_level(const latent_choices *choices, int i, const double *x, int stride);

/* Where inverse lengthscales are kept, the coordinates of a parameter with places have 1, the scale of
 * the line, and then the places of all choices but the first; their sum over all choices is 0. */
double latent_place(const latent_choices *choices, int i, const double *kept, int level);
/* Any places, of which only the differences count, become what is kept. */
void latent_keep(const latent_choices *choices, int i, const double *places, double *kept);

/* A point as the kernel sees it: 1/2 and the place in the first coordinate, 1/2 in the others. */
void latent_see(const latent_choices *choices, const double *kept, int d, const double *x, double *seen);
/* The same of `count` points, with so much between their coordinates. */
void latent_see_all(const latent_choices *choices, const double *kept, int d, int count, const double *x,
                    int stride, double *seen, int seen_stride);

#endif

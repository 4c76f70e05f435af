/* The hyperparameters that a study keeps from one fit to the next (hyper_state). */
#ifndef STUDY_FIT_STATE_H
#define STUDY_FIT_STATE_H

#include "study/fitted.h"

/* The numbers of one output under one sample of the hyperparameters: d + HYPER_EXTRA. */
double *fit_slot(const study *st, const hyper_state *state, int sample, int output);
void fit_store_hyper(const study *st, const gp_hyper *hyper, const transform_kind *kind, int shares,
                     double *slot);
void fit_load_hyper(const study *st, const double *slot, gp_hyper *hyper);
/* The transform that an output was modelled with; none before the first fit. */
const transform_kind *fit_kind(const study *st, const hyper_state *state, int output);
/* Whether an output had its hyperparameters in common with others. */
int fit_was_shared(const study *st, const hyper_state *state, int output);
/* The choices that had places; NULL: none. */
const latent_choices *fit_latent(const study *st, const hyper_state *state, int output);
/* The lengthscale of each parameter: of choices the least of theirs, or 1 / the distance of the places
 * that are farthest apart; infinite where it is fixed. */
void fit_lengthscales(const study *st, const gp_hyper *hyper, double *lengthscale);
void fit_copy_state(const study *st, hyper_state *to, const hyper_state *from);

#endif

/* The data of a fit as a likelihood wants them. */
#ifndef API_OBSERVED_H
#define API_OBSERVED_H

#include "api/handle.h"

/* GOFH_ERROR_PROBLEM: there is no likelihood, and the error says why. observed_release frees, whatever the
 * outcome. */
gofh_status observed_collect(observed_data *o, const gofh_study *st, gofh_error *error);
void observed_release(observed_data *o);

#endif

/* The choices of a study that is opened again: some may be new, and others in other places. */
#ifndef API_CHOICES_H
#define API_CHOICES_H

#include "api/handle.h"

/* Compares them with those of the file, and fills st->renumbered where they differ. */
gofh_status choices_compare(gofh_study *st, store_changed changed, void *context, gofh_error *error);
/* x of the file with the numbers that choices have now. GOFH_ERROR_CHANGED: one was removed that x has. */
gofh_status choices_renumber(const gofh_study *st, const double *x, double *now, gofh_error *error);
void choices_free(gofh_study *st);

#endif

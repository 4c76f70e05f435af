/* Points that the user has: evaluated before all else, in the order in which they were given. */
#ifndef STUDY_STARTS_H
#define STUDY_STARTS_H

#include "study/study.h"

extern const char STARTS_ORIGIN[]; /* of their trials */

/* Whether a trial was made of a start. */
int starts_is_origin(const trial *t);
/* Whether a trial was suggested by the method: neither imported, nor of the design, nor a start. */
int starts_is_suggested(const trial *t);
/* Whether there is one that no trial was made of yet. */
int starts_are_left(const study *st);
/* Puts what the next one gives in the place of what is in x, and changes the rest where known constraints
 * ask for it. Returns -1 where no allowed point was found. */
int starts_overlay(study *st, double *x);

#endif

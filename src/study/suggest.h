/* What the methods' files share. */
#ifndef STUDY_SUGGEST_H
#define STUDY_SUGGEST_H

#include "study/study.h"

/* The model of all done trials, with fantasies of the open ones: until study_unfantasise. */
gofh_status suggest_prepare(study *st, uint64_t key);

/* suggest_pes.c */
gofh_status suggest_entropy(study *st, uint64_t key, double *u, double *expected);
gofh_status report_entropy(study *st, uint64_t key, const double *points, int q, double *value);

#endif

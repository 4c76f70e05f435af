/* The methods by which a study chooses its next point. */
#ifndef STUDY_METHODS_H
#define STUDY_METHODS_H

#include "study/study.h"

/* engine.c: the method "gofh". */
gofh_status suggest_gofh(study *st, uint64_t key, proposal *p);

/* suggest_paper.c: the paper's methods, and the acquisitions that a method reports. */
gofh_status suggest_improvement(study *st, uint64_t key, proposal *p);
gofh_status suggest_probability(study *st, uint64_t key, proposal *p);
gofh_status suggest_random(study *st, uint64_t key, proposal *p);
gofh_status report_improvement(study *st, uint64_t key, const double *points, int q, double *value);
gofh_status report_probability(study *st, uint64_t key, const double *points, int q, double *value);

/* suggest_pes.c */
gofh_status suggest_entropy(study *st, uint64_t key, proposal *p);
gofh_status report_entropy(study *st, uint64_t key, const double *points, int q, double *value);

#endif

/* Whole studies through the public interface, for scenarios.c. A call refused for want of memory is
 * made once more: if there is memory again it must go on as if nothing had happened. */
#ifndef FAULT_STUDY_SCENARIOS_H
#define FAULT_STUDY_SCENARIOS_H

#include "gofh.h"

gofh_status fault_study_ei_cf(void);
gofh_status fault_study_pi_cf(void);
gofh_status fault_study_noisy_ei(void);
gofh_status fault_study_constrained(void);
gofh_status fault_study_fixed(void);
gofh_status fault_study_mixed(void);
gofh_status fault_study_many(void);
gofh_status fault_optimize(void);
gofh_status fault_log(void);
gofh_status fault_stored(void);
gofh_status fault_reread(void);
gofh_status fault_upgraded(void);
gofh_status fault_study_missing(void);

#endif

/* Reading problem files, and making the command of a run. */
#ifndef TESTS_FAULT_PROBLEM_SCENARIOS_H
#define TESTS_FAULT_PROBLEM_SCENARIOS_H

#include "gofh.h"

gofh_status fault_problem_file(void);
/* One with a fit and missing data, and its study. */
gofh_status fault_problem_fit(void);
/* The command of a run, with files beside the problem file in it. */
gofh_status fault_command(void);
/* The script of a job, and its exit file. */
gofh_status fault_job(void);

#endif

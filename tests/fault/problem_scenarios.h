/* Reading problem files. */
#ifndef TESTS_FAULT_PROBLEM_SCENARIOS_H
#define TESTS_FAULT_PROBLEM_SCENARIOS_H

#include "gofh.h"

gofh_status fault_problem_file(void);

#endif

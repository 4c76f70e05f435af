#include "fault/scenarios.h"

#include "base/memory.h"
#include "fault/problem_scenarios.h"
#include "fault/study_scenarios.h"

#include <stdlib.h>

static gofh_status base_memory(void)
{
    double *numbers = memory_doubles(10);
    char *text = memory_copy_text("tau");
    int *items = NULL;
    size_t capacity = 0;
    int grown = memory_grow((void **)&items, &capacity, 3, sizeof *items);
    if (grown == 0) grown = memory_grow((void **)&items, &capacity, 100, sizeof *items);
    gofh_status status = numbers && text && grown == 0 ? GOFH_OK : GOFH_ERROR_MEMORY;
    free(items);
    free(text);
    free(numbers);
    return status;
}

const fault_scenario FAULT_SCENARIOS[] = {
    {"base_memory", base_memory},
    {"study_ei_cf", fault_study_ei_cf},
    {"study_pi_cf", fault_study_pi_cf},
    {"study_noisy_ei", fault_study_noisy_ei},
    {"study_constrained", fault_study_constrained},
    {"study_fixed", fault_study_fixed},
    {"study_mixed", fault_study_mixed},
    {"study_many", fault_study_many},
    {"optimize", fault_optimize},
    {"log", fault_log},
    {"study_missing", fault_study_missing},
    {"problem_file", fault_problem_file},
    {"problem_fit", fault_problem_fit},
    {"command", fault_command},
    {"job", fault_job},
    {"stored", fault_stored},
    {"reread", fault_reread},
    {"upgraded", fault_upgraded},
    {NULL, NULL},
};

/* What is run with every allocation failing in turn. */
#ifndef FAULT_SCENARIOS_H
#define FAULT_SCENARIOS_H

#include "gofh.h"

/* A scenario does its work, frees all of it whatever happened, and returns GOFH_OK or the first
 * failure. It must do the same on each run, and say GOFH_ERROR_MEMORY when an allocation was
 * refused. */
typedef struct {
    const char *name;
    gofh_status (*run)(void);
} fault_scenario;

extern const fault_scenario FAULT_SCENARIOS[]; /* ends with a NULL name */

#endif

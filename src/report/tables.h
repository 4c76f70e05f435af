/* The tables of a report. */
#ifndef REPORT_TABLES_H
#define REPORT_TABLES_H

#include "report/gather.h"

/* The best f, the runs that are over, the failures, the open trials. */
void table_tiles(const report *r);
/* The objective, the constraints and the outputs. */
void table_problem(const report *r);
/* Each parameter at the best trial, between its bounds; in words where it is at one. */
void table_parameters(const report *r);
/* Each constraint at the best trial: its value, its limit, and whether it is active or violated. */
gofh_status table_constraints(const report *r);
/* Reasons joined by "; ", one item each. */
void table_reasons(const report *r, const char *reasons);
/* A value of parameter k, a choice by its text; and a cell with it. */
void table_text(const report *r, int k, double value);
void table_value(const report *r, int k, double value);
/* All trials. The page's script sorts and filters them. */
gofh_status table_trials(const report *r);

/* The head and the rows of some of them, by their index from 0; NULL: of the first ones. */
gofh_status table_rows(const report *r, const int *index, int count);

/* "done", "failed", "open", and for one that is done without a finite f "not feasible" where it violates a
 * constraint, "f is not finite" or "no f". */
const char *table_state(const report *r, const gofh_trial *trial);

#endif

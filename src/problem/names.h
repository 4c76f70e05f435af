/* Names that expressions use: parameters, outputs and data share one set of them. */
#ifndef PROBLEM_NAMES_H
#define PROBLEM_NAMES_H

#include "problem/reader.h"

/* What has a name already, such as "an output"; NULL: nothing has. */
const char *names_owner(const reader *r, const char *name);
/* A copy of a name that is well formed and not in use. `what` says what it is to name. */
gofh_status names_claim(reader *r, const yaml_node *key, const char *what, char **name);
/* Turns the library's refusal of a name, if it is one, into an error at the key. */
gofh_status names_check(reader *r, const yaml_node *key, gofh_status status, const gofh_error *found);

#endif

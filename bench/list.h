/* The problems, as text. */
#ifndef BENCH_LIST_H
#define BENCH_LIST_H

#include "gofh.h"

#include <stdio.h>

gofh_status bench_list(FILE *file);      /* in columns */
gofh_status bench_list_json(FILE *file); /* an array of objects */

#endif

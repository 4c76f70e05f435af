/* The runs of open trials as they can be seen from outside: by "gofh status" and "gofh show". */
#ifndef CLI_UNDER_WAY_H
#define CLI_UNDER_WAY_H

#include "cli/session.h"
#include "run/look.h"

#include <jansson.h>

typedef struct {
    int64_t trial;
    int by_hand; /* "gofh ask" suggested it */
    int has_run; /* `look` is filled in */
    run_look look;
    double seconds; /* since it began; NaN: not known */
} under_way;

/* Looks at an open trial; look_free(&w->look) afterwards. */
void under_way_look(const session *s, int64_t trial, under_way *w);
/* In one word: "running", "pending", "ended", "lost", "unknown" as in run/look.h; "asked" by hand, or
 * "waiting" for gofh run. */
const char *under_way_state(const under_way *w);
/* The rest of a line for people: "running for 12 min, since 14:03, on node7, process 123". */
void under_way_text(const under_way *w, char *text, size_t size);
json_t *under_way_json(const session *s, const under_way *w, const double *x);
/* Seconds since 1970 as "2026-03-01T14:03:00Z". */
void under_way_time(double seconds, char text[32]);

#endif

/* Where the data of curves were measured: the outputs of a trial are values there, and mean nothing at
 * other places. */
#ifndef CLI_PLACES_H
#define CLI_PLACES_H

#include "cli/session.h"

/* Notes with a trial, whose outputs were just told, where they are. No effect without curves. */
gofh_status places_note(const session *s, gofh_study *study, int64_t trial);
/* Whether those of a trial are where they are wanted now. */
int places_fit(const session *s, gofh_study *study, int64_t trial);
/* Says, and returns an exit status, where the study has outputs at other places. */
int places_check(const session *s);

#endif

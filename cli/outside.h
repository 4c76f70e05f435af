/* What can be seen of a run from outside, by its folder. */
#ifndef CLI_OUTSIDE_H
#define CLI_OUTSIDE_H

#include "cli/session.h"

enum { OUTSIDE_TAIL = 2048 };

/* The last bytes of a file of a run, from the beginning of a line where that is near. "" where there is
 * none, or it is no plain file. folder: its name in `directory`/runs. */
void outside_tail(const char *directory, const char *folder, const char *name, char text[OUTSIDE_TAIL + 1]);
/* When a run began: its parameters were written, or its folder was made; in seconds since 1970. NaN: not
 * known. */
double outside_began(const session *s, const char *folder);

#endif

/* At the end of a run that something went wrong with: whether what was reported is in the file, and
 * if not, a copy. */
#ifndef CLI_RESCUE_H
#define CLI_RESCUE_H

#include "cli/session.h"

/* Whether the study's file has all evaluations that the study knows. `failed`: something went
 * wrong, so that the file is read; otherwise it is enough that it is there. */
int rescue_is_kept(const session *s, int failed);
/* Saves what the file has not to another one beside it, and says so. */
void rescue_save(const session *s);

#endif

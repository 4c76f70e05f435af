/* The lock of a study's one writer. The kernel holds it, so that it ends with the process that has
 * it; a child that is forked does not have it. */
#ifndef STORE_LOCK_H
#define STORE_LOCK_H

#include "gofh.h"

/* Takes the lock of the study in `path`, by the file `path`.lock, and returns its descriptor; or -1
 * and a message, GOFH_ERROR_LOCKED where another has it. */
int lock_take(const char *path, gofh_error *error);
/* Whether the file that is locked still is the one at `path`.lock, so that nobody else can have
 * locked that. */
int lock_holds(int descriptor, const char *path);
void lock_release(int descriptor); /* -1 is fine */

#endif

/* Why a command could not begin its work, and what to do about it. */
#ifndef RUN_DIAGNOSE_H
#define RUN_DIAGNOSE_H

#include "run/executor.h"

/* Of a run that ended without results: whether the command or what it names is to blame, so that
 * every other run would end in the same way: a program, script, module or file that is not found or
 * can't be run. `remedy` then says what was looked for, where, and what to do, or is "" where the
 * simulator's own message says enough. */
int diagnose_command(const run *r, char *remedy, size_t size);

#endif

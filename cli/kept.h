/* The run of "gofh check", kept for the study that is to come: a small study of its own in
 * problem.gofh/check, which becomes the study when that begins, unless the problem or the simulator
 * has changed meanwhile. Until then each check replaces it. */
#ifndef CLI_KEPT_H
#define CLI_KEPT_H

#include "cli/session.h"

/* Keeps the evaluation that `study` holds as its only trial. *is_kept is 0 if the study has begun:
 * then nothing is done. */
int kept_save(const session *s, gofh_study *study, int *is_kept);
/* Before the study is opened: where it has not begun and there is such a run, *path is where to
 * read it, or for writing it becomes the study. Else *path is NULL. A run that can't be used is
 * left alone; for writing, why is said. */
int kept_take(const session *s, gofh_open_mode mode, char **path);

#endif

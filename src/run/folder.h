/* A run's folder: runs/0017 of trial 17, runs/0017-2 when it is run again. */
#ifndef RUN_FOLDER_H
#define RUN_FOLDER_H

#include "run/executor.h"

/* Makes a folder that was not there before, in `directory`/runs. Its absolute path, freed by the
 * caller; NULL with an error. */
char *folder_make(const char *directory, long long trial, gofh_error *error);
/* Whether a folder is in `directory`/runs, wherever links lead; of one that is gone, whether it
 * was. */
int folder_is_in(const char *directory, const char *folder);
/* Puts in it the files, the filled-in templates and the parameters file. */
gofh_status folder_fill(const run_request *request, const char *folder, gofh_error *error);

#endif

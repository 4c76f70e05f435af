/* Copies of the files and folders that a problem file lists, into a run's folder. */
#ifndef RUN_COPY_H
#define RUN_COPY_H

#include "gofh.h"

typedef struct {
    const char *folder;                /* the run's, in the folder of all runs */
    int (*interrupted)(void *context); /* asked between files and within large ones; NULL: never */
    void *context;
} copy_job;

/* Copies a file with its permissions, or a folder with all that is in it but studies (folders
 * called *.gofh) and the folder of all runs; links are followed. GOFH_STOP_CALLER when it was
 * interrupted. */
gofh_status copy_into(const copy_job *job, const char *from, const char *name, gofh_error *error);

#endif

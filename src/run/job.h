/* A run as the job of a queue: the script that the queue starts, and the file that says how it
 * ended. Both are in the run's folder, which all machines of the queue see, perhaps late. */
#ifndef RUN_JOB_H
#define RUN_JOB_H

#include "run/executor.h"

#define JOB_SCRIPT   "job.sh"
#define JOB_OUTPUT   "job.out"      /* what the queue and the script itself say */
#define JOB_CLAIM    "job_claim"    /* a folder that whoever makes it may run the command */
#define JOB_EXIT     "job_exit"     /* how it ended, and what the results look like */
#define JOB_EXIT_NEW "job_exit.new" /* the same while it is written */
#define JOB_ID       "job_id"       /* what the queue answered to the submission */
#define JOB_ERRORS   "job_errors"   /* what else it said then */
#define JOB_STATE    "job_state"    /* how it was seen last, for people */

/* Writes the script. It claims the folder first, so that a job that is submitted or started twice
 * runs once; last of all it leaves JOB_EXIT. `name` is that of no other run: a job that is left from
 * a study which was removed does nothing in the folder of the same path of a new one. */
gofh_status job_write_script(const run_request *request, const char *folder, const char *name,
                             gofh_error *error);

/* Whether the command has begun, or was kept from it. */
int job_is_claimed(const char *folder);
/* Keeps the command from beginning; whether it had not begun. */
int job_claim(const char *folder);
/* The number of the job that runs the command, as it wrote it; "" if it is not known. */
void job_claimant(const char *folder, char *id, size_t size);

typedef enum {
    JOB_UNFINISHED, /* no exit file, or not all of it */
    JOB_LATE,       /* the results are not yet those that the job saw: `late` names the file */
    JOB_FINISHED
} job_end;

typedef struct {
    int status; /* of the command, as the shell says it */
    int timed_out;
    double seconds;
    char late[200];
} job_exit;

job_end job_read_exit(const char *folder, job_exit *result);

#endif

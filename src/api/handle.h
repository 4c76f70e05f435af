/* What is behind a gofh_study, and how each call on one starts and ends. */
#ifndef API_HANDLE_H
#define API_HANDLE_H

#include "api/description.h"
#include "api/problem.h"
#include "base/interrupt.h"
#include "infer/inform.h"
#include "store/store.h"
#include "study/study.h"

typedef struct {
    int64_t trial;
    char *name, *value;
} handle_note;

/* observed.h: what a likelihood is of. */
typedef struct {
    infer_datum *data;
    int count, groups;
    char **group; /* the names of the data whose sigmas are not known; then of the discrepancies */
    int fields;   /* of these */
} observed_data;

struct gofh_study {
    compiled_problem problem;
    description description; /* the problem as a file tells it */
    study_output *outputs;   /* their names, as the study knows them */
    study *core;
    observed_data observed; /* where the study is for the posterior, with what it then asks for */
    infer_goal wanted;
    study_goal goal;
    gofh_interrupt interrupt; /* the caller's, with its context */
    void *interrupt_context;
    interrupt ending;               /* of the call under way */
    study_mark mark;                /* where the study was when it began */
    gofh_error error, before;       /* the last failure, and the one before the call under way */
    char *assessed;                 /* the message of an assessment */
    int bound[GOFH_MAX_PARAMETERS]; /* what else one points to */
    double *result; /* d + m: what recommendations point to; lengthscales of hyperparameters */
    handle_note *notes;
    size_t note_count, note_room;
    char **origins; /* those of the trials that were read */
    size_t origin_count, origin_room;
    int **
        renumbered; /* of each parameter: the number now of each choice in the file, or -1; NULL: as it was */
    int read_only;
    store *file;         /* NULL: the study is in memory alone */
    double *kept, *next; /* the study's state in the file, and room for the one after it */
    size_t lines;        /* of the log that are in the file */
    int held;            /* what is written waits for gofh_study_release */
    int unwritten;       /* something does */
    gofh_status spoiled; /* why it could not be written; the file is behind the study for good */
};

/* Each call on a study starts here: BLAS on one thread, our threads kept to its end, and no failure
 * yet that would shadow this call's. */
void handle_enter(gofh_study *st);
/* ... and ends here. A call that did not fail leaves the last failure's message as it was. */
gofh_status handle_leave(gofh_study *st, gofh_status status);
gofh_status handle_refuse(gofh_study *st, const char *what);
/* Fails with a message where a point is not within the bounds, or is no value of a parameter. */
gofh_status handle_check_inside(gofh_study *st, const double *x);
void handle_describe(const gofh_study *st, size_t index, gofh_trial *result);
/* Says in the log when g or a constraint had no value at points that the model thought possible, and
 * again whenever that has become ten times as frequent as the log has said. */
void handle_note_domain_errors(gofh_study *st);

/* notes.c: takes a note that was read. */
gofh_status notes_take(gofh_study *st, int64_t trial_id, const char *name, const char *value);

#endif

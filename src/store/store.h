/* The study on disk: one SQLite file (docs/store.md), and beside it the lock of its one writer.
 * Every call that fails leaves a message that says what to do. */
#ifndef STORE_STORE_H
#define STORE_STORE_H

/* What is added to the name of a study's file for what it was before another took its place. */
#define STORE_BEFORE ".before-reread"

#include "gofh.h"

typedef struct store store;

typedef struct {
    const char *name;
    double lower, upper;
    gofh_scale scale;
    int is_list;     /* the bounds are the first and the last of its values */
    int has_choices; /* and their fact: no bounds of the user's */
} store_parameter;

typedef struct {
    const char *name;
    int size;
} store_output;

/* Numbers of the problem: its data, the known noise, the weights. NaN: none at this position. */
typedef struct {
    const char *kind, *name;
    const double *values;
    int count;
} store_numbers;

/* A setting, or the objective: what may change between two openings of a file. */
typedef struct {
    const char *name, *value;
    int noted; /* whether a change is written to the log */
} store_fact;

/* What the file says of the problem; borrowed. */
typedef struct {
    int d, m, output_count, number_count, fact_count;
    const store_parameter *parameters;
    const store_output *outputs;
    const store_numbers *numbers;
    const store_fact *facts;
    const unsigned char *missing; /* m: outputs that trials may lack; NULL: none */
} store_problem;

/* What is done while others hold the file; see gofh_settings.waiting. */
typedef struct {
    gofh_waiting waiting;
    void *context;
} store_patience;

/* Opens the file and checks that it is sound; for writing it takes the lock and makes the file if
 * it is missing. NULL and a message on failure. */
store *store_open(const char *path, gofh_open_mode mode, store_patience patience, gofh_error *error);
void store_close(store *s); /* NULL is fine; what was not committed is lost */
/* Whether there is no study in the file yet. */
int store_is_new(const store *s);

/* All reading and writing happens between store_begin and store_commit. After a failed call
 * store_rollback ends it. A write may be repeated: it replaces what an earlier one left. A writer
 * that is no longer the only one, or whose file is gone, is refused before it has changed
 * anything. */
gofh_status store_begin(store *s, gofh_error *error);
gofh_status store_commit(store *s, gofh_error *error);
void store_rollback(store *s);

/* schema.c: makes the tables. */
gofh_status store_create(store *s, const store_problem *problem, gofh_error *error);

/* Takes them away with all that is in them. */
gofh_status store_clear(store *s, gofh_error *error);
gofh_status store_count_trials(store *s, int64_t *count, gofh_error *error);

/* upgrade.c: makes a file of an earlier version, which has been read, one of this version. */
gofh_status store_upgrade(store *s, const store_problem *problem, gofh_error *error);
/* checksum.c. After all was read: that there is no more in the file, nor less. */
gofh_status store_check_complete(store *s, gofh_error *error);

/* compare.c: GOFH_ERROR_CHANGED where parameters or outputs are others than the file's; *changed is
 * called with a line for each other difference that is to be noted. */
typedef void (*store_changed)(void *context, const char *line);
gofh_status store_compare(store *s, const store_problem *problem, store_changed changed, void *context,
                          gofh_error *error);

/* read.c. The outputs that the file is of: a list to be freed at once, names included. NULL with a
 * message on failure. */
store_output *store_read_outputs(store *s, int *count, gofh_error *error);
/* Each calls `take` for one row after another until it returns another status than GOFH_OK.
 * What is handed over is borrowed for the call; trials come in order, complete and checked. */
typedef gofh_status (*store_take_trial)(void *context, const gofh_trial *trial);
typedef gofh_status (*store_take_start)(void *context, const double *x);
typedef gofh_status (*store_take_note)(void *context, int64_t trial, const char *name, const char *value);
typedef gofh_status (*store_take_line)(void *context, const char *line);
gofh_status store_read_trials(store *s, const store_problem *problem, store_take_trial take, void *context,
                              gofh_error *error);
/* Those that the user gave, in order: x[d], NaN where one gives no value. */
gofh_status store_read_starts(store *s, const store_problem *problem, store_take_start take, void *context,
                              gofh_error *error);
gofh_status store_read_notes(store *s, store_take_note take, void *context, gofh_error *error);
gofh_status store_read_log(store *s, store_take_line take, void *context, gofh_error *error);
/* What the file says of a fact, a copy to be freed; NULL where it says nothing. */
gofh_status store_read_fact(store *s, const char *name, char **value, gofh_error *error);
/* A copy to be freed; NULL and 0 where there is none. */
gofh_status store_read_state(store *s, double **values, size_t *count, gofh_error *error);

/* write.c */
gofh_status store_write_problem(store *s, const store_problem *problem, gofh_error *error);
gofh_status store_write_trial(store *s, const store_problem *problem, const gofh_trial *trial,
                              gofh_error *error);
gofh_status store_write_start(store *s, const store_problem *problem, int64_t start, const double *x,
                              gofh_error *error);
gofh_status store_write_f(store *s, int64_t trial, double f, gofh_error *error);
gofh_status store_write_note(store *s, int64_t trial, const char *name, const char *value, gofh_error *error);
gofh_status store_write_line(store *s, int64_t line, const char *text, gofh_error *error);
gofh_status store_write_state(store *s, const double *values, size_t count, gofh_error *error);

#endif

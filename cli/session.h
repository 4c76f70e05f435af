/* What all commands on a study share: the problem file, the folder beside it, and the study that is
 * kept there. What goes wrong is said on standard error; functions that can fail return the exit
 * status for it, 0 when all is well. */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include "gofh.h"
#include "problem/problem_file.h"

#include <sys/stat.h>

typedef struct {
    const char *command; /* as messages name it */
    problem_file file;
    int is_read;
    char *directory; /* problem.gofh, beside problem.yaml */
    char *database;  /* problem.gofh/study.db */
    gofh_study *study;
    struct stat opened; /* which file the database was when it was opened */
    int d, m;
    int said;      /* that another process is waited for */
    double waited; /* the seconds for it */
} session;

/* Reads the problem file. session_close frees, whatever the outcome. */
int session_read(session *s, const char *command, const char *path);
/* Opens the study, and makes it if it is to be written. Waits for another writer for some seconds,
 * and for what else holds the file, unless the problem's settings say how. */
int session_open(session *s, gofh_open_mode mode);
void session_close(session *s);
/* Queues the start points of the problem file that a study of it does not know yet. */
int session_enqueue(const session *s, gofh_study *study);

/* Says why there can be no study, or none of this file; of a problem, where in the problem file.
 * Returns the exit status. */
int session_refused(const session *s, gofh_status status, const char *message);
/* Says what the last call on the study failed with. */
int session_failed(const session *s, gofh_status status);
/* A gofh_waiting whose context is the session: says after a while what is waited for, and ends it
 * after some time. A writer that has been there for a while is named at once. */
int session_wait(gofh_wait reason, double seconds, void *context);
/* Who writes the study, by its lock file, "process 12 on HOST since ...", or ""; and for how many
 * seconds. */
double session_writer(const session *s, char *text, size_t size);
/* The exit status for a failure of the library. */
int session_exit(gofh_status status);
/* Says so where the initial design is larger than the budget, or the start points are more. */
void session_check_design(const session *s);
/* Says why a folder of the study can't be made (errno), and what to do about it. */
int session_no_folder(const session *s, const char *folder, int reason);
/* Says that there is no memory. */
int session_no_memory(const session *s);

/* Trials by state, and the number of imported ones. */
typedef struct {
    int trials, done, failed, open, forgotten, imported;
    int worked; /* done and not imported */
} session_counts;

gofh_status session_count(const session *s, session_counts *counts);

/* Whether a study that gave this status for a suggestion ended because nothing more is expected, and
 * not by a tolerance of the user's; and that in words: "nothing more is expected: 31 of 50 used; --all
 * goes on". */
enum { SESSION_ENDED = 120 };
int session_ended_by_itself(const session *s, int status);
void session_describe_end(const session *s, const session_counts *counts, char text[SESSION_ENDED]);

/* Whether there is hardly any space left where the study is kept: then a run that failed may not be
 * to blame. */
int session_disk_full(const session *s);

/* "c[3]" of the value at `index` of all outputs, counted from 0 as in expressions; "t" for an
 * output of one value. */
enum { SESSION_LABEL = 160 };
void session_label(const session *s, int index, char label[SESSION_LABEL]);
/* The name of a column of a trial's own beside parameters and outputs, such as "status": with "_" after it
 * where one of these has the name. */
void session_column(const session *s, const char *word, char column[SESSION_LABEL]);

#endif

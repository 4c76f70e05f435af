/* The commands of the program gofh. Each is cli/<name>.c: it gets its own arguments, its name
 * first, and returns the exit status of the program. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

enum {
    EXIT_DONE = 0,
    EXIT_NO_RESULT = 1,    /* the study ended without a usable result */
    EXIT_USAGE = 2,        /* the command or the problem file is wrong */
    EXIT_SIMULATOR = 3,    /* the simulator can't be used */
    EXIT_STUDY = 4,        /* the study is locked or damaged, or can't be written */
    EXIT_INTERRUPTED = 130 /* everything is saved */
};

/* What the commands note with a trial (gofh_study_set_note). */
#define NOTE_ASKED    "asked by hand" /* suggested by "gofh ask": not for "gofh run" to evaluate */
#define NOTE_RUN      "run"           /* the identity of its run, for the executor to find it again */
#define NOTE_ATTEMPTS "attempts"      /* how often it was run */
#define NOTE_LOST     "lost"          /* how many of its runs the cluster lost */
#define NOTE_SECONDS  "seconds"       /* that its last run took */

int command_ask(int count, char **arguments);
int command_bench(int count, char **arguments);
int command_best(int count, char **arguments);
int command_check(int count, char **arguments);
int command_demo(int count, char **arguments);
int command_export(int count, char **arguments);
int command_forget(int count, char **arguments);
int command_import(int count, char **arguments);
int command_init(int count, char **arguments);
int command_log(int count, char **arguments);
int command_posterior(int count, char **arguments);
int command_report(int count, char **arguments);
int command_reread(int count, char **arguments);
int command_rerun(int count, char **arguments);
int command_run(int count, char **arguments);
int command_show(int count, char **arguments);
int command_status(int count, char **arguments);
int command_tell(int count, char **arguments);

#endif

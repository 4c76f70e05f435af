#include "run/executor.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "run/buffer.h"
#include "run/command.h"
#include "run/diagnose.h"
#include "run/files.h"
#include "run/instruction.h"
#include "run/job.h"
#include "run/local.h"
#include "run/queue.h"
#include "run/results.h"
#include "run/template.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Before anything runs ---- */

static gofh_status check_name(const char *what, const char *name, gofh_error *error)
{
    if (!name || files_stays_inside(name)) return GOFH_OK;
    return error_set(error, GOFH_ERROR_PROBLEM,
                     "%s \"%s\" must be a path inside the run's folder, without \"..\"", what, name);
}

/* Whether a path inside the run's folder is `plain`, which may be written as "./plain", too. */
static int is_called(const char *name, const char *plain)
{
    while (*name == '/' || (name[0] == '.' && name[1] == '/')) name++;
    return strcmp(name, plain) == 0;
}

/* The same for what we put there: not in the place of what we write while it runs. */
static gofh_status check_new_name(const char *what, const char *name, gofh_error *error)
{
    static const char *const ours[] = {
        LOCAL_STDOUT, LOCAL_STDERR, LOCAL_STATUS,      LOCAL_STATUS_NEW,      JOB_SCRIPT,
        JOB_OUTPUT,   JOB_CLAIM,    JOB_EXIT,          JOB_EXIT_NEW,          JOB_ID,
        JOB_ERRORS,   JOB_STATE,    SLURM_STEP_STATUS, SLURM_STEP_STATUS_NEW, SLURM_STEP_BEGUN};
    for (size_t i = 0; name && i < sizeof ours / sizeof ours[0]; i++)
        if (is_called(name, ours[i]))
            return error_set(error, GOFH_ERROR_PROBLEM,
                             "%s can't be called \"%s\" in the run's folder: gofh writes a file of that name",
                             what, name);
    return check_name(what, name, error);
}

static gofh_status check_template(const simulator *sim, const simulator_template *template, const double *x,
                                  gofh_error *error)
{
    buffer text = {0}, filled = {0};
    char *path = files_source(sim->directory, template->from);
    gofh_status status = check_new_name("the filled-in template", template->to, error);
    if (status == GOFH_OK) status = path ? files_load(path, &text, error) : error_memory(error);
    if (status == GOFH_OK)
        status = template_fill(sim, template->from, text.bytes, text.length, x, &filled, error);
    free(path);
    buffer_free(&text);
    buffer_free(&filled);
    return status;
}

static gofh_status check_file(const simulator *sim, const simulator_file *file, gofh_error *error)
{
    gofh_status status = check_new_name("the file", file->to, error);
    if (status != GOFH_OK) return status;
    char *path = files_source(sim->directory, file->from);
    if (!path) return error_memory(error);
    if (access(path, R_OK) != 0)
        status = error_set(error, GOFH_ERROR_PROBLEM, "there is no file %s that can be read", path);
    free(path);
    return status;
}

static gofh_status check_instructions(const simulator *sim, gofh_error *error)
{
    char *seen = instruction_seen(sim);
    gofh_status status = seen ? GOFH_OK : error_memory(error);
    for (int i = 0; status == GOFH_OK && i < sim->instruction_count; i++) {
        buffer text = {0};
        char *path = files_source(sim->directory, sim->instructions[i].instruction);
        status = check_name("the file to be read", sim->instructions[i].file, error);
        if (status == GOFH_OK) status = path ? files_load(path, &text, error) : error_memory(error);
        if (status == GOFH_OK)
            status = instruction_check(sim, sim->instructions[i].instruction, text.bytes, text.length, seen,
                                       error);
        free(path);
        buffer_free(&text);
    }
    if (status == GOFH_OK) status = instruction_all_seen(sim, seen, error);
    free(seen);
    return status;
}

gofh_status run_check(const simulator *sim, gofh_error *error)
{
    gofh_status status = check_new_name("the parameters file", sim->params_file, error);
    if (status == GOFH_OK) status = check_name("the results file", sim->results_file, error);
    double *x = memory_doubles((size_t)sim->parameter_count);
    if (!x) return error_memory(error);
    for (int i = 0; status == GOFH_OK && i < sim->template_count; i++)
        status = check_template(sim, &sim->templates[i], x, error);
    for (int i = 0; status == GOFH_OK && i < sim->file_count; i++)
        status = check_file(sim, &sim->files[i], error);
    if (status == GOFH_OK && sim->results == RESULTS_INSTRUCTION) status = check_instructions(sim, error);
    buffer command = {0};
    if (status == GOFH_OK) status = command_build(sim, 1, x, &command, error);
    buffer_free(&command);
    free(x);
    return status;
}

/* ---- When it is over ---- */

/* Ends the text before the blank lines at its end; its last line. */
static char *last_line(char *text)
{
    size_t end = strlen(text);
    while (end > 0 && strchr(" \t\r\n", text[end - 1])) end--;
    text[end] = '\0';
    char *line = strrchr(text, '\n');
    return line ? line + 1 : text;
}

/* Whether a line only says which signal ended a program, as shells do. */
static int names_signal(const char *line)
{
    for (int signal = 1; signal < 32; signal++) {
        const char *name = strsignal(signal);
        size_t length = name ? strlen(name) : 0;
        if (length > 0 && strncmp(line, name, length) == 0 &&
            (line[length] == '\0' || strcmp(line + length, " (core dumped)") == 0))
            return 1;
    }
    return 0;
}

/* Adds the last line of standard error that the simulator itself wrote; what the shell says of a
 * signal after it only where the reason does not say it. */
static void add_errors(const run *r, char *reason)
{
    char tail[RUN_REASON / 2], shell[64] = "";
    files_tail(r->folder, LOCAL_STDERR, tail, sizeof tail);
    char *line = last_line(tail);
    if (names_signal(line)) {
        snprintf(shell, sizeof shell, "%s", line);
        *line = '\0';
        line = last_line(tail);
    }
    number_make_printable(line);
    size_t used = strlen(reason);
    if (line[0]) snprintf(reason + used, RUN_REASON - used, ": %s", line);
    used = strlen(reason);
    if (shell[0] && r->state != RUN_SIGNALLED) snprintf(reason + used, RUN_REASON - used, " (%s)", shell);
}

/* Adds what the simulator said to a reason, and the remedy if the command is to blame. */
static run_failure blame(const run *r, run_failure failure, char *reason)
{
    char remedy[RUN_REASON / 2];
    add_errors(r, reason);
    if (!diagnose_command(r, remedy, sizeof remedy)) return failure;
    size_t used = strlen(reason);
    if (remedy[0]) snprintf(reason + used, RUN_REASON - used, "; %s", remedy);
    return FAILED_COMMAND;
}

run_failure run_collect(const run *r, double *y, char reason[RUN_REASON])
{
    gofh_error error = {.status = GOFH_OK};
    reason[0] = '\0';
    switch (r->state) {
    case RUN_RUNNING:
        snprintf(reason, RUN_REASON, "is still running");
        return FAILED_INTERRUPTED;
    case RUN_SIGNALLED:
        snprintf(reason, RUN_REASON, "ended by signal %d (%s)%s", r->code, strsignal(r->code),
                 r->code == SIGKILL ? ", perhaps because its memory ran out" : "");
        add_errors(r, reason);
        return FAILED_SIMULATOR;
    case RUN_TIMED_OUT:
        number_format(reason, RUN_REASON, "ended after its time limit of %g s", r->simulator->timeout);
        add_errors(r, reason);
        return FAILED_SIMULATOR;
    case RUN_CANCELLED:
        snprintf(reason, RUN_REASON, "was cancelled");
        return FAILED_CANCELLED;
    case RUN_NOT_BEGUN:
        snprintf(reason, RUN_REASON, "%s",
                 *r->why ? r->why
                         : "its shell could not start a process: there are too many (ulimit -u), or too "
                           "little memory");
        return FAILED_NOT_BEGUN;
    case RUN_INTERRUPTED:
        snprintf(reason, RUN_REASON, "was interrupted");
        return FAILED_INTERRUPTED;
    case RUN_ENDED:
        snprintf(reason, RUN_REASON, "%s", r->why);
        add_errors(r, reason);
        return FAILED_SIMULATOR;
    case RUN_LOST:
    case RUN_REFUSED:
        snprintf(reason, RUN_REASON, "%s", r->why);
        return r->state == RUN_LOST ? FAILED_LOST : FAILED_REFUSED;
    case RUN_EXITED:
        break;
    }
    if (access(r->folder, F_OK)) { /* no fault of the simulator's */
        snprintf(reason, RUN_REASON, "its folder was removed while it ran");
        return FAILED_LOST;
    }
    if (r->code != 0) {
        snprintf(reason, RUN_REASON, "exit status %d", r->code);
        return blame(r, FAILED_SIMULATOR, reason);
    }
    gofh_status status = results_read(r->simulator, r->folder, y, &error);
    if (status == GOFH_OK) return FAILED_NOT;
    snprintf(reason, RUN_REASON, "%s", error.message);
    if (status == GOFH_ERROR_MEMORY) return FAILED_MEMORY;
    return results_missing(r->simulator, r->folder) ? blame(r, FAILED_RESULTS, reason) : FAILED_RESULTS;
}

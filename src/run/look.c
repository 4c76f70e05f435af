#include "run/look.h"

#include "base/number.h"
#include "run/files.h"
#include "run/folder.h"
#include "run/job.h"
#include "run/local.h"
#include "run/process.h"
#include "run/queue.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The run's folder below directory/runs, or directory/check/runs for one of "gofh check": a study may
 * have been moved. NULL: it is gone, or there is no memory. */
static char *find_folder(const char *folder, const char *directory)
{
    static const char CHECKED[] = "/check/runs";
    const char *name = strrchr(folder, '/');
    size_t length = name ? (size_t)(name - folder) : 0, tail = sizeof CHECKED - 1;
    int checked = length > tail && strncmp(name - tail, CHECKED, tail) == 0;
    char *parent = files_join(directory, checked ? "check" : ".");
    char *runs = parent ? files_join(parent, "runs") : NULL;
    char *here = runs && name ? files_join(runs, name + 1) : NULL;
    int found = here && files_stays_inside(name + 1) && files_exists(runs, name + 1) &&
                folder_is_in(parent, here);
    char *real = found ? realpath(here, NULL) : NULL;
    free(parent);
    free(runs);
    free(here);
    return real;
}

static void set_state(run_look *look, const char *word)
{
    snprintf(look->state, sizeof look->state, "%s", word);
}

static void first_line(const run_look *look, const char *name, char *text, size_t size)
{
    text[0] = '\0';
    if (look->folder) files_tail(look->folder, name, text, size);
    text[strcspn(text, "\n")] = '\0';
    number_make_printable(text);
}

/* "local PID START BOOT BEGAN FOLDER" */
static int look_at_local(const char *identity, const char *directory, run_look *look)
{
    process leader = {.pid = 0};
    char *next;
    const char *at = identity + strcspn(identity, " ");
    long pid = strtol(at, &next, 10);
    leader.start = strtoull(next, &next, 10);
    next += strspn(next, " ");
    size_t length = strcspn(next, " ");
    if (pid <= 1 || length >= sizeof leader.boot) return -1;
    memcpy(leader.boot, next, length);
    look->began = number_scan(next + length, &next);
    if (*next != ' ' || next[1] != '/') return -1;
    const char *folder = next + 1;
    leader.pid = (pid_t)pid;
    look->process = pid;
    look->folder = find_folder(folder, directory);
    int here = process_same_boot(&leader), ended = look->folder && files_exists(look->folder, LOCAL_STATUS);
    int alive = here && process_is_alive(&leader) && process_works_in(&leader, folder);
    if (here && gethostname(look->host, sizeof look->host - 1)) look->host[0] = '\0';
    set_state(look, ended ? "ended" : !here ? "unknown" : alive ? "running" : "lost");
    return 0;
}

/* A word of a queue, or of gofh while it submits. */
static const char *word_of_job(const run_look *look)
{
    job_exit exit;
    if (!look->folder) return "lost";
    if (job_read_exit(look->folder, &exit) != JOB_UNFINISHED) return "ended";
    return job_is_claimed(look->folder) ? "running" : "pending";
}

/* "slurm NAME FOLDER" */
static int look_at_job(const char *identity, const char *directory, run_look *look)
{
    const char *folder = queue_folder(identity);
    if (!folder) return -1;
    look->folder = find_folder(folder, directory);
    first_line(look, JOB_STATE, look->queue, sizeof look->queue);
    first_line(look, JOB_CLAIM "/host", look->host, sizeof look->host);
    set_state(look, word_of_job(look));
    struct stat claim;
    char *path = look->folder ? files_join(look->folder, JOB_CLAIM "/pid") : NULL;
    if (path && stat(path, &claim) == 0) look->began = (double)claim.st_mtim.tv_sec;
    free(path);
    return 0;
}

int look_at_run(const char *identity, const char *directory, run_look *look)
{
    size_t mark = sizeof LOOK_CORRECTED - 1;
    *look = (run_look){.began = NAN, .corrected = strncmp(identity, LOOK_CORRECTED, mark) == 0};
    if (look->corrected) identity += mark;
    size_t length = strcspn(identity, " ");
    snprintf(look->executor, sizeof look->executor, "%.*s", (int)length, identity);
    number_make_printable(look->executor);
    return strncmp(identity, "local ", 6) == 0 ? look_at_local(identity, directory, look)
                                               : look_at_job(identity, directory, look);
}

void look_free(run_look *look)
{
    free(look->folder);
    look->folder = NULL;
}

void look_at_outputs(const run_look *look, char output[LOOK_TAIL], char errors[LOOK_TAIL])
{
    output[0] = errors[0] = '\0';
    if (!look->folder) return;
    files_tail(look->folder, LOCAL_STDOUT, output, LOOK_TAIL);
    files_tail(look->folder, LOCAL_STDERR, errors, LOOK_TAIL);
}

void look_at_output(const run_look *look, char text[LOOK_TAIL])
{
    char output[LOOK_TAIL];
    look_at_outputs(look, output, text);
    if (!text[strspn(text, " \t\r\n")]) memcpy(text, output, sizeof output);
}

/* Whether the run ended by itself with status 0. */
static int ended_well(const run_look *look)
{
    char text[16], *end;
    job_exit exit;
    if (strcmp(look->executor, "local") != 0)
        return job_read_exit(look->folder, &exit) == JOB_FINISHED && exit.status == 0 && !exit.timed_out;
    files_tail(look->folder, LOCAL_STATUS, text, sizeof text);
    return strtol(text, &end, 10) == 0 && end != text;
}

run_failure look_read_again(const run_look *look, const simulator *sim, int done, double *y,
                            char reason[RUN_REASON])
{
    run over = {.simulator = sim, .folder = look->folder, .state = RUN_EXITED};
    if (!look->folder) {
        snprintf(reason, RUN_REASON, "its folder is gone");
        return FAILED_LOST;
    }
    if (!done && !ended_well(look)) {
        snprintf(reason, RUN_REASON, "it did not end with exit status 0");
        return FAILED_SIMULATOR;
    }
    return run_collect(&over, y, reason);
}

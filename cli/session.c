#include "cli/session.h"

#include "base/number.h"
#include "cli/commands.h"
#include "cli/kept.h"
#include "cli/message.h"
#include "cli/places.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

/* "a/problem.gofh" of "a/problem.yaml", with `rest` after it. NULL: no memory. */
static char *beside(const char *path, const char *rest)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    size_t length = dot && dot != name ? (size_t)(dot - path) : strlen(path);
    size_t size = length + strlen(rest) + sizeof ".gofh";
    char *result = malloc(size);
    if (result) snprintf(result, size, "%.*s.gofh%s", (int)length, path, rest);
    return result;
}

/* What a user can do where memory is limited. */
static void say_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY) return;
    message_print(stderr, "gofh: %llu KiB of memory are allowed (ulimit -v): most studies need 300000\n",
                  (unsigned long long)limit.rlim_cur / 1024);
}

int session_no_memory(const session *s)
{
    message_print(stderr, "gofh %s: out of memory\n", s->command);
    say_limit();
    return EXIT_STUDY;
}

void session_check_design(const session *s)
{
    const gofh_settings *settings = &s->file.settings;
    if (settings->budget > 0 && s->file.start_count > settings->budget)
        message_print(stderr,
                      "gofh %s: start: has %d points, more than budget: %d, so not all of them are run\n",
                      s->command, s->file.start_count, settings->budget);
    if (settings->budget <= 0 || settings->initial <= settings->budget) return;
    message_print(
        stderr,
        "gofh %s: initial: %d is above budget: %d, so all runs are of the initial design and none is where "
        "the model expects the most\n",
        s->command, settings->initial, settings->budget);
}

int session_exit(gofh_status status)
{
    switch (status) {
    case GOFH_ERROR_ARGUMENT:
    case GOFH_ERROR_PROBLEM:
    case GOFH_ERROR_TRIAL:
    case GOFH_ERROR_CHANGED:
        return EXIT_USAGE;
    case GOFH_ERROR_EMPTY:
    case GOFH_ERROR_OUTER:
        return EXIT_NO_RESULT;
    case GOFH_ERROR_MEMORY:
        say_limit();
        return EXIT_STUDY;
    default:
        return EXIT_STUDY;
    }
}

/* The constraint that a refusal names first; -1: none. */
static int named_constraint(const session *s, const char *message)
{
    enum { CUT = 80 }; /* of a text in a message */
    const char *first = NULL;
    int found = -1;
    for (int i = 0; i < s->file.constraint_count; i++) {
        char text[CUT + 1];
        snprintf(text, sizeof text, "%s", s->file.constraints[i]);
        const char *at = strstr(message, text);
        int longer = at && at == first && strlen(text) > strlen(s->file.constraints[found]);
        if (!at || (first && at >= first && !longer)) continue;
        first = at;
        found = i;
    }
    return found;
}

static void say_at(const session *s, const problem_place *at, const char *message)
{
    message_print(stderr, "gofh %s: %s:%d:%d: %s\n", s->command, s->file.path, at->line, at->column, message);
}

int session_refused(const session *s, gofh_status status, const char *message)
{
    int named = status == GOFH_ERROR_PROBLEM ? named_constraint(s, message) : -1;
    if (!*message) message = gofh_status_text(status);
    if (named >= 0)
        say_at(s, &s->file.constraint_at[named], message);
    else if (status == GOFH_ERROR_PROBLEM)
        message_print(stderr, "gofh %s: %s: %s\n", s->command, s->file.path, message);
    else
        message_print(stderr, "gofh %s: %s\n", s->command, message);
    return session_exit(status);
}

int session_failed(const session *s, gofh_status status)
{
    const char *message = gofh_study_message(s->study);
    message_print(stderr, "gofh %s: %s\n", s->command, *message ? message : gofh_status_text(status));
    return session_exit(status);
}

int session_read(session *s, const char *command, const char *path)
{
    problem_error error = {0};
    *s = (session){.command = command};
    if (problem_file_read(&s->file, path, &error)) {
        char text[sizeof error + 64];
        problem_error_text(&error, text, sizeof text);
        message_print(stderr, "gofh %s: %s\n", command, text);
        if (access(path, F_OK) && errno == ENOENT)
            message_print(stderr, "gofh %s: \"gofh init %s\" writes a problem file that runs\n", command,
                          path);
        return error.status == GOFH_ERROR_MEMORY ? EXIT_STUDY : EXIT_USAGE;
    }
    s->is_read = 1;
    s->d = s->file.parameter_count;
    for (int i = 0; i < s->file.output_count; i++) s->m += s->file.outputs[i].size;
    s->directory = beside(path, "");
    s->database = beside(path, "/study.db");
    return s->directory && s->database ? EXIT_DONE : session_no_memory(s);
}

int session_no_folder(const session *s, const char *folder, int reason)
{
    message_print(stderr, "gofh %s: the folder %s can't be made: %s\n", s->command, folder, strerror(reason));
    if (reason == EACCES || reason == EROFS || reason == EPERM)
        message_print(stderr,
                      "gofh %s: the study is kept beside the problem file: copy that, with the files that it "
                      "names, to a folder that you may write to, or allow it (chmod u+w)\n",
                      s->command);
    return EXIT_STUDY;
}

/* Makes the study's folder, unless it is there. */
static int make_directory(const session *s)
{
    struct stat found;
    if (mkdir(s->directory, 0777) == 0) return EXIT_DONE;
    int reason = errno;
    if (stat(s->directory, &found) == 0 && S_ISDIR(found.st_mode)) return EXIT_DONE;
    return session_no_folder(s, s->directory, reason);
}

/* An empty database is a new study's; beside runs it is what is left of an old one. */
static int refuse_emptied(const session *s)
{
    struct stat database, runs;
    size_t size = strlen(s->directory) + sizeof "/runs";
    char *path = malloc(size);
    if (!path) return session_no_memory(s);
    snprintf(path, size, "%s/runs", s->directory);
    int emptied = stat(s->database, &database) == 0 && database.st_size == 0 && stat(path, &runs) == 0;
    if (emptied)
        message_print(
            stderr,
            "gofh %s: %s is empty, but %s shows that there was a study: put back a copy of %s, or move "
            "the folder %s away to start anew\n",
            s->command, s->database, path, s->database, s->directory);
    free(path);
    return emptied ? EXIT_STUDY : EXIT_DONE;
}

/* What was saved when a study's file went away is not to be left behind by a study that begins anew. */
static int refuse_saved(const session *s)
{
    struct stat found;
    size_t size = strlen(s->database) + sizeof ".saved";
    char *saved = malloc(size);
    if (!saved) return session_no_memory(s);
    snprintf(saved, size, "%s.saved", s->database);
    int left = lstat(s->database, &found) && lstat(saved, &found) == 0;
    if (left)
        message_print(
            stderr,
            "gofh %s: %s is not there, but %s has the study as it was when that was removed: give it the "
            "name %s, or move the folder %s away to start anew\n",
            s->command, s->database, saved, s->database, s->directory);
    free(saved);
    return left ? EXIT_STUDY : EXIT_DONE;
}

double session_writer(const session *s, char *text, size_t size)
{
    struct stat about;
    size_t length = strlen(s->database) + sizeof ".lock";
    char *name = malloc(length);
    FILE *file = NULL;
    if (name && snprintf(name, length, "%s.lock", s->database) > 0) file = fopen(name, "r");
    free(name);
    text[0] = '\0';
    if (!file) return 0.0;
    double since = fstat(fileno(file), &about) ? 0.0 : difftime(time(NULL), about.st_mtime);
    if (!fgets(text, (int)size, file)) text[0] = '\0';
    text[strcspn(text, "\n")] = '\0';
    number_make_printable(text);
    fclose(file);
    return since;
}

int session_wait(gofh_wait reason, double seconds, void *context)
{
    enum { SAID_AFTER = 1, WRITER_PATIENCE = 10, FILE_PATIENCE = 20 };
    session *s = context;
    char holder[200] = "";
    int writer = reason == GOFH_WAIT_WRITER, most = writer ? WRITER_PATIENCE : FILE_PATIENCE;
    if (seconds < s->waited) s->said = 0; /* it is another wait */
    s->waited = seconds;
    if (s->said) return seconds >= most;
    /* Most others are done in a moment; whoever has been there for longer is named at once. */
    double since = writer ? session_writer(s, holder, sizeof holder) : 0.0;
    if (seconds < SAID_AFTER && since <= SAID_AFTER) return 0;
    s->said = 1;
    message_print(stderr, "gofh %s: %s %s: waiting up to %d seconds for it\n", s->command,
                  *holder  ? holder
                  : writer ? "another process"
                           : "another program",
                  writer ? "writes the study" : "holds the study's file", most);
    return seconds >= most;
}

int session_open(session *s, gofh_open_mode mode)
{
    gofh_error error = {0};
    char *checked = NULL;
    int outcome = mode == GOFH_OPEN_WRITE ? make_directory(s) : EXIT_DONE;
    if (!outcome && mode == GOFH_OPEN_WRITE) outcome = refuse_emptied(s);
    if (!outcome) outcome = refuse_saved(s);
    if (!outcome) outcome = kept_take(s, mode, &checked);
    if (outcome) return outcome;
    if (checked) {
        free(s->database);
        s->database = checked;
    }
    if (!s->file.settings.waiting) {
        s->file.settings.waiting = session_wait;
        s->file.settings.waiting_context = s;
    }
    gofh_status status = gofh_study_open(&s->study, s->database, mode, s->file.problem, &s->file.settings,
                                         &error);
    /* Where it is gone already, it is no file that ever was. */
    if (!status && lstat(s->database, &s->opened)) s->opened = (struct stat){.st_ino = 0};
    if (!status) return places_check(s);
    int exit = session_refused(s, status, error.message);
    if (status == GOFH_ERROR_CHANGED)
        message_print(
            stderr,
            "gofh %s: %s is the study of the problem as it was. If only outputs are others, gofh reread %s "
            "reads them from the files of the runs. If it has no results yet, rm -r %s. Otherwise change the "
            "file back, or take the runs into another study: with the file as it was, gofh export %s > "
            "runs.csv; "
            "then mv %s away, change the file again, and gofh import %s runs.csv\n",
            s->command, s->database, s->file.path, s->directory, s->file.path, s->directory, s->file.path);
    return exit;
}

/* The start point that a refusal names, by its number or as the only one; -1: none. */
static int named_start(const session *s, const char *message)
{
    static const char words[] = "start point";
    const char *at = strstr(message, words);
    long number = at ? strtol(at + sizeof words - 1, NULL, 10) : -1;
    if (number == 0) number = 1;
    return number >= 1 && number <= s->file.start_count ? (int)number - 1 : -1;
}

int session_enqueue(const session *s, gofh_study *study)
{
    gofh_status status = gofh_study_enqueue_missing(study, s->file.starts, s->file.start_count);
    if (!status) return EXIT_DONE;
    const char *message = gofh_study_message(study);
    int named = status == GOFH_ERROR_ARGUMENT ? named_start(s, message) : -1;
    if (named < 0) return session_refused(s, status, message);
    say_at(s, &s->file.start_at[named], message);
    return session_exit(status);
}

void session_close(session *s)
{
    gofh_study_free(s->study);
    if (s->is_read) problem_file_free(&s->file);
    free(s->directory);
    free(s->database);
}

gofh_status session_count(const session *s, session_counts *counts)
{
    *counts = (session_counts){.trials = (int)gofh_study_count(s->study)};
    for (int64_t i = 1; i <= counts->trials; i++) {
        gofh_trial trial;
        gofh_status status = gofh_study_trial(s->study, i, &trial);
        if (status) return status;
        counts->done += trial.state == GOFH_TRIAL_DONE;
        counts->failed += trial.state == GOFH_TRIAL_FAILED;
        counts->open += trial.state == GOFH_TRIAL_OPEN;
        counts->forgotten += trial.state == GOFH_TRIAL_FORGOTTEN;
        counts->imported += trial.imported;
        counts->worked += trial.state == GOFH_TRIAL_DONE && !trial.imported;
    }
    return GOFH_OK;
}

int session_ended_by_itself(const session *s, int status)
{
    return status == GOFH_STOP_IMPROVEMENT && s->file.settings.patience == 0;
}

void session_describe_end(const session *s, const session_counts *counts, char text[SESSION_ENDED])
{
    int used = counts->trials - counts->imported, budget = s->file.settings.budget;
    const char *why = s->file.settings.goal == GOFH_GOAL_POSTERIOR
                          ? "another run would change no interval by more than a tenth"
                          : "nothing more is expected";
    if (budget > 0)
        snprintf(text, SESSION_ENDED, "%s: %d of %d used; --all goes on", why, used, budget);
    else
        snprintf(text, SESSION_ENDED, "%s: %d used; --all goes on", why, used);
}

int session_disk_full(const session *s)
{
    enum { ROOM = 1 << 20 };
    struct statvfs disk;
    return statvfs(s->directory, &disk) == 0 && (double)disk.f_bavail * (double)disk.f_frsize < ROOM;
}

void session_label(const session *s, int index, char label[SESSION_LABEL])
{
    const problem_output *output = s->file.outputs;
    for (; index >= output->size; output++) index -= output->size;
    if (output->size == 1)
        snprintf(label, SESSION_LABEL, "%s", output->name);
    else
        snprintf(label, SESSION_LABEL, "%s[%d]", output->name, index);
}

/* Whether a parameter or the one value of an output is called so. */
static int is_name(const session *s, const char *name)
{
    for (int k = 0; k < s->d; k++)
        if (strcmp(s->file.parameters[k].name, name) == 0) return 1;
    const problem_output *output = s->file.outputs;
    for (int seen = 0; seen < s->m; seen += output++->size)
        if (output->size == 1 && strcmp(output->name, name) == 0) return 1;
    return 0;
}

void session_column(const session *s, const char *word, char column[SESSION_LABEL])
{
    snprintf(column, SESSION_LABEL, "%s", word);
    for (size_t length = strlen(word); is_name(s, column) && length < SESSION_LABEL - 1;) {
        column[length++] = '_';
        column[length] = '\0';
    }
}

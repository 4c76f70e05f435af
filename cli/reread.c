/* gofh reread: the outputs of all runs once more, from the files that they left. */
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/describe.h"
#include "cli/places.h"
#include "run/look.h"
#include "run/results.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char USAGE[] =
    "usage: gofh reread problem.yaml [--forget] [--corrected] [--json]\n"
    "\n"
    "Reads the outputs of all trials again from the files that their runs left, by\n"
    "the outputs and simulator sections as they are now: after an output was added\n"
    "or renamed, or results were read in a wrong way. Nothing is run. A run that\n"
    "ended well, but whose results could not be read, becomes a result. If a trial\n"
    "that is done can't be read any more, nothing is changed. A result that was\n"
    "corrected by \"gofh tell\" stays; only outputs that it does not have, and curves,\n"
    "are read. What the study was before is kept in\n"
    "problem.gofh/study.db.before-reread, what it was before that in\n"
    "study.db.before-reread.1 and so on.\n"
    "  --forget     leave out of what the study learns what can't be read, and go on\n"
    "  --corrected  read also what was corrected\n"
    "  --json       print the numbers of trials as JSON\n";

typedef struct {
    const session *s;
    int forget, corrected;
    int read, kept, carried, failed, forgotten;
    int64_t wrong; /* a trial that can't be read; 0: none */
    char reason[RUN_REASON];
} rereading;

/* Whether all outputs are there that have to be. */
static int is_complete(const session *s, const double *y)
{
    for (int i = 0; i < s->file.output_count; y += s->file.outputs[i++].size)
        for (int j = 0; j < s->file.outputs[i].size; j++)
            if (isnan(y[j]) && !s->file.outputs[i].missing) return 0;
    return 1;
}

static int has_curves(const session *s)
{
    for (int i = 0; i < s->file.output_count; i++)
        if (results_is_curve(&s->file.simulator, i)) return 1;
    return 0;
}

/* Takes the outputs that y lacks, and curves, from what the run left: all else is as somebody corrected
 * it. */
static void fill_in(const session *s, const double *again, double *y)
{
    for (int i = 0, at = 0; i < s->file.output_count; at += s->file.outputs[i++].size) {
        int size = s->file.outputs[i].size, missing = 0;
        for (int j = 0; j < size; j++) missing += isnan(y[at + j]) != 0;
        if (missing == size || results_is_curve(&s->file.simulator, i))
            memcpy(y + at, again + at, (size_t)size * sizeof *y);
    }
}

/* A gofh_reading. */
static int read_trial(const gofh_trial *past, const char *identity, double *y, const char **reason,
                      void *context)
{
    rereading *r = context;
    /* A curve's values may be at other places than those that are wanted now. */
    int failed = past->y == NULL, carried = is_complete(r->s, y) && !has_curves(r->s);
    run_look look = {.folder = NULL};
    *reason = r->reason;
    snprintf(r->reason, sizeof r->reason, "it has no run whose files could be read");
    run_failure found = FAILED_LOST;
    double *again = malloc((size_t)r->s->m * sizeof *again);
    if (!again) return -1;
    int has_run = identity && look_at_run(identity, r->s->directory, &look) == 0;
    int keep = has_run && look.corrected && !r->corrected, is_kept = keep && (failed || carried);
    if (has_run && !is_kept) found = look_read_again(&look, &r->s->file.simulator, !failed, again, r->reason);
    if (found == FAILED_NOT && keep)
        fill_in(r->s, again, y);
    else if (found == FAILED_NOT)
        memcpy(y, again, (size_t)r->s->m * sizeof *again);
    free(again);
    look_free(&look);
    if (is_kept && !failed) r->kept++;
    if (found == FAILED_NOT) r->read++;
    if (found == FAILED_NOT || (is_kept && !failed)) return GOFH_TRIAL_DONE;
    if (failed) {
        r->failed++;
        *reason = found == FAILED_RESULTS ? r->reason : past->reason;
        return GOFH_TRIAL_FAILED;
    }
    if (found == FAILED_LOST && carried) {
        r->carried++;
        return GOFH_TRIAL_DONE;
    }
    if (!r->forget) r->wrong = past->trial;
    r->forgotten++;
    return r->forget ? GOFH_TRIAL_FORGOTTEN : -1;
}

static int print_counts(const rereading *r, int json)
{
    if (json) {
        json_t *object = json_object();
        json_object_set_new(object, "read", json_integer(r->read));
        json_object_set_new(object, "corrected", json_integer(r->kept));
        json_object_set_new(object, "carried", json_integer(r->carried));
        json_object_set_new(object, "failed", json_integer(r->failed));
        json_object_set_new(object, "forgotten", json_integer(r->forgotten));
        return describe_print(r->s, object);
    }
    printf("%d trial%s read again", r->read, r->read == 1 ? "" : "s");
    if (r->kept) printf(", %d kept as corrected", r->kept);
    if (r->carried)
        printf(", %d without files kept as %s", r->carried, r->carried == 1 ? "it is" : "they are");
    if (r->failed) printf(", %d failed as before", r->failed);
    if (r->forgotten) printf(", %d forgotten", r->forgotten);
    printf("; the study as it was: %s.before-reread\n", r->s->database);
    return EXIT_DONE;
}

/* Notes where curves are now: all were read there. */
static int note_places(const session *s)
{
    gofh_study *study;
    gofh_error error = {0};
    gofh_trial trial;
    gofh_status status = gofh_study_open(&study, s->database, GOFH_OPEN_WRITE, s->file.problem,
                                         &s->file.settings, &error);
    for (int64_t i = 1; !status && i <= gofh_study_count(study); i++) {
        status = gofh_study_trial(study, i, &trial);
        if (!status && trial.y) status = places_note(s, study, i);
    }
    if (status)
        fprintf(stderr, "gofh reread: %s; the same command again mends it\n",
                *error.message ? error.message : gofh_status_text(status));
    gofh_study_free(study);
    return status ? session_exit(status) : EXIT_DONE;
}

static int reread(const session *s, int forget, int corrected, int json)
{
    gofh_error error = {0};
    rereading r = {.s = s, .forget = forget, .corrected = corrected};
    gofh_status status = gofh_study_reread(s->database, s->file.problem, &s->file.settings, NOTE_RUN,
                                           read_trial, &r, &error);
    if (!status) {
        int outcome = has_curves(s) ? note_places(s) : EXIT_DONE;
        return outcome ? outcome : print_counts(&r, json);
    }
    if (r.wrong)
        fprintf(stderr,
                "gofh reread: trial %lld: %s\ngofh reread: nothing is changed; --forget leaves out the "
                "trials that can't be read\n",
                (long long)r.wrong, r.reason);
    else
        fprintf(stderr, "gofh reread: %s\n", *error.message ? error.message : gofh_status_text(status));
    return r.wrong ? EXIT_USAGE : session_exit(status);
}

int command_reread(int count, char **arguments)
{
    const char *path;
    int json = 0, forget = 0, corrected = 0;
    arguments_option options[] = {
        {"--forget", &forget, NULL}, {"--corrected", &corrected, NULL}, {"--json", &json, NULL}, {0}};
    arguments_spec spec = {"reread", USAGE, options, &path, 1, 1, 0};
    int status = arguments_read(&spec, count, arguments);
    if (status != ARGUMENTS_GO_ON) return status;
    session s;
    status = session_read(&s, "reread", path);
    if (!status && !s.file.simulator.command) {
        fprintf(stderr, "gofh reread: %s has no simulator section: there are no runs to read\n", path);
        status = EXIT_USAGE;
    }
    gofh_error error = {0};
    if (!status && run_check(&s.file.simulator, &error)) {
        fprintf(stderr, "gofh reread: %s\n", error.message);
        status = EXIT_USAGE;
    }
    if (!status) {
        s.file.settings.waiting = session_wait;
        s.file.settings.waiting_context = &s;
        status = reread(&s, forget, corrected, json);
    }
    session_close(&s);
    return status;
}

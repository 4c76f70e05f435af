/* gofh tell: what came of a suggestion. */
#include "base/letters.h"
#include "base/number.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/describe.h"
#include "cli/under_way.h"
#include "run/results.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char USAGE[] =
    "usage: gofh tell problem.yaml TRIAL [--replace] NAME=VALUE[,VALUE...] ...\n"
    "       gofh tell problem.yaml TRIAL [--replace] --results FILE\n"
    "       gofh tell problem.yaml TRIAL [--replace] --failed REASON\n\n"
    "Reports the outputs of a trial that \"gofh ask\" suggested, or that it failed.\n"
    "  --results FILE   all outputs as JSON, {\"c\":[1,2,3]}; \"-\": standard input\n"
    "  --failed REASON  there are none; the study learns where that happens\n"
    "  --variance LIST  of the noise of this observation, as far as it is known:\n"
    "                   \"NAME=VALUE[,VALUE...] ...\"\n"
    "  --replace        correct what was reported of this trial; the log says so.\n"
    "                   Variances that it has stay, unless --variance gives others\n"
    "                   (\"\": none)\n"
    "  --anyway         also of a trial that gofh run is running: what its run gives\n"
    "                   is not looked at\n"
    "  --json           print the trial as JSON\n";

enum { WORDS_MAX = 1002, BYTES_MAX = 64 << 20 };

/* All that can be read, with a zero after it; NULL and a message. */
static char *read_whole(const char *path, size_t *length)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    char *bytes = NULL;
    size_t room = 0;
    *length = 0;
    if (!file) {
        fprintf(stderr, "gofh tell: %s can't be read: %s\n", path, strerror(errno));
        return NULL;
    }
    for (;;) {
        if (*length + 1 >= room) {
            char *grown = room < BYTES_MAX ? realloc(bytes, room ? 2 * room : 65536) : NULL;
            if (!grown) break;
            bytes = grown;
            room = room ? 2 * room : 65536;
        }
        size_t count = fread(bytes + *length, 1, room - *length - 1, file);
        *length += count;
        if (count == 0) break;
    }
    int failed = ferror(file) || !feof(file);
    if (file != stdin) fclose(file);
    if (!failed && bytes) {
        bytes[*length] = '\0';
        return bytes;
    }
    fprintf(stderr, "gofh tell: %s can't be read whole\n", path);
    free(bytes);
    return NULL;
}

static int read_results(const session *s, const char *path, double *y)
{
    size_t length;
    char *bytes = read_whole(path, &length);
    if (!bytes) return EXIT_USAGE;
    gofh_error error = {0};
    gofh_status status = results_json(&s->file.simulator, strcmp(path, "-") == 0 ? "standard input" : path,
                                      bytes, length, y, &error);
    free(bytes);
    if (!status) return EXIT_DONE;
    fprintf(stderr, "gofh tell: %s\n", error.message);
    return EXIT_USAGE;
}

/* The values after NAME=, exactly as many as the output has. */
static int read_values(const problem_output *output, const char *text, double *y)
{
    const char *at = text;
    for (int j = 0; j < output->size; j++) {
        size_t length = strcspn(at, ",");
        int last = j + 1 == output->size;
        int absent = output->missing && length == 2 && letters_alike(at, "NA", 2);
        if (absent) y[j] = NAN;
        if ((!absent && number_read(at, length, &y[j]) != NUMBER_FINE) || at[length] != (last ? '\0' : ','))
            return arguments_wrong("tell", "%s takes %d finite number%s%s%s, not \"%s\"", output->name,
                                   output->size, output->size == 1 ? "" : "s",
                                   output->size == 1 ? "" : " with commas between",
                                   output->missing ? ", or NA" : "", text);
        at += length + 1;
    }
    return EXIT_DONE;
}

/* One NAME=VALUE,VALUE of the command line. */
static int read_pair(const session *s, const char *word, double *y, char *given)
{
    const char *equals = strchr(word, '=');
    if (!equals) return arguments_wrong("tell", "\"%s\" is not NAME=VALUE", word);
    int at = 0;
    for (int i = 0; i < s->file.output_count; at += s->file.outputs[i++].size) {
        const problem_output *output = &s->file.outputs[i];
        if (strlen(output->name) != (size_t)(equals - word) ||
            strncmp(output->name, word, strlen(output->name)) != 0)
            continue;
        if (given[at]) return arguments_wrong("tell", "the output %s is given twice", output->name);
        memset(given + at, 1, (size_t)output->size);
        return read_values(output, equals + 1, y + at);
    }
    char names[200] = "";
    size_t used = 0;
    for (int i = 0; i < s->file.output_count && used < sizeof names - 1; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "",
                                 s->file.outputs[i].name);
    return arguments_wrong("tell", "there is no output \"%.*s\": there is %s%s", (int)(equals - word), word,
                           names, used >= sizeof names - 1 ? "..." : "");
}

/* NAME=VALUE,VALUE of some outputs, with blanks between; those of the others are NaN. */
static int read_variances(const session *s, const char *list, double *variance)
{
    char *given = calloc((size_t)s->m, 1), *copy = strdup(list), *rest = NULL;
    if (!given || !copy) {
        free(given);
        free(copy);
        return session_no_memory(s);
    }
    int status = EXIT_DONE;
    for (int j = 0; j < s->m; j++) variance[j] = NAN;
    for (char *word = strtok_r(copy, " ", &rest); word && !status; word = strtok_r(NULL, " ", &rest))
        status = read_pair(s, word, variance, given);
    for (int j = 0; j < s->m && !status; j++)
        if (variance[j] < 0.0)
            status = arguments_wrong("tell", "a variance is %g: it is 0 or above", variance[j]);
    free(given);
    free(copy);
    return status;
}

static int read_pairs(const session *s, const char **words, int count, double *y)
{
    char *given = calloc((size_t)s->m, 1), label[SESSION_LABEL];
    if (!given) return session_no_memory(s);
    int status = EXIT_DONE;
    for (int i = 0; i < count && !status; i++) status = read_pair(s, words[i], y, given);
    for (int j = 0; j < s->m && !status; j++) {
        if (given[j]) continue;
        session_label(s, j, label);
        status = arguments_wrong("tell", "the output %s is missing", label);
    }
    free(given);
    return status;
}

typedef struct {
    long long trial;
    const char *results, *failed, *variance, **pairs;
    int pair_count, json, replace, anyway;
} request;

/* Refuses a trial whose run is under way, or has a result that is not in the study yet: there would be two
 * results of one trial. A run that ended without a word has none. */
static int refuse_running(const session *s, const request *r)
{
    gofh_trial found;
    under_way w;
    char text[3 * LOOK_TEXT];
    if (r->anyway || gofh_study_trial(s->study, r->trial, &found) || found.state != GOFH_TRIAL_OPEN)
        return EXIT_DONE;
    under_way_look(s, r->trial, &w);
    int runs = w.has_run && strcmp(under_way_state(&w), "lost") != 0;
    if (runs) {
        under_way_text(&w, text, sizeof text);
        number_make_printable(text);
        fprintf(stderr, "gofh tell: trial %lld is %s\n", (long long)r->trial, text);
        fprintf(stderr,
                "gofh tell: its result comes from that run: gofh run %s waits for it and takes it. --anyway "
                "reports this one instead, and leaves the run alone: end it yourself\n",
                s->file.path);
    }
    look_free(&w.look);
    return runs ? EXIT_USAGE : EXIT_DONE;
}

/* The result is no longer that of a run: of one that is under way nothing is taken any more, and what one
 * that is over left is not to be read for it. */
static gofh_status leave_run(const session *s, const request *r)
{
    const char *identity = gofh_study_note(s->study, r->trial, NOTE_RUN);
    if (!identity) return GOFH_OK;
    if (!r->replace) return gofh_study_set_note(s->study, r->trial, NOTE_RUN, NULL);
    if (strncmp(identity, LOOK_CORRECTED, sizeof LOOK_CORRECTED - 1) == 0) return GOFH_OK;
    size_t size = strlen(identity) + sizeof LOOK_CORRECTED;
    char *marked = malloc(size);
    if (!marked) return GOFH_ERROR_MEMORY;
    snprintf(marked, size, LOOK_CORRECTED "%s", identity);
    gofh_status status = gofh_study_set_note(s->study, r->trial, NOTE_RUN, marked);
    free(marked);
    return status;
}

static gofh_status report_result(const session *s, const request *r, const double *y, const double *variance)
{
    if (r->replace) return gofh_study_replace(s->study, r->trial, r->failed ? NULL : y, variance, r->failed);
    return r->failed ? gofh_study_fail(s->study, r->trial, r->failed)
                     : gofh_study_tell_noisy(s->study, r->trial, y, variance);
}

/* Whether the trial has been reported before. */
static int has_ended(const session *s, long long trial)
{
    gofh_trial found;
    return gofh_study_trial(s->study, trial, &found) == GOFH_OK && found.state != GOFH_TRIAL_OPEN;
}

static int tell(session *s, const request *r)
{
    double *y = calloc(2 * (size_t)s->m, sizeof *y);
    if (!y) return session_no_memory(s);
    double *variance = r->variance ? y + s->m : NULL;
    int outcome = r->failed    ? EXIT_DONE
                  : r->results ? read_results(s, r->results, y)
                               : read_pairs(s, r->pairs, r->pair_count, y);
    if (!outcome && variance) outcome = read_variances(s, r->variance, variance);
    if (!outcome) outcome = session_open(s, GOFH_OPEN_WRITE);
    if (!outcome) outcome = refuse_running(s, r);
    gofh_trial trial = {0};
    if (!outcome) {
        gofh_study_hold(s->study);
        gofh_status status = report_result(s, r, y, variance);
        if (!status) status = leave_run(s, r);
        if (!status) status = gofh_study_release(s->study);
        if (!status) status = gofh_study_trial(s->study, r->trial, &trial);
        if (status) outcome = session_failed(s, status);
        if (status == GOFH_ERROR_TRIAL && !r->replace && has_ended(s, r->trial))
            fputs("gofh tell: --replace puts this result in place of the one it has\n", stderr);
    }
    free(y);
    if (outcome) return outcome;
    if (r->json) return describe_print(s, describe_trial(s, &trial));
    printf("trial %lld", r->trial);
    if (r->failed)
        describe_line(" failed: ", trial.reason);
    else if (isnan(trial.f))
        puts(": f is not known, for outputs that it needs are missing");
    else
        number_print(stdout, ": f = %.10g%s\n", trial.f,
                     describe_infinite(s, s->study, trial.f, trial.x, trial.y));
    if (r->replace && !r->variance && trial.variance)
        puts("the variances that were given with it stay; --variance gives others");
    return EXIT_DONE;
}

int command_tell(int count, char **arguments)
{
    const char *words[WORDS_MAX];
    request r = {.pairs = words + 2};
    arguments_option options[] = {{"--results", NULL, &r.results},
                                  {"--failed", NULL, &r.failed},
                                  {"--variance", NULL, &r.variance},
                                  {"--replace", &r.replace, NULL},
                                  {"--anyway", &r.anyway, NULL},
                                  {"--json", &r.json, NULL},
                                  {0}};
    arguments_spec spec = {"tell", USAGE, options, words, 2, WORDS_MAX, 0};
    int status = arguments_read(&spec, count, arguments);
    if (status != ARGUMENTS_GO_ON) return status;
    r.pair_count = spec.count - 2;
    status = arguments_number("tell", "TRIAL", words[1], 1, INT64_MAX, &r.trial);
    if (!status && !!r.results + !!r.failed + (r.pair_count > 0) != 1)
        status = arguments_wrong("tell", "give either NAME=VALUE, or --results, or --failed");
    if (!status && r.failed && !r.failed[strspn(r.failed, " \t\r\n")])
        status = arguments_wrong("tell", "--failed needs a reason, such as \"the mesh is not valid\"");
    if (!status && r.failed && r.variance) status = arguments_wrong("tell", "a failure has no variance");
    if (status) return status;
    session s;
    status = session_read(&s, "tell", words[0]);
    if (!status) status = tell(&s, &r);
    session_close(&s);
    return status;
}

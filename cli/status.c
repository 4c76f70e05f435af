/* gofh status: how a study stands. */
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/describe.h"
#include "cli/under_way.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char USAGE[] =
    "usage: gofh status problem.yaml [--log] [--json]\n"
    "\n"
    "Says how many trials are done, failed and open (without a result yet), the best\n"
    "value, what of the open ones goes on where and since when, and why trials\n"
    "failed.\n"
    "  --log   also how each point was chosen, and the study's log\n"
    "  --json  print it as JSON\n";

static int print_json(const session *s, const session_counts *counts)
{
    json_t *object = json_object(), *lines = json_array(), *open = json_array(), *runs = json_array();
    gofh_trial trial;
    under_way w;
    json_object_set_new(object, "trials", json_integer(counts->trials));
    json_object_set_new(object, "done", json_integer(counts->done));
    json_object_set_new(object, "failed", json_integer(counts->failed));
    json_object_set_new(object, "open", open);
    json_object_set_new(object, "forgotten", json_integer(counts->forgotten));
    json_object_set_new(object, "imported", json_integer(counts->imported));
    json_object_set_new(object, "queued", json_integer(gofh_study_queued(s->study)));
    json_object_set_new(object, "budget", json_integer(s->file.settings.budget));
    gofh_status status = gofh_study_best(s->study, &trial);
    json_object_set_new(object, "best", status ? json_null() : describe_trial(s, &trial));
    if (status == GOFH_ERROR_EMPTY) status = GOFH_OK;
    for (int64_t i = 1; i <= counts->trials && !status; i++) {
        status = gofh_study_trial(s->study, i, &trial);
        if (status || trial.state != GOFH_TRIAL_OPEN) continue;
        json_array_append_new(open, json_integer(i));
        under_way_look(s, i, &w);
        json_array_append_new(runs, under_way_json(s, &w, trial.x));
        look_free(&w.look);
    }
    json_object_set_new(object, "runs", runs);
    const char *line;
    for (int i = 0; (line = gofh_study_log(s->study, i)); i++)
        json_array_append_new(lines, describe_text(line));
    json_object_set_new(object, "log", lines);
    if (!status) return describe_print(s, object);
    json_decref(object);
    return session_failed(s, status);
}

/* A line for each open trial: what of it goes on, where and since when. */
static gofh_status print_open(const session *s, int trials)
{
    enum { SHOWN_MAX = 40 };
    int shown = 0;
    for (int64_t i = 1; i <= trials; i++) {
        gofh_trial trial;
        under_way w;
        char text[3 * LOOK_TEXT];
        gofh_status status = gofh_study_trial(s->study, i, &trial);
        if (status) return status;
        if (trial.state != GOFH_TRIAL_OPEN || ++shown > SHOWN_MAX) continue;
        under_way_look(s, i, &w);
        under_way_text(&w, text, sizeof text);
        look_free(&w.look);
        printf("  trial %lld is ", (long long)i);
        describe_line("", text);
    }
    if (shown > SHOWN_MAX) printf("  and %d more that are open\n", shown - SHOWN_MAX);
    return GOFH_OK;
}

typedef struct {
    const char *reason;
    int64_t trial, first; /* of all that failed for this reason */
} failure;

static int compare_numbers(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int by_reason(const void *a, const void *b)
{
    const failure *one = a, *other = b;
    int order = strcmp(one->reason, other->reason);
    return order ? order : compare_numbers(one->trial, other->trial);
}

static int by_first(const void *a, const void *b)
{
    const failure *one = a, *other = b;
    int order = compare_numbers(one->first, other->first);
    return order ? order : compare_numbers(one->trial, other->trial);
}

/* "trials 3, 5 to 9 and 12 failed: " */
static void print_trials(const failure *list, int count)
{
    printf(count == 1 ? "  trial" : "  trials");
    for (int i = 0; i < count;) {
        int last = i;
        while (last + 1 < count && list[last + 1].trial == list[last].trial + 1) last++;
        if (last == i + 1) last = i; /* 3, 4: not 3 to 4 */
        printf("%s %lld", i == 0 ? "" : last + 1 == count ? " and" : ",", (long long)list[i].trial);
        if (last > i) printf(" to %lld", (long long)list[last].trial);
        i = last + 1;
    }
}

/* Those that failed for the same reason together, in the order of the first of them. */
static void sort_failures(failure *list, int count)
{
    qsort(list, (size_t)count, sizeof *list, by_reason);
    for (int i = 0; i < count; i++) {
        int same = i > 0 && strcmp(list[i].reason, list[i - 1].reason) == 0;
        list[i].first = same ? list[i - 1].first : list[i].trial;
    }
    qsort(list, (size_t)count, sizeof *list, by_first);
}

/* A line for each reason. */
static int print_failures(const session *s, int trials)
{
    failure *list = calloc((size_t)trials + 1, sizeof *list);
    char **reasons = calloc((size_t)trials + 1, sizeof *reasons);
    int count = 0, complete = list && reasons;
    for (int64_t i = 1; complete && i <= trials; i++) {
        gofh_trial trial;
        if (gofh_study_trial(s->study, i, &trial) || trial.state != GOFH_TRIAL_FAILED) continue;
        reasons[count] = strdup(trial.reason);
        complete = reasons[count] != NULL;
        list[count] = (failure){reasons[count], i, i};
        count += complete;
    }
    if (complete) sort_failures(list, count);
    for (int i = 0, size; complete && i < count; i += size) {
        size = 1;
        while (i + size < count && list[i + size].first == list[i].first) size++;
        print_trials(list + i, size);
        describe_line(" failed: ", list[i].reason);
    }
    for (int i = 0; reasons && i < trials; i++) free(reasons[i]);
    free(reasons);
    free(list);
    return complete ? EXIT_DONE : session_no_memory(s);
}

static int print_text(const session *s, const session_counts *counts, int log)
{
    gofh_trial best;
    printf("study:    %s\n", s->database);
    printf("trials:   %d done, %d failed, %d open", counts->done, counts->failed, counts->open);
    if (counts->forgotten) printf(", %d forgotten", counts->forgotten);
    if (counts->imported) printf(" (%d imported)", counts->imported);
    if (s->file.settings.budget > 0)
        printf("; %d of a budget of %d used", counts->trials - counts->imported, s->file.settings.budget);
    putchar('\n');
    describe_without_f(s, "          ");
    gofh_status status = gofh_study_best(s->study, &best);
    if (!status) {
        describe_best(s, "best:     ", &best);
        describe_noise(s, "          ", best.trial, best.f);
    }
    if (status == GOFH_ERROR_EMPTY) status = GOFH_OK;
    long long queued = gofh_study_queued(s->study);
    if (queued) printf("start:    %lld point%s to come\n", queued, queued == 1 ? "" : "s");
    if (!status) status = print_open(s, counts->trials);
    int outcome = status ? session_failed(s, status) : print_failures(s, counts->trials);
    if (outcome || !log) return outcome;
    putchar('\n');
    return describe_log(s);
}

int command_status(int count, char **arguments)
{
    const char *path;
    int json = 0, log = 0;
    arguments_option options[] = {{"--json", &json, NULL}, {"--log", &log, NULL}, {0}};
    arguments_spec spec = {"status", USAGE, options, &path, 1, 1, 0};
    int status = arguments_read(&spec, count, arguments);
    if (status != ARGUMENTS_GO_ON) return status;
    session s;
    session_counts counts;
    status = session_read(&s, "status", path);
    if (!status) status = session_open(&s, GOFH_OPEN_READ);
    if (!status) {
        gofh_status counted = session_count(&s, &counts);
        status = counted ? session_failed(&s, counted)
                 : json  ? print_json(&s, &counts)
                         : print_text(&s, &counts, log);
    }
    session_close(&s);
    return status;
}

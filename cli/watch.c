#include "cli/watch.h"

#include "base/number.h"
#include "cli/commands.h"
#include "cli/describe.h"
#include "cli/message.h"
#include "report/time_left.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Takes the lines away that are there, for a message. */
static void make_way(void *context)
{
    watch *w = context;
    if (w->screen.count > 0) watch_clear(w);
}

void watch_begin(watch *w, session *s, FILE *out, watch_mode mode)
{
    *w = (watch){.s = s, .out = out, .mode = mode, .expected = NAN};
    if (mode == WATCH_USUAL) w->style = progress_detect(out);
    message_make_way(make_way, w);
}

/* Room for one more. 0, or -1 without memory. */
static int grow(double **list, size_t *room, size_t count)
{
    if (count <= *room) return 0;
    double *grown = realloc(*list, 2 * count * sizeof *grown);
    if (!grown) return -1;
    *list = grown;
    *room = 2 * count;
    return 0;
}

/* Takes up how long the run of a trial took, if that is known. */
static int take_seconds(watch *w, int64_t trial)
{
    const char *note = gofh_study_note(w->s->study, trial, NOTE_SECONDS);
    if (!note) return 0;
    if (grow(&w->seconds, &w->second_room, w->second_count + 1)) return -1;
    w->seconds[w->second_count++] = number_scan(note, NULL);
    return 0;
}

int watch_open(watch *w, const fleet *runs)
{
    const session *s = w->s;
    w->runs = runs;
    w->names = calloc((size_t)s->d, sizeof *w->names);
    int failed = !w->names;
    for (int k = 0; k < s->d && !failed; k++) w->names[k] = s->file.parameters[k].name;
    for (int64_t i = 1; i <= gofh_study_count(s->study) && !failed; i++) failed = take_seconds(w, i) != 0;
    return failed ? session_no_memory(s) : EXIT_DONE;
}

void watch_close(watch *w)
{
    message_make_way(NULL, NULL);
    free(w->seconds);
    free(w->f);
    free(w->names);
}

/* f of all trials; how many, or -1 without memory. */
static int gather_f(watch *w)
{
    int64_t count = gofh_study_count(w->s->study);
    gofh_trial trial;
    if (grow(&w->f, &w->f_room, (size_t)count + 1)) return -1;
    for (int64_t i = 1; i <= count; i++)
        w->f[i - 1] = gofh_study_trial(w->s->study, i, &trial) ? NAN : trial.f;
    return (int)count;
}

static time_estimate find_time_left(const watch *w, int left)
{
    const fleet *runs = w->runs;
    double *running = malloc((size_t)(runs->count + 1) * sizeof *running);
    if (!running) return (time_estimate){.seconds = NAN, .sure = 1.0};
    for (int i = 0; i < runs->count; i++) running[i] = fmax(runs->runs[i].process->seconds, 0.0);
    time_facts facts = {.ended = w->seconds,
                        .ended_count = (int)w->second_count,
                        .running = running,
                        .running_count = runs->count,
                        .left = left,
                        .parallel = w->s->file.simulator.parallel,
                        .asking = w->asked > 0 ? w->asking / w->asked : 0.0};
    time_estimate e = time_left(&facts);
    free(running);
    return e;
}

/* Estimated anew every second: short runs would wait for it. A range where the middle of it would too
 * often be wrong. */
static void fill_time_left(watch *w, int left, progress_state *state)
{
    static const double FOR = 1.0;
    struct timespec clock;
    clock_gettime(CLOCK_MONOTONIC, &clock);
    double now = (double)clock.tv_sec + 1e-9 * (double)clock.tv_nsec;
    if (w->left_at == 0.0 || !isfinite(w->left.seconds) || now - w->left_at >= FOR) {
        w->left = find_time_left(w, left);
        w->left_at = now;
    }
    double since = now - w->left_at;
    state->seconds = fmax(0.0, w->left.seconds - since);
    if (!isfinite(w->left.seconds)) state->seconds = w->left.seconds;
    if (w->left.sure >= TIME_SURE) return;
    state->seconds_low = fmax(0.0, w->left.low - since);
    state->seconds_high = fmax(0.0, w->left.high - since);
}

static int is_announced(const fleet *runs, int64_t trial)
{
    for (int i = runs->over_count - runs->unannounced; i < runs->over_count; i++)
        if (runs->over[i] == trial) return 0;
    return 1;
}

/* The best trial of those that were announced: results that come together are all in the study before the
 * first of them is. */
static gofh_status find_best(const watch *w, gofh_trial *best)
{
    gofh_study *study = w->s->study;
    gofh_status status = gofh_study_best(study, best);
    if (status || is_announced(w->runs, best->trial)) return status;
    double sign = w->s->file.sense == GOFH_MAXIMIZE ? -1.0 : 1.0, least = NAN;
    int64_t found = 0;
    for (int64_t i = 1; i <= gofh_study_count(study) && !status; i++) {
        gofh_trial trial;
        status = gofh_study_trial(study, i, &trial);
        if (status || trial.state != GOFH_TRIAL_DONE || isnan(trial.f) || !is_announced(w->runs, i)) continue;
        if (found && !(sign * trial.f < least)) continue;
        found = i;
        least = sign * trial.f;
    }
    if (status) return status;
    return found ? gofh_study_trial(study, found, best) : GOFH_ERROR_EMPTY;
}

static gofh_status fill_state(watch *w, progress_state *state)
{
    session_counts counts;
    gofh_trial best;
    gofh_status status = session_count(w->s, &counts);
    if (status) return status;
    int budget = w->s->file.settings.budget,
        finished = counts.trials - counts.open - counts.imported - w->runs->unannounced;
    *state = (progress_state){.finished = finished,
                              .budget = budget,
                              .running = w->runs->count,
                              .failed = counts.failed,
                              .best = NAN,
                              .expected = w->expected,
                              .seconds = NAN};
    if (w->runs->executor->summary) {
        w->runs->executor->summary(w->runs->executor, w->queue, sizeof w->queue);
        state->queue = w->queue;
    }
    if (budget > 0) fill_time_left(w, budget - finished - w->runs->count, state);
    status = find_best(w, &best);
    if (!status) state->best = best.f;
    if (!status && isinf(best.f)) state->best_violates = describe_violates(w->s, w->s->study, best.x, best.y);
    return status == GOFH_ERROR_EMPTY ? GOFH_OK : status;
}

/* ---- The terminal ---- */

enum { LINE = 1024, SPARK_CELLS = 16 };

static void write_run(watch *w, const fleet_run *under_way, char line[LINE])
{
    char texts[GOFH_MAX_PARAMETERS][PARAMETER_TEXT];
    const char *values[GOFH_MAX_PARAMETERS];
    gofh_trial trial;
    line[0] = '\0';
    if (gofh_study_trial(w->s->study, under_way->trial, &trial)) return;
    for (int k = 0; k < w->s->d; k++) {
        const problem_parameter *p = &w->s->file.parameters[k];
        if (p->words)
            parameter_write(p, trial.x[k], texts[k]);
        else
            number_format(texts[k], sizeof texts[k], "%.4g", trial.x[k]);
        values[k] = texts[k];
    }
    progress_run(line, LINE, under_way->trial, under_way->process->seconds, w->names, values, w->s->d,
                 &w->style);
}

/* A line for each run under way, as many as there is room for. */
static int write_runs(watch *w, char lines[PROGRESS_LINES][LINE])
{
    const fleet *runs = w->runs;
    int room = w->style.rows - 2, count = 0;
    if (room < 1) return 0;
    if (room >= PROGRESS_LINES) room = PROGRESS_LINES - 1;
    int shown = runs->count <= room ? runs->count : room - 1, more = runs->count - shown;
    for (int i = 0; i < shown; i++) write_run(w, &runs->runs[i], lines[count++]);
    if (more > 0) snprintf(lines[count++], LINE, "  and %d more", more);
    return count;
}

void watch_draw(watch *w)
{
    progress_state state;
    char lines[PROGRESS_LINES + 1][LINE], spark[PROGRESS_SPARK] = "";
    char *drawn[PROGRESS_LINES];
    if (!w->style.terminal || !w->runs || fill_state(w, &state)) return;
    w->style = progress_detect(w->out); /* it may have another size now */
    int trials = gather_f(w);
    if (trials > 0) progress_spark(spark, w->f, trials, w->s->file.sense, &w->style, SPARK_CELLS);
    state.spark = *spark ? spark : NULL;
    progress_line(lines[0], LINE, &state, &w->style);
    int count = 1 + write_runs(w, lines + 1);
    for (int i = 0; i < count && i < PROGRESS_LINES; i++) drawn[i] = lines[i];
    progress_draw(w->out, &w->screen, &w->style, drawn, count);
}

void watch_clear(watch *w)
{
    progress_clear(w->out, &w->screen, &w->style);
    fflush(w->out);
}

void watch_curve(watch *w)
{
    char text[8192];
    int count = w->style.terminal ? gather_f(w) : 0;
    if (count <= 0) return;
    progress_curve(text, sizeof text, w->f, count, w->s->file.sense, &w->style);
    fputs(text, w->out);
}

/* ---- Trials that begin and end ---- */

static void print_event(watch *w, const char *event, int64_t number, int with_seconds)
{
    gofh_trial trial;
    if (gofh_study_trial(w->s->study, number, &trial)) return;
    json_t *object = describe_trial(w->s, &trial);
    const char *seconds = with_seconds ? gofh_study_note(w->s->study, number, NOTE_SECONDS) : NULL;
    json_object_set_new(object, "event", json_string(event));
    if (seconds) json_object_set_new(object, "seconds", describe_number(number_scan(seconds, NULL)));
    describe_print(w->s, object);
    fflush(stdout);
}

void watch_started(watch *w, int64_t trial)
{
    if (w->mode == WATCH_JSON_LINES) print_event(w, "start", trial, 0);
    watch_draw(w);
}

/* Whether the first count evaluations have the same outputs, at different points; -1: there are fewer, or no
 * memory. */
static int are_constant(const session *s, int count)
{
    double *first = calloc((size_t)s->d + (size_t)s->m, sizeof *first);
    int found = 0, same = 1, apart = 0;
    for (int64_t i = 1; i <= gofh_study_count(s->study) && found < count && first; i++) {
        gofh_trial trial;
        if (gofh_study_trial(s->study, i, &trial) || trial.state != GOFH_TRIAL_DONE) continue;
        size_t points = (size_t)s->d * sizeof *first, outputs = (size_t)s->m * sizeof *first;
        if (found++ == 0) {
            memcpy(first, trial.x, points);
            memcpy(first + s->d, trial.y, outputs);
        }
        apart |= memcmp(first, trial.x, points) != 0;
        same &= memcmp(first + s->d, trial.y, outputs) == 0;
    }
    free(first);
    return found < count ? -1 : same && apart;
}

/* Once, as early as it can be told: a simulator that does not read its parameters would waste the budget. */
static void warn_of_constant_outputs(watch *w)
{
    enum { ENOUGH = 3 };
    int constant = w->compared ? 0 : are_constant(w->s, ENOUGH);
    w->compared |= constant >= 0;
    if (constant <= 0) return;
    message_print(stderr,
                  "gofh run: the first %d evaluations have the same outputs, at different points: do the "
                  "parameters reach the simulator? Compare the files in %s/runs; ^C stops the study\n",
                  ENOUGH, w->s->directory);
}

void watch_settled(watch *w, int64_t number)
{
    warn_of_constant_outputs(w);
    progress_state state;
    gofh_trial trial;
    char line[2048];
    take_seconds(w, number); /* without memory the estimate is that of before */
    if (w->mode == WATCH_JSON_LINES) print_event(w, "end", number, 1);
    if (w->mode != WATCH_USUAL) return;
    if (w->style.terminal) {
        watch_draw(w);
        return;
    }
    if (fill_state(w, &state) || gofh_study_trial(w->s->study, number, &trial)) return;
    state.violates = isinf(trial.f) && describe_violates(w->s, w->s->study, trial.x, trial.y);
    progress_plain(line, sizeof line, &trial, &state);
    fputs(line, w->out);
    fflush(w->out);
}

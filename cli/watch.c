#include "cli/watch.h"

#include "base/number.h"
#include "cli/commands.h"
#include "cli/describe.h"
#include "report/time_left.h"

#include <math.h>
#include <stdlib.h>

void watch_begin(watch *w, session *s, FILE *out, watch_mode mode)
{
    *w = (watch){.s = s, .out = out, .mode = mode, .expected = NAN};
    if (mode == WATCH_USUAL) w->style = progress_detect(out);
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

static double find_time_left(const watch *w, int left)
{
    const fleet *runs = w->runs;
    double *running = malloc((size_t)(runs->count + 1) * sizeof *running);
    if (!running) return NAN;
    for (int i = 0; i < runs->count; i++) running[i] = fmax(runs->runs[i].process->seconds, 0.0);
    time_facts facts = {.ended = w->seconds,
                        .ended_count = (int)w->second_count,
                        .running = running,
                        .running_count = runs->count,
                        .left = left,
                        .parallel = w->s->file.simulator.parallel,
                        .asking = w->asked > 0 ? w->asking / w->asked : 0.0};
    double seconds = time_left(&facts);
    free(running);
    return seconds;
}

static gofh_status fill_state(watch *w, progress_state *state)
{
    session_counts counts;
    gofh_trial best;
    gofh_status status = session_count(w->s, &counts);
    if (status) return status;
    int budget = w->s->file.settings.budget, finished = counts.trials - counts.open - counts.imported;
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
    if (budget > 0) state->seconds = find_time_left(w, budget - finished - w->runs->count);
    status = gofh_study_best(w->s->study, &best);
    if (!status) state->best = best.f;
    return status == GOFH_ERROR_EMPTY ? GOFH_OK : status;
}

/* ---- The terminal ---- */

enum { LINE = 1024, SPARK_CELLS = 16 };

/* A line for each run under way, as many as there is room for. */
static int write_runs(watch *w, char lines[PROGRESS_LINES][LINE])
{
    const fleet *runs = w->runs;
    int room = w->style.rows - 2, count = 0;
    if (room < 1) return 0;
    if (room >= PROGRESS_LINES) room = PROGRESS_LINES - 1;
    int shown = runs->count <= room ? runs->count : room - 1, more = runs->count - shown;
    for (int i = 0; i < shown; i++) {
        gofh_trial trial;
        if (gofh_study_trial(w->s->study, runs->runs[i].trial, &trial)) continue;
        progress_run(lines[count++], LINE, trial.trial, runs->runs[i].process->seconds, w->names, trial.x,
                     w->s->d, &w->style);
    }
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

void watch_settled(watch *w, int64_t number)
{
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
    progress_plain(line, sizeof line, &trial, &state);
    fputs(line, w->out);
    fflush(w->out);
}

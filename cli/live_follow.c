/* The live page follows the files of its studies, whoever writes them. */
#include "cli/commands.h"
#include "cli/live_state.h"
#include "report/svg.h"
#include "report/time_left.h"
#include "run/look.h"
#include "serve/view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { RUNS_MAX = 20 };
/* Reading a study again may take this share of the time at most. */
static const double SHARE = 0.2;

double live_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- Parts ---- */

/* Puts a new text in the place of the old one, under the lock, if it is another. Returns whether. */
static int replace(live *l, part *p, char *text, size_t size)
{
    if (p->text && p->size == size && memcmp(p->text, text, size) == 0) {
        free(text);
        return 0;
    }
    pthread_mutex_lock(&l->lock);
    char *old = p->text;
    p->text = text;
    p->size = size;
    p->version++;
    pthread_mutex_unlock(&l->lock);
    free(old);
    return 1;
}

static int say(live *l, part *p, const char *words)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (!file) return 0;
    fputs("<p class=\"note\">", file);
    svg_escape(file, words);
    fputs("</p>\n", file);
    if (fclose(file)) return 0;
    return replace(l, p, text, size);
}

/* ---- Runs under way ---- */

/* What can be seen of an open trial's run, in texts that the caller keeps. */
static view_run look_at_trial(live *l, followed *v, int trial, char where[LOOK_TEXT],
                              char output[2 * LOOK_TAIL])
{
    view_run seen = {.trial = trial, .since = NAN, .where = where, .output = output};
    run_look look;
    where[0] = output[0] = '\0';
    pthread_mutex_lock(&l->lock);
    const char *identity = gofh_study_note(v->study, trial, NOTE_RUN);
    int found = identity && look_at_run(identity, v->s.directory, &look) == 0;
    pthread_mutex_unlock(&l->lock);
    if (!found) return seen;
    char standard_output[LOOK_TAIL], errors[LOOK_TAIL];
    look_at_outputs(&look, standard_output, errors);
    snprintf(output, 2 * LOOK_TAIL, "%s%s", standard_output, errors);
    snprintf(where, LOOK_TEXT, "%s", look.queue[0] ? look.queue : look.host);
    seen.since = look.began;
    look_free(&look);
    return seen;
}

/* When the first run began that the study has made by itself; NaN: not known. */
static double find_beginning(live *l, const followed *v)
{
    double began = NAN;
    pthread_mutex_lock(&l->lock);
    for (int i = 0; i < v->r.count && isnan(began); i++) {
        gofh_trial trial;
        run_look look;
        if (gofh_study_trial(v->study, i + 1, &trial) || trial.imported) continue;
        const char *identity = gofh_study_note(v->study, i + 1, NOTE_RUN);
        if (!identity || look_at_run(identity, v->s.directory, &look)) continue;
        began = look.began;
        look_free(&look);
    }
    pthread_mutex_unlock(&l->lock);
    return began;
}

/* Estimates when the budget will be used up, if something runs: anew when a run has ended, and now and
 * then. */
static void estimate_times(live *l, followed *v, const view_run *runs, int count)
{
    static const double FOR = 10.0;
    const report *r = &v->r;
    double running[RUNS_MAX], now = (double)time(NULL);
    int under_way = 0, left = r->input->budget - (r->count - r->imported - r->checked), ended = 0;
    for (int i = 0; i < count; i++)
        if (isfinite(runs[i].since)) running[under_way++] = fmax(now - runs[i].since, 0.0);
    if (under_way > 0 && live_clock() < v->times_due) return;
    v->times = (view_times){NAN, NAN, NAN};
    v->times_due = live_clock() + FOR;
    double *seconds = under_way ? calloc((size_t)r->count, sizeof *seconds) : NULL;
    if (!seconds) return;
    for (int i = 0; i < r->count; i++)
        if (isfinite(r->input->runs[i].seconds)) seconds[ended++] = r->input->runs[i].seconds;
    const time_facts facts = {.ended = seconds,
                              .ended_count = ended,
                              .running = running,
                              .running_count = under_way,
                              .left = left > 0 ? left : 0,
                              .parallel = v->s.file.simulator.parallel};
    v->times.began = find_beginning(l, v);
    time_estimate e = time_left(&facts);
    free(seconds);
    if (r->input->budget <= 0 || !isfinite(e.seconds)) return;
    v->times.low = now + (e.sure >= TIME_SURE ? e.seconds : e.low);
    v->times.high = now + (e.sure >= TIME_SURE ? e.seconds : e.high);
}

static int look_at_runs(live *l, followed *v)
{
    static char output[RUNS_MAX][2 * LOOK_TAIL], where[RUNS_MAX][LOOK_TEXT];
    view_run runs[RUNS_MAX];
    int count = 0;
    char *text = NULL;
    size_t size = 0;
    if (!v->study) return 0;
    for (int i = 0; i < v->r.count && count < RUNS_MAX; i++) {
        if (v->r.state[i] != GOFH_TRIAL_OPEN) continue;
        runs[count] = look_at_trial(l, v, i + 1, where[count], output[count]);
        count++;
    }
    estimate_times(l, v, runs, count);
    FILE *file = open_memstream(&text, &size);
    if (!file) return 0;
    report r = v->r;
    r.file = file;
    pthread_mutex_lock(&l->lock);
    gofh_status status = view_running(&r, runs, count, &v->times, gofh_study_queued(v->study));
    pthread_mutex_unlock(&l->lock);
    if (!fclose(file) && !status) return replace(l, &v->running, text, size);
    free(text);
    return 0;
}

/* ---- The study ---- */

static stamp look_at_files(const session *s)
{
    static const char *const endings[2] = {"", "-wal"};
    stamp now = {0};
    for (int i = 0; i < 2; i++) {
        char path[4096];
        struct stat about;
        if (snprintf(path, sizeof path, "%s%s", s->database, endings[i]) >= (int)sizeof path) continue;
        if (stat(path, &about)) continue;
        now.changed[i] = about.st_mtim;
        now.size[i] = about.st_size;
        now.inode[i] = about.st_ino;
    }
    return now;
}

static int is_same(const stamp *a, const stamp *b)
{
    for (int i = 0; i < 2; i++)
        if (a->size[i] != b->size[i] || a->inode[i] != b->inode[i] ||
            a->changed[i].tv_sec != b->changed[i].tv_sec || a->changed[i].tv_nsec != b->changed[i].tv_nsec)
            return 0;
    return 1;
}

static void let_go(gofh_study *study, described *d, report *r)
{
    report_release(r);
    described_free(d);
    gofh_study_free(study);
}

/* A part by a function of the view; returns whether it is another than before. */
static int draw(live *l, part *p, report *r, gofh_status (*view)(const report *))
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (!file) return 0;
    r->file = file;
    gofh_status status = view(r);
    r->file = NULL;
    if (!fclose(file) && !status) return replace(l, p, text, size);
    free(text);
    return say(l, p,
               *r->error->message ? r->error->message : "There is no memory for this part of the page.");
}

/* It needs no study, and so no lock. */
static int draw_next(live *l, followed *v)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (!file) return 0;
    report r = v->r;
    r.file = file;
    gofh_status status = view_next(&r, &v->forecast, l->ended, l->foreseer.failure);
    if (!fclose(file) && !status) return replace(l, &v->next, text, size);
    free(text);
    return say(l, &v->next, "There is no memory for this part of the page.");
}

/* Reads the study anew and draws it. The old one is looked at until the new one is ready. */
static int read_study(live *l, followed *v)
{
    gofh_error error = {0};
    gofh_study *study = NULL;
    described d = {0};
    report r = {0};
    gofh_status status = gofh_study_open(&study, v->s.database, GOFH_OPEN_READ, v->s.file.problem,
                                         &v->s.file.settings, &error);
    if (status)
        return say(l, &v->summary,
                   status == GOFH_ERROR_EMPTY || v->seen.size[0] == 0 ? "The study has not begun."
                                                                      : error.message);
    v->s.study = study;
    status = described_gather(&v->s, NULL, &d) ? GOFH_ERROR_MEMORY : GOFH_OK;
    v->s.study = NULL;
    d.input.quick = 1;
    if (!status) status = report_gather(&r, NULL, &d.input, &error);
    if (status) {
        let_go(study, &d, &r);
        return say(l, &v->summary, *error.message ? error.message : "There is no memory for the page.");
    }
    int changed = draw(l, &v->summary, &r, view_summary);
    changed |= draw(l, &v->state, &r, view_state);
    v->foreseen = 0;
    v->times_due = 0.0;
    pthread_mutex_lock(&l->lock);
    gofh_study *old_study = v->study;
    described old_d = v->d;
    report old_r = v->r;
    v->study = study;
    v->d = d;
    v->d.input.made = v->d.made;
    v->r = r;
    v->r.input = &v->d.input;
    v->error = (gofh_error){0};
    v->r.error = &v->error;
    pthread_mutex_unlock(&l->lock);
    if (old_study) let_go(old_study, &old_d, &old_r);
    return draw_next(l, v) | changed;
}

int live_follow(live *l, followed *v)
{
    stamp now = look_at_files(&v->s);
    double time = live_clock();
    int changed = 0;
    if ((!v->known || !is_same(&now, &v->seen)) && time >= v->due) {
        v->seen = now;
        v->known = 1;
        changed = read_study(l, v);
        double took = live_clock() - time;
        v->due = live_clock() + took * (1.0 / SHARE - 1.0);
    }
    return look_at_runs(l, v) | changed;
}

/* The study that waits longest: the first behind the one that was foreseen last. */
static int next_to_foresee(const live *l)
{
    int count = l->options->count;
    for (int i = 1; i <= count; i++) {
        int study = (l->foreseen_last + i) % count;
        if (l->studies[study].study && !l->studies[study].foreseen) return study;
    }
    return -1;
}

/* A failure leaves what was foreseen before, and is followed by another try. */
static int take_forecast(live *l, followed *v)
{
    const forecast *answer = &l->foreseer.answer;
    if (*answer->failure) {
        memcpy(v->forecast.failure, answer->failure, sizeof v->forecast.failure);
        v->foreseen = 0;
    } else {
        v->forecast = *answer;
    }
    return v->study ? draw_next(l, v) : 0;
}

int live_foresee(live *l)
{
    foreseer *f = &l->foreseer;
    pid_t before = f->process;
    int made = foresee_take(f, live_clock()), changed = 0;
    if (made >= 0) changed = take_forecast(l, &l->studies[made]);
    int next = foresee_is_ready(f, live_clock()) && serve_listeners(l->server) ? next_to_foresee(l) : -1;
    if (next >= 0) {
        l->studies[next].foreseen = 1;
        l->foreseen_last = next;
        foresee_ask(f, next);
    }
    for (int i = 0; i < l->options->count && f->process != before; i++)
        if (l->studies[i].study) changed |= draw_next(l, &l->studies[i]);
    return changed;
}

int live_end_all(live *l)
{
    int changed = 0;
    for (int i = 0; i < l->options->count; i++)
        if (l->studies[i].study) changed |= draw_next(l, &l->studies[i]);
    return changed;
}

void live_release(followed *v)
{
    if (v->study) let_go(v->study, &v->d, &v->r);
    free(v->summary.text);
    free(v->running.text);
    free(v->next.text);
    free(v->state.text);
    session_close(&v->s);
}

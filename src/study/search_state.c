#include "study/search_state.h"

#include "base/memory.h"
#include "study/fitted.h"
#include "study/points.h"
#include "study/predict.h"
#include "study/starts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RECENT = 3 };

/* f of each trial as far as it is known: observed, or with noise the posterior mean. */
static gofh_status find_values(search_state *s, study *st)
{
    size_t d = (size_t)st->d;
    for (size_t i = 0; i < st->trials.count; i++)
        s->f[i] = st->trials.list[i].state == GOFH_TRIAL_DONE ? st->trials.list[i].f : NAN;
    if (!s->noisy) return GOFH_OK;
    double *points = memory_doubles(st->trials.count * (d + 1));
    if (!points) return GOFH_ERROR_MEMORY;
    double *f = points + st->trials.count * d;
    int done = 0;
    for (size_t i = 0; i < st->trials.count; i++)
        if (!isnan(s->f[i])) memcpy(points + (size_t)done++ * d, st->trials.list[i].u, d * sizeof *points);
    gofh_status status = study_expect(st, points, done, f);
    done = 0;
    for (size_t i = 0; !status && i < st->trials.count; i++)
        if (!isnan(s->f[i])) s->f[i] = f[done++];
    free(points);
    return status;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double search_f_range(double best_f, double *values, size_t count)
{
    if (count == 0) return 0.0;
    qsort(values, count, sizeof *values, compare);
    return best_f - 0.5 * (values[(count - 1) / 2] + values[count / 2]);
}

/* Over the initial design, starts and what was imported: suggested points gather where f is best,
 * and would not tell what f varies by over the domain. Over all of them where there are no others. */
static double find_f_range(const search_state *s, const study *st, double *values)
{
    size_t count = 0;
    for (int all = 0; all < 2 && count == 0; all++)
        for (size_t i = 0; i < st->trials.count; i++)
            if (isfinite(s->f[i]) && (all || !starts_is_suggested(&st->trials.list[i])))
                values[count++] = s->f[i];
    return search_f_range(s->best_f, values, count);
}

/* Where all are alike the model says nothing, and its expected improvement would be largest in one
 * corner after the other. Where f differs, g depends on the parameters too and has something to
 * say. */
static int is_flat(const study *st)
{
    size_t m = (size_t)st->m, done = 0;
    const trial *first = NULL;
    for (size_t i = 0; i < st->trials.count; i++) {
        const trial *t = &st->trials.list[i];
        if (t->state != GOFH_TRIAL_DONE) continue;
        if (!first) first = t;
        if (memcmp(first->y, t->y, m * sizeof *t->y) != 0 || first->f != t->f) return 0;
        done++;
    }
    return done > 1;
}

static void find_open(search_state *s, const study *st)
{
    s->d = st->d;
    for (size_t i = 0; i < st->trials.count; i++) {
        const trial *t = &st->trials.list[i];
        if (t->state != GOFH_TRIAL_OPEN) continue;
        s->open++;
        if (strcmp(t->origin, "local") == 0) s->open_local = t->u;
    }
    const model_state *fitted = st->fitted;
    s->again = s->open && fitted->data_count > 0 && fitted->committed.data == fitted->data_count &&
               fitted->committed.last == fitted->data[fitted->data_count - 1];
}

int search_recently_near(const study *st, int incumbent)
{
    int seen = 0;
    for (size_t i = st->trials.count; i-- > 0 && seen < RECENT;) {
        if (st->trials.list[i].imported) continue;
        if (points_distance(st->d, st->trials.list[i].u, st->trials.list[incumbent].u) < SEARCH_NEAR)
            return 1;
        seen++;
    }
    return 0;
}

int search_is_negligible(const search_state *s, double gain)
{
    return gain < s->tolerance || !(gain > SEARCH_NEGLIGIBLE * s->basin_range);
}

int search_replaces_incumbent(int has, double best_f, double f)
{
    return has ? f > best_f : !isnan(f);
}

/* By how much trial i violates the constraints, into s->violation; whether it does. Left alone
 * where it does not. */
static gofh_status find_violation(search_state *s, const study *st, size_t i, int *violated)
{
    const outer *g = st->spec.g;
    const trial *t = &st->trials.list[i];
    *violated = 0;
    if (g->margins == 0 || t->state != GOFH_TRIAL_DONE || s->f[i] != -INFINITY) return GOFH_OK;
    gofh_status status = outer_margins(g, t->y, t->x, 1, s->violation);
    for (int k = 0; k < g->margins; k++) {
        s->violation[k] = isfinite(s->violation[k]) ? fmax(-s->violation[k], 0.0) : 0.0;
        *violated |= s->violation[k] > 0.0;
    }
    return status;
}

/* What became of trial i, seen from the incumbent before it. */
static gofh_status find_outcome(search_state *s, const study *st, size_t i, step_outcome *o)
{
    const trial *t = &st->trials.list[i];
    *o = (step_outcome){.suggested = starts_is_suggested(t), .improved = s->f[i] > s->best_f};
    o->geometry = o->suggested && (strcmp(t->origin, "geometry") == 0 || strcmp(t->origin, "slope") == 0);
    int ended = t->state == GOFH_TRIAL_DONE || t->state == GOFH_TRIAL_FAILED;
    o->local = o->suggested && ended && s->incumbent >= 0 && strcmp(t->origin, "local") == 0;
    if (!o->local) return GOFH_OK;
    o->failed = t->state == GOFH_TRIAL_FAILED;
    o->predicted = t->expected;
    o->gained = isnan(s->f[i]) ? -INFINITY : s->f[i] - s->best_f;
    o->step = points_reach(st->d, t->u, st->trials.list[s->incumbent].u);
    return find_violation(s, st, i, &o->violated);
}

/* Goes through the trials in their order. */
static gofh_status replay(search_state *s, const study *st)
{
    s->region = trust_region_begin();
    s->incumbent = -1;
    s->best_f = -INFINITY;
    for (size_t i = 0; i < st->trials.count; i++) {
        step_outcome outcome;
        gofh_status status = find_outcome(s, st, i, &outcome);
        if (status) return status;
        s->region = trust_region_update(s->region, &outcome);
        if (outcome.improved) memset(s->violation, 0, (size_t)st->spec.g->margins * sizeof *s->violation);
        if (!search_replaces_incumbent(s->incumbent >= 0, s->best_f, s->f[i])) continue;
        s->incumbent = (int)i;
        s->best_f = s->f[i];
    }
    s->forced = trust_region_is_forced(&s->region);
    s->region = trust_region_open(s->region);
    return GOFH_OK;
}

gofh_status search_state_open(search_state *s, study *st)
{
    const gofh_settings *settings = &st->spec.settings;
    *s = (search_state){.incumbent = -1, .tolerance = settings->patience > 0 ? settings->tolerance : 0.0};
    for (int j = 0; j < st->outputs; j++) s->noisy |= model_process(st->fitted->mo, 0, j)->hyper.noise > 0.0;
    s->f = memory_doubles(2 * st->trials.count);
    s->violation = memory_doubles((size_t)st->spec.g->margins + 1);
    if (!s->f || !s->violation) return GOFH_ERROR_MEMORY;
    gofh_status status = find_values(s, st);
    if (!status) status = replay(s, st);
    if (status) return status;
    s->f_range = s->basin_range = find_f_range(s, st, s->f + st->trials.count);
    s->flat = is_flat(st);
    find_open(s, st);
    s->recently_near = search_recently_near(st, s->incumbent);
    return GOFH_OK;
}

void search_state_close(search_state *s)
{
    free(s->f);
    free(s->violation);
}

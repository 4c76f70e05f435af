#include "study/calibrate_f.h"

#include "base/interrupt.h"
#include "base/memory.h"
#include "base/normal.h"
#include "base/student.h"
#include "study/objective.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    DEGREES_MAX = 200, /* beyond, t is normal */
    DATA_MIN = 10,     /* fewer say nothing of f */
    DRAWS = 512,       /* that f of a datum is ranked among */
    PART = 1 << 20     /* of the random numbers: after those of the chains of the folds */
};

/* Data that the model's own levels count for. */
static const double PRIOR = 5.0;
/* Of the range of f: what differs by less is the same. */
static const double ROUNDING = 1e-9;

int calibrate_degrees_of(const study *st)
{
    const model_state *own = st->fitted;
    double degrees = own->prior.variance_weight + own->data_count - 1.0;
    return own->fixed || study_samples_hyper(st) || degrees > DEGREES_MAX ? 0 : (int)fmax(degrees, 1.0);
}

void calibrate_degrees(const study *st, int draws, double *z)
{
    int degrees = calibrate_degrees_of(st);
    random_stream stream = random_open(st->spec.settings.seed, RANDOM_RECOMMEND,
                                       (uint64_t)st->fitted->data_count, 1);
    for (int i = 0; degrees > 0 && i < draws; i++) {
        double squares = 0.0;
        for (int k = 0; k < degrees; k++) squares += pow(random_normal(&stream), 2.0);
        for (int j = 0; j < st->outputs; j++) *z++ *= sqrt(degrees / squares);
    }
}

int calibrate_f_applies(const study *st)
{
    return st->method->subject == MODEL_OF_H && st->outputs == st->m && st->m <= CALIBRATE_F_OUTPUTS_MAX &&
           st->spec.g->margins == 0 && !study_is_noisy(st);
}

/* f of the data among draws of it, and what that takes. */
typedef struct {
    const study *st;
    const posterior *left;
    double *z, *y, *x, *value, *work; /* DRAWS rows each */
    double *block;
} ranking;

static gofh_status open_ranking(ranking *r, const study *st, const posterior *left)
{
    size_t m = (size_t)st->m, parameters = (size_t)st->parameters;
    *r = (ranking){.st = st, .left = left};
    r->z = objective_new_normals(st, RANDOM_CALIBRATE, (uint64_t)st->fitted->data_count, PART, DRAWS);
    r->block = memory_doubles(DRAWS * (m + parameters + 1) + outer_work(st->spec.g, DRAWS));
    if (!r->z || !r->block) return GOFH_ERROR_MEMORY;
    calibrate_degrees(st, DRAWS, r->z);
    r->y = r->block;
    r->x = r->y + DRAWS * m;
    r->value = r->x + DRAWS * parameters;
    r->work = r->value + DRAWS;
    return GOFH_OK;
}

static void close_ranking(ranking *r)
{
    free(r->z);
    free(r->block);
}

static int is_predicted(const ranking *r, int i)
{
    size_t m = (size_t)r->st->m, first = (size_t)i * m;
    for (size_t j = first; j < first + m; j++)
        if (!isfinite(r->left->mean[j]) || !isfinite(r->left->deviation[j])) return 0;
    return 1;
}

/* The normal score of f of trial t, point i of those left out, among the draws. */
static gofh_status find_score(ranking *r, const trial *t, int i, double same, double *score)
{
    size_t parameters = (size_t)r->st->parameters;
    double below = 0.0;
    posterior_draw(r->left, i, r->z, DRAWS, r->y);
    for (size_t k = 0; k < DRAWS; k++) memcpy(r->x + k * parameters, t->x, parameters * sizeof *r->x);
    gofh_status status = outer_objective(r->st->spec.g, r->y, r->x, DRAWS, r->value, NULL, NULL, r->work);
    for (int k = 0; k < DRAWS; k++) below += fabs(r->value[k] - t->f) <= same ? 0.5 : r->value[k] < t->f;
    *score = normal_quantile((below + 0.5) / (DRAWS + 1.0));
    return status;
}

static double range_of_f(const study *st, int count, const int *datum)
{
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < count; i++) {
        double f = st->trials.list[st->fitted->data[datum[i]]].f;
        if (!isfinite(f)) continue;
        low = fmin(low, f);
        high = fmax(high, f);
    }
    return high > low ? high - low : 0.0;
}

/* What the scores of the next f are drawn from, in the sense of eq. 37a; never narrower than without. */
static void find_levels(f_levels *levels, int count, double sum, double squares)
{
    double all = PRIOR + count, shift = sum / all;
    double variance = (PRIOR + squares - all * shift * shift) / all;
    *levels = (f_levels){
        .shift = shift, .stretch = fmax(1.0, sqrt(variance * (1.0 + 1.0 / all))), .degrees = (int)all};
}

gofh_status calibrate_f(study *st, int count, const int *datum, const posterior *left)
{
    ranking r;
    double same = ROUNDING * range_of_f(st, count, datum), sum = 0.0, squares = 0.0;
    int used = 0;
    gofh_status status = open_ranking(&r, st, left);
    for (int i = 0; i < count && !status; i++) {
        const trial *t = &st->trials.list[st->fitted->data[datum[i]]];
        double score;
        if (!isfinite(t->f) || !is_predicted(&r, i)) continue;
        status = interrupt_requested() ? GOFH_STOP_CALLER : find_score(&r, t, i, same, &score);
        if (status) break;
        sum += score;
        squares += score * score;
        used++;
    }
    close_ranking(&r);
    if (!status && used >= DATA_MIN) find_levels(&st->fitted->f_levels, used, sum, squares);
    return status;
}

double calibrate_f_level(const study *st, double p)
{
    const f_levels *levels = &st->fitted->f_levels;
    if (levels->degrees == 0) return p;
    int degrees = levels->degrees > DEGREES_MAX ? 0 : levels->degrees;
    return normal_cdf(st->spec.g->sign * levels->shift + levels->stretch * student_quantile(p, degrees));
}

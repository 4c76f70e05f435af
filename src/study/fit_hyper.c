/* The hyperparameters of one output. */
#include "study/fit_hyper.h"

#include "base/parallel.h"
#include "base/vector.h"
#include "search/lbfgsb.h"
#include "study/fit_state.h"
#include "study/starts.h"

#include <math.h>
#include <string.h>

enum {
    BURN_IN = 5,
    MAP_ITERATIONS = 40,
    MAP_TRIED = 10 /* iterations from every start; then only the best goes on */
};

/* Estimated noise below the first counts as none; the second is where its search begins. */
static const double NOISE_NONE = 1e-9, NOISE_FLOOR = 1e-12;
/* By how much the evidence of a transform must exceed that of the output itself. */
static const double TRANSFORM_EVIDENCE = 4.0;
/* A candidate whose evidence is behind by this much more after a short climb is given up. */
static const double TRANSFORM_DECIDED = 20.0;

/* By how much the evidence of places of choices must exceed that of lengthscales: with few data places that
 * are wrong are soon taken for right, and the choices that were not tried for like those that were. */
static const double PLACES_EVIDENCE = 4.0;

/* theta of the last sample, where the next chain starts. */
static void theta_of(const study *st, const hyper_target *target, const double *slot, double *theta)
{
    int d = st->d, last = d + (target->trend ? 1 : 0);
    hyper_theta_of(target, slot, theta);
    for (int i = 0; slot[d + 6] > 0.0 && !target->latent && i < st->fitted->latent.count; i++)
        for (int k = 0; k < st->fitted->latent.of[i].width; k++)
            theta[st->fitted->latent.of[i].first + k] = log(target->prior->lengthscale_median);
    if (target->trend) theta[d] = log(slot[d + 3] / (1.0 - slot[d + 3]));
    if (target->noise == HYPER_ESTIMATED) theta[last] = log(fmax(slot[d + 1], NOISE_FLOOR));
    /* Before variances were given there may have been none: then the variance of the signal itself
     * is where to start. */
    if (target->noise == HYPER_KNOWN)
        theta[last] = target->own_noise && !(slot[d + 1] > 0.0) ? log(slot[d])
                                                                : log(target->known_noise / slot[d + 1]);
}

/* The posterior at several points at once; each of `threads` workers has a part of the target's
 * workspace. */
typedef struct {
    const hyper_target *target;
    int threads;
    const double *x;
    double *value, *gradient;
} posterior_batch;

/* A whole number of cache lines: see model_predict. */
static size_t posterior_share(int n, int others)
{
    return (hyper_work(n, others) + 7) / 8 * 8;
}

static void evaluate_posterior(int i, int worker, void *context)
{
    const posterior_batch *b = context;
    hyper_target own = *b->target;
    int dimension = hyper_dimension(&own);
    size_t row = (size_t)i * (size_t)dimension;
    double *gradient = b->gradient ? b->gradient + row : NULL;
    own.work += (size_t)worker * posterior_share(own.inputs->n, own.others);
    b->value[i] = hyper_log_posterior(&own, b->x + row, gradient);
    if (gradient && !isfinite(b->value[i])) memset(gradient, 0, (size_t)dimension * sizeof *gradient);
}

static int posterior_objective(const double *x, int count, double *value, double *gradient, void *context)
{
    posterior_batch *b = context;
    b->x = x;
    b->value = value;
    b->gradient = gradient;
    parallel_for(b->threads, count, evaluate_posterior, b);
    return 0;
}

/* A hundredth of a log posterior means nothing, nor do its digits beyond the fifth where points lie
 * close together: there they are rounding, in which a search for the maximum would go on for
 * long. */
static const double MAP_TOLERANCE = 1e-5, MAP_SLOPE = 1e-2;
/* First step of a climb that starts near the maximum: where the last fit or a short climb ended. */
static const double MAP_STEP = 0.005;

static void climb_settings(lbfgsb_settings *settings, int iterations)
{
    lbfgsb_defaults(settings);
    settings->iterations = iterations;
    settings->value_tolerance = MAP_TOLERANCE;
}

static void map_settings(lbfgsb_settings *settings, int iterations)
{
    climb_settings(settings, iterations);
    settings->rounding = MAP_TOLERANCE;
    settings->gradient_tolerance = MAP_SLOPE;
}

/* How many starts climb at once. */
static int starts_at_once(int threads)
{
    return threads < FIT_STARTS ? threads : FIT_STARTS;
}

size_t fit_work(int n, int d, int others, int threads)
{
    lbfgsb_settings settings;
    map_settings(&settings, MAP_ITERATIONS);
    size_t search = lbfgsb_work(&settings, FIT_STARTS, d + 2) + FIT_STARTS * (size_t)(d + 3);
    return ((size_t)starts_at_once(threads) * posterior_share(n, others) + search + 7) / 8 * 8;
}

static void copy_places(const hyper_target *target, const double *from, double *to)
{
    for (int i = 0; target->latent && i < target->latent->count; i++) {
        int first = target->latent->of[i].first;
        memcpy(to + first, from + first, (size_t)target->latent->of[i].width * sizeof *to);
    }
}

/* Starts whose lengthscales are of another order than the last maximum's: around the prior's
 * median; or, with a trend, pairs of lengthscale and share of the trend, each of which led to the
 * maximum of some problem, with noise of different orders. Places are those of the first start. */
static void other_start(const hyper_target *target, int i, const double *first, double *theta)
{
    static const double factor[FIT_STARTS] = {1.0, 1.0, 0.25, 4.0};
    static const double lengthscale[FIT_STARTS] = {0.5, 0.3, 1.0, 3.0},
                        logit[FIT_STARTS] = {0.0, -5.0, -1.0, 2.0};
    static const double noise[FIT_STARTS] = {1e-12, 1e-10, 1e-5, 1e-2};
    int d = target->inputs->d;
    hyper_start(target, theta);
    for (int k = 0; k < d; k++) theta[k] = target->trend ? log(lengthscale[i]) : theta[k] + log(factor[i]);
    copy_places(target, first, theta);
    if (!target->trend) return;
    theta[d] = logit[i];
    if (target->noise == HYPER_ESTIMATED) theta[d + 1] = log(noise[i]);
}

/* Room for the points of a search; their values come after FIT_STARTS of them. */
static double *search_points(const hyper_target *target, int threads)
{
    return target->work +
           (size_t)starts_at_once(threads) * posterior_share(target->inputs->n, target->others);
}

/* Climbs from each of the first points there. Returns their values. */
static double *climb_points(const hyper_target *target, int starts, const lbfgsb_settings *settings,
                            int threads)
{
    int dimension = hyper_dimension(target);
    double lower[HYPER_MAX], upper[HYPER_MAX];
    posterior_batch batch = {.target = target, .threads = starts_at_once(threads)};
    double *x = search_points(target, threads), *value = x + (size_t)FIT_STARTS * (size_t)dimension;
    hyper_bounds(target, lower, upper);
    lbfgsb_maximize(posterior_objective, &batch, settings, starts, dimension, lower, upper, x, value,
                    value + FIT_STARTS);
    return value;
}

/* Climbs a little from theta and from the other starts, and moves theta to the best end. Returns
 * its value. */
static double try_starts(const hyper_target *target, double *theta, int threads)
{
    size_t dimension = (size_t)hyper_dimension(target);
    double *x = search_points(target, threads);
    memcpy(x, theta, dimension * sizeof *x);
    for (int i = 1; i < FIT_STARTS; i++) other_start(target, i, x, x + (size_t)i * dimension);
    lbfgsb_settings settings;
    map_settings(&settings, MAP_TRIED);
    const double *value = climb_points(target, FIT_STARTS, &settings, threads);
    int best = vector_largest(value, FIT_STARTS);
    memcpy(theta, x + (size_t)best * dimension, dimension * sizeof *theta);
    return value[best];
}

/* Moves theta to the maximum above it. Returns its value. */
static double climb_on(const hyper_target *target, double *theta, int iterations, int threads)
{
    size_t size = (size_t)hyper_dimension(target) * sizeof *theta;
    double *x = search_points(target, threads);
    memcpy(x, theta, size);
    lbfgsb_settings settings;
    map_settings(&settings, iterations);
    settings.first_step = MAP_STEP;
    double reached = *climb_points(target, 1, &settings, threads);
    memcpy(theta, x, size);
    return reached;
}

double fit_maximise(const hyper_target *target, double *theta, int starts, int threads)
{
    if (starts > 1) try_starts(target, theta, threads);
    return climb_on(target, theta, MAP_ITERATIONS - (starts > 1 ? MAP_TRIED : 0), threads);
}

/* Where the first chain begins: a little up from the best of the starts. Its first sweeps, which do
 * not count, do the rest; the maximum itself would be no better a place. */
static void begin_chain(hyper_target *target, double *theta)
{
    size_t size = (size_t)hyper_dimension(target) * sizeof *theta;
    double *x = search_points(target, 1), best = -INFINITY, start[HYPER_MAX];
    memcpy(x, theta, size);
    for (int i = 1; i < FIT_STARTS; i++) {
        other_start(target, i, theta, start);
        double value = hyper_log_posterior(target, start, NULL);
        if (!(value > best)) continue;
        best = value;
        memcpy(x, start, size);
    }
    lbfgsb_settings settings;
    climb_settings(&settings, MAP_TRIED); /* no maximum is needed: a little up will do */
    climb_points(target, 1, &settings, 1);
    memcpy(theta, x, size);
}

/* The best of those of the first n data that no model suggested: how large its outputs are does not
 * shrink as the search converges. The best of all where there are no others. Data that come after the
 * fit change nothing: a resumed study must find the same. */
static const trial *find_reference(const study *st, int n)
{
    const trial *best = NULL;
    for (int all = 0; all < 2 && !best; all++)
        for (int i = 0; i < n; i++) {
            const trial *t = &st->trials.list[st->fitted->data[i]];
            if (isnan(t->f) || (!all && starts_is_suggested(t))) continue;
            if (!best || t->f > best->f) best = t;
        }
    return best;
}

/* How large values of output j are where f is good: the largest at the reference among those of the
 * same named output, which have one unit. */
static double find_magnitude(const study *st, int n, int j)
{
    const study_output *of = st->spec.output;
    const trial *reference = find_reference(st, n);
    int first = 0;
    if (!reference || st->method->subject == MODEL_OF_F) return 0.0;
    while (j >= first + of->size) first += of++->size;
    double largest = 0.0;
    for (int k = first; k < first + of->size; k++) largest = fmax(largest, fabs(reference->y[k]));
    return largest;
}

int fit_transform(const study *st, const transform_kind *kind, const double *given, int n, int j,
                  transform *t)
{
    double variance;
    *t = (transform){.kind = kind};
    if (transform_is_none(t)) return 1;
    unsigned part = kind == &transform_logarithm ? PART_LOGARITHM : PART_ASINH;
    if (!(st->method->parts & part) || st->fitted->fixed || study_noise(st, j, &variance) == HYPER_KNOWN)
        return 0;
    return kind->fit(t, given + j, n, st->outputs, find_magnitude(st, n, j));
}

/* The transforms that output j may be modelled with, the first of which is none. Returns how
 * many. */
static int find_candidates(const fitting *task, int j, transform *candidate)
{
    int count = 0;
    for (int number = 0; number < TRANSFORM_COUNT; number++)
        count += fit_transform(task->st, transform_numbered(number), task->given,
                               task->st->fitted->mo->inputs.n, j, &candidate[count]);
    return count;
}

/* The log density of the given values of output j, up to a constant that all its transforms share
 * (eq. 27). fitted: the maximum of the posterior with the transform in use. */
static double evidence(const fitting *task, int j, double fitted)
{
    const model *mo = task->st->fitted->mo;
    const transform *t = &mo->transform[j];
    int used = fit_inputs(task, j)->n, n = model_inputs(mo, j)->n;
    double log_jacobian = 0.0;
    for (int i = 0; i < used; i++) {
        size_t row = (size_t)model_place(mo, j, (int)fit_datum(i, used, n));
        log_jacobian += t->kind->log_jacobian(t, task->given[row * (size_t)mo->outputs + (size_t)j]);
    }
    return fitted - (used - 1) * (log(mo->scale[j]) - log_jacobian / used);
}

/* How much more evidence candidate k must have than candidate l: a transform more than none. */
static double evidence_needed(int k, int l)
{
    return (k > 0 ? TRANSFORM_EVIDENCE : 0.0) - (l > 0 ? TRANSFORM_EVIDENCE : 0.0);
}

/* The candidate with the most evidence. */
static int most_evident(const double *found, int count)
{
    int best = 0;
    for (int k = 1; k < count; k++)
        if (found[k] > found[best] + evidence_needed(k, best)) best = k;
    return best;
}

/* Whether another candidate is so far ahead of candidate k that the rest of its climb would not
 * matter. */
static int is_beaten(const double *found, int count, int k)
{
    for (int l = 0; l < count; l++)
        if (found[l] - found[k] - evidence_needed(l, k) > TRANSFORM_DECIDED) return 1;
    return 0;
}

static void take_transform(const fitting *task, int j, const transform *t)
{
    model_set_output(task->st->fitted->mo, j, task->given, t);
    fit_choose_outputs(task, j);
}

/* Gives output j the candidate with the most evidence, and moves theta to the maximum of its
 * posterior. */
static void choose_transform(const fitting *task, int j, const transform *candidate, int count,
                             hyper_target *target, double *theta)
{
    const transform_kind *before = fit_kind(task->st, &task->st->fitted->committed, j);
    size_t size = (size_t)hyper_dimension(target) * sizeof *theta;
    double best[TRANSFORM_COUNT][HYPER_MAX], tried[TRANSFORM_COUNT], found[TRANSFORM_COUNT];
    for (int k = 0; k < count; k++) {
        take_transform(task, j, &candidate[k]);
        if (task->warm && candidate[k].kind == before)
            memcpy(best[k], theta, size);
        else
            hyper_start(target, best[k]);
        tried[k] = evidence(task, j, try_starts(target, best[k], task->threads));
    }
    for (int k = 0; k < count; k++) {
        found[k] = tried[k];
        if (is_beaten(tried, count, k)) continue;
        take_transform(task, j, &candidate[k]);
        found[k] = evidence(task, j, climb_on(target, best[k], MAP_ITERATIONS - MAP_TRIED, task->threads));
    }
    int chosen = most_evident(found, count);
    memcpy(theta, best[chosen], size);
    take_transform(task, j, &candidate[chosen]);
}

/* The noise of each datum that the hyperparameters are learned from. */
static void use_own_noise(const fitting *task, int j, hyper_target *target)
{
    int n = target->inputs->n;
    double sum = 0.0;
    target->own_noise = task->noise + (size_t)j * (size_t)task->inputs.n;
    for (int i = 0; i < n; i++) sum += target->own_noise[i];
    target->known_noise = sum / n;
    target->noise = sum > 0.0 ? HYPER_KNOWN : HYPER_EXACT;
    if (!(sum > 0.0)) target->own_noise = NULL;
}

hyper_target fit_target(const fitting *task, int j, double *work, double *theta)
{
    const study *st = task->st;
    double variance, scale = st->fitted->mo->scale[j];
    hyper_target target = {.trend = (st->method->parts & PART_TREND) != 0,
                           .inputs = fit_inputs(task, j),
                           .kernel = st->fitted->mo->kernel,
                           .prior = &st->fitted->prior,
                           .y = task->y + (size_t)j * (size_t)task->inputs.n,
                           .differences = fit_inputs(task, j) == &task->inputs ? task->differences : NULL,
                           .work = work};
    target.noise = study_noise(st, j, &variance);
    target.known_noise = variance / scale / scale;
    if (model_process(st->fitted->mo, 0, j)->own_noise) use_own_noise(task, j, &target);
    if (task->warm && !task->thorough) target.latent = fit_latent(st, &st->fitted->committed, j);
    if (task->warm)
        theta_of(st, &target, fit_slot(st, &st->fitted->committed, st->fitted->samples - 1, j), theta);
    else
        hyper_start(&target, theta);
    return target;
}

void fit_clean_noise(const study *st, gp_hyper *hyper)
{
    if (st->method->parts && hyper->noise < NOISE_NONE) hyper->noise = 0.0;
}

/* The hyperparameters of all samples of output j, from where theta is: a chain. */
static void sample_output(const fitting *task, int j, hyper_target *target, double *theta)
{
    study *st = task->st;
    random_stream stream = random_open(st->spec.settings.seed, RANDOM_HYPER,
                                       (uint64_t)st->fitted->mo->inputs.n, (uint64_t)j);
    double value = hyper_log_posterior(target, theta, NULL);
    if (!task->warm) value = hyper_sample(target, theta, value, BURN_IN, &stream);
    for (int s = 0; s < st->fitted->samples; s++) {
        value = hyper_sample(target, theta, value, 1, &stream);
        hyper_resolve_last(target, theta, value, &stream, &model_process(st->fitted->mo, s, j)->hyper);
    }
}

/* Places to start from: those of the last fit, where there were some, or of the means of the output, then
 * of the means, then two at random. All else is as with lengthscales. */
static void place_starts(const fitting *task, int j, const hyper_target *target, const double *theta,
                         double *x)
{
    const study *st = task->st;
    size_t dimension = (size_t)hyper_dimension(target);
    double means[HYPER_MAX], kept[HYPER_MAX];
    random_stream stream = random_open(st->spec.settings.seed, RANDOM_HYPER,
                                       (uint64_t)st->fitted->mo->inputs.n, (uint64_t)j);
    hyper_start(target, means);
    for (int i = 0; i < FIT_STARTS; i++, x += dimension) {
        memcpy(x, theta, dimension * sizeof *x);
        if (i > 1)
            hyper_scatter_places(target, &stream, x);
        else if (i == 0 && task->warm && fit_latent(st, &st->fitted->committed, j)) {
            hyper_theta_of(target, fit_slot(st, &st->fitted->committed, 0, j), kept);
            copy_places(target, kept, x);
        } else
            copy_places(target, means, x);
    }
}

double fit_choose_places(const fitting *task, int j, hyper_target *target, double *theta, int threads)
{
    const study *st = task->st;
    if (st->fitted->latent.count == 0 || study_samples_hyper(st) || target->noise == HYPER_KNOWN) return NAN;
    hyper_target places = *target;
    size_t dimension = (size_t)hyper_dimension(target);
    double other[HYPER_MAX], *x = search_points(target, threads);
    places.latent = &st->fitted->latent;
    place_starts(task, j, &places, theta, x);
    lbfgsb_settings settings;
    map_settings(&settings, MAP_TRIED);
    const double *value = climb_points(&places, FIT_STARTS, &settings, threads);
    memcpy(other, x + (size_t)vector_largest(value, FIT_STARTS) * dimension, dimension * sizeof *other);
    climb_on(&places, other, MAP_ITERATIONS - MAP_TRIED, threads);
    double before = hyper_log_evidence(target, theta), after = hyper_log_evidence(&places, other);
    if (!(after > before + PLACES_EVIDENCE)) return before;
    *target = places;
    memcpy(theta, other, dimension * sizeof *theta);
    return after;
}

/* The hyperparameters of one output. */
static void fit_output(int index, int worker, void *context)
{
    const fitting *task = context;
    study *st = task->st;
    int j = task->listed[index], candidates = 1;
    transform candidate[TRANSFORM_COUNT];
    double *theta = task->theta + (size_t)j * (size_t)(st->d + 2);
    hyper_target target = fit_target(task, j, task->work + (size_t)worker * task->share, theta);
    int starts = st->method->parts && task->warm && !task->thorough ? 1 : FIT_STARTS;
    if (starts > 1) candidates = find_candidates(task, j, candidate);
    if (candidates > 1)
        choose_transform(task, j, candidate, candidates, &target, theta);
    else if (!study_samples_hyper(st))
        fit_maximise(&target, theta, starts, task->threads);
    else if (!task->warm)
        begin_chain(&target, theta);
    double found = starts > 1 ? fit_choose_places(task, j, &target, theta, task->threads) : NAN;
    if (task->compare) task->found[j] = isnan(found) ? hyper_log_evidence(&target, theta) : found;
    if (study_samples_hyper(st)) {
        sample_output(task, j, &target, theta);
        return;
    }
    for (int s = 0; s < st->fitted->samples; s++) {
        gp_hyper *hyper = &model_process(st->fitted->mo, s, j)->hyper;
        hyper_resolve(&target, theta, NULL, hyper);
        fit_clean_noise(st, hyper);
    }
}

void fit_each(fitting *task, int count)
{
    int threads = task->st->spec.settings.threads;
    task->threads = count > 1 ? 1 : threads;
    parallel_for(threads, count, fit_output, task);
}

static void compare_transforms(int index, int worker, void *context)
{
    const fitting *task = context;
    int j = task->listed[index];
    transform candidate[TRANSFORM_COUNT];
    int count = find_candidates(task, j, candidate);
    if (count == 1) return;
    double found[TRANSFORM_COUNT], last[HYPER_MAX];
    hyper_target target = fit_target(task, j, task->work + (size_t)worker * task->share, last);
    target.latent = task->common_latent;
    for (int k = 0; k < count; k++) {
        take_transform(task, j, &candidate[k]);
        found[k] = evidence(task, j, hyper_log_posterior(&target, task->common, NULL));
    }
    take_transform(task, j, &candidate[most_evident(found, count)]);
}

void fit_choose_transforms(fitting *task, int count)
{
    parallel_for(task->st->spec.settings.threads, count, compare_transforms, task);
}

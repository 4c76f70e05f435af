#include "infer/sampler.h"

#include "base/interrupt.h"
#include "base/memory.h"
#include "linalg/linalg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    WALKERS_MIN = 200,
    WALKERS_EACH = 16, /* for each dimension */
    TEMPERATURES_MAX = 200,
    MOVES_MAX = 30, /* at each temperature */
    BURN = 20,      /* steps at the end that do not count, and as many more as there are dimensions */
    STEPS = 40,     /* that are recorded at once */
    STEPS_MAX = 640
};

/* A temperature is such that this share of the walkers still counts. */
static const double SHARE = 0.5;
/* Moves that each walker has accepted at each temperature, in the mean. */
static const double ACCEPTED_MIN = 3.0;
/* The stretch move's range, and how often a difference is taken whole: it goes from mode to mode. */
static const double STRETCH = 2.0, WHOLE = 0.1;
/* How often a move goes into one of the known modes. */
static const double JUMP = 0.2;
/* How many of these go anywhere: from where no mode reaches, no other jump would ever be accepted. */
static const double ANYWHERE = 0.1;

typedef struct {
    const sampler_target *target;
    random_stream stream;
    int walkers, d;
    double beta;
    double *point, *start, *goal;              /* walkers x d; where they are, the log densities of the prior
                                                * and of the posterior */
    double *next, *next_start, *next_goal;     /* of proposals */
    double *factor, *copy, *weight, *whitened; /* log factors of proposals; for resampling */
    long long tried, accepted;
} population;

static double log_sum(double a, double b)
{
    double most = fmax(a, b);
    return isfinite(most) ? most + log(exp(a - most) + exp(b - most)) : most;
}

/* The log density of the modes: an equal mixture of normals. */
static double basin_density(population *p, const double *point)
{
    const sampler_target *t = p->target;
    double all = log(ANYWHERE),
           unit = log((1.0 - ANYWHERE) / t->basins) - 0.5 * p->d * log(2.0 * 3.14159265358979323846);
    for (int b = 0; b < t->basins; b++) {
        const infer_basin *basin = &t->basin[b];
        for (int k = 0; k < p->d; k++) p->whitened[k] = point[k] - basin->centre[k];
        solve_lower(p->d, basin->factor, p->d, 1, p->whitened, p->d);
        all = log_sum(all, unit - 0.5 * dot_product(p->d, p->whitened, p->whitened) - basin->log_scale);
    }
    return all;
}

static int is_inside(const double *point, int d)
{
    for (int k = 0; k < d; k++)
        if (!(point[k] > 0.0 && point[k] < 1.0)) return 0;
    return 1;
}

static void draw_basin(population *p, double *point)
{
    const sampler_target *t = p->target;
    if (random_uniform(&p->stream) < ANYWHERE) {
        for (int k = 0; k < p->d; k++) point[k] = random_uniform(&p->stream);
        return;
    }
    const infer_basin *basin = &t->basin[random_below(&p->stream, (uint32_t)t->basins)];
    for (int k = 0; k < p->d; k++) p->whitened[k] = random_normal(&p->stream);
    memcpy(point, basin->centre, (size_t)p->d * sizeof *point);
    add_lower_product(p->d, basin->factor, p->d, p->whitened, point);
}

/* How many walkers count, of those weighted by the step from beta to beta + more. */
static double count_effective(population *p, double more)
{
    double most = -INFINITY, sum = 0.0, squares = 0.0;
    for (int i = 0; i < p->walkers; i++) {
        p->weight[i] = isfinite(p->goal[i]) ? more * (p->goal[i] - p->start[i]) : -INFINITY;
        most = fmax(most, p->weight[i]);
    }
    for (int i = 0; i < p->walkers; i++) {
        p->weight[i] = isfinite(most) ? exp(p->weight[i] - most) : 1.0;
        sum += p->weight[i];
        squares += p->weight[i] * p->weight[i];
    }
    for (int i = 0; i < p->walkers; i++) p->weight[i] /= sum;
    return sum * sum / squares;
}

/* The next temperature, with the weights for it. Walkers without a density at all are the first to go. */
static void raise_beta(population *p)
{
    double low = 0.0, high = 1.0 - p->beta, finite = 0.0;
    for (int i = 0; i < p->walkers; i++) finite += isfinite(p->goal[i]) != 0;
    double wanted = SHARE * fmax(finite, 1.0);
    if (count_effective(p, high) < wanted) {
        for (int i = 0; i < 60; i++) {
            double middle = 0.5 * (low + high);
            if (count_effective(p, middle) < wanted)
                high = middle;
            else
                low = middle;
        }
        high = low > 0.0 ? low : high;
        count_effective(p, high);
    }
    p->beta = high >= 1.0 - p->beta ? 1.0 : p->beta + high;
}

/* Systematic resampling. */
static void resample(population *p)
{
    size_t d = (size_t)p->d, n = (size_t)p->walkers;
    double at = random_uniform(&p->stream) / p->walkers, sum = p->weight[0];
    memcpy(p->copy, p->point, n * d * sizeof *p->copy);
    memcpy(p->copy + n * d, p->start, n * sizeof *p->copy);
    memcpy(p->copy + n * (d + 1), p->goal, n * sizeof *p->copy);
    size_t from = 0;
    for (size_t i = 0; i < n; i++, at += 1.0 / p->walkers) {
        while (sum < at && from + 1 < n) sum += p->weight[++from];
        memcpy(p->point + i * d, p->copy + from * d, d * sizeof *p->point);
        p->start[i] = p->copy[n * d + from];
        p->goal[i] = p->copy[n * (d + 1) + from];
    }
    /* Copies are neighbours: which half a walker is in must not depend on where it is. */
    for (size_t i = n - 1; i > 0; i--) {
        size_t other = random_below(&p->stream, (uint32_t)(i + 1));
        for (size_t k = 0; k < d; k++) {
            double kept = p->point[i * d + k];
            p->point[i * d + k] = p->point[other * d + k];
            p->point[other * d + k] = kept;
        }
        double start = p->start[i], goal = p->goal[i];
        p->start[i] = p->start[other];
        p->goal[i] = p->goal[other];
        p->start[other] = start;
        p->goal[other] = goal;
    }
}

/* A move of `from`: into one of the known modes, wherever it is; or by the other half, the stretch move of
 * Goodman and Weare or a difference of two (ter Braak). Returns the logarithm of its factor. */
static double propose(population *p, const double *from, const double *others, double *to)
{
    if (p->target->basins > 0 && random_uniform(&p->stream) < JUMP) {
        draw_basin(p, to);
        return basin_density(p, from) - basin_density(p, to);
    }
    uint32_t half = (uint32_t)(p->walkers / 2);
    uint32_t first = random_below(&p->stream, half), second = random_below(&p->stream, half - 1);
    double kind = random_uniform(&p->stream), size = random_uniform(&p->stream);
    second += second >= first;
    const double *a = others + first * (uint32_t)p->d, *b = others + second * (uint32_t)p->d;
    if (kind < 0.5) {
        double root = 1.0 / sqrt(STRETCH) + size * (sqrt(STRETCH) - 1.0 / sqrt(STRETCH)), z = root * root;
        for (int k = 0; k < p->d; k++) to[k] = a[k] + z * (from[k] - a[k]);
        return (p->d - 1) * log(z);
    }
    double gamma = 2.38 / sqrt(2.0 * p->d) * (0.4 + 0.8 * size);
    if (kind > 1.0 - WHOLE) gamma = 1.0;
    for (int k = 0; k < p->d; k++) to[k] = from[k] + gamma * (a[k] - b[k]);
    return 0.0;
}

static double tempered(const population *p, double start, double goal)
{
    return p->beta >= 1.0 ? goal : (1.0 - p->beta) * start + p->beta * goal;
}

/* Moves one half of the walkers by the other. */
static gofh_status move_half(population *p, int which)
{
    const sampler_target *t = p->target;
    int half = p->walkers / 2, first = which ? half : 0, inside = 0;
    size_t d = (size_t)p->d;
    const double *others = p->point + (which ? 0 : (size_t)half * d);
    double *who = p->copy; /* no resampling is under way */
    for (int i = 0; i < half; i++) {
        double *to = p->next + (size_t)inside * d;
        p->factor[inside] = propose(p, p->point + (size_t)(first + i) * d, others, to);
        if (is_inside(to, p->d)) who[inside++] = first + i;
    }
    gofh_status status = inside ? t->log_density(p->next, inside, p->next_goal, t->context) : GOFH_OK;
    if (status) return status;
    p->tried += half;
    for (int i = 0; i < inside; i++) {
        const double *to = p->next + (size_t)i * d;
        int w = (int)who[i];
        p->next_start[i] = p->beta < 1.0 ? t->log_prior(to, t->context) : 0.0;
        double gain = tempered(p, p->next_start[i], p->next_goal[i]) - tempered(p, p->start[w], p->goal[w]) +
                      p->factor[i];
        if (isnan(gain) || !(log(random_uniform(&p->stream)) < gain)) continue;
        memcpy(p->point + (size_t)w * d, to, d * sizeof *to);
        p->start[w] = p->next_start[i];
        p->goal[w] = p->next_goal[i];
        p->accepted++;
    }
    return GOFH_OK;
}

static gofh_status move_all(population *p)
{
    gofh_status status = move_half(p, 0);
    if (!status) status = move_half(p, 1);
    return !status && interrupt_requested() ? GOFH_STOP_CALLER : status;
}

/* From the prior to the wanted density. */
static gofh_status cool(population *p, int *temperatures)
{
    const sampler_target *t = p->target;
    for (int i = 0; i < p->walkers; i++) {
        t->draw(&p->stream, p->point + i * p->d, t->context);
        p->start[i] = t->log_prior(p->point + i * p->d, t->context);
    }
    gofh_status status = t->log_density(p->point, p->walkers, p->goal, t->context);
    p->beta = 0.0;
    int number = 0;
    while (p->beta < 1.0 && !status) {
        if (++number == TEMPERATURES_MAX) {
            count_effective(p, 1.0 - p->beta);
            p->beta = 1.0;
        } else {
            raise_beta(p);
        }
        resample(p);
        long long before = p->accepted;
        for (int k = 0; k < MOVES_MAX && !status; k++) {
            status = move_all(p);
            if ((double)(p->accepted - before) >= ACCEPTED_MIN * p->walkers) break;
        }
    }
    if (number > *temperatures) *temperatures = number;
    for (int k = 0; k < BURN + p->d && !status; k++) status = move_all(p);
    return status;
}

double *sampler_state(const sampler_result *r, int p, int w, int t)
{
    return r->chain + (((size_t)p * (size_t)r->walkers + (size_t)w) * r->room + (size_t)t) * (size_t)r->d;
}

static gofh_status record(population *p, int number, sampler_result *r)
{
    gofh_status status = GOFH_OK;
    for (int k = 0; k < STEPS && !status; k++) {
        status = move_all(p);
        for (int w = 0; w < p->walkers; w++) {
            int at = r->steps + k;
            memcpy(sampler_state(r, number, w, at), p->point + w * p->d, (size_t)p->d * sizeof *p->point);
            r->density[((size_t)number * (size_t)p->walkers + (size_t)w) * r->room + (size_t)at] = p->goal[w];
        }
    }
    return status;
}

static int place_population(population *p, int number, const sampler_target *t, int walkers)
{
    size_t n = (size_t)walkers, d = (size_t)t->d;
    *p = (population){.target = t, .walkers = walkers, .d = t->d};
    p->stream = random_open(t->seed, RANDOM_POSTERIOR, t->key, (uint64_t)number);
    p->point = memory_doubles(n * (3 * d + 9) + d);
    if (!p->point) return -1;
    p->next = p->point + n * d;
    p->copy = p->next + n * d;
    p->start = p->copy + n * (d + 2);
    p->goal = p->start + n;
    p->next_start = p->goal + n;
    p->next_goal = p->next_start + n;
    p->factor = p->next_goal + n;
    p->weight = p->factor + n;
    p->whitened = p->weight + n;
    return 0;
}

static int make_room(sampler_result *r)
{
    size_t walkers = (size_t)SAMPLER_POPULATIONS * (size_t)r->walkers, d = (size_t)r->d,
           room = (size_t)(r->steps ? 2 * r->steps : STEPS), old = r->room;
    double *chain = memory_doubles(walkers * room * d), *density = memory_doubles(walkers * room);
    if (!chain || !density) {
        free(chain);
        free(density);
        return -1;
    }
    for (size_t w = 0; w < walkers && old; w++) {
        memcpy(chain + w * room * d, r->chain + w * old * d, old * d * sizeof *chain);
        memcpy(density + w * room, r->density + w * old, old * sizeof *density);
    }
    free(r->chain);
    free(r->density);
    r->chain = chain;
    r->density = density;
    r->room = room;
    return 0;
}

static int is_enough(const sampler_result *r, int samples)
{
    for (int k = 0; k < r->d; k++)
        if (!(r->effective[k] >= samples)) return 0;
    return 1;
}

/* Records until there are enough, in blocks that double. */
static gofh_status record_all(population *all, const sampler_target *t, sampler_result *r)
{
    gofh_status status = GOFH_OK;
    while (!status) {
        if (make_room(r)) return GOFH_ERROR_MEMORY;
        while ((size_t)r->steps < r->room && !status) {
            for (int p = 0; p < SAMPLER_POPULATIONS && !status; p++) status = record(&all[p], p, r);
            r->steps += STEPS;
        }
        if (!status && sampler_diagnose(r)) status = GOFH_ERROR_MEMORY;
        if (is_enough(r, t->samples) || r->steps >= STEPS_MAX) break;
    }
    return status;
}

gofh_status sampler_run(const sampler_target *t, sampler_result *r)
{
    int walkers = WALKERS_EACH * t->d;
    *r = (sampler_result){.d = t->d, .walkers = walkers < WALKERS_MIN ? WALKERS_MIN : walkers};
    population all[SAMPLER_POPULATIONS] = {{.target = NULL}};
    r->rhat = memory_doubles(2 * (size_t)t->d);
    gofh_status status = r->rhat ? GOFH_OK : GOFH_ERROR_MEMORY;
    if (r->rhat) r->effective = r->rhat + t->d;
    for (int p = 0; p < SAMPLER_POPULATIONS && !status; p++) {
        status = place_population(&all[p], p, t, r->walkers) ? GOFH_ERROR_MEMORY : GOFH_OK;
        if (!status) status = cool(&all[p], &r->temperatures);
    }
    if (!status) status = record_all(all, t, r);
    long long tried = 0, accepted = 0;
    for (int p = 0; p < SAMPLER_POPULATIONS; p++) {
        tried += all[p].tried;
        accepted += all[p].accepted;
        free(all[p].point);
    }
    r->accepted = tried ? (double)accepted / (double)tried : 0.0;
    return status;
}

void sampler_release(sampler_result *r)
{
    free(r->chain);
    free(r->density);
    free(r->rhat);
    *r = (sampler_result){.d = 0};
}

#include "infer/sampler.h"

#include "base/interrupt.h"
#include "base/memory.h"
#include "base/normal.h"
#include "infer/mixture.h"
#include "linalg/linalg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    WALKERS_MIN = 200,
    WALKERS_EACH = 16, /* for each dimension */
    TEMPERATURES_MAX = 200,
    MOVES_MAX = 30, /* at each temperature */
    BURN = 5,       /* steps at the end that do not count */
    STEPS = 10,     /* that are recorded at once */
    STEPS_MIN = 20,
    STEPS_MAX = 640
};

/* A temperature is such that this share of the walkers still counts. */
static const double SHARE = 0.4;
/* Moves that each walker has accepted at each temperature, in the mean. */
static const double ACCEPTED_MIN = 2.0;
/* The stretch move's range, and how often a difference is taken whole: it goes from mode to mode. */
static const double STRETCH = 2.0, WHOLE = 0.1;
/* How often a move goes to a draw of the mixture, and how often one discrete coordinate alone is drawn. */
static const double JUMP = 0.5, JUMP_MIN = 0.2, JUMP_MAX = 0.8, REDRAW = 0.3;
/* Beyond this normal quantile 1 - u is rounding; and where walkers start at most. */
static const double QUANTILE_MAX = 8.0, QUANTILE_EDGE = 7.0;

typedef struct {
    const sampler_target *target;
    random_stream stream;
    int walkers, d;
    double beta;
    mixture jumps
        [2]; /* of each half, fitted to walkers of the other: a fit to those that it moves would bias them */
    double *point, *start, *goal;          /* walkers x d: normal quantiles of where they are; the log
                                            * densities of the prior and of the posterior, in the cube */
    double *next, *next_start, *next_goal; /* of proposals */
    double *cube;                          /* walkers x d: points of the cube */
    double *factor, *copy, *weight;        /* log factors of proposals; for resampling */
    double jump;                           /* how often a move is a jump */
    double *is_jump;                       /* whether a proposal is one */
    double *bent;                          /* 3 x d: straightened */
    long long tried, accepted, jumps_tried, jumps_accepted;
} population;

static int is_inside(const double *point, int d)
{
    for (int k = 0; k < d; k++)
        if (!(fabs(point[k]) < QUANTILE_MAX)) return 0;
    return 1;
}

static void to_cube(const double *point, int count, double *cube)
{
    for (int k = 0; k < count; k++) cube[k] = normal_cdf(point[k]);
}

/* The logarithm of the volume of the cube per volume of normal quantiles, up to a constant. */
static double log_volume(const double *point, int d)
{
    return -0.5 * dot_product(d, point, point);
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

/* Systematic resampling of each half by itself: copies of one walker in both would make the halves, and
 * what is fitted to one of them for the other, depend on each other. */
static void resample(population *p)
{
    size_t d = (size_t)p->d, n = (size_t)p->walkers, half = n / 2;
    memcpy(p->copy, p->point, n * d * sizeof *p->copy);
    memcpy(p->copy + n * d, p->start, n * sizeof *p->copy);
    memcpy(p->copy + n * (d + 1), p->goal, n * sizeof *p->copy);
    for (size_t h = 0; h < 2; h++) {
        size_t first = h * half, from = first, end = first + half;
        double all = 0.0;
        for (size_t i = first; i < end; i++) all += p->weight[i];
        if (!(all > 0.0)) { /* nothing of it can be reached: the other half then is what there is */
            from = half - first;
            end = from + half;
            for (size_t i = from; i < end; i++) all += p->weight[i];
        }
        double step = all / (double)half, at = random_uniform(&p->stream) * step, sum = p->weight[from];
        for (size_t i = first; i < first + half; i++, at += step) {
            while (sum < at && from + 1 < end) sum += p->weight[++from];
            memcpy(p->point + i * d, p->copy + from * d, d * sizeof *p->point);
            p->start[i] = p->copy[n * d + from];
            p->goal[i] = p->copy[n * (d + 1) + from];
        }
    }
}

/* One discrete coordinate has any of its values. */
static double redraw(population *p, const double *from, double *to)
{
    uint32_t among = random_below(&p->stream, (uint32_t)p->target->discrete_count);
    memcpy(to, from, (size_t)p->d * sizeof *to);
    for (int k = 0; k < p->d; k++) {
        if (!p->target->discrete[k] || among--) continue;
        to[k] = random_normal(&p->stream);
        return 0.5 * (to[k] * to[k] - from[k] * from[k]);
    }
    return 0.0;
}

/* A move of `from`: to a draw of the mixture, wherever it is; or by the other half, the stretch move of
 * Goodman and Weare or a difference of two (ter Braak). Returns the logarithm of its factor. */
static double propose(population *p, const mixture *jumps, const double *from, const double *others,
                      double *to, double *is_jump)
{
    *is_jump = 0.0;
    if (p->target->discrete_count && random_uniform(&p->stream) < REDRAW) return redraw(p, from, to);
    if (random_uniform(&p->stream) < p->jump) {
        *is_jump = 1.0;
        mixture_draw(jumps, &p->stream, to);
        return mixture_log_density(jumps, from) - mixture_log_density(jumps, to);
    }
    uint32_t half = (uint32_t)(p->walkers / 2);
    uint32_t first = random_below(&p->stream, half), second = random_below(&p->stream, half - 1);
    double kind = random_uniform(&p->stream), size = random_uniform(&p->stream);
    second += second >= first;
    /* In coordinates in which what the other half is like is straight. */
    const bend *straight = &jumps->straight;
    double *own = p->bent, *a = own + p->d, *b = a + p->d;
    bend_straighten(straight, from, own);
    bend_straighten(straight, others + first * (uint32_t)p->d, a);
    bend_straighten(straight, others + second * (uint32_t)p->d, b);
    double factor = 0.0;
    if (kind < 0.5) {
        double root = 1.0 / sqrt(STRETCH) + size * (sqrt(STRETCH) - 1.0 / sqrt(STRETCH)), z = root * root;
        for (int k = 0; k < p->d; k++) own[k] = a[k] + z * (own[k] - a[k]);
        factor = (p->d - 1) * log(z);
    } else {
        double gamma = 2.38 / sqrt(2.0 * p->d) * (0.4 + 0.8 * size);
        if (kind > 1.0 - WHOLE) gamma = 1.0;
        for (int k = 0; k < p->d; k++) own[k] += gamma * (a[k] - b[k]);
    }
    bend_back(straight, own, to);
    return factor;
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
        const double *from = p->point + (size_t)(first + i) * d;
        p->factor[inside] = propose(p, &p->jumps[which], from, others, to, &p->is_jump[inside]);
        if (!is_inside(to, p->d)) continue;
        p->factor[inside] += log_volume(to, p->d) - log_volume(from, p->d);
        who[inside++] = first + i;
    }
    to_cube(p->next, inside * p->d, p->cube);
    gofh_status status = inside ? t->log_density(p->cube, inside, p->next_goal, t->context) : GOFH_OK;
    if (status) return status;
    p->tried += half;
    for (int i = 0; i < inside; i++) {
        const double *to = p->next + (size_t)i * d;
        int w = (int)who[i], jumps = p->is_jump[i] > 0.0;
        p->jumps_tried += jumps;
        p->next_start[i] = p->beta < 1.0 ? t->log_prior(p->cube + (size_t)i * d, t->context) : 0.0;
        double gain = tempered(p, p->next_start[i], p->next_goal[i]) - tempered(p, p->start[w], p->goal[w]) +
                      p->factor[i];
        if (isnan(gain) || !(log(random_uniform(&p->stream)) < gain)) continue;
        memcpy(p->point + (size_t)w * d, to, d * sizeof *to);
        p->start[w] = p->next_start[i];
        p->goal[w] = p->next_goal[i];
        p->accepted++;
        p->jumps_accepted += jumps;
    }
    return GOFH_OK;
}

static gofh_status move_all(population *p)
{
    gofh_status status = move_half(p, 0);
    if (!status) status = move_half(p, 1);
    return !status && interrupt_requested() ? GOFH_STOP_CALLER : status;
}

/* Walkers that are drawn from the prior. */
static gofh_status begin(population *p)
{
    const sampler_target *t = p->target;
    for (int i = 0; i < p->walkers; i++) {
        double *cube = p->cube + i * p->d, *point = p->point + i * p->d;
        t->draw(&p->stream, cube, t->context);
        for (int k = 0; k < p->d; k++) {
            point[k] = fmin(fmax(normal_quantile(cube[k]), -QUANTILE_EDGE), QUANTILE_EDGE);
            cube[k] = normal_cdf(point[k]);
        }
        p->start[i] = t->log_prior(cube, t->context);
    }
    return t->log_density(p->cube, p->walkers, p->goal, t->context);
}

/* Moves until each walker has accepted as many as it should, in the mean. */
static gofh_status spread(population *p)
{
    gofh_status status = GOFH_OK;
    long long before = p->accepted;
    for (int k = 0; k < MOVES_MAX && !status; k++) {
        status = move_all(p);
        if ((double)(p->accepted - before) >= ACCEPTED_MIN * p->walkers) break;
    }
    return status;
}

/* The more jumps are accepted, the more are tried. */
static void choose_jumps(population *all, int count)
{
    double tried = 0.0, accepted = 0.0;
    for (int p = 0; p < count; p++) {
        tried += (double)all[p].jumps_tried;
        accepted += (double)all[p].jumps_accepted;
    }
    double jump = tried > 0.0 ? fmin(fmax(2.0 * accepted / tried, JUMP_MIN), JUMP_MAX) : JUMP;
    for (int p = 0; p < count; p++) {
        all[p].jump = jump;
        all[p].jumps_tried = all[p].jumps_accepted = 0;
    }
}

static const double *half_of(const population *p, int which)
{
    return p->point + (which ? (size_t)(p->walkers / 2) * (size_t)p->d : 0);
}

/* From the prior to the wanted density. */
static gofh_status cool(population *p, int *temperatures)
{
    gofh_status status = begin(p);
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
        for (int h = 0; h < 2; h++) mixture_fit(&p->jumps[h], &p->stream, half_of(p, 1 - h), p->walkers / 2);
        status = spread(p);
        choose_jumps(p, 1);
    }
    if (number > *temperatures) *temperatures = number;
    return status;
}

/* Makes the first halves of all jump to draws of one mixture, fitted to all second halves, and the other way
 * round: what one of them has found all can reach. states: those of half of all walkers. */
static void join(population *all, int count, double *states)
{
    int half = all[0].walkers / 2;
    size_t own = (size_t)half * (size_t)all[0].d;
    for (int h = 0; h < 2; h++) {
        for (int p = 0; p < count; p++)
            memcpy(states + (size_t)p * own, half_of(&all[p], 1 - h), own * sizeof *states);
        for (int p = 0; p < count; p++) {
            random_stream stream = random_open(all[p].target->seed, RANDOM_POSTERIOR, all[p].target->key,
                                               (uint64_t)(SAMPLER_POPULATIONS + 1 + h));
            mixture_fit(&all[p].jumps[h], &stream, states, count * half);
        }
    }
}

/* At the wanted density: once more with a mixture of all, and some steps with the last one. */
static gofh_status settle(population *all, int count)
{
    gofh_status status = GOFH_OK;
    double *states = memory_doubles((size_t)count * (size_t)(all[0].walkers / 2) * (size_t)all[0].d);
    if (!states) return GOFH_ERROR_MEMORY;
    join(all, count, states);
    for (int p = 0; p < count && !status; p++) status = spread(&all[p]);
    join(all, count, states);
    choose_jumps(all, count);
    for (int p = 0; p < count; p++)
        for (int k = 0; k < BURN && !status; k++) status = move_all(&all[p]);
    free(states);
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
            to_cube(p->point + w * p->d, p->d, sampler_state(r, number, w, at));
            r->density[((size_t)number * (size_t)p->walkers + (size_t)w) * r->room + (size_t)at] = p->goal[w];
        }
    }
    return status;
}

static int place_population(population *p, int number, const sampler_target *t, int walkers)
{
    size_t n = (size_t)walkers, d = (size_t)t->d;
    *p = (population){.target = t, .walkers = walkers, .d = t->d, .jump = JUMP};
    p->stream = random_open(t->seed, RANDOM_POSTERIOR, t->key, (uint64_t)number);
    p->point = memory_doubles(n * (4 * d + 10) + 3 * d);
    if (!p->point) return -1;
    for (int h = 0; h < 2; h++)
        if (mixture_create(&p->jumps[h], t->d, SAMPLER_POPULATIONS * walkers / 2, t->basin, t->basins))
            return -1;
    p->next = p->point + n * d;
    p->copy = p->next + n * d;
    p->start = p->copy + n * (d + 2);
    p->goal = p->start + n;
    p->next_start = p->goal + n;
    p->next_goal = p->next_start + n;
    p->factor = p->next_goal + n;
    p->weight = p->factor + n;
    p->cube = p->weight + n;
    p->is_jump = p->cube + n * d;
    p->bent = p->is_jump + n;
    return 0;
}

static int make_room(sampler_result *r)
{
    size_t walkers = (size_t)r->populations * (size_t)r->walkers, d = (size_t)r->d,
           room = (size_t)(r->steps ? 2 * r->steps : STEPS_MIN), old = r->room;
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

/* Records until there are enough; room doubles. */
static gofh_status record_all(population *all, const sampler_target *t, sampler_result *r)
{
    gofh_status status = GOFH_OK;
    while (!status) {
        if (make_room(r)) return GOFH_ERROR_MEMORY;
        while ((size_t)r->steps < r->room && !status) {
            for (int p = 0; p < r->populations && !status; p++) status = record(&all[p], p, r);
            r->steps += STEPS;
            if (!status && sampler_diagnose(r)) status = GOFH_ERROR_MEMORY;
            if (r->steps >= STEPS_MIN && (is_enough(r, t->samples) || r->steps >= STEPS_MAX)) return status;
        }
    }
    return status;
}

gofh_status sampler_run(const sampler_target *t, sampler_result *r)
{
    int walkers = WALKERS_EACH * t->d;
    *r = (sampler_result){.d = t->d,
                          .walkers = walkers < WALKERS_MIN ? WALKERS_MIN : walkers,
                          .populations = t->populations ? t->populations : SAMPLER_POPULATIONS};
    population all[SAMPLER_POPULATIONS] = {{.target = NULL}};
    r->rhat = memory_doubles(2 * (size_t)t->d);
    gofh_status status = r->rhat ? GOFH_OK : GOFH_ERROR_MEMORY;
    if (r->rhat) r->effective = r->rhat + t->d;
    for (int p = 0; p < r->populations && !status; p++) {
        status = place_population(&all[p], p, t, r->walkers) ? GOFH_ERROR_MEMORY : GOFH_OK;
        if (!status) status = cool(&all[p], &r->temperatures);
    }
    if (!status) status = settle(all, r->populations);
    if (!status) status = record_all(all, t, r);
    long long tried = 0, accepted = 0;
    for (int p = 0; p < r->populations; p++) {
        tried += all[p].tried;
        accepted += all[p].accepted;
        free(all[p].point);
        for (int h = 0; h < 2; h++) mixture_free(&all[p].jumps[h]);
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

#include "infer/mixture.h"

#include "base/memory.h"
#include "base/normal.h"
#include "linalg/linalg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROUNDS = 8,      /* of expectation and maximisation */
    POINTS_EACH = 10 /* points for each component and each dimension, and one more */
};

/* How often a draw is of the wide component: from where no other reaches, no other would ever be accepted;
 * and of the known modes. */
static const double WIDE = 0.1, KNOWN = 0.2;
/* Components but the wide one are Student's distributions: where the posterior falls more slowly than what is
 * fitted, jumps would hardly ever go there, nor away. Of so many degrees of freedom; their squared scales are
 * this part of the variances of the points. */
static const double FREEDOM = 4.0, SCALE = 0.8;
/* Its deviations are at least this part of those of all points. */
static const double NARROWEST = 3e-3;
/* A known mode is not wider than the prior, and not beyond this share of its coordinates. */
static const double MODE_EDGE = 1e-3;

static infer_basin place(double **at, int d)
{
    infer_basin b = {.centre = *at, .factor = *at + d};
    *at += (size_t)d * (size_t)(d + 1);
    return b;
}

static void measure(infer_basin *b, int d)
{
    b->log_scale = 0.0;
    for (int k = 0; k < d; k++) b->log_scale += log(b->factor[k * d + k]);
}

/* The same mode of normal quantiles: z = quantile(u), dz/du = 1 / density(z). */
static void take_mode(infer_basin *to, const infer_basin *from, int d)
{
    for (int a = 0; a < d; a++) {
        double z = normal_quantile(fmin(fmax(from->centre[a], MODE_EDGE), 1.0 - MODE_EDGE)),
               slope = 1.0 / normal_density(z), variance = 0.0;
        to->centre[a] = z;
        for (int b = 0; b <= a; b++) variance += pow(from->factor[b * d + a] * slope, 2.0);
        if (variance > 1.0) slope /= sqrt(variance);
        for (int b = 0; b < d; b++) to->factor[b * d + a] = b <= a ? slope * from->factor[b * d + a] : 0.0;
    }
    measure(to, d);
}

/* The density of a Student's distribution over that of a normal one, both in their middle. */
static double find_peak(int d)
{
    return lgamma(0.5 * (FREEDOM + d)) - lgamma(0.5 * FREEDOM) - 0.5 * d * log(0.5 * FREEDOM);
}

int mixture_create(mixture *q, int d, int walkers, const infer_basin *mode, int modes)
{
    size_t size = (size_t)d * (size_t)(d + 1), all = 1 + (size_t)modes + MIXTURE_FITTED;
    *q = (mixture){.d = d, .modes = modes, .log_peak = find_peak(d)};
    q->block = memory_doubles(all * size + 3 * (size_t)d + (size_t)walkers * (MIXTURE_FITTED + (size_t)d));
    if (!q->block || bend_create(&q->straight, d)) return -1;
    double *at = q->block;
    q->wide = place(&at, d);
    for (int k = 0; k < d; k++) q->wide.factor[k * d + k] = 1.0;
    for (int b = 0; b < modes; b++) {
        q->mode[b] = place(&at, d);
        take_mode(&q->mode[b], &mode[b], d);
    }
    for (int b = 0; b < MIXTURE_FITTED; b++) q->fit[b] = place(&at, d);
    q->whitened = at;
    q->floor = at + d;
    q->bent = q->floor + d;
    q->share = q->bent + ((size_t)walkers + 1) * (size_t)d;
    return 0;
}

void mixture_free(mixture *q)
{
    free(q->block);
    bend_free(&q->straight);
    q->block = NULL;
}

/* Up to a constant that is the same of all components, as is that of log_student. */
static double log_normal(const mixture *q, const infer_basin *b, const double *point)
{
    for (int k = 0; k < q->d; k++) q->whitened[k] = point[k] - b->centre[k];
    solve_lower(q->d, b->factor, q->d, 1, q->whitened, q->d);
    return -0.5 * dot_product(q->d, q->whitened, q->whitened) - b->log_scale;
}

static double log_student(const mixture *q, const infer_basin *b, const double *point)
{
    double squares = -2.0 * (log_normal(q, b, point) + b->log_scale);
    return q->log_peak - 0.5 * (FREEDOM + q->d) * log1p(squares / FREEDOM) - b->log_scale;
}

static double log_sum(double a, double b)
{
    double most = fmax(a, b);
    return isfinite(most) ? most + log(exp(a - most) + exp(b - most)) : most;
}

/* The logarithms of how often a draw is of all that is known, and of all that is fitted. */
static double log_known(const mixture *q)
{
    return q->modes ? log(q->fitted ? KNOWN : 1.0 - WIDE) : -INFINITY;
}

static double log_fitted(const mixture *q)
{
    return q->fitted ? log(1.0 - WIDE - (q->modes ? KNOWN : 0.0)) : -INFINITY;
}

double mixture_log_density(const mixture *q, const double *point)
{
    double wide = q->modes || q->fitted ? log(WIDE) : 0.0, all = wide + log_normal(q, &q->wide, point);
    double known = log_known(q) - log(q->modes ? q->modes : 1.0), fitted = log_fitted(q);
    for (int b = 0; b < q->modes; b++) all = log_sum(all, known + log_student(q, &q->mode[b], point));
    bend_straighten(&q->straight, point, q->bent);
    for (int b = 0; b < q->fitted; b++)
        all = log_sum(all, fitted - q->straight.log_scale + q->log_weight[b] +
                               log_student(q, &q->fit[b], q->bent));
    return all;
}

static const infer_basin *choose(const mixture *q, random_stream *stream)
{
    double at = random_uniform(stream);
    if (!(q->modes || q->fitted) || at < WIDE) return &q->wide;
    if (q->modes && at < WIDE + exp(log_known(q))) return &q->mode[random_below(stream, (uint32_t)q->modes)];
    double left = random_uniform(stream);
    int b = 0;
    while (b + 1 < q->fitted && left >= exp(q->log_weight[b])) left -= exp(q->log_weight[b++]);
    return q->fitted ? &q->fit[b] : &q->wide;
}

void mixture_draw(const mixture *q, random_stream *stream, double *point)
{
    const infer_basin *b = choose(q, stream);
    double stretch = 1.0;
    if (b != &q->wide) { /* the root of FREEDOM over chi squared of four degrees of freedom */
        double product = random_uniform(stream) * random_uniform(stream);
        stretch = sqrt(FREEDOM / (-2.0 * log(fmax(product, 1e-300))));
    }
    for (int k = 0; k < q->d; k++) q->whitened[k] = stretch * random_normal(stream);
    memcpy(point, b->centre, (size_t)q->d * sizeof *point);
    add_lower_product(q->d, b->factor, q->d, q->whitened, point);
    if (b == &q->wide || (b >= q->mode && b < q->mode + q->modes)) return;
    memcpy(q->bent, point, (size_t)q->d * sizeof *point);
    bend_back(&q->straight, q->bent, point);
}

/* The moments of the points weighted by their shares of component b; no wider than they are, and with less
 * correlation where they are few. Returns how many points it has, 0 where it can't be factored. */
static double fit_component(mixture *q, int b, const double *point, int count)
{
    int d = q->d;
    infer_basin *own = &q->fit[b];
    double sum = 0.0;
    memset(own->centre, 0, (size_t)d * sizeof *own->centre);
    memset(own->factor, 0, (size_t)d * (size_t)d * sizeof *own->factor);
    for (int i = 0; i < count; i++) {
        double share = q->share[i * MIXTURE_FITTED + b];
        sum += share;
        for (int k = 0; k < d; k++) own->centre[k] += share * point[i * d + k];
    }
    if (!(sum > 2.0 * (d + 1))) return 0.0;
    for (int k = 0; k < d; k++) own->centre[k] /= sum;
    for (int i = 0; i < count; i++) {
        double share = q->share[i * MIXTURE_FITTED + b] / sum;
        for (int k = 0; k < d; k++) {
            double rest = share * (point[i * d + k] - own->centre[k]);
            for (int a = k; a < d; a++) own->factor[k * d + a] += rest * (point[i * d + a] - own->centre[a]);
        }
    }
    for (int k = 0; k < d; k++) {
        for (int a = k + 1; a < d; a++) own->factor[k * d + a] *= SCALE;
        own->factor[k * d + k] = SCALE * own->factor[k * d + k] + q->floor[k];
    }
    if (cholesky_factor(d, own->factor, d)) return 0.0;
    measure(own, d);
    return sum;
}

/* Points far from each other, in deviations of all, share theirs with the nearest of them. */
static void begin(mixture *q, random_stream *stream, const double *point, int count, int components)
{
    int d = q->d, centre = (int)random_below(stream, (uint32_t)count);
    double *nearest = q->share; /* in its first column, until it is filled in */
    for (int b = 0; b < components; b++) {
        double sum = 0.0;
        for (int i = 0; i < count; i++) {
            double apart = 0.0;
            for (int k = 0; k < d; k++)
                apart += pow(point[i * d + k] - point[centre * d + k], 2.0) / q->floor[k];
            double *own = &nearest[(size_t)i * MIXTURE_FITTED];
            if (b == 0 || apart < own[0]) {
                own[0] = apart;
                own[1] = b;
            }
            sum += own[0];
        }
        double at = random_uniform(stream) * sum;
        for (centre = 0; centre + 1 < count && at >= nearest[(size_t)centre * MIXTURE_FITTED]; centre++)
            at -= nearest[(size_t)centre * MIXTURE_FITTED];
    }
    for (int i = 0; i < count; i++) {
        double *own = &q->share[(size_t)i * MIXTURE_FITTED];
        int of = (int)own[1];
        for (int b = 0; b < MIXTURE_FITTED; b++) own[b] = b == of;
    }
}

/* The variances of all points, as those that are too small for a component. */
static void find_floor(mixture *q, const double *point, int count)
{
    for (int k = 0; k < q->d; k++) {
        double mean = 0.0, variance = 0.0;
        for (int i = 0; i < count; i++) mean += point[i * q->d + k] / count;
        for (int i = 0; i < count; i++) variance += pow(point[i * q->d + k] - mean, 2.0) / count;
        q->floor[k] = NARROWEST * NARROWEST * fmax(variance, 1e-20);
    }
}

/* What share of each point each component has. */
static void expect(mixture *q, const double *point, int count)
{
    for (int i = 0; i < count; i++) {
        double *share = &q->share[(size_t)i * MIXTURE_FITTED], all = -INFINITY;
        for (int b = 0; b < q->fitted; b++) {
            share[b] = q->log_weight[b] + log_student(q, &q->fit[b], point + i * q->d);
            all = log_sum(all, share[b]);
        }
        for (int b = 0; b < MIXTURE_FITTED; b++) share[b] = b < q->fitted ? exp(share[b] - all) : 0.0;
    }
}

/* Components that have too few points go. */
static void maximise(mixture *q, const double *point, int count, int components)
{
    double weight[MIXTURE_FITTED], sum = 0.0;
    int kept = 0;
    for (int b = 0; b < components; b++) {
        double own = fit_component(q, b, point, count);
        if (!(own > 0.0)) continue;
        infer_basin moved = q->fit[kept];
        q->fit[kept] = q->fit[b];
        q->fit[b] = moved;
        for (int i = 0; i < count && kept != b; i++)
            q->share[i * MIXTURE_FITTED + kept] = q->share[i * MIXTURE_FITTED + b];
        weight[kept++] = own;
        sum += own;
    }
    for (int b = 0; b < kept; b++) q->log_weight[b] = log(weight[b] / sum);
    q->fitted = kept;
}

void mixture_fit(mixture *q, random_stream *stream, const double *point, int count)
{
    int components = count / (POINTS_EACH * (q->d + 1));
    if (components > MIXTURE_FITTED) components = MIXTURE_FITTED;
    if (components < 1) components = 1;
    double *bent = q->bent + q->d;
    bend_fit(&q->straight, point, count);
    for (int i = 0; i < count; i++) bend_straighten(&q->straight, point + i * q->d, bent + i * q->d);
    find_floor(q, bent, count);
    begin(q, stream, bent, count, components);
    maximise(q, bent, count, components);
    for (int r = 0; r < ROUNDS && q->fitted > 1; r++) {
        expect(q, bent, count);
        maximise(q, bent, count, q->fitted);
    }
}

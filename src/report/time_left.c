#include "report/time_left.h"

#include "base/normal.h"
#include "base/random.h"

#include <math.h>
#include <stdlib.h>

/* Futures that are drawn, runs of each that are drawn one by one, and places at once. */
enum { DRAWS = 101, RUNS_MAX = 2000, PLACES_MAX = 1000 };
/* The standard deviation of the logarithm before anything is known, and how many runs that is worth. */
static const double PRIOR_DEVIATION = 0.3, PRIOR_WEIGHT = 2.0;
static const double SHORTEST = 1e-3;

typedef struct {
    double mean, deviation; /* of the logarithm of a run's seconds */
    double count;           /* of runs that tell all of it: those that are over */
} run_times;

static double logarithm(double seconds)
{
    return log(fmax(seconds, SHORTEST));
}

/* The mean by what is over and, for those under way that already take longer, what is expected of
 * them: without that the first to end, which are the short ones, would speak for all. */
static run_times estimate(const time_facts *f)
{
    run_times t = {0.0, PRIOR_DEVIATION, f->ended_count};
    for (int i = 0; i < f->ended_count; i++) t.mean += logarithm(f->ended[i]) / f->ended_count;
    for (int round = 0; round < 20; round++) {
        double sum = 0.0, squares = 0.0, count = f->ended_count;
        for (int i = 0; i < f->ended_count; i++) {
            double l = logarithm(f->ended[i]);
            sum += l;
            squares += (l - t.mean) * (l - t.mean);
        }
        for (int i = 0; i < f->running_count; i++) {
            /* The moments of the logarithm above what has passed. */
            double z = (logarithm(f->running[i]) - t.mean) / t.deviation, h = normal_hazard_left(-z);
            double first = t.deviation * h, second = t.deviation * t.deviation * (1.0 + z * h);
            sum += t.mean + first;
            squares += second;
            count += 1.0;
        }
        t.mean = sum / count;
        t.deviation = sqrt((squares + PRIOR_WEIGHT * PRIOR_DEVIATION * PRIOR_DEVIATION) /
                           (count - 1.0 + PRIOR_WEIGHT));
    }
    return t;
}

/* A distribution that the runs so far may come from: of the posterior of a normal one's mean and
 * variance, the chi-squared part by Wilson and Hilferty's approximation. */
static run_times draw_times(const run_times *t, random_stream *stream)
{
    double freedom = t->count - 1.0 + PRIOR_WEIGHT, ninth = 2.0 / (9.0 * freedom);
    double root = fmax(1.0 - ninth + sqrt(ninth) * random_normal(stream), 0.1);
    run_times drawn = *t;
    drawn.deviation = t->deviation / sqrt(root * root * root);
    drawn.mean = t->mean + drawn.deviation / sqrt(t->count) * random_normal(stream);
    return drawn;
}

static double draw(const run_times *t, random_stream *stream)
{
    return exp(t->mean + t->deviation * random_normal(stream));
}

/* What is left of a run that has taken `seconds` already. */
static double draw_rest(const run_times *t, double seconds, random_stream *stream)
{
    double z = (logarithm(seconds) - t->mean) / t->deviation, above = normal_cdf(-z);
    if (!(above > 1e-12)) return 0.1 * seconds; /* far beyond all others: it may end any moment */
    double whole = exp(t->mean - t->deviation * normal_quantile(random_uniform(stream) * above));
    return fmax(whole - seconds, 0.0);
}

static int first_free(const double *free_at, int places)
{
    int first = 0;
    for (int i = 1; i < places; i++)
        if (free_at[i] < free_at[first]) first = i;
    return first;
}

/* The seconds until all are over, in one future. */
static double play(const time_facts *f, const run_times *t, double *free_at, int places,
                   random_stream *stream)
{
    double asker = 0.0, end = 0.0;
    int drawn = f->left < RUNS_MAX ? f->left : RUNS_MAX;
    for (int i = 0; i < places; i++) {
        free_at[i] = i < f->running_count ? draw_rest(t, f->running[i], stream) : 0.0;
        end = fmax(end, free_at[i]);
    }
    for (int k = 0; k < drawn; k++) {
        int place = first_free(free_at, places);
        asker = fmax(asker, free_at[place]) + f->asking;
        free_at[place] = asker + draw(t, stream);
        end = fmax(end, free_at[place]);
    }
    return f->left > drawn ? end * f->left / drawn : end;
}

static int compare(const void *a, const void *b)
{
    double one = *(const double *)a, other = *(const double *)b;
    return (one > other) - (one < other);
}

/* The share of futures that a time is right of within the factor. */
static double share_within(const double seconds[DRAWS], double time)
{
    int within = 0;
    for (int i = 0; i < DRAWS; i++)
        within += seconds[i] <= TIME_FACTOR * time && seconds[i] >= time / TIME_FACTOR;
    return (double)within / DRAWS;
}

time_estimate time_left(const time_facts *f)
{
    if (f->ended_count <= 0) return (time_estimate){NAN, NAN, NAN, 0.0};
    if (f->left <= 0 && f->running_count == 0) return (time_estimate){0.0, 0.0, 0.0, 1.0};
    int places = f->parallel > f->running_count ? f->parallel : f->running_count;
    if (places > PLACES_MAX) places = PLACES_MAX;
    double *free_at = calloc((size_t)places + 1, sizeof *free_at);
    if (!free_at) return (time_estimate){NAN, NAN, NAN, 0.0};
    run_times t = estimate(f);
    double likely[DRAWS], possible[DRAWS];
    for (int i = 0; i < DRAWS; i++) {
        random_stream stream = random_open(1, RANDOM_DESIGN, (uint64_t)i, 0);
        likely[i] = play(f, &t, free_at, places, &stream);
        run_times drawn = draw_times(&t, &stream);
        possible[i] = play(f, &drawn, free_at, places, &stream);
    }
    free(free_at);
    qsort(likely, DRAWS, sizeof *likely, compare);
    qsort(possible, DRAWS, sizeof *possible, compare);
    double middle = likely[DRAWS / 2];
    return (time_estimate){middle, fmin(possible[DRAWS / 10], middle),
                           fmax(possible[DRAWS - 1 - DRAWS / 10], middle), share_within(possible, middle)};
}

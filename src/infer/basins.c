/* The modes that the study knows of: damped Gauss-Newton steps on the residuals, from the best trials in
 * lockstep. They only say where the sampler starts, so that narrow modes are found at once. */
#include "base/memory.h"
#include "infer/likelihood.h"
#include "linalg/linalg.h"
#include "study/fitted.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STARTS = 16, ITERATIONS = 25 };

/* The precision of a coordinate that is uniform on (0, 1): of directions that the data do not tell. */
static const double UNIFORM_PRECISION = 12.0;
/* Modes with a misfit above the least by more than this have no weight. */
static const double MISFIT_MAX = 60.0;
/* Centres keep this far from the ends of a coordinate. */
static const double EDGE = 1e-6;
/* Two ends nearer than this, in deviations, are one mode. */
static const double SAME = 1.0;

typedef struct {
    double u[GOFH_MAX_PARAMETERS];
    double misfit; /* with the weights of the last step */
    double damping;
} climber;

typedef struct {
    likelihood *l;
    climber climbers[STARTS];
    int count;
    double *block, *work;      /* of the posterior, and of predictions */
    double *residual, *weight; /* STARTS x count: with 1 / variance of noise and emulator */
    double *jacobian;          /* STARTS x count x d */
    double *points, *tried;    /* STARTS x d; count: the residuals of a step */
} climb;

static double squares_of(const climb *c, int i, const double *residual)
{
    double sum = 0.0;
    for (int k = 0; k < c->l->count; k++) {
        double own = residual[k];
        sum += own * own * c->weight[i * c->l->count + k];
    }
    return sum;
}

/* Variances of an unknown sigma are the mean squares of the residuals of its group. */
static void set_weights(climb *c, const posterior *p, int i)
{
    const likelihood *l = c->l;
    const double *residual = c->residual + (size_t)i * (size_t)l->count;
    for (int k = 0; k < l->count; k++) {
        const infer_datum *datum = &l->data[k];
        double variance = datum->sigma * datum->sigma, sum = 0.0;
        int count = 0;
        for (int other = 0; isnan(datum->sigma) && other < l->count; other++) {
            const infer_datum *o = &l->data[other];
            if (!isnan(o->sigma) || o->group != datum->group) continue;
            sum += pow(residual[other] / o->unit, 2.0);
            count++;
        }
        if (count) variance = pow(datum->unit, 2.0) * fmax(sum / count, pow(l->sigma_low[datum->group], 2.0));
        size_t at = (size_t)i * (size_t)p->outputs + (size_t)datum->output;
        double spread = p->deviation[at] / (datum->logarithm ? p->mean[at] : 1.0);
        c->weight[i * l->count + k] = 1.0 / (variance + spread * spread);
    }
}

static void read_residuals(const likelihood *l, const posterior *p, int i, double *residual)
{
    for (int k = 0; k < l->count; k++) {
        double mean = p->mean[(size_t)i * (size_t)p->outputs + (size_t)l->data[k].output];
        residual[k] = l->data[k].value - mean;
        if (l->data[k].logarithm) residual[k] = mean > 0.0 ? log(l->data[k].value) - log(mean) : 1e6;
    }
}

static void predict(climb *c, posterior *p)
{
    const model *mo = c->l->st->fitted->mo;
    int d = c->l->st->d;
    posterior_place(p, c->count, mo->outputs, d, c->block);
    model_predict(mo, 0, c->points, c->count, PREDICT_GRADIENT, p, c->work);
    posterior_moments(p, 1);
}

/* Takes the point as the climber's, with its slopes. */
static void take(climb *c, const posterior *p, int i)
{
    const likelihood *l = c->l;
    size_t d = (size_t)l->st->d, n = (size_t)l->count;
    read_residuals(l, p, i, c->residual + (size_t)i * n);
    set_weights(c, p, i);
    memcpy(c->climbers[i].u, c->points + (size_t)i * d, d * sizeof *c->points);
    c->climbers[i].misfit = squares_of(c, i, c->residual + (size_t)i * n);
    for (size_t k = 0; k < n; k++) {
        size_t at = (size_t)i * (size_t)p->outputs + (size_t)l->data[k].output;
        double unit = l->data[k].logarithm ? p->mean[at] : 1.0;
        for (size_t a = 0; a < d; a++)
            c->jacobian[((size_t)i * n + k) * d + a] = p->mean_gradient[at * d + a] / unit;
    }
}

/* J' W J, and J' W r unless NULL, where the coordinate is free to move. matrix: d x d. */
static void normal_equations(const climb *c, int i, double *matrix, double *side)
{
    int d = c->l->st->d, n = c->l->count;
    memset(matrix, 0, (size_t)d * (size_t)d * sizeof *matrix);
    if (side) memset(side, 0, (size_t)d * sizeof *side);
    for (int k = 0; k < n; k++) {
        const double *slope = c->jacobian + ((size_t)i * (size_t)n + (size_t)k) * (size_t)d;
        double weight = c->weight[i * n + k];
        for (int a = 0; a < d; a++) {
            if (side) side[a] += weight * slope[a] * c->residual[i * n + k];
            for (int b = 0; b < d; b++) matrix[a * d + b] += weight * slope[a] * slope[b];
        }
    }
}

/* Discrete coordinates stay where they are. */
static int is_held(const likelihood *l, int a)
{
    const unsigned char *is_discrete = l->st->spec.box.is_discrete;
    return is_discrete && is_discrete[a];
}

static void propose(climb *c, int i, double *to)
{
    int d = c->l->st->d;
    const climber *own = &c->climbers[i];
    double matrix[GOFH_MAX_PARAMETERS * GOFH_MAX_PARAMETERS], step[GOFH_MAX_PARAMETERS];
    normal_equations(c, i, matrix, step);
    for (int a = 0; a < d; a++) {
        int outward = is_held(c->l, a) || (own->u[a] <= 0.0 && step[a] < 0.0) ||
                      (own->u[a] >= 1.0 && step[a] > 0.0);
        for (int b = 0; outward && b < d; b++) matrix[a * d + b] = matrix[b * d + a] = 0.0;
        if (outward) step[a] = 0.0;
        matrix[a * d + a] = (outward ? 1.0 : matrix[a * d + a] * (1.0 + own->damping)) + 1e-8;
    }
    memcpy(to, own->u, (size_t)d * sizeof *to);
    if (cholesky_factor(d, matrix, d)) return;
    solve_lower(d, matrix, d, 1, step, d);
    solve_lower_transposed(d, matrix, d, 1, step, d);
    for (int a = 0; a < d; a++) to[a] = fmin(fmax(own->u[a] + step[a], 0.0), 1.0);
}

static void iterate(climb *c)
{
    const likelihood *l = c->l;
    posterior p;
    for (int i = 0; i < c->count; i++) propose(c, i, c->points + i * l->st->d);
    predict(c, &p);
    for (int i = 0; i < c->count; i++) {
        read_residuals(l, &p, i, c->tried);
        int better = squares_of(c, i, c->tried) < c->climbers[i].misfit;
        c->climbers[i].damping = better ? 0.3 * c->climbers[i].damping : 4.0 * c->climbers[i].damping + 1e-3;
        if (better) take(c, &p, i);
    }
}

typedef struct {
    double f;
    const double *u;
} start;

static int compare_starts(const void *a, const void *b)
{
    double x = ((const start *)a)->f, y = ((const start *)b)->f;
    return (x < y) - (x > y);
}

/* The trials with the best f, those without one last. */
static gofh_status choose_starts(climb *c)
{
    const likelihood *l = c->l;
    const trial_list *trials = &l->st->trials;
    start *list = memory_new(trials->count, sizeof *list);
    if (!list) return GOFH_ERROR_MEMORY;
    size_t count = 0, d = (size_t)l->st->d;
    for (size_t i = 0; i < trials->count; i++)
        if (trials->list[i].state == GOFH_TRIAL_DONE)
            list[count++] = (start){isnan(trials->list[i].f) ? -INFINITY : trials->list[i].f,
                                    trials->list[i].u};
    qsort(list, count, sizeof *list, compare_starts);
    c->count = count < STARTS ? (int)count : STARTS;
    for (int i = 0; i < c->count; i++) {
        double *u = c->points + (size_t)i * d;
        memcpy(u, list[i].u, d * sizeof *u);
        if (l->held >= 0) domain_set(&l->st->spec.box, l->parameter[l->held], l->held_value, u);
        c->climbers[i].damping = 1e-2;
    }
    free(list);
    return GOFH_OK;
}

/* The covariance of the intervals around the end of climber i into the basin, and the parts of values. */
static int fill_parameters(const climb *c, int i, infer_basin *basin)
{
    const likelihood *l = c->l;
    int d = l->st->d, all = l->dimension;
    double matrix[GOFH_MAX_PARAMETERS * GOFH_MAX_PARAMETERS], column[GOFH_MAX_PARAMETERS];
    int first[GOFH_MAX_PARAMETERS];
    normal_equations(c, i, matrix, NULL);
    for (int a = 0; a < d; a++) {
        for (int b = 0; is_held(l, a) && b < d; b++) matrix[a * d + b] = matrix[b * d + a] = 0.0;
        matrix[a * d + a] += UNIFORM_PRECISION;
    }
    if (cholesky_factor(d, matrix, d)) return 0;
    memset(basin->factor, 0, (size_t)all * (size_t)all * sizeof *basin->factor);
    for (int k = 0; k < l->d; k++) first[k] = domain_kind_of(&l->st->spec.box, l->parameter[k]).first;
    for (int k = 0; k < l->d; k++) {
        basin->centre[k] = c->climbers[i].u[first[k]];
        for (int a = 0; a < d; a++) column[a] = a == first[k];
        solve_lower(d, matrix, d, 1, column, d);
        solve_lower_transposed(d, matrix, d, 1, column, d);
        for (int a = k; a < l->d; a++)
            if (!l->cells[k] && !l->cells[a]) basin->factor[k * all + a] = 2.0 * column[first[a]];
        if (!l->cells[k]) continue;
        int value = domain_index(&l->st->spec.box, l->parameter[k], c->climbers[i].u), cells = l->cells[k];
        if (k == l->held) value = 0, cells = 1; /* then all of the coordinate is that value */
        basin->centre[k] = (value + 0.5) / cells;
        basin->factor[k * all + k] = pow(0.3 / cells, 2.0);
    }
    return !cholesky_factor(l->d, basin->factor, all);
}

/* The density around the end of climber i. */
static int fill_basin(const climb *c, int i, infer_basin *basin)
{
    const likelihood *l = c->l;
    int d = l->d, all = l->dimension;
    if (!fill_parameters(c, i, basin)) return 0;
    for (int g = 0; g < l->groups; g++) {
        double sum = 0.0, range = log(l->sigma_high[g] / l->sigma_low[g]);
        int count = 0;
        for (int k = 0; k < l->count; k++) {
            if (!isnan(l->data[k].sigma) || l->data[k].group != g) continue;
            sum += pow(c->residual[i * l->count + k] / l->data[k].unit, 2.0);
            count++;
        }
        double sigma = fmax(sqrt(sum / count), l->sigma_low[g]);
        basin->centre[d + g] = fmin(log(sigma / l->sigma_low[g]) / range, 1.0);
        basin->factor[(d + g) * all + d + g] = 1.0 / sqrt((double)count) / range;
    }
    for (int a = d + l->groups; a < all; a++) { /* of discrepancies nothing is known yet */
        basin->centre[a] = 0.5;
        basin->factor[a * all + a] = 0.3;
    }
    basin->log_scale = 0.0;
    for (int a = 0; a < all; a++) basin->log_scale += log(basin->factor[a * all + a]);
    return 1;
}

/* Newton's steps with the density's own gradient, which knows of the prior, of the emulator's deviations and
 * of sigma: the mode of the residuals is not that of the posterior. */
static gofh_status polish(likelihood *l, infer_basin *basin)
{
    enum { STEPS = 3, DATA_MAX = 200 };
    int all = l->dimension;
    double value, tried, *gradient = memory_doubles(4 * (size_t)all);
    if (!gradient) return GOFH_ERROR_MEMORY;
    double *whitened = gradient + all, *step = whitened + all, *to = step + all, size = 1.0;
    gofh_status status = GOFH_OK;
    for (int k = 0; k < STEPS && l->count <= DATA_MAX && !status; k++) {
        for (int a = 0; a < all; a++) to[a] = fmin(fmax(basin->centre[a], EDGE), 1.0 - EDGE);
        status = likelihood_gradient(l, to, &value, gradient);
        if (status || !isfinite(value)) break;
        for (int a = 0; a < all; a++) {
            whitened[a] = dot_product(all - a, basin->factor + a * all + a, gradient + a);
            step[a] = 0.0;
        }
        add_lower_product(all, basin->factor, all, whitened, step);
        double length = 0.5 * sqrt(dot_product(all, whitened, whitened));
        size = 0.5 * fmin(size, 2.0 / fmax(length, 1.0)); /* the factor is of twice the covariance */
        for (int a = 0; a < all; a++) to[a] = fmin(fmax(to[a] + size * step[a], EDGE), 1.0 - EDGE);
        status = likelihood_density(to, 1, &tried, l);
        if (!status && tried > value) memcpy(basin->centre, to, (size_t)all * sizeof *to);
        size = tried > value ? 1.0 : 0.5 * size;
    }
    free(gradient);
    return status;
}

/* Whether the mode after the last of `count` is one of them. */
static int is_known(const infer_basin *basin, int count, int d, int all)
{
    double rest[GOFH_MAX_PARAMETERS];
    for (int b = 0; b < count; b++) {
        for (int a = 0; a < d; a++) rest[a] = basin[count].centre[a] - basin[b].centre[a];
        solve_lower(d, basin[b].factor, all, 1, rest, d);
        if (dot_product(d, rest, rest) < SAME * SAME) return 1;
    }
    return 0;
}

static int collect(climb *c, int room, infer_basin *basin)
{
    int found = 0, taken[STARTS] = {0};
    double least = INFINITY;
    for (int i = 0; i < c->count; i++) least = fmin(least, c->climbers[i].misfit);
    while (found < room) {
        int best = -1;
        for (int i = 0; i < c->count; i++)
            if (!taken[i] && c->climbers[i].misfit <= least + MISFIT_MAX &&
                (best < 0 || c->climbers[i].misfit < c->climbers[best].misfit))
                best = i;
        if (best < 0) break;
        taken[best] = 1;
        if (!fill_basin(c, best, &basin[found])) continue;
        if (polish(c->l, &basin[found])) return -1;
        found += !is_known(basin, found, c->l->d, c->l->dimension);
    }
    return found;
}

int likelihood_basins(likelihood *l, int room, infer_basin *basin, double **block)
{
    const model *mo = l->st->fitted->mo;
    size_t d = (size_t)l->st->d, n = (size_t)l->count, all = (size_t)l->dimension;
    size_t predicted = posterior_size(STARTS, mo->outputs, l->st->d), work = model_predict_work(mo, STARTS);
    climb c = {.l = l};
    c.block = memory_doubles(predicted + work + STARTS * (n * (d + 2) + d) + n);
    *block = memory_doubles((size_t)room * all * (all + 1));
    if (!c.block || !*block) {
        free(c.block);
        return -1;
    }
    c.work = c.block + predicted;
    c.residual = c.work + work;
    c.weight = c.residual + STARTS * n;
    c.jacobian = c.weight + STARTS * n;
    c.points = c.jacobian + STARTS * n * d;
    c.tried = c.points + STARTS * d;
    for (int b = 0; b < room; b++) {
        basin[b].centre = *block + (size_t)b * all * (all + 1);
        basin[b].factor = basin[b].centre + all;
    }
    int found = choose_starts(&c) ? -1 : 0;
    if (!found) {
        posterior p;
        predict(&c, &p);
        for (int i = 0; i < c.count; i++) take(&c, &p, i);
        for (int k = 0; k < ITERATIONS; k++) iterate(&c);
        found = collect(&c, room, basin);
    }
    free(c.block);
    return found;
}

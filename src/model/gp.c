#include "model/gp.h"

#include "base/instruction_sets.h"
#include "base/vector.h"
#include "linalg/linalg.h"
#include "model/kernel.h"
#include "model/quick.h"

#include <math.h>
#include <string.h>

/* Below this pivot (relative to the variance) the factor is mostly rounding, and needs a nugget. */
static const double PIVOT_MIN = 1e-11;
static const double FIRST_NUGGET = 1e-12;
/* On the joint covariance of points that may be close to each other or to the data. */
static const double DRAW_NUGGET = 1e-10;

size_t gp_size(int d, int capacity)
{
    size_t c = (size_t)capacity;
    return (size_t)d + 4 * c + c * c;
}

void gp_place(gp *g, int d, int capacity, double *block)
{
    size_t c = (size_t)capacity;
    g->hyper.inverse_lengthscale = block;
    g->solved_y = block + d;
    g->solved_one = g->solved_y + c;
    g->weights = g->solved_one + c;
    g->ones = g->weights + c;
    g->factor = g->ones + c;
}

static void input_at(const gp_inputs *inputs, int i, double *x)
{
    for (int k = 0; k < inputs->d; k++) x[k] = inputs->x[(size_t)k * (size_t)inputs->capacity + (size_t)i];
}

/* The correlations of all pairs: those of each point with the points after it, one point after
 * another. */
static void correlate_pairs(const gp_inputs *inputs, gofh_kernel kernel, const gp_hyper *hyper,
                            double *packed, double *weight, double *slope)
{
    int n = inputs->n, d = inputs->d, capacity = inputs->capacity, together = hyper->trend == 0.0;
    double at[GOFH_MAX_PARAMETERS];
    size_t first = 0;
    for (int j = 0; j < n; first += (size_t)(n - 1 - j++)) {
        const double *others = inputs->x + j + 1, *scale = hyper->inverse_lengthscale;
        input_at(inputs, j, at);
        if (together)
            kernel_distances(d, n - 1 - j, at, others, capacity, scale, packed + first);
        else
            kernel_correlate(kernel, d, n - 1 - j, at, others, capacity, scale, hyper->trend, packed + first,
                             weight ? weight + first : NULL, slope ? slope + first : NULL);
    }
    if (together) kernel_apply(kernel, packed, (int)first, packed, weight);
}

double gp_correlations(const gp_inputs *inputs, gofh_kernel kernel, const gp_hyper *hyper, double *r, int ld,
                       double *packed, double *weight, double *slope)
{
    int n = inputs->n;
    double at[GOFH_MAX_PARAMETERS], diagonal = 0.0;
    correlate_pairs(inputs, kernel, hyper, packed, weight, slope);
    for (int j = 0; j < n; packed += n - 1 - j++) {
        double *target = r + (size_t)j * (size_t)ld;
        input_at(inputs, j, at);
        target[j] = kernel_diagonal(inputs->d, at, hyper->inverse_lengthscale, hyper->trend, NULL);
        diagonal += target[j] / n;
        if (n - 1 - j) memcpy(target + j + 1, packed, (size_t)(n - 1 - j) * sizeof *packed);
    }
    return diagonal;
}

/* From L^-1 1 to R^-1 1, in O(n^2). */
static void solve_ones(gp *g, int n, int ld)
{
    g->ones_sum = dot_product(n, g->solved_one, g->solved_one);
    memcpy(g->ones, g->solved_one, (size_t)n * sizeof *g->ones);
    solve_lower_transposed(n, g->factor, ld, 1, g->ones, ld);
}

/* From L^-1 y and L^-1 1 to the mean and the weights, in O(n^2). */
static void solve_weights(gp *g, int n, int ld)
{
    g->mean = isnan(g->hyper.mean) ? dot_product(n, g->solved_one, g->solved_y) / g->ones_sum : g->hyper.mean;
    for (int i = 0; i < n; i++) g->weights[i] = g->solved_y[i] - g->mean * g->solved_one[i];
    solve_lower_transposed(n, g->factor, ld, 1, g->weights, ld);
}

static void condition_values(gp *g, int n, int ld, const double *y)
{
    memcpy(g->solved_y, y, (size_t)n * sizeof *y);
    solve_lower(n, g->factor, ld, 1, g->solved_y, ld);
    solve_weights(g, n, ld);
}

static double smallest_pivot(const gp *g, int n, int ld)
{
    double least = INFINITY;
    for (int i = 0; i < n; i++) {
        double root = g->factor[(size_t)i * (size_t)ld + (size_t)i];
        least = fmin(least, root * root);
    }
    return least;
}

/* The variance of the noise of one datum / that of the signal, as hyper.noise is of all. */
static double noise_of(const gp *g, int i)
{
    return g->own_noise ? g->own_noise[i] / (g->hyper.variance * g->diagonal) : g->hyper.noise;
}

/* The inputs as the kernel sees them. room: for the description. */
static const gp_inputs *seen_inputs(const gp *g, const gp_inputs *inputs, gp_inputs *room)
{
    if (!g->hyper.latent) return inputs;
    *room = *inputs;
    room->x = g->seen;
    return room;
}

/* The same of one point. room: d. */
static const double *seen_point(const gp *g, int d, const double *x, double *room)
{
    if (!g->hyper.latent) return x;
    latent_see(g->hyper.latent, g->hyper.inverse_lengthscale, d, x, room);
    return room;
}

/* Looks at `count` inputs from the first on. */
static void see_inputs(gp *g, const gp_inputs *inputs, int first, int count)
{
    if (g->hyper.latent)
        latent_see_all(g->hyper.latent, g->hyper.inverse_lengthscale, inputs->d, count, inputs->x + first,
                       inputs->capacity, g->seen + first, inputs->capacity);
}

int gp_condition(gp *g, const gp_inputs *given, gofh_kernel kernel, const double *y, double *packed)
{
    gp_inputs room;
    const gp_inputs *inputs = seen_inputs(g, given, &room);
    int n = inputs->n, ld = inputs->capacity;
    see_inputs(g, given, 0, n);
    for (g->nugget = g->nugget_min; g->nugget < 1.0; g->nugget = fmax(10.0 * g->nugget, FIRST_NUGGET)) {
        g->diagonal = gp_correlations(inputs, kernel, &g->hyper, g->factor, ld, packed, NULL, NULL);
        for (int i = 0; i < n; i++)
            g->factor[(size_t)i * (size_t)ld + (size_t)i] += (noise_of(g, i) + g->nugget) * g->diagonal;
        int failed = cholesky_factor(n, g->factor, ld);
        if (!failed && (g->nugget > 0.0 || smallest_pivot(g, n, ld) >= PIVOT_MIN * g->diagonal)) break;
    }
    if (!(g->nugget < 1.0)) return -1;
    for (int i = 0; i < n; i++) g->solved_one[i] = 1.0;
    solve_lower(n, g->factor, ld, 1, g->solved_one, ld);
    solve_ones(g, n, ld);
    condition_values(g, n, ld, y);
    return 0;
}

/* Correlations of one point with the first n inputs, with weights and slopes where they are not
 * NULL. */
static void correlate(const gp *g, const gp_inputs *inputs, gofh_kernel kernel, const double *x, int n,
                      double *value, double *weight, double *slope)
{
    kernel_correlate(kernel, inputs->d, n, x, inputs->x, inputs->capacity, g->hyper.inverse_lengthscale,
                     g->hyper.trend, value, weight, slope);
}

/* The last element of L^-1 b: what is left of b_n after the first n rows, over the pivot. */
static double last_element(const gp *g, int n, int ld, double b, const double *solved)
{
    double rest = b;
    for (int i = 0; i < n; i++) rest -= g->factor[(size_t)i * (size_t)ld + (size_t)n] * solved[i];
    return rest / g->factor[(size_t)n * (size_t)ld + (size_t)n];
}

int gp_extend(gp *g, const gp_inputs *given, gofh_kernel kernel, double y, double *work)
{
    gp_inputs room;
    const gp_inputs *inputs = seen_inputs(g, given, &room);
    int n = inputs->n - 1, ld = inputs->capacity;
    see_inputs(g, given, n, 1);
    double at[GOFH_MAX_PARAMETERS], *row = work, *scratch = work + n;
    input_at(inputs, n, at);
    correlate(g, inputs, kernel, at, n, row, NULL, NULL);
    for (int i = 0; i < n; i++) g->factor[(size_t)i * (size_t)ld + (size_t)n] = row[i];
    double diagonal = kernel_diagonal(inputs->d, at, g->hyper.inverse_lengthscale, g->hyper.trend, NULL);
    double noise = noise_of(g, n) + g->nugget, least = fmax(noise, FIRST_NUGGET) * g->diagonal;
    int raised = cholesky_append(n, g->factor, ld, diagonal + noise * g->diagonal, least, scratch);
    g->solved_one[n] = last_element(g, n, ld, 1.0, g->solved_one);
    g->solved_y[n] = last_element(g, n, ld, y, g->solved_y);
    return raised;
}

int gp_append(gp *g, const gp_inputs *inputs, gofh_kernel kernel, double y, double *work)
{
    int raised = gp_extend(g, inputs, kernel, y, work);
    gp_truncate(g, inputs);
    return raised;
}

void gp_share(gp *g, const gp *with, const gp_inputs *inputs, double *own)
{
    size_t n = (size_t)inputs->n;
    *g = *with;
    g->solved_y = own;
    g->weights = own + inputs->capacity;
    memcpy(g->solved_y, with->solved_y, n * sizeof *own);
    memcpy(g->weights, with->weights, n * sizeof *own);
}

void gp_truncate(gp *g, const gp_inputs *inputs)
{
    solve_ones(g, inputs->n, inputs->capacity);
    solve_weights(g, inputs->n, inputs->capacity);
}

void gp_follow(gp *g, const gp *leader)
{
    g->hyper.inverse_lengthscale = leader->hyper.inverse_lengthscale;
    g->factor = leader->factor;
    g->seen = leader->seen;
    g->solved_one = leader->solved_one;
    g->ones = leader->ones;
}

static void take_from_leader(gp *g, const gp *leader)
{
    g->diagonal = leader->diagonal;
    g->nugget = leader->nugget;
    g->ones_sum = leader->ones_sum;
}

void gp_follow_condition(gp *g, const gp *leader, const gp_inputs *inputs, const double *y)
{
    take_from_leader(g, leader);
    condition_values(g, inputs->n, inputs->capacity, y);
}

void gp_follow_extend(gp *g, const gp_inputs *inputs, double y)
{
    int n = inputs->n - 1;
    g->solved_y[n] = last_element(g, n, inputs->capacity, y, g->solved_y);
}

void gp_follow_truncate(gp *g, const gp *leader, const gp_inputs *inputs)
{
    take_from_leader(g, leader);
    solve_weights(g, inputs->n, inputs->capacity);
}

size_t gp_predict_work(int n, int q)
{
    size_t all = 4 * (size_t)n * (size_t)q + 2 * (size_t)n, quick = quick_predict_work(n);
    return all > quick ? all : quick;
}

/* factor * the gradient in x of sum_i coefficient_i k(x, x_i), by eq. 5, and eq. 24 where there is
 * a trend. work: 2 n. */
FOR_EACH_INSTRUCTION_SET
static void pull_back_to_inputs(const gp *g, const gp_inputs *inputs, const double *x, const double *weight,
                                const double *slope, const double *coefficient, double factor,
                                double *gradient, double *work)
{
    int n = inputs->n;
    double *adjoint = work, *lean = work + n;
    for (int i = 0; i < n; i++) adjoint[i] = weight[i] * coefficient[i];
    for (int i = 0; slope && i < n; i++) lean[i] = slope[i] * coefficient[i];
    for (int k = 0; k < inputs->d; k++) {
        const double *coordinate = inputs->x + (size_t)k * (size_t)inputs->capacity;
        double scale = g->hyper.inverse_lengthscale[k],
               sum = -vector_weighted_difference(adjoint, x[k], coordinate, n);
        if (slope) sum -= vector_weighted_difference(lean, 0.5, coordinate, n);
        gradient[k] = factor * scale * scale * sum;
    }
}

/* 1 - 1' R^-1 k, what the data leave unknown of the mean at a point; 0 where the mean is known. */
static double rest_of_mean(const gp *g, int n, const double *k)
{
    return isnan(g->hyper.mean) ? 1.0 - dot_product(n, g->ones, k) : 0.0;
}

/* The variance at q points of a signal of variance 1 (eq. 4); k: the correlations with the data
 * there, of which v becomes L^-1 k. */
static void find_variance(const gp *g, const gp_inputs *inputs, const double *points, int q, const double *k,
                          double *v, double *variance)
{
    int n = inputs->n, d = inputs->d;
    memcpy(v, k, (size_t)n * (size_t)q * sizeof *v);
    solve_lower(n, g->factor, inputs->capacity, q, v, n);
    for (int p = 0; p < q; p++) {
        const double *column = v + (size_t)p * (size_t)n;
        double rest = rest_of_mean(g, n, k + (size_t)p * (size_t)n);
        double diagonal = kernel_diagonal(d, points + (size_t)p * (size_t)d, g->hyper.inverse_lengthscale,
                                          g->hyper.trend, NULL);
        variance[p] = diagonal - dot_product(n, column, column) + rest * rest / g->ones_sum;
    }
}

/* gp_predict_shared at points and with inputs as the kernel sees them. */
static void predict(const gp *g, int samples, int apart, const gp_inputs *inputs, gofh_kernel kernel,
                    const double *points, int q, double *mean, double *variance, double *mean_gradient,
                    double *variance_gradient, double *work)
{
    int n = inputs->n, d = inputs->d, ld = inputs->capacity, trend = g->hyper.trend > 0.0;
    if (!mean_gradient && !trend && n <= QUICK_DATA) {
        quick_predict(g, samples, apart, inputs, kernel, points, q, mean, variance, work);
        return;
    }
    size_t nq = (size_t)n * (size_t)q;
    double *k = work, *v = k + nq, *weight = v + nq, *slope = weight + nq, *scratch = slope + nq;
    for (int p = 0; p < q; p++) {
        size_t column = (size_t)p * (size_t)n;
        correlate(g, inputs, kernel, points + (size_t)p * (size_t)d, n, k + column,
                  mean_gradient ? weight + column : NULL, mean_gradient ? slope + column : NULL);
    }
    for (int s = 0; s < samples; s++) {
        const gp *own = g + (size_t)s * (size_t)apart;
        double *to = mean + (size_t)s * (size_t)q;
        multiply_transposed_vector(n, q, k, n, own->weights, to);
        for (int p = 0; p < q; p++) to[p] += own->mean;
    }
    if (variance) {
        find_variance(g, inputs, points, q, k, v, variance);
        for (int p = 0; p < q; p++) variance[p] *= g->hyper.variance;
    }
    if (!mean_gradient) return;
    if (variance) solve_lower_transposed(n, g->factor, ld, q, v, n);
    for (int p = 0; p < q; p++) {
        size_t column = (size_t)p * (size_t)n;
        const double *x = points + (size_t)p * (size_t)d, *lean = trend ? slope + column : NULL;
        for (size_t s = 0; s < (size_t)samples; s++)
            pull_back_to_inputs(g, inputs, x, weight + column, lean, g[s * (size_t)apart].weights, 1.0,
                                mean_gradient + (s * (size_t)q + (size_t)p) * (size_t)d, scratch);
        if (!variance) continue;
        double rest = rest_of_mean(g, n, k + column), diagonal[GOFH_MAX_PARAMETERS];
        double *b = v + column, *gradient = variance_gradient + (size_t)p * (size_t)d;
        for (int i = 0; i < n; i++) b[i] += rest / g->ones_sum * g->ones[i];
        pull_back_to_inputs(g, inputs, x, weight + column, lean, b, -2.0 * g->hyper.variance, gradient,
                            scratch);
        kernel_diagonal(d, x, g->hyper.inverse_lengthscale, g->hyper.trend, diagonal);
        for (int i = 0; i < d; i++) gradient[i] += g->hyper.variance * diagonal[i];
    }
}

/* Points that are seen at once. */
enum { SEEN_POINTS = 16 };

/* Up to SEEN_POINTS points from number `first` on, of q, as the kernel sees them. Returns how many. */
static int see_points(const gp *g, int d, const double *points, int first, int q, double *seen)
{
    int count = q - first < SEEN_POINTS ? q - first : SEEN_POINTS;
    for (int p = 0; p < count; p++)
        latent_see(g->hyper.latent, g->hyper.inverse_lengthscale, d, points + (size_t)(first + p) * (size_t)d,
                   seen + (size_t)p * (size_t)d);
    return count;
}

/* Part of an array that may be NULL. */
static double *part_of(double *values, size_t first)
{
    return values ? values + first : NULL;
}

void gp_predict_shared(const gp *g, int samples, int apart, const gp_inputs *inputs, gofh_kernel kernel,
                       const double *points, int q, double *mean, double *variance, double *mean_gradient,
                       double *variance_gradient, double *work)
{
    gp_inputs room;
    double seen[SEEN_POINTS * GOFH_MAX_PARAMETERS];
    if (!g->hyper.latent) {
        predict(g, samples, apart, inputs, kernel, points, q, mean, variance, mean_gradient,
                variance_gradient, work);
        return;
    }
    /* The variance is found with the first sample. */
    for (int s = 0; s < samples; s++)
        for (int p = 0; p < q; p += SEEN_POINTS) {
            size_t d = (size_t)inputs->d, row = (size_t)s * (size_t)q + (size_t)p;
            int count = see_points(g, inputs->d, points, p, q, seen);
            predict(g + (size_t)s * (size_t)apart, 1, 0, seen_inputs(g, inputs, &room), kernel, seen, count,
                    mean + row, s ? NULL : part_of(variance, (size_t)p), part_of(mean_gradient, row * d),
                    s ? NULL : part_of(variance_gradient, (size_t)p * d), work);
        }
}

void gp_predict(const gp *g, const gp_inputs *inputs, gofh_kernel kernel, const double *points, int q,
                double *mean, double *variance, double *mean_gradient, double *variance_gradient,
                double *work)
{
    gp_predict_shared(g, 1, 0, inputs, kernel, points, q, mean, variance, mean_gradient, variance_gradient,
                      work);
}

size_t gp_basis_work(int n, int q)
{
    return 3 * (size_t)n * (size_t)q;
}

/* The derivatives in x of the correlations with the data, one column per coordinate (eq. 5, and eq.
 * 24 where there is a trend). */
FOR_EACH_INSTRUCTION_SET
static void find_slopes(const gp *g, const gp_inputs *inputs, const double *x, const double *weight,
                        const double *slope, double *slopes)
{
    int n = inputs->n;
    for (int c = 0; c < inputs->d; c++, slopes += n) {
        const double *coordinate = inputs->x + (size_t)c * (size_t)inputs->capacity;
        double scale = g->hyper.inverse_lengthscale[c] * g->hyper.inverse_lengthscale[c], at = x[c];
        for (int i = 0; i < n; i++) slopes[i] = scale * weight[i] * (coordinate[i] - at);
        for (int i = 0; slope && i < n; i++) slopes[i] += scale * slope[i] * (coordinate[i] - 0.5);
    }
}

/* The gradient of the variance at one point; solved is R^-1 k there, and is lost. */
static void find_variance_gradient(const gp *g, const gp_inputs *inputs, const double *x, double rest,
                                   const double *slopes, double *solved, double *gradient)
{
    int n = inputs->n, d = inputs->d;
    double diagonal[GOFH_MAX_PARAMETERS];
    for (int i = 0; i < n; i++) solved[i] += rest / g->ones_sum * g->ones[i];
    kernel_diagonal(d, x, g->hyper.inverse_lengthscale, g->hyper.trend, diagonal);
    for (int c = 0; c < d; c++)
        gradient[c] = diagonal[c] - 2.0 * dot_product(n, slopes + (size_t)c * (size_t)n, solved);
}

/* gp_basis at points and with inputs as the kernel sees them. */
static void find_basis(const gp *g, const gp_inputs *inputs, gofh_kernel kernel, const double *points, int q,
                       double *k, double *variance, double *slopes, double *variance_gradient, double *work)
{
    int n = inputs->n, d = inputs->d, ld = inputs->capacity;
    size_t nq = (size_t)n * (size_t)q;
    double *v = work, *weight = v + nq, *slope = weight + nq;
    for (int p = 0; p < q; p++) {
        size_t column = (size_t)p * (size_t)n;
        const double *x = points + (size_t)p * (size_t)d;
        correlate(g, inputs, kernel, x, n, k + column, slopes ? weight + column : NULL,
                  slopes ? slope + column : NULL);
        if (slopes)
            find_slopes(g, inputs, x, weight + column, g->hyper.trend > 0.0 ? slope + column : NULL,
                        slopes + column * (size_t)d);
    }
    if (!variance) return;
    find_variance(g, inputs, points, q, k, v, variance);
    if (!variance_gradient) return;
    solve_lower_transposed(n, g->factor, ld, q, v, n);
    for (int p = 0; p < q; p++) {
        size_t column = (size_t)p * (size_t)n, row = (size_t)p * (size_t)d;
        find_variance_gradient(g, inputs, points + row, rest_of_mean(g, n, k + column),
                               slopes + column * (size_t)d, v + column, variance_gradient + row);
    }
}

void gp_basis(const gp *g, const gp_inputs *inputs, gofh_kernel kernel, const double *points, int q,
              double *k, double *variance, double *slopes, double *variance_gradient, double *work)
{
    gp_inputs room;
    double seen[SEEN_POINTS * GOFH_MAX_PARAMETERS];
    if (!g->hyper.latent) {
        find_basis(g, inputs, kernel, points, q, k, variance, slopes, variance_gradient, work);
        return;
    }
    for (int p = 0; p < q; p += SEEN_POINTS) {
        size_t column = (size_t)p * (size_t)inputs->n, d = (size_t)inputs->d;
        int count = see_points(g, inputs->d, points, p, q, seen);
        find_basis(g, seen_inputs(g, inputs, &room), kernel, seen, count, k + column,
                   part_of(variance, (size_t)p), part_of(slopes, column * d),
                   part_of(variance_gradient, (size_t)p * d), work);
    }
}

size_t gp_joint_work(int n, int q, int d)
{
    return (size_t)n * (size_t)q + (size_t)q * (size_t)(d + 1);
}

void gp_joint(const gp *g, const gp_inputs *given, gofh_kernel kernel, const double *points, int q,
              double *mean, double *covariance, double *work)
{
    gp_inputs room;
    const gp_inputs *inputs = seen_inputs(g, given, &room);
    double at[GOFH_MAX_PARAMETERS];
    int n = inputs->n, d = inputs->d, ld = inputs->capacity;
    double *k = work, *by_coordinate = k + (size_t)n * (size_t)q,
           *rest = by_coordinate + (size_t)q * (size_t)d;
    for (int p = 0; p < q; p++) {
        const double *x = seen_point(g, d, points + (size_t)p * (size_t)d, at);
        for (int c = 0; c < d; c++) by_coordinate[(size_t)c * (size_t)q + (size_t)p] = x[c];
    }
    gp_inputs others = {.d = d, .n = q, .capacity = q, .x = by_coordinate};
    for (int p = 0; p < q; p++) {
        const double *x = seen_point(g, d, points + (size_t)p * (size_t)d, at);
        double *column = k + (size_t)p * (size_t)n;
        correlate(g, inputs, kernel, x, n, column, NULL, NULL);
        correlate(g, &others, kernel, x, q, covariance + (size_t)p * (size_t)q, NULL, NULL);
        mean[p] = g->mean + dot_product(n, column, g->weights);
        rest[p] = rest_of_mean(g, n, column);
    }
    solve_lower(n, g->factor, ld, q, k, n);
    subtract_gram(n, q, k, n, covariance, q);
    for (int p = 0; p < q; p++)
        for (int r = p; r < q; r++) {
            double *entry = covariance + (size_t)p * (size_t)q + (size_t)r;
            *entry = g->hyper.variance * (*entry + rest[p] * rest[r] / g->ones_sum);
        }
}

size_t gp_draw_work(int n, int q, int d)
{
    return (size_t)q * (size_t)q + gp_joint_work(n, q, d);
}

void gp_draw(const gp *g, const gp_inputs *inputs, gofh_kernel kernel, const double *points, int q, int draws,
             const double *z, double *values, double *work)
{
    double *covariance = work;
    size_t width = (size_t)q;
    gp_joint(g, inputs, kernel, points, q, values, covariance, work + width * width);
    for (size_t i = 0; i < width; i++) covariance[i * (width + 1)] += DRAW_NUGGET * g->hyper.variance;
    int singular = cholesky_factor(q, covariance, q);
    for (size_t s = (size_t)draws; s-- > 0;) { /* the first has the mean, until it is its turn */
        if (s > 0) memcpy(values + s * width, values, width * sizeof *values);
        if (!singular) add_lower_product(q, covariance, q, z + s * width, values + s * width);
    }
}

size_t gp_leave_one_out_work(int n)
{
    return (size_t)n * (size_t)n;
}

void gp_leave_one_out(const gp *g, const gp_inputs *inputs, double *mean, double *variance, double *work)
{
    int n = inputs->n, unknown = isnan(g->hyper.mean);
    size_t size = (size_t)n, ld = (size_t)inputs->capacity;
    for (size_t j = 0; j < size; j++)
        memcpy(work + j * size + j, g->factor + j * ld + j, (size - j) * sizeof *work);
    memset(mean, 0, size * sizeof *mean);
    add_lower_product(n, work, n, g->solved_y, mean); /* the data themselves */
    cholesky_invert(n, work, n);
    for (size_t i = 0; i < size; i++) {
        double precision = work[i * size + i] - (unknown ? g->ones[i] * g->ones[i] / g->ones_sum : 0.0);
        int known = !(unknown && n == 1) && precision > 0.0;
        mean[i] = known ? mean[i] - g->weights[i] / precision : NAN;
        variance[i] = known ? g->hyper.variance / precision : INFINITY;
    }
}

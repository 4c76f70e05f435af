/* Acquisitions of correlated outputs, against the explicit K_n(x), its Cholesky factor, brute-force
 * averages and differences. */
#include "unit/acquire/models.h"

enum { D = 2, M = 6, N = 12 };

static void open_correlated(scene *s, uint64_t seed)
{
    scene_open(s, seed, D, M, 1, N);
    assert_int_equal(model_correlate(s->mo), 0);
    s->mo->correlated = 1;
}

/* L^-1 (y - mean) of one output by elimination with its dense correlations: what K_n's correlation is
 * made of, found without the model's factors. */
static void dense_errors(const scene *s, int j, double *errors)
{
    const model *mo = s->mo;
    const gp *process = model_process(mo, 0, j);
    double r[N * N], residual[N];
    for (int a = 0; a < N; a++) {
        for (int b = 0; b < N; b++) {
            double squares = 0.0;
            for (int k = 0; k < D; k++) {
                const double *x = mo->inputs.x + k * mo->inputs.capacity;
                squares += pow((x[a] - x[b]) * process->hyper.inverse_lengthscale[k], 2.0);
            }
            double t = sqrt(5.0 * squares);
            r[a * N + b] = (1.0 + t + t * t / 3.0) * exp(-t);
        }
        residual[a] = mo->y[j * mo->inputs.capacity + a] - process->mean;
    }
    for (int p = 0; p < N; p++) {
        double pivot = sqrt(r[p * N + p]);
        errors[p * M + j] = residual[p] / pivot;
        for (int q = p + 1; q < N; q++) {
            double factor = r[q * N + p] / r[p * N + p];
            for (int c = p; c < N; c++) r[q * N + c] -= factor * r[p * N + c];
            residual[q] -= factor * residual[p];
        }
    }
}

/* K_n(x) by its definition: deviations times the shrunk correlation of those errors. */
static void dense_covariance(const scene *s, const double *u, double *mean, double *k)
{
    double errors[N * M], deviation[M], rest = s->mo->correlation.rest;
    for (int j = 0; j < M; j++) dense_errors(s, j, errors);
    moments_of_h(s, 0, u, mean, deviation);
    for (int a = 0; a < M; a++)
        for (int b = 0; b < M; b++) {
            double both = 0.0, first = 0.0, second = 0.0;
            for (int i = 0; i < N; i++) {
                both += errors[i * M + a] * errors[i * M + b];
                first += errors[i * M + a] * errors[i * M + a];
                second += errors[i * M + b] * errors[i * M + b];
            }
            k[a * M + b] = deviation[a] * deviation[b] *
                           ((a == b ? rest : 0.0) + (1.0 - rest) * both / sqrt(first * second));
        }
}

static void cholesky(double *k)
{
    for (int p = 0; p < M; p++) {
        k[p * M + p] = sqrt(k[p * M + p]);
        for (int q = p + 1; q < M; q++) k[q * M + p] /= k[p * M + p];
        for (int a = p + 1; a < M; a++)
            for (int b = p + 1; b <= a; b++) k[a * M + b] -= k[a * M + p] * k[b * M + p];
    }
}

static void the_covariance_across_outputs_is_the_one_of_their_errors(void **state)
{
    (void)state;
    scene s;
    open_correlated(&s, 1);
    double u[D], mean[M], k[M * M], found[M * M];
    random_point(&s, u);
    dense_covariance(&s, u, mean, k);
    double *block = memory_doubles(posterior_size(1, M, D) + model_predict_work(s.mo, 1));
    posterior p;
    posterior_place(&p, 1, M, D, block);
    model_predict(s.mo, 0, u, 1, PREDICT_DEVIATION, &p, block + posterior_size(1, M, D));
    posterior_covariance(&p, 0, found);
    double largest = 0.0;
    for (int i = 0; i < M * M; i++) {
        check_near(found[i], k[i], 1e-9 * sqrt(k[i / M * (M + 1)] * k[i % M * (M + 1)]));
        if (i / M != i % M)
            largest = fmax(largest, fabs(k[i]) / sqrt(k[i / M * (M + 1)] * k[i % M * (M + 1)]));
    }
    assert_true(largest > 0.5); /* there is something to see */
    free(block);
    scene_close(&s);
}

/* Minus the distance of h from a point. */
static int misfit(const double *y, const double *x, int count, double *value, double *dy, double *dx,
                  void *context)
{
    (void)x, (void)dx, (void)context;
    for (int s = 0; s < count; s++) {
        value[s] = 0.0;
        for (int j = 0; j < M; j++) {
            double rest = y[s * M + j] - 0.3 * j;
            value[s] -= rest * rest;
            if (dy) dy[s * M + j] = -2.0 * rest;
        }
    }
    return 0;
}

static void expected_improvement_is_that_of_draws_by_the_cholesky_factor(void **state)
{
    (void)state;
    scene s;
    open_correlated(&s, 2);
    scene_use(&s, misfit, GOFH_GRADIENT_GIVEN, 1.0, NULL);
    for (int point = 0; point < 3; point++) {
        double u[D], mean[M], l[M * M], sum = 0.0, squares = 0.0, value, h[M], f;
        random_point(&s, u);
        dense_covariance(&s, u, mean, l);
        cholesky(l);
        misfit(mean, NULL, 1, &f, NULL, NULL, NULL);
        s.a->incumbent[0] = f;
        enum { MANY = 200000 };
        for (int i = 0; i < MANY; i++) {
            double z[M], gain;
            for (int j = 0; j < M; j++) z[j] = random_normal(&s.stream);
            for (int j = 0; j < M; j++) {
                h[j] = mean[j];
                for (int c = 0; c <= j; c++) h[j] += l[j * M + c] * z[c];
            }
            misfit(h, NULL, 1, &gain, NULL, NULL, NULL);
            gain = fmax(gain - f, 0.0);
            sum += gain / MANY;
            squares += gain * gain / MANY;
        }
        double average = 0.0, spread = 0.0;
        for (int batch = 0; batch < BATCHES; batch++) {
            fresh_normals(&s);
            model_mix(s.mo, DRAWS, s.z);
            assert_int_equal(acquisition_monte_carlo(s.a, scene_goal(&s, ACQUIRE_IMPROVEMENT), 0, 1, s.z,
                                                     DRAWS, u, 1, &value, NULL),
                             GOFH_OK);
            average += value / BATCHES;
            spread += value * value / BATCHES;
        }
        /* 4 standard errors of the difference of the two averages */
        double error = sqrt((squares - sum * sum) / MANY + (spread - average * average) / BATCHES);
        check_near(average, sum, 4.0 * error);
    }
    scene_close(&s);
}

static void the_gradient_is_that_of_differences(void **state)
{
    (void)state;
    static const acquire_kind kinds[] = {ACQUIRE_IMPROVEMENT, ACQUIRE_MEAN, ACQUIRE_SMOOTH};
    const double step = 1e-5;
    scene s;
    open_correlated(&s, 3);
    scene_use(&s, misfit, GOFH_GRADIENT_GIVEN, 1.0, NULL);
    s.a->incumbent[0] = -20.0;
    s.smoothing = 0.5;
    fresh_normals(&s);
    model_mix(s.mo, DRAWS, s.z);
    for (int kind = 0; kind < 3; kind++) {
        double u[D], value, gradient[D], ends[2], ignored[D];
        random_point(&s, u);
        acquire_goal goal = scene_goal(&s, kinds[kind]);
        acquisition_monte_carlo(s.a, goal, 0, 1, s.z, DRAWS, u, 1, &value, gradient);
        for (int k = 0; k < D; k++) {
            for (int side = 0; side < 2; side++) {
                double moved[D] = {u[0], u[1]};
                moved[k] += side ? step : -step;
                acquisition_monte_carlo(s.a, goal, 0, 1, s.z, DRAWS, moved, 1, &ends[side], ignored);
            }
            /* A draw that crosses the corner of the improvement within the step changes the difference
             * by its share. */
            check_near((ends[1] - ends[0]) / (2.0 * step), gradient[k], 2e-3 * (1.0 + fabs(gradient[k])));
        }
    }
    scene_close(&s);
}

static void linear_g_has_the_closed_form_with_the_whole_covariance(void **state)
{
    (void)state;
    const double step = 1e-6;
    scene s;
    open_correlated(&s, 4);
    for (int point = 0; point < 5; point++) {
        double u[D], mean[M], k[M * M], centre = 0.0, variance = 0.0, value, gradient[D];
        random_point(&s, u);
        dense_covariance(&s, u, mean, k);
        for (int a = 0; a < M; a++) {
            centre += s.weights[a] * mean[a];
            for (int b = 0; b < M; b++) variance += s.weights[a] * k[a * M + b] * s.weights[b];
        }
        s.a->incumbent[0] = centre + 0.3 * sqrt(variance);
        double z = -0.3, deviation = sqrt(variance);
        assert_true(acquisition_has_closed_form(s.a, ACQUIRE_IMPROVEMENT));
        acquisition_closed_form(s.a, scene_goal(&s, ACQUIRE_IMPROVEMENT), u, 1, &value, gradient);
        check_close(value, deviation * (z * big_phi(z) + phi(z)), 1e-7);
        double found;
        assert_int_equal(acquisition_moments(s.a, s.z, DRAWS, u, 1, &centre, &found), GOFH_OK);
        check_close(found, deviation, 1e-8);
        for (int c = 0; c < D; c++) {
            double ends[2];
            for (int side = 0; side < 2; side++) {
                double moved[D] = {u[0], u[1]};
                moved[c] += side ? step : -step;
                acquisition_closed_form(s.a, scene_goal(&s, ACQUIRE_IMPROVEMENT), moved, 1, &ends[side],
                                        NULL);
            }
            check_near((ends[1] - ends[0]) / (2.0 * step), gradient[c], 1e-6 * (1.0 + fabs(gradient[c])));
        }
    }
    scene_close(&s);
}

static void projections_of_some_outputs_have_their_part_of_the_covariance(void **state)
{
    (void)state;
    static const int column[3] = {4, 1, 2};
    static const double w[3] = {1.5, -0.7, 2.0};
    scene s;
    open_correlated(&s, 5);
    double u[D], mean[M], k[M * M], centre, deviation, variance = 0.0;
    random_point(&s, u);
    dense_covariance(&s, u, mean, k);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) variance += w[a] * k[column[a] * M + column[b]] * w[b];
    double *block = memory_doubles(posterior_size(1, M, D) + model_predict_work(s.mo, 1));
    posterior p;
    posterior_place(&p, 1, M, D, block);
    model_predict(s.mo, 0, u, 1, PREDICT_DEVIATION, &p, block + posterior_size(1, M, D));
    posterior_project(&p, 0, 3, column, w, &centre, &deviation, NULL, NULL);
    check_close(deviation, sqrt(variance), 1e-8);
    posterior_project(&p, 0, 1, column, w, &centre, &deviation, NULL, NULL);
    check_close(deviation, 1.5 * sqrt(k[4 * M + 4]), 1e-12);
    free(block);
    scene_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_covariance_across_outputs_is_the_one_of_their_errors),
        cmocka_unit_test(expected_improvement_is_that_of_draws_by_the_cholesky_factor),
        cmocka_unit_test(the_gradient_is_that_of_differences),
        cmocka_unit_test(linear_g_has_the_closed_form_with_the_whole_covariance),
        cmocka_unit_test(projections_of_some_outputs_have_their_part_of_the_covariance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

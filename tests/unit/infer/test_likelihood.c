/* The likelihood against the density of a normal vector, factored as a whole by the test itself. */
#include "unit/api/valley.h"

/* Its names are those of the header above. */
#include "api/handle.h"
#include "infer/likelihood.h"
#include "study/fitted.h"
#include "study/predict.h"

enum { M = 12, N_MAX = 2 * M };

/* Errors of neighbouring outputs go together. */
static int curve_h(const double *x, double *y, void *context)
{
    (void)context;
    for (int j = 0; j < M; j++) y[j] = sin(3.0 * x[0] + 0.2 * j) * exp(-x[1] * j / 6.0) + 0.1 * x[0] * x[1];
    return 0;
}

static gofh_study *curve_study(int trials)
{
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "a", 0.0, 2.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_parameter(problem, "b", 0.1, 3.0, GOFH_SCALE_LINEAR);
    gofh_problem_set_outputs(problem, M);
    gofh_problem_minimize(problem, "sum(y^2)");
    gofh_study *made = study_of(problem, NULL);
    dice numbers = {.state = 3};
    for (int i = 0; i < trials; i++) {
        double x[2] = {2.0 * dice_uniform(&numbers), 0.1 + 2.9 * dice_uniform(&numbers)}, y[M];
        curve_h(x, y, NULL);
        check_ok(made, gofh_study_import(made, x, y, NULL));
    }
    return made;
}

/* -1/2 (r' C^-1 r + log |C|), by Gaussian elimination. */
static double log_normal(int n, double c[][N_MAX], double *r)
{
    double value = 0.0;
    for (int k = 0; k < n; k++) {
        value -= 0.5 * (log(c[k][k]) + r[k] * r[k] / c[k][k]);
        for (int i = k + 1; i < n; i++) {
            double factor = c[i][k] / c[k][k];
            r[i] -= factor * r[k];
            for (int j = k + 1; j < n; j++) c[i][j] -= factor * c[k][j];
        }
    }
    return value;
}

/* Of data with a known sigma under mean and K_n(x), which come from the model's own functions. */
static double expected_density(study *st, const infer_datum *data, int count, const double *point,
                               double sigma, int emulator)
{
    static double covariance[M * M], c[N_MAX][N_MAX];
    double r[N_MAX], mean_square = 0.0;
    const model *mo = st->fitted->mo;
    double *block = memory_doubles(posterior_size(1, M, st->d) + model_predict_work(mo, 1));
    assert_non_null(block);
    posterior p;
    posterior_place(&p, 1, M, st->d, block);
    model_predict(mo, 0, point, 1, PREDICT_DEVIATION, &p, block + posterior_size(1, M, st->d));
    posterior_covariance(&p, 0, covariance);
    for (int i = 0; i < count; i++) {
        r[i] = data[i].value - p.mean[data[i].output];
        for (int k = 0; k < count; k++)
            c[i][k] = emulator ? covariance[data[i].output * M + data[k].output] : 0.0;
        double own = isnan(data[i].sigma) ? sigma : data[i].sigma;
        mean_square += c[i][i] / count;
        c[i][i] += own * own;
    }
    free(block);
    double prior = isnan(data[0].sigma) ? log(sigma * sigma / (sigma * sigma + mean_square)) : 0.0;
    return log_normal(count, c, r) + prior;
}

/* by_point: the covariance is made at each point, even where the outputs have one kernel. Returns whether it
 * was not. */
static int check_densities(gofh_study *made, int count, double sigma, int emulator, int by_point)
{
    enum { POINTS = 5 };
    study *st = made->core;
    const infer_prior prior[2] = {{.kind = GOFH_PRIOR_UNIFORM}};
    int groups = isnan(sigma);
    infer_datum *data = memory_new((size_t)count, sizeof *data);
    assert_non_null(data);
    for (int i = 0; i < count; i++)
        data[i] = (infer_datum){.output = i % M, .value = 0.3 * cos(i), .sigma = sigma, .unit = 1.0};
    assert_int_equal(predict_enter(st), GOFH_OK);
    assert_true(st->fitted->mo->correlation.rank > 0);
    likelihood l;
    assert_int_equal(likelihood_create(&l, st, prior, data, count, groups), GOFH_OK);
    l.emulator = emulator;
    if (by_point) separable_free(&l);
    int together = l.one_kernel.data > 0;
    double point[POINTS * 3], value[POINTS], expected[POINTS];
    dice numbers = {.state = 11};
    for (int i = 0; i < POINTS * l.dimension; i++) point[i] = dice_uniform(&numbers);
    assert_int_equal(likelihood_density(point, POINTS, value, &l), GOFH_OK);
    for (int i = 0; i < POINTS; i++) {
        const double *own = point + i * l.dimension;
        expected[i] = expected_density(st, l.data, count, own, groups ? likelihood_sigma(&l, 0, own) : 0.0,
                                       emulator);
        /* 2e-8 is seen with optimisation, 1.7e-7 with sanitizers: rounding, by all appearances. */
        check_near(value[i] - value[0], expected[i] - expected[0],
                   1e-6 * (1.0 + fabs(expected[i]) + fabs(expected[0])));
    }
    likelihood_free(&l);
    predict_leave(st);
    return together;
}

static void the_likelihood_is_that_of_a_normal_vector(void **state)
{
    (void)state;
    /* 6 trials: the covariance is kept as diagonal and low rank; 16: as it is; data twice: too. */
    for (int i = 0; i < 3; i++) {
        gofh_study *made = curve_study(i == 1 ? 16 : 6);
        for (int emulator = 0; emulator < 2; emulator++) {
            check_densities(made, i == 2 ? 2 * M : M, 0.05, emulator, 1);
            check_densities(made, i == 2 ? 2 * M : M, NAN, emulator, 1);
        }
        gofh_study_free(made);
    }
}

/* The curves of 6 trials share a kernel: nothing is factored at a point then. */
static void one_kernel_of_all_outputs_gives_the_same_likelihood(void **state)
{
    (void)state;
    for (int times = 1; times <= 2; times++) {
        gofh_study *made = curve_study(6);
        for (int emulator = 0; emulator < 2; emulator++) {
            assert_true(check_densities(made, times * M, 0.05, emulator, 0));
            assert_true(check_densities(made, times * M, NAN, emulator, 0));
        }
        gofh_study_free(made);
    }
}

/* With a discrepancy the covariance has that of a Gaussian process of `at` too. */
static void a_discrepancy_adds_its_covariance(void **state)
{
    (void)state;
    enum { POINTS = 4 };
    static double covariance[M * M], c[N_MAX][N_MAX];
    gofh_study *made = curve_study(8);
    study *st = made->core;
    const infer_prior prior[2] = {{.kind = GOFH_PRIOR_UNIFORM}};
    infer_datum *data = memory_new(M, sizeof *data);
    assert_non_null(data);
    for (int i = 0; i < M; i++)
        data[i] = (infer_datum){.output = i,
                                .value = 0.3 * cos(i),
                                .sigma = 0.05,
                                .unit = 1.0,
                                .field = i < 9 ? 1 : 0,
                                .at = 0.5 * i};
    assert_int_equal(predict_enter(st), GOFH_OK);
    likelihood l;
    assert_int_equal(likelihood_create(&l, st, prior, data, M, 0), GOFH_OK);
    assert_int_equal(l.dimension, 4);
    double point[POINTS * 4], value[POINTS], expected[POINTS];
    dice numbers = {.state = 21};
    for (int i = 0; i < POINTS * 4; i++) point[i] = dice_uniform(&numbers);
    assert_int_equal(likelihood_density(point, POINTS, value, &l), GOFH_OK);
    const model *mo = st->fitted->mo;
    double *block = memory_doubles(posterior_size(1, M, st->d) + model_predict_work(mo, 1));
    assert_non_null(block);
    for (int q = 0; q < POINTS; q++) {
        const double *own = point + 4 * q;
        double deviation = likelihood_sigma(&l, 0, own), length = likelihood_sigma(&l, 1, own), r[N_MAX];
        posterior p;
        posterior_place(&p, 1, M, st->d, block);
        model_predict(mo, 0, own, 1, PREDICT_DEVIATION, &p, block + posterior_size(1, M, st->d));
        posterior_covariance(&p, 0, covariance);
        for (int i = 0; i < M; i++) {
            r[i] = l.data[i].value - p.mean[i];
            for (int k = 0; k < M; k++) {
                double apart = 0.5 * (i - k) / length;
                c[i][k] = covariance[i * M + k] + (i == k ? 0.05 * 0.05 : 0.0) +
                          (i < 9 && k < 9 ? deviation * deviation * exp(-0.5 * apart * apart) : 0.0);
            }
        }
        expected[q] = log_normal(M, c, r);
        check_near(value[q] - value[0], expected[q] - expected[0], 1e-6 * (1.0 + fabs(expected[q])));
    }
    free(block);
    likelihood_free(&l);
    predict_leave(st);
    gofh_study_free(made);
}

static void a_prior_is_a_density_within_the_bounds(void **state)
{
    (void)state;
    const double lower[2] = {0.5, 0.5}, upper[2] = {4.0, 4.0};
    const gofh_scale scale[2] = {GOFH_SCALE_LINEAR, GOFH_SCALE_LOG};
    const domain box = {.d = 2, .lower = lower, .upper = upper, .scale = scale};
    const infer_prior priors[] = {{GOFH_PRIOR_UNIFORM, 0.0, 0.0},
                                  {GOFH_PRIOR_NORMAL, 1.0, 0.5},
                                  {GOFH_PRIOR_NORMAL, -3.0, 1.0},
                                  {GOFH_PRIOR_LOGNORMAL, 1.2, 0.4}};
    for (size_t i = 0; i < sizeof priors / sizeof *priors; i++)
        for (int k = 0; k < 2; k++) {
            enum { STEPS = 100000 };
            double sum = 0.0, third = prior_quantile(&priors[i], &box, k, 1.0 / 3.0), below = 0.0;
            for (int s = 0; s < STEPS; s++) {
                double u = (s + 0.5) / STEPS, part = exp(prior_log_density(&priors[i], &box, k, u)) / STEPS;
                sum += part;
                below += u < third ? part : 0.0;
            }
            check_near(sum, 1.0, 1e-6);
            check_near(below, 1.0 / 3.0, 1e-4);
        }
    /* The density per unit of x is the normal's, whatever the scale: ratios at x = 1 and x = 2. */
    for (int k = 0; k < 2; k++) {
        double u[2], x[2], slope[2];
        domain one = {.d = 1, .lower = lower + k, .upper = upper + k, .scale = scale + k};
        for (int i = 0; i < 2; i++) {
            x[i] = i + 1.0;
            domain_to_unit(&one, &x[i], &u[i]);
            domain_slope(&one, &x[i], &slope[i]);
        }
        double ratio = prior_log_density(&priors[1], &box, k, u[1]) - log(slope[1]) -
                       prior_log_density(&priors[1], &box, k, u[0]) + log(slope[0]);
        check_near(ratio, -0.5 * 4.0, 1e-9);
        ratio = prior_log_density(&priors[3], &box, k, u[1]) - log(slope[1]) -
                prior_log_density(&priors[3], &box, k, u[0]) + log(slope[0]);
        double z1 = log(1.0 / 1.2) / 0.4, z2 = log(2.0 / 1.2) / 0.4;
        check_near(ratio, -0.5 * (z2 * z2 - z1 * z1) - log(2.0), 1e-9);
    }
}

/* Central differences of the density. */
static void check_gradient(likelihood *l, const double *point)
{
    double gradient[8], at[8], value, beside[2];
    assert_true(l->dimension <= 8);
    assert_int_equal(likelihood_gradient(l, point, &value, gradient), GOFH_OK);
    for (int k = 0; k < l->dimension; k++) {
        const double step = 1e-5;
        for (int side = 0; side < 2; side++) {
            memcpy(at, point, (size_t)l->dimension * sizeof *at);
            at[k] += side ? step : -step;
            assert_int_equal(likelihood_density(at, 1, &beside[side], l), GOFH_OK);
        }
        double difference = (beside[1] - beside[0]) / (2.0 * step);
        check_near(gradient[k], difference, 1e-4 * (1.0 + fabs(difference)));
    }
}

static void the_gradient_is_that_of_differences(void **state)
{
    (void)state;
    const infer_prior prior[2] = {{GOFH_PRIOR_NORMAL, 0.8, 0.5}, {GOFH_PRIOR_LOGNORMAL, 1.2, 0.7}};
    dice numbers = {.state = 31};
    /* A known sigma; an unknown one; both, with a discrepancy; residuals of logarithms; data twice. */
    for (int i = 0; i < 5; i++) {
        gofh_study *made = curve_study(i == 4 ? 16 : 7);
        int count = i == 4 ? 2 * M : M;
        infer_datum *data = memory_new((size_t)count, sizeof *data);
        assert_non_null(data);
        for (int k = 0; k < count; k++)
            data[k] = (infer_datum){.output = k % M,
                                    .value = 0.6 + 0.3 * cos(k),
                                    .sigma = i == 1 || (i == 2 && k % 2) ? NAN : 0.05 + 0.01 * k,
                                    .unit = i == 1 ? 0.5 + 0.1 * k : 1.0,
                                    .field = i == 2 && k > 2,
                                    .logarithm = i == 3 && k % 3 == 0,
                                    .at = 0.3 * k};
        assert_int_equal(predict_enter(made->core), GOFH_OK);
        likelihood l;
        assert_int_equal(likelihood_create(&l, made->core, prior, data, count, i == 1 || i == 2), GOFH_OK);
        for (int t = 0; t < 4; t++) {
            double point[8];
            for (int k = 0; k < l.dimension; k++) point[k] = 0.2 + 0.6 * dice_uniform(&numbers);
            if (i == 3) point[0] = 0.25 + 0.05 * t; /* where all outputs are above 0 */
            check_gradient(&l, point);
        }
        likelihood_free(&l);
        predict_leave(made->core);
        gofh_study_free(made);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_likelihood_is_that_of_a_normal_vector),
        cmocka_unit_test(one_kernel_of_all_outputs_gives_the_same_likelihood),
        cmocka_unit_test(a_prior_is_a_density_within_the_bounds),
        cmocka_unit_test(a_discrepancy_adds_its_covariance),
        cmocka_unit_test(the_gradient_is_that_of_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

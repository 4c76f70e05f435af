#include "check.h"
#include "fixture.h"

/* Noise, mean and trend of the kinds of process. */
static const struct {
    double noise, mean, trend;
} KINDS[] = {{0.0, NAN, 0.0}, {0.0, 0.7, 0.0}, {0.02, NAN, 0.0}, {0.02, -0.4, 0.0}, {1e-3, NAN, 0.2}};
enum { KIND_COUNT = 5 };

static const double VARIANCE = 2.3;

/* Runs `check` on every kernel and kind of process, in a few dimensions. */
static void on_every_process(void (*check)(const fixture *f, random_stream *stream))
{
    FOR_EACH_KERNEL(kernel)
    for (int kind = 0; kind < KIND_COUNT; kind++)
        for (int d = 1; d <= 5; d += 2) {
            fixture f;
            fixture_open(&f, kernel, d, d == 1 ? 7 : 17, 3);
            f.process.hyper.trend = f.dense.trend = KINDS[kind].trend;
            assert_int_equal(fixture_condition(&f, VARIANCE, KINDS[kind].noise, KINDS[kind].mean), 0);
            random_stream stream = random_open(9, RANDOM_TEST, (uint64_t)d, (uint64_t)kind);
            check(&f, &stream);
            fixture_close(&f);
        }
}

static void random_point(random_stream *stream, int d, double *x)
{
    for (int k = 0; k < d; k++) x[k] = 1.4 * random_uniform(stream) - 0.2;
}

static void check_prediction(const fixture *f, random_stream *stream)
{
    double x[FIXTURE_PARAMETERS], mean, variance, only_mean;
    for (int i = 0; i < 5; i++) {
        random_point(stream, f->inputs.d, x);
        fixture_predict(f, x, &mean, &variance, NULL, NULL);
        check_near(mean, dense_mean(&f->dense, x), 1e-9);
        check_near(variance, dense_covariance(&f->dense, x, x), 1e-10);
        fixture_predict(f, x, &only_mean, NULL, NULL, NULL);
        assert_true(mean == only_mean);
    }
}

static void mean_and_variance_are_those_of_the_dense_solve(void **state)
{
    (void)state;
    on_every_process(check_prediction);
}

static void check_gradients(const fixture *f, random_stream *stream)
{
    const double step = 1e-5;
    double x[FIXTURE_PARAMETERS], mean, variance;
    double mean_gradient[FIXTURE_PARAMETERS], variance_gradient[FIXTURE_PARAMETERS];
    for (int i = 0; i < 3; i++) {
        random_point(stream, f->inputs.d, x);
        fixture_predict(f, x, &mean, &variance, mean_gradient, variance_gradient);
        for (int k = 0; k < f->inputs.d; k++) {
            double middle = x[k];
            x[k] = middle + step;
            double mean_after = dense_mean(&f->dense, x), after = dense_covariance(&f->dense, x, x);
            x[k] = middle - step;
            double mean_before = dense_mean(&f->dense, x), before = dense_covariance(&f->dense, x, x);
            x[k] = middle;
            check_near(mean_gradient[k], (mean_after - mean_before) / (2.0 * step), 1e-6);
            check_near(variance_gradient[k], (after - before) / (2.0 * step), 1e-6);
        }
        double again[FIXTURE_PARAMETERS];
        fixture_predict(f, x, &mean, NULL, again, NULL);
        for (int k = 0; k < f->inputs.d; k++) assert_true(again[k] == mean_gradient[k]);
    }
}

static void gradients_are_the_differences_of_the_dense_solve(void **state)
{
    (void)state;
    on_every_process(check_gradients);
}

static void check_batch(const fixture *f, random_stream *stream)
{
    enum { Q = 6 };
    int d = f->inputs.d;
    double x[Q * FIXTURE_PARAMETERS], mean[Q], variance[Q], one_mean, one_variance;
    double gradients[2][Q * FIXTURE_PARAMETERS], one_gradient[2][FIXTURE_PARAMETERS];
    double work[4 * Q * FIXTURE_MOST];
    random_point(stream, Q * d, x);
    gp_predict(&f->process, &f->inputs, f->kernel, x, Q, mean, variance, gradients[0], gradients[1], work);
    for (int i = 0; i < Q; i++) {
        fixture_predict(f, x + i * d, &one_mean, &one_variance, one_gradient[0], one_gradient[1]);
        check_near(mean[i], one_mean, 1e-11);
        check_near(variance[i], one_variance, 1e-12);
        for (int k = 0; k < d; k++) {
            check_near(gradients[0][i * d + k], one_gradient[0][k], 1e-9);
            check_near(gradients[1][i * d + k], one_gradient[1][k], 1e-9);
        }
    }
}

static void many_points_at_once_are_predicted_as_one_by_one(void **state)
{
    (void)state;
    on_every_process(check_batch);
}

static void check_joint(const fixture *f, random_stream *stream)
{
    enum { Q = 5 };
    int d = f->inputs.d;
    double x[Q * FIXTURE_PARAMETERS], mean[Q], covariance[Q * Q], one_mean, one_variance;
    double work[Q * (FIXTURE_MOST + FIXTURE_PARAMETERS + 1)];
    assert_true(gp_joint_work(f->inputs.n, Q, d) <= sizeof work / sizeof *work);
    random_point(stream, Q * d, x);
    memcpy(x + 4 * d, x + d, (size_t)d * sizeof *x); /* the same point twice is fine */
    gp_joint(&f->process, &f->inputs, f->kernel, x, Q, mean, covariance, work);
    for (int p = 0; p < Q; p++) {
        for (int r = p; r < Q; r++)
            check_near(covariance[p * Q + r], dense_covariance(&f->dense, x + p * d, x + r * d), 1e-10);
        fixture_predict(f, x + p * d, &one_mean, &one_variance, NULL, NULL);
        check_near(mean[p], one_mean, 1e-10);
        check_near(covariance[p * Q + p], one_variance, 1e-10);
    }
}

static void the_joint_covariance_is_the_dense_one_with_the_variances_on_its_diagonal(void **state)
{
    (void)state;
    on_every_process(check_joint);
}

static void without_noise_the_data_are_interpolated_and_certain(void **state)
{
    (void)state;
    FOR_EACH_KERNEL(kernel)
    for (int kind = 0; kind < 2; kind++) {
        fixture f;
        fixture_open(&f, kernel, 3, 20, 5);
        assert_int_equal(fixture_condition(&f, VARIANCE, 0.0, KINDS[kind].mean), 0);
        for (int i = 0; i < 20; i++) {
            double mean, variance;
            fixture_predict(&f, f.x + 3 * i, &mean, &variance, NULL, NULL);
            check_near(mean, f.y[i], 1e-9);
            check_near(variance, 0.0, 1e-10);
        }
        fixture_close(&f);
    }
}

static void far_from_the_data_the_process_is_the_prior(void **state)
{
    (void)state;
    FOR_EACH_KERNEL(kernel)
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        fixture f;
        fixture_open(&f, kernel, 2, 12, 5);
        fixture_condition(&f, VARIANCE, KINDS[kind].noise, KINDS[kind].mean);
        double far[2] = {300.0, -300.0}, mean, variance, slope[2], variance_slope[2];
        fixture_predict(&f, far, &mean, &variance, slope, variance_slope);
        long double log_det, yy, oy, oo;
        dense_forms(&f.dense, &log_det, &yy, &oy, &oo);
        /* An unknown mean is known as well as the generalised least squares estimate knows it. */
        int unknown = isnan(KINDS[kind].mean);
        check_near(mean, unknown ? (double)(oy / oo) : KINDS[kind].mean, 1e-11);
        check_near(variance, VARIANCE * (1.0 + (unknown ? (double)(1 / oo) : 0.0)), 1e-11);
        for (int k = 0; k < 2; k++) assert_true(slope[k] == 0.0 && variance_slope[k] == 0.0);
        fixture_close(&f);
    }
}

static void separated_points_need_no_nugget(void **state)
{
    (void)state;
    FOR_EACH_KERNEL(kernel)
    {
        fixture f;
        fixture_open(&f, kernel, 3, 20, 6);
        fixture_condition(&f, 1.0, 0.0, NAN);
        assert_true(f.process.nugget == 0.0);
        fixture_close(&f);
    }
}

static void noise_makes_a_nugget_unnecessary_also_for_duplicates(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, GOFH_KERNEL_SQUARED_EXPONENTIAL, 2, 20, 6);
    memcpy(f.x + 2 * 7, f.x, 2 * sizeof *f.x);
    fixture_take(&f, 20);
    fixture_condition(&f, 1.0, 1e-6, NAN);
    assert_true(f.process.nugget == 0.0);
    double mean, variance;
    fixture_predict(&f, f.x + 2, &mean, &variance, NULL, NULL);
    check_near(mean, dense_mean(&f.dense, f.x + 2), 1e-7);
    fixture_close(&f);
}

/* Rounding of the matrix is about 1e-16 n: a nugget of 1e-12 is the first tried and suffices. */
static void duplicated_points_take_the_least_nugget_and_say_so(void **state)
{
    (void)state;
    FOR_EACH_KERNEL(kernel)
    {
        fixture f;
        fixture_open(&f, kernel, 2, 20, 6);
        memcpy(f.x + 2 * 19, f.x, 2 * sizeof *f.x);
        f.y[19] = f.y[0];
        fixture_take(&f, 20);
        assert_int_equal(fixture_condition(&f, 1.0, 0.0, NAN), 0);
        check_near(f.process.nugget, 1e-12, 0.0);
        for (int i = 0; i < 20; i++) {
            double mean, variance;
            fixture_predict(&f, f.x + 2 * i, &mean, &variance, NULL, NULL);
            check_near(mean, f.y[i], 1e-6);
            check_near(variance, 0.0, 1e-9);
        }
        fixture_close(&f);
    }
}

/* The predictor with a nugget is the exact one of slightly noisy data, so the dense solve still
 * agrees, to the rounding that a condition number of 1e13 leaves. */
static void a_nearly_singular_matrix_is_factorised_with_little_nugget(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, GOFH_KERNEL_SQUARED_EXPONENTIAL, 1, 30, 6);
    f.inverse_lengthscale[0] = f.process.hyper.inverse_lengthscale[0] = 0.5;
    for (int i = 0; i < 30; i++) f.y[i] = sin(3.0 * f.x[i]);
    assert_int_equal(fixture_condition(&f, 1.0, 0.0, NAN), 0);
    assert_true(f.process.nugget > 0.0 && f.process.nugget <= 1.1e-12);
    for (double x = 0.0; x <= 1.0; x += 0.05) {
        double mean, variance;
        fixture_predict(&f, &x, &mean, &variance, NULL, NULL);
        check_near(mean, dense_mean(&f.dense, &x), 1e-5);
        check_near(variance, dense_covariance(&f.dense, &x, &x), 1e-10);
    }
    fixture_close(&f);
}

static void check_leave_one_out(const fixture *f, random_stream *stream)
{
    int n = f->inputs.n, d = f->inputs.d;
    double mean[FIXTURE_MOST], variance[FIXTURE_MOST], work[FIXTURE_MOST * FIXTURE_MOST];
    (void)stream;
    assert_true(gp_leave_one_out_work(n) <= sizeof work / sizeof *work);
    gp_leave_one_out(&f->process, &f->inputs, mean, variance, work);
    for (int left = 0; left < n; left++) {
        double x[FIXTURE_MOST * FIXTURE_PARAMETERS], y[FIXTURE_MOST]; /* all but one */
        dense_gp others = f->dense;
        others.n = 0;
        for (int i = 0; i < n; i++) {
            if (i == left) continue;
            memcpy(x + others.n * d, f->x + i * d, (size_t)d * sizeof *x);
            y[others.n++] = f->y[i];
        }
        others.x = x;
        others.y = y;
        const double *at = f->x + left * d;
        check_near(mean[left], dense_mean(&others, at), 1e-8);
        check_near(variance[left], dense_covariance(&others, at, at) + f->dense.variance * f->dense.noise,
                   1e-8);
    }
}

static void left_out_data_are_foretold_as_by_the_dense_solve_of_the_others(void **state)
{
    (void)state;
    on_every_process(check_leave_one_out);
}

static void a_single_datum_is_foretold_by_a_given_mean_only(void **state)
{
    (void)state;
    fixture f;
    double mean, variance, work;
    fixture_open(&f, GOFH_KERNEL_MATERN_52, 2, 1, 3);
    assert_int_equal(fixture_condition(&f, VARIANCE, 0.1, NAN), 0);
    gp_leave_one_out(&f.process, &f.inputs, &mean, &variance, &work);
    assert_true(isnan(mean) && variance == INFINITY);
    assert_int_equal(fixture_condition(&f, VARIANCE, 0.1, 0.7), 0);
    gp_leave_one_out(&f.process, &f.inputs, &mean, &variance, &work);
    check_near(mean, 0.7, 1e-12);
    check_near(variance, 1.1 * VARIANCE, 1e-12);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(left_out_data_are_foretold_as_by_the_dense_solve_of_the_others),
        cmocka_unit_test(a_single_datum_is_foretold_by_a_given_mean_only),
        cmocka_unit_test(mean_and_variance_are_those_of_the_dense_solve),
        cmocka_unit_test(gradients_are_the_differences_of_the_dense_solve),
        cmocka_unit_test(many_points_at_once_are_predicted_as_one_by_one),
        cmocka_unit_test(the_joint_covariance_is_the_dense_one_with_the_variances_on_its_diagonal),
        cmocka_unit_test(without_noise_the_data_are_interpolated_and_certain),
        cmocka_unit_test(far_from_the_data_the_process_is_the_prior),
        cmocka_unit_test(separated_points_need_no_nugget),
        cmocka_unit_test(noise_makes_a_nugget_unnecessary_also_for_duplicates),
        cmocka_unit_test(duplicated_points_take_the_least_nugget_and_say_so),
        cmocka_unit_test(a_nearly_singular_matrix_is_factorised_with_little_nugget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

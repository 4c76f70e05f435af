/* Outputs that are modelled by their logarithms: draws, moments and gradients against what is known
 * of the log-normal distribution. */
#include "unit/acquire/models.h"

enum { SMALL = 16 };

/* Every second output of the scene is taken for the logarithm of what h gives: its data are
 * exponentials. */
static void take_logarithms(scene *s)
{
    double y[64 * MOST_M], packed[64 * 63 / 2];
    int n = s->mo->inputs.n;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < s->m; j++) {
            double value = model_to_user(s->mo, j, s->mo->y[j * s->mo->inputs.capacity + i]);
            y[i * s->m + j] = j % 2 ? value : exp(0.3 * value);
        }
    for (int j = 0; j < s->m; j += 2) {
        model_set_output(s->mo, j, y, &(transform){.kind = &transform_logarithm});
        for (int i = 0; i < s->samples; i++)
            assert_int_equal(gp_condition(model_process(s->mo, i, j), &s->mo->inputs, s->mo->kernel,
                                          s->mo->y + j * s->mo->inputs.capacity, packed),
                             0);
    }
}

static void open_logarithmic(scene *s, uint64_t seed, int d, int m, int samples)
{
    scene_open(s, seed, d, m, samples, 8);
    take_logarithms(s);
    fresh_normals(s);
}

static int curved(const double *y, const double *x, int count, double *value, double *dy, double *dx,
                  void *context)
{
    (void)x, (void)dx;
    int m = *(const int *)context;
    for (int s = 0; s < count; s++) {
        value[s] = 0.0;
        for (int j = 0; j < m; j++) {
            double h = y[s * m + j];
            value[s] += sin(h) - 0.1 * (j + 1) * h * h;
            if (dy) dy[s * m + j] = cos(h) - 0.2 * (j + 1) * h;
        }
    }
    return 0;
}

typedef gofh_status (*valuation)(scene *s, const double *u, double *value, double *gradient);

static gofh_status improvement(scene *s, const double *u, double *value, double *gradient)
{
    return acquisition_monte_carlo(s->a, acquire_goal_of(ACQUIRE_IMPROVEMENT), 0, s->samples, s->z, SMALL, u,
                                   1, value, gradient);
}

static gofh_status plug_in(scene *s, const double *u, double *value, double *gradient)
{
    return acquisition_plug_in(s->a, ACQUIRE_OBJECTIVE, 0, u, 1, value, gradient);
}

static gofh_status closed_mean(scene *s, const double *u, double *value, double *gradient)
{
    return acquisition_closed_form(s->a, acquire_goal_of(ACQUIRE_MEAN), u, 1, value, gradient);
}

static void check_gradient(scene *s, valuation f, const double *u)
{
    const double step = 1e-5;
    double value, gradient[MOST_D];
    assert_int_equal(f(s, u, &value, gradient), GOFH_OK);
    for (int k = 0; k < s->d; k++) {
        double at[MOST_D], beside[4];
        static const double times[4] = {-2.0, -1.0, 1.0, 2.0};
        memcpy(at, u, sizeof at);
        for (int i = 0; i < 4; i++) {
            at[k] = u[k] + times[i] * step;
            assert_int_equal(f(s, at, &beside[i], NULL), GOFH_OK);
        }
        double slope = (8.0 * (beside[2] - beside[1]) - (beside[3] - beside[0])) / (12.0 * step);
        check_near(gradient[k], slope, 1e-6 * (1.0 + fabs(slope)));
    }
}

static void gradients_are_right_where_outputs_are_logarithms(void **state)
{
    (void)state;
    for (uint64_t trial = 0; trial < 6; trial++) {
        scene s;
        double u[MOST_D], centre;
        open_logarithmic(&s, 2000 + trial, 1 + (int)trial % 3, 1 + (int)trial % 4, 1 + (int)trial % 2);
        for (int k = 0; k < s.d; k++) u[k] = between(&s, 0.05, 0.95);
        check_gradient(&s, closed_mean, u);
        scene_use(&s, curved, GOFH_GRADIENT_GIVEN, 1.0, &s.m);
        assert_int_equal(acquisition_monte_carlo(s.a, acquire_goal_of(ACQUIRE_MEAN), 0, s.samples, s.z, SMALL,
                                                 u, 1, &centre, NULL),
                         GOFH_OK);
        for (int i = 0; i < s.samples; i++) s.a->incumbent[i] = centre - 0.37;
        check_gradient(&s, improvement, u);
        check_gradient(&s, plug_in, u);
        scene_close(&s);
    }
}

/* exp(N(mean, s^2)) has the mean exp(mean + s^2 / 2) and the variance (exp(s^2) - 1) exp(2 mean +
 * s^2). */
static void the_moments_of_a_logarithmic_output_are_log_normal(void **state)
{
    (void)state;
    scene s;
    double u[MOST_D], mean[MOST_M], deviation[MOST_M], expected = 0.0, variance = 0.0, got, spread;
    open_logarithmic(&s, 2100, 2, 3, 1);
    for (int k = 0; k < s.d; k++) u[k] = between(&s, 0.05, 0.95);
    moments_of_h(&s, 0, u, mean, deviation);
    for (int j = 0; j < s.m; j++) {
        double w = s.weights[j], square = deviation[j] * deviation[j];
        expected += w * (j % 2 ? mean[j] : exp(mean[j] + 0.5 * square));
        variance += w * w * (j % 2 ? square : (exp(square) - 1.0) * exp(2.0 * mean[j] + square));
    }
    assert_int_equal(acquisition_moments(s.a, NULL, 0, u, 1, &got, &spread), GOFH_OK);
    check_near(got, expected, 1e-12 * fabs(expected));
    check_near(spread * spread, variance, 1e-10 * variance);
    assert_int_equal(closed_mean(&s, u, &got, NULL), GOFH_OK);
    check_near(got, expected, 1e-12 * fabs(expected));
    check_estimate(by_monte_carlo(&s, ACQUIRE_MEAN, u), expected);
    assert_false(acquisition_has_closed_form(s.a, ACQUIRE_IMPROVEMENT));
    scene_close(&s);
}

/* A quadratic in the logarithm is what no line can correct: only that the data are met can be
 * right. */
static void a_correction_makes_the_model_meet_the_data(void **state)
{
    (void)state;
    scene s;
    open_logarithmic(&s, 2200, 2, 3, 1);
    double points[3 * 2] = {0.5, 0.5, 0.55, 0.5, 0.5, 0.45}, values[9], offset[3], slope[6], value;
    for (int i = 0; i < 9; i++) values[i] = 0.2 + 0.1 * i;
    double *work = memory_doubles(model_plane_work(s.mo));
    assert_non_null(work);
    assert_int_equal(model_plane(s.mo, 0, 2, points, values, offset, slope, work), 0);
    acquisition_correction correction = {points, offset, slope};
    for (int i = 0; i < 3; i++) {
        double expected = 0.0;
        for (int j = 0; j < 3; j++) expected += s.weights[j] * values[i * 3 + j];
        assert_int_equal(acquisition_corrected(s.a, 0, &correction, points + 2 * i, 1, &value, NULL),
                         GOFH_OK);
        check_near(value, expected, 1e-12);
    }
    free(work);
    scene_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_are_right_where_outputs_are_logarithms),
        cmocka_unit_test(the_moments_of_a_logarithmic_output_are_log_normal),
        cmocka_unit_test(a_correction_makes_the_model_meet_the_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

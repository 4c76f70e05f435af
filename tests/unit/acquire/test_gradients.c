/* Gradients in x against differences, with the normals held fixed, and against the gradient of the
 * exact value. */
#include "unit/acquire/models.h"

enum { SMALL = 16 }; /* draws: few, so that none is near the kink */

/* A smooth g of y and of x, with exact gradients unless they are not asked for. Its context is the
 * number of outputs and of parameters. */
typedef struct {
    int m, d;
} shape;

static int smooth(const double *y, const double *x, int count, double *value, double *dy, double *dx,
                  void *context)
{
    const shape *c = context;
    for (int s = 0; s < count; s++) {
        const double *h = y + s * c->m, *at = x + s * c->d;
        double sum = 0.0, bend = 0.0;
        for (int j = 0; j < c->m; j++) sum += (j + 1) * h[j];
        for (int k = 0; k < c->d; k++) bend += at[k] * at[k] / (k + 1);
        value[s] = sin(sum) + 0.1 * h[0] * h[0] + bend * cos(0.5 * h[0]);
        if (!dy) continue;
        for (int j = 0; j < c->m; j++) dy[s * c->m + j] = (j + 1) * cos(sum);
        dy[s * c->m] += 0.2 * h[0] - 0.5 * bend * sin(0.5 * h[0]);
        for (int k = 0; k < c->d; k++) dx[s * c->d + k] = 2.0 * at[k] / (k + 1) * cos(0.5 * h[0]);
    }
    return 0;
}

typedef gofh_status (*valuation)(scene *s, const double *u, double *value, double *gradient);

static gofh_status improvement(scene *s, const double *u, double *value, double *gradient)
{
    return acquisition_monte_carlo(s->a, acquire_goal_of(ACQUIRE_IMPROVEMENT), 0, s->samples, s->z, SMALL, u,
                                   1, value, gradient);
}

static gofh_status mean(scene *s, const double *u, double *value, double *gradient)
{
    return acquisition_monte_carlo(s->a, acquire_goal_of(ACQUIRE_MEAN), 0, s->samples, s->z, SMALL, u, 1,
                                   value, gradient);
}

static gofh_status closed_improvement(scene *s, const double *u, double *value, double *gradient)
{
    return acquisition_closed_form(s->a, acquire_goal_of(ACQUIRE_IMPROVEMENT), u, 1, value, gradient);
}

static gofh_status closed_probability(scene *s, const double *u, double *value, double *gradient)
{
    return acquisition_closed_form(s->a, scene_goal(s, ACQUIRE_PROBABILITY), u, 1, value, gradient);
}

static gofh_status closed_mean(scene *s, const double *u, double *value, double *gradient)
{
    return acquisition_closed_form(s->a, acquire_goal_of(ACQUIRE_MEAN), u, 1, value, gradient);
}

static gofh_status plug_in(scene *s, const double *u, double *value, double *gradient)
{
    return acquisition_plug_in(s->a, ACQUIRE_OBJECTIVE, s->samples - 1, u, 1, value, gradient);
}

static double value_beside(scene *s, valuation f, const double *u, int k, double step)
{
    double moved[MOST_D], value;
    memcpy(moved, u, (size_t)s->d * sizeof *u);
    moved[k] = u[k] + step;
    assert_int_equal(f(s, moved, &value, NULL), GOFH_OK);
    return value;
}

/* Differences of fourth order. */
static double slope(scene *s, valuation f, const double *u, int k)
{
    const double h = 1e-5;
    return (8.0 * (value_beside(s, f, u, k, h) - value_beside(s, f, u, k, -h)) -
            (value_beside(s, f, u, k, 2.0 * h) - value_beside(s, f, u, k, -2.0 * h))) /
           (12.0 * h);
}

static void check_gradient(scene *s, valuation f, const double *u, double tolerance)
{
    double value, gradient[MOST_D], difference[MOST_D], largest = 0.0;
    assert_int_equal(f(s, u, &value, gradient), GOFH_OK);
    for (int k = 0; k < s->d; k++) {
        difference[k] = slope(s, f, u, k);
        largest = fmax(largest, fabs(difference[k]));
    }
    assert_true(largest > 0.0);
    for (int k = 0; k < s->d; k++) check_near(gradient[k], difference[k], tolerance * largest);
}

/* Inside the cube, so that differences stay in it. */
static void inner_point(scene *s, double *u)
{
    for (int k = 0; k < s->d; k++) u[k] = between(s, 0.05, 0.95);
}

static void with_smooth_g(uint64_t seed, gofh_gradient gradient, double sign, valuation f, double tolerance)
{
    for (uint64_t trial = 0; trial < 6; trial++) {
        scene s;
        double u[MOST_D];
        scene_open(&s, seed + trial, 1 + (int)trial % 3, 1 + (int)trial % 4, 1 + (int)trial % 3, 6);
        shape c = {s.m, s.d};
        scene_use(&s, smooth, gradient, sign, &c);
        fresh_normals(&s);
        inner_point(&s, u);
        /* No draw is within a difference's reach of the kink. */
        double centre;
        assert_int_equal(mean(&s, u, &centre, NULL), GOFH_OK);
        for (int i = 0; i < s.samples; i++) s.a->incumbent[i] = centre - 0.37;
        check_gradient(&s, f, u, tolerance);
        scene_close(&s);
    }
}

static void the_gradient_of_ei_is_that_of_the_average_with_the_same_normals(void **state)
{
    (void)state;
    with_smooth_g(1000, GOFH_GRADIENT_GIVEN, 1.0, improvement, 1e-6);
}

static void the_gradient_of_ei_is_right_when_minimising(void **state)
{
    (void)state;
    with_smooth_g(1010, GOFH_GRADIENT_GIVEN, -1.0, improvement, 1e-6);
}

static void the_gradient_of_ei_is_right_without_a_gradient_of_g(void **state)
{
    (void)state;
    with_smooth_g(1020, GOFH_GRADIENT_NONE, 1.0, improvement, 1e-6);
}

static void the_gradient_of_the_mean_is_that_of_the_average_with_the_same_normals(void **state)
{
    (void)state;
    with_smooth_g(1030, GOFH_GRADIENT_GIVEN, 1.0, mean, 1e-6);
}

static void the_gradient_of_the_plug_in_is_right(void **state)
{
    (void)state;
    with_smooth_g(1040, GOFH_GRADIENT_GIVEN, 1.0, plug_in, 1e-6);
    with_smooth_g(1050, GOFH_GRADIENT_NONE, -1.0, plug_in, 1e-6);
}

static void the_plug_in_is_g_of_the_posterior_mean(void **state)
{
    (void)state;
    scene s;
    double u[MOST_D], x[MOST_D], h[MOST_M], deviation[MOST_M], value, expected;
    scene_open(&s, 1060, 3, 4, 2, 6);
    shape c = {s.m, s.d};
    scene_use(&s, smooth, GOFH_GRADIENT_GIVEN, 1.0, &c);
    inner_point(&s, u);
    for (int k = 0; k < s.d; k++)
        x[k] = s.scale[k] == GOFH_SCALE_LOG ? s.lower[k] * pow(s.upper[k] / s.lower[k], u[k])
                                            : s.lower[k] + u[k] * (s.upper[k] - s.lower[k]);
    moments_of_h(&s, 1, u, h, deviation);
    smooth(h, x, 1, &expected, NULL, NULL, &c);
    assert_int_equal(plug_in(&s, u, &value, NULL), GOFH_OK);
    check_near(value, expected, 1e-12);
    scene_close(&s);
}

static void the_gradients_of_the_closed_forms_are_right(void **state)
{
    (void)state;
    static const valuation forms[] = {closed_improvement, closed_probability, closed_mean};
    for (uint64_t trial = 0; trial < 9; trial++) {
        scene s;
        double u[MOST_D], centre, deviation;
        scene_open(&s, 1100 + trial, 1 + (int)trial % 3, 3, 1 + (int)trial % 3, 6);
        s.g.sign = trial % 2 ? 1.0 : -1.0;
        inner_point(&s, u);
        assert_int_equal(acquisition_moments(s.a, NULL, 0, u, 1, &centre, &deviation), GOFH_OK);
        for (int i = 0; i < s.samples; i++) s.a->incumbent[i] = centre + 0.3 * deviation;
        s.threshold = 0.2 * deviation;
        check_gradient(&s, forms[trial % 3], u, 1e-6);
        scene_close(&s);
    }
}

static int weighted(const double *y, const double *x, int count, double *value, double *dy, double *dx,
                    void *context)
{
    (void)x, (void)dx;
    const scene *c = context;
    for (int s = 0; s < count; s++) {
        value[s] = 0.0;
        for (int j = 0; j < c->m; j++) {
            value[s] += c->weights[j] * y[s * c->m + j];
            if (dy) dy[s * c->m + j] = c->weights[j];
        }
    }
    return 0;
}

/* Proposition 1: the estimator is unbiased. The exact gradient is by differences of the closed
 * form, which another test compares with its formula. */
static void the_mean_of_the_gradient_estimator_is_the_gradient_of_the_exact_value(void **state)
{
    (void)state;
    for (uint64_t trial = 0; trial < 4; trial++) {
        scene s;
        double u[MOST_D], centre, deviation, exact[MOST_D], sum[MOST_D] = {0}, squares[MOST_D] = {0};
        scene_open(&s, 1200 + trial, 1 + (int)trial % 3, 1 + (int)trial, 1, 6);
        inner_point(&s, u);
        assert_int_equal(acquisition_moments(s.a, NULL, 0, u, 1, &centre, &deviation), GOFH_OK);
        s.a->incumbent[0] = centre + 0.2 * deviation;
        for (int k = 0; k < s.d; k++) exact[k] = slope(&s, closed_improvement, u, k);
        scene_use(&s, weighted, GOFH_GRADIENT_GIVEN, 1.0, &s);
        for (int b = 0; b < BATCHES; b++) {
            double value, gradient[MOST_D];
            fresh_normals(&s);
            assert_int_equal(acquisition_monte_carlo(s.a, acquire_goal_of(ACQUIRE_IMPROVEMENT), 0, 1, s.z,
                                                     DRAWS, u, 1, &value, gradient),
                             GOFH_OK);
            for (int k = 0; k < s.d; k++) {
                sum[k] += gradient[k] / BATCHES;
                squares[k] += gradient[k] * gradient[k] / BATCHES;
            }
        }
        for (int k = 0; k < s.d; k++) {
            double error = sqrt(fmax(squares[k] - sum[k] * sum[k], 0.0) / (BATCHES - 1));
            check_near(sum[k], exact[k], 4.5 * error + 1e-7 * fabs(exact[k]));
        }
        scene_close(&s);
    }
}

static void many_points_at_once_are_the_same_as_one_at_a_time(void **state)
{
    (void)state;
    enum { POINTS = 150 };
    scene s;
    double points[POINTS * MOST_D], value[POINTS], gradient[POINTS * MOST_D];
    scene_open(&s, 1300, 3, 4, 2, 6);
    shape c = {s.m, s.d};
    scene_use(&s, smooth, GOFH_GRADIENT_GIVEN, 1.0, &c);
    for (int i = 0; i < s.samples; i++) s.a->incumbent[i] = 0.2;
    fresh_normals(&s);
    for (int i = 0; i < POINTS; i++) inner_point(&s, points + i * s.d);
    assert_int_equal(acquisition_monte_carlo(s.a, acquire_goal_of(ACQUIRE_IMPROVEMENT), 0, s.samples, s.z,
                                             SMALL, points, POINTS, value, gradient),
                     GOFH_OK);
    for (int i = 0; i < POINTS; i++) {
        double one, slope[MOST_D];
        assert_int_equal(improvement(&s, points + i * s.d, &one, slope), GOFH_OK);
        check_near(value[i], one, 1e-12);
        for (int k = 0; k < s.d; k++) check_near(gradient[i * s.d + k], slope[k], 1e-9);
    }
    scene_close(&s);
}

static int broken(const double *y, const double *x, int count, double *value, double *dy, double *dx,
                  void *context)
{
    (void)y, (void)x, (void)count, (void)value, (void)dy, (void)dx, (void)context;
    return 1;
}

static void a_failing_g_is_handed_on(void **state)
{
    (void)state;
    scene s;
    double u[MOST_D], value, deviation;
    scene_open(&s, 1400, 2, 2, 1, 5);
    scene_use(&s, broken, GOFH_GRADIENT_NONE, 1.0, NULL);
    random_point(&s, u);
    fresh_normals(&s);
    assert_int_equal(improvement(&s, u, &value, NULL), GOFH_ERROR_OUTER);
    assert_int_equal(plug_in(&s, u, &value, NULL), GOFH_ERROR_OUTER);
    assert_int_equal(acquisition_moments(s.a, s.z, 8, u, 1, &value, &deviation), GOFH_ERROR_OUTER);
    scene_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_gradient_of_ei_is_that_of_the_average_with_the_same_normals),
        cmocka_unit_test(the_gradient_of_ei_is_right_when_minimising),
        cmocka_unit_test(the_gradient_of_ei_is_right_without_a_gradient_of_g),
        cmocka_unit_test(the_gradient_of_the_mean_is_that_of_the_average_with_the_same_normals),
        cmocka_unit_test(the_gradient_of_the_plug_in_is_right),
        cmocka_unit_test(the_plug_in_is_g_of_the_posterior_mean),
        cmocka_unit_test(the_gradients_of_the_closed_forms_are_right),
        cmocka_unit_test(the_mean_of_the_gradient_estimator_is_the_gradient_of_the_exact_value),
        cmocka_unit_test(many_points_at_once_are_the_same_as_one_at_a_time),
        cmocka_unit_test(a_failing_g_is_handed_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

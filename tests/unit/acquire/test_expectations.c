/* Expectations under the posterior against formulas and quadrature. */
#include "unit/acquire/models.h"

/* w'mu and sqrt(w'Kw) under one sample. */
static void projected(const scene *s, int sample, const double *u, double *mean, double *deviation)
{
    double mu[MOST_M], sigma[MOST_M], variance = 0.0;
    moments_of_h(s, sample, u, mu, sigma);
    *mean = 0.0;
    for (int j = 0; j < s->m; j++) {
        *mean += s->weights[j] * mu[j];
        variance += s->weights[j] * s->weights[j] * sigma[j] * sigma[j];
    }
    *deviation = sqrt(variance);
}

/* Proposition 2, averaged over the samples. */
static double improvement_formula(const scene *s, const double *u)
{
    double sum = 0.0;
    for (int i = 0; i < s->samples; i++) {
        double mean, sigma;
        projected(s, i, u, &mean, &sigma);
        double delta = mean - s->a->incumbent[i];
        sum += (delta * big_phi(delta / sigma) + sigma * phi(delta / sigma)) / s->samples;
    }
    return sum;
}

static double probability_formula(const scene *s, const double *u)
{
    double sum = 0.0;
    for (int i = 0; i < s->samples; i++) {
        double mean, sigma;
        projected(s, i, u, &mean, &sigma);
        sum += big_phi((mean - s->a->incumbent[i] - s->threshold) / sigma) / s->samples;
    }
    return sum;
}

/* Incumbents that leave something to gain: near the mean at the point. */
static void set_incumbents(scene *s, const double *u)
{
    for (int i = 0; i < s->samples; i++) {
        double mean, sigma;
        projected(s, i, u, &mean, &sigma);
        s->a->incumbent[i] = mean + between(s, -1.0, 1.5) * sigma;
    }
}

/* A callback's y carries no number of outputs; g's context does. */
typedef struct {
    int m;
    const double *weights;
} linear_context;

static int linear_as_callback(const double *y, const double *x, int count, double *value, double *dy,
                              double *dx, void *context)
{
    (void)x, (void)dx, (void)dy;
    const linear_context *c = context;
    for (int s = 0; s < count; s++) {
        value[s] = 0.0;
        for (int j = 0; j < c->m; j++) value[s] += c->weights[j] * y[s * c->m + j];
    }
    return 0;
}

static void ei_by_monte_carlo_of_a_linear_g_is_proposition_2(void **state)
{
    (void)state;
    for (int trial = 0; trial < 8; trial++) {
        scene s;
        double u[MOST_D];
        scene_open(&s, 100 + (uint64_t)trial, 1 + trial % 3, 1 + trial % MOST_M, 1 + trial % 3, 6);
        random_point(&s, u);
        set_incumbents(&s, u);
        double expected = improvement_formula(&s, u);
        linear_context context = {s.m, s.weights};
        scene_use(&s, linear_as_callback, GOFH_GRADIENT_NONE, 1.0, &context);
        check_estimate(by_monte_carlo(&s, ACQUIRE_IMPROVEMENT, u), expected);
        scene_close(&s);
    }
}

static void draws_at_points_predicted_once_average_to_proposition_2(void **state)
{
    (void)state;
    static double f[DRAWS];
    for (int trial = 0; trial < 8; trial++) {
        scene s;
        double u[MOST_D], mean[MOST_M], deviation[MOST_M], value, best, most = -INFINITY, sum = 0.0,
                                                                        squares = 0.0;
        scene_open(&s, 300 + (uint64_t)trial, 1 + trial % 3, 1 + trial % MOST_M, 1, 6);
        random_point(&s, u);
        set_incumbents(&s, u);
        double expected = improvement_formula(&s, u);
        linear_context context = {s.m, s.weights};
        scene_use(&s, linear_as_callback, GOFH_GRADIENT_NONE, 1.0, &context);
        fresh_normals(&s);
        acquisition_predict(s.a, 0, u, 1, mean, deviation);
        assert_int_equal(acquisition_draw(s.a, ACQUIRE_OBJECTIVE, mean, deviation, s.z, DRAWS, u, 1, f),
                         GOFH_OK);
        acquisition_average(s.a, acquire_goal_of(ACQUIRE_IMPROVEMENT), 0, f, DRAWS, 1, &value);
        acquisition_average(s.a, acquire_goal_of(ACQUIRE_BEST_CASE), 0, f, DRAWS, 1, &best);
        for (int i = 0; i < DRAWS; i++) {
            double gain = fmax(f[i] - s.a->incumbent[0], 0.0);
            sum += gain;
            squares += gain * gain;
            most = fmax(most, f[i]);
        }
        double error = sqrt(fmax(squares / DRAWS - (sum / DRAWS) * (sum / DRAWS), 0.0) / DRAWS);
        assert_true(fabs(value - expected) <= 5.0 * error + 1e-12);
        assert_true(best == most);
        scene_close(&s);
    }
}

static void pi_by_monte_carlo_of_a_linear_g_is_its_closed_form(void **state)
{
    (void)state;
    for (int trial = 0; trial < 4; trial++) {
        scene s;
        double u[MOST_D];
        scene_open(&s, 200 + (uint64_t)trial, 2, 3, 2, 6);
        random_point(&s, u);
        set_incumbents(&s, u);
        s.threshold = 0.3;
        double expected = probability_formula(&s, u);
        linear_context context = {s.m, s.weights};
        scene_use(&s, linear_as_callback, GOFH_GRADIENT_NONE, 1.0, &context);
        check_estimate(by_monte_carlo(&s, ACQUIRE_PROBABILITY, u), expected);
        scene_close(&s);
    }
}

static void the_closed_forms_are_the_formulas(void **state)
{
    (void)state;
    for (int trial = 0; trial < 20; trial++) {
        scene s;
        double u[MOST_D], value;
        scene_open(&s, 300 + (uint64_t)trial, 2, 4, 3, 7);
        random_point(&s, u);
        set_incumbents(&s, u);
        assert_int_equal(
            acquisition_closed_form(s.a, acquire_goal_of(ACQUIRE_IMPROVEMENT), u, 1, &value, NULL), GOFH_OK);
        check_close(value, improvement_formula(&s, u), 1e-11);
        assert_int_equal(
            acquisition_closed_form(s.a, acquire_goal_of(ACQUIRE_PROBABILITY), u, 1, &value, NULL), GOFH_OK);
        check_close(value, probability_formula(&s, u), 1e-11);
        scene_close(&s);
    }
}

static void the_closed_form_of_a_minimised_g_is_that_of_its_negative(void **state)
{
    (void)state;
    scene s;
    double u[MOST_D], least, most;
    scene_open(&s, 350, 2, 3, 1, 7);
    random_point(&s, u);
    s.a->incumbent[0] = -0.3;
    s.g.sign = -1.0;
    assert_int_equal(acquisition_closed_form(s.a, acquire_goal_of(ACQUIRE_IMPROVEMENT), u, 1, &least, NULL),
                     GOFH_OK);
    s.g.sign = 1.0;
    for (int j = 0; j < s.m; j++) s.weights[j] = -s.weights[j];
    assert_int_equal(acquisition_closed_form(s.a, acquire_goal_of(ACQUIRE_IMPROVEMENT), u, 1, &most, NULL),
                     GOFH_OK);
    check_close(least, most, 1e-14);
    check_close(least, improvement_formula(&s, u), 1e-11);
    scene_close(&s);
}

static void before_anything_is_known_the_closed_forms_are_1_and_flat(void **state)
{
    (void)state;
    scene s;
    double u[MOST_D], value, gradient[MOST_D];
    scene_open(&s, 360, 2, 3, 2, 7);
    random_point(&s, u);
    for (int kind = ACQUIRE_IMPROVEMENT; kind <= ACQUIRE_PROBABILITY; kind++) {
        assert_int_equal(
            acquisition_closed_form(s.a, acquire_goal_of((acquire_kind)kind), u, 1, &value, gradient),
            GOFH_OK);
        check_near(value, 1.0, 0.0);
        for (int k = 0; k < s.d; k++) check_near(gradient[k], 0.0, 0.0);
    }
    scene_close(&s);
}

static int square(const double *y, const double *x, int count, double *value, double *dy, double *dx,
                  void *context)
{
    (void)x, (void)dx, (void)context;
    for (int s = 0; s < count; s++) {
        value[s] = y[s] * y[s];
        if (dy) dy[s] = 2.0 * y[s];
    }
    return 0;
}

/* E[(y^2 - f*)^+] of a normal y, by the trapezoidal rule on [-12, 12] deviations around the mean
 * (to the kinks). */
static double square_by_quadrature(double mean, double sigma, double incumbent)
{
    enum { STEPS = 400000 };
    double sum = 0.0, width = 24.0 / STEPS;
    for (int i = 0; i <= STEPS; i++) {
        double z = -12.0 + width * i, y = mean + sigma * z;
        sum += fmax(y * y - incumbent, 0.0) * phi(z) * width;
    }
    return sum;
}

static void ei_of_the_square_of_a_scalar_h_is_its_quadrature(void **state)
{
    (void)state;
    for (int trial = 0; trial < 5; trial++) {
        scene s;
        double u[MOST_D], mean, sigma;
        scene_open(&s, 400 + (uint64_t)trial, 1 + trial % 2, 1, 1, 5);
        scene_use(&s, square, GOFH_GRADIENT_GIVEN, 1.0, NULL);
        random_point(&s, u);
        moments_of_h(&s, 0, u, &mean, &sigma);
        s.a->incumbent[0] = mean * mean + sigma * sigma * between(&s, 0.0, 2.0);
        check_estimate(by_monte_carlo(&s, ACQUIRE_IMPROVEMENT, u),
                       square_by_quadrature(mean, sigma, s.a->incumbent[0]));
        scene_close(&s);
    }
}

/* y_1 where all others are 0 or more. */
static int constrained(const double *y, const double *x, int count, double *value, double *dy, double *dx,
                       void *context)
{
    (void)x, (void)dx, (void)dy;
    int m = *(const int *)context;
    for (int s = 0; s < count; s++) {
        value[s] = y[s * m];
        for (int j = 1; j < m; j++)
            if (y[s * m + j] < 0.0) value[s] = -INFINITY;
    }
    return 0;
}

static void constrained_ei_is_ei_times_the_probabilities_of_feasibility(void **state)
{
    (void)state;
    for (int trial = 0; trial < 5; trial++) {
        scene s;
        double u[MOST_D], mean[MOST_M], sigma[MOST_M];
        scene_open(&s, 500 + (uint64_t)trial, 2, 2 + trial % 3, 1, 5);
        scene_use(&s, constrained, GOFH_GRADIENT_NONE, 1.0, &s.m);
        do { /* a point that is feasible often enough to see */
            random_point(&s, u);
            moments_of_h(&s, 0, u, mean, sigma);
        } while (mean[1] < -sigma[1] || (s.m > 2 && mean[2] < -sigma[2]));
        s.a->incumbent[0] = mean[0] + 0.3 * sigma[0];
        double delta = mean[0] - s.a->incumbent[0];
        double expected = delta * big_phi(delta / sigma[0]) + sigma[0] * phi(delta / sigma[0]),
               feasible = 1.0;
        for (int j = 1; j < s.m; j++) feasible *= big_phi(mean[j] / sigma[j]);
        check_estimate(by_monte_carlo(&s, ACQUIRE_IMPROVEMENT, u), expected * feasible);
        /* Before anything feasible is known: the probability to be. */
        s.a->incumbent[0] = -INFINITY;
        check_estimate(by_monte_carlo(&s, ACQUIRE_IMPROVEMENT, u), feasible);
        scene_close(&s);
    }
}

typedef struct {
    int m;
    double observed[MOST_M];
} misfit_context;

static int misfit(const double *y, const double *x, int count, double *value, double *dy, double *dx,
                  void *context)
{
    (void)x, (void)dx;
    const misfit_context *c = context;
    for (int s = 0; s < count; s++) {
        value[s] = 0.0;
        for (int j = 0; j < c->m; j++) {
            double rest = y[s * c->m + j] - c->observed[j];
            value[s] -= rest * rest;
            if (dy) dy[s * c->m + j] = -2.0 * rest;
        }
    }
    return 0;
}

/* E = -sum (b_j^2 + s_j^2) and Var = sum (2 s_j^4 + 4 b_j^2 s_j^2) with b = mean - observed, under
 * one sample. */
static void misfit_moments(const scene *s, int sample, const misfit_context *c, const double *u, double *mean,
                           double *variance)
{
    double mu[MOST_M], sigma[MOST_M];
    moments_of_h(s, sample, u, mu, sigma);
    *mean = *variance = 0.0;
    for (int j = 0; j < s->m; j++) {
        double bias = mu[j] - c->observed[j], spread = sigma[j] * sigma[j];
        *mean -= bias * bias + spread;
        *variance += 2.0 * spread * spread + 4.0 * bias * bias * spread;
    }
}

static void mean_and_deviation_of_a_misfit_are_their_formulas(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, 600, 2, 4, 3, 6);
    misfit_context c = {.m = s.m, .observed = {0.3, -0.5, 1.0, 0.0}};
    scene_use(&s, misfit, GOFH_GRADIENT_GIVEN, 1.0, &c);
    for (int trial = 0; trial < 4; trial++) {
        double u[MOST_D], mean = 0.0, second = 0.0, f, deviation;
        random_point(&s, u);
        for (int i = 0; i < s.samples; i++) {
            double one, variance;
            misfit_moments(&s, i, &c, u, &one, &variance);
            mean += one / s.samples;
            second += (one * one + variance) / s.samples;
        }
        check_estimate(by_monte_carlo(&s, ACQUIRE_MEAN, u), mean);
        fresh_normals(&s);
        double expected = sqrt(second - mean * mean);
        assert_int_equal(acquisition_moments(s.a, s.z, DRAWS, u, 1, &f, &deviation), GOFH_OK);
        check_near(f, mean, 5.0 * expected / sqrt(DRAWS));
        /* The standard error of a deviation, for the heavy tail of a sum of squares, is below 3 %
         * here. */
        check_close(deviation, expected, 0.1);
    }
    scene_close(&s);
}

static void moments_of_a_linear_g_are_exact(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, 610, 2, 4, 3, 6);
    s.g.sign = -1.0;
    double points[100 * MOST_D], f[100], deviation[100];
    for (int i = 0; i < 100; i++) random_point(&s, points + i * s.d);
    assert_int_equal(acquisition_moments(s.a, NULL, 0, points, 100, f, deviation), GOFH_OK);
    for (int i = 0; i < 100; i++) {
        double mean = 0.0, second = 0.0;
        for (int k = 0; k < s.samples; k++) {
            double one, sigma;
            projected(&s, k, points + i * s.d, &one, &sigma);
            mean -= one / s.samples;
            second += (one * one + sigma * sigma) / s.samples;
        }
        check_near(f[i], mean, 1e-12);
        check_close(deviation[i], sqrt(second - mean * mean), 1e-7);
    }
    scene_close(&s);
}

static void moments_of_what_is_not_allowed_are_infinite_not_nan(void **state)
{
    (void)state;
    scene s;
    double u[MOST_D], f, deviation;
    scene_open(&s, 620, 2, 2, 1, 5);
    scene_use(&s, constrained, GOFH_GRADIENT_NONE, 1.0, &s.m);
    double mean[MOST_M], sigma[MOST_M];
    do {
        random_point(&s, u);
        moments_of_h(&s, 0, u, mean, sigma);
    } while (fabs(mean[1]) > sigma[1]);
    fresh_normals(&s);
    assert_int_equal(acquisition_moments(s.a, s.z, DRAWS, u, 1, &f, &deviation), GOFH_OK);
    assert_true(f == -INFINITY && deviation == INFINITY);
    scene_close(&s);
}

static void the_best_case_is_the_largest_draw(void **state)
{
    (void)state;
    scene s;
    double u[MOST_D], mean, sigma, best, largest = -INFINITY;
    scene_open(&s, 630, 2, 1, 1, 5);
    random_point(&s, u);
    moments_of_h(&s, 0, u, &mean, &sigma);
    s.weights[0] = 2.0;
    fresh_normals(&s);
    for (int i = 0; i < 50; i++) largest = fmax(largest, 2.0 * (mean + sigma * s.z[i]));
    assert_int_equal(
        acquisition_monte_carlo(s.a, acquire_goal_of(ACQUIRE_BEST_CASE), 0, 1, s.z, 50, u, 1, &best, NULL),
        GOFH_OK);
    check_close(best, largest, 1e-13);
    scene_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ei_by_monte_carlo_of_a_linear_g_is_proposition_2),
        cmocka_unit_test(pi_by_monte_carlo_of_a_linear_g_is_its_closed_form),
        cmocka_unit_test(the_closed_forms_are_the_formulas),
        cmocka_unit_test(the_closed_form_of_a_minimised_g_is_that_of_its_negative),
        cmocka_unit_test(before_anything_is_known_the_closed_forms_are_1_and_flat),
        cmocka_unit_test(ei_of_the_square_of_a_scalar_h_is_its_quadrature),
        cmocka_unit_test(constrained_ei_is_ei_times_the_probabilities_of_feasibility),
        cmocka_unit_test(mean_and_deviation_of_a_misfit_are_their_formulas),
        cmocka_unit_test(moments_of_a_linear_g_are_exact),
        cmocka_unit_test(moments_of_what_is_not_allowed_are_infinite_not_nan),
        cmocka_unit_test(the_best_case_is_the_largest_draw),
        cmocka_unit_test(draws_at_points_predicted_once_average_to_proposition_2),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The acquisition where there are constraints: closed forms for independent ones, soft edges and
 * their gradients. */
#include "unit/acquire/models.h"

enum { MOST_K = 6, SMALL = 24 };

typedef struct {
    scene s;
    gofh_constraints *constraints;
} fenced;

/* A model of m outputs, g = y[0], with constraints over y and the parameters x0, x1, ... */
static void fenced_open(fenced *f, uint64_t seed, int d, int m, int samples, const char *const *texts,
                        int count)
{
    scene *s = &f->s;
    static const char *const names[] = {"x0", "x1", "x2", "x3"};
    gofh_error error = {.status = GOFH_OK};
    gofh_symbols *symbols = gofh_symbols_create();
    scene_open(s, seed, d, m, samples, 6);
    gofh_symbols_add_output(symbols, "y", m, &error);
    for (int k = 0; k < d; k++) gofh_symbols_add_parameter(symbols, names[k], &error);
    gofh_constraints_compile(&f->constraints, texts, count, symbols, &error);
    assert_string_equal(error.message, "");
    gofh_symbols_free(symbols);
    for (int j = 0; j < m; j++) s->weights[j] = j == 0;
    s->g.constraints = f->constraints;
    s->g.margins = gofh_constraints_margins(f->constraints);
    acquisition_free(s->a);
    s->a = acquisition_create(s->mo, &s->g, &s->box);
    assert_non_null(s->a);
}

static void fenced_close(fenced *f)
{
    scene_close(&f->s);
    gofh_constraints_free(f->constraints);
}

static void set_incumbent(scene *s, double value)
{
    for (int i = 0; i < s->samples; i++) s->a->incumbent[i] = value;
}

static const char *const THREE[] = {"y[1] <= 1.5", "2*y[2] >= -1", "y[3] == 0.5 +- 2"};

/* P(all of THREE) of independent normal outputs. */
static double probability(const double *mean, const double *deviation)
{
    return big_phi((1.5 - mean[1]) / deviation[1]) * big_phi((mean[2] + 0.5) / deviation[2]) *
           (big_phi((2.5 - mean[3]) / deviation[3]) - big_phi((-1.5 - mean[3]) / deviation[3]));
}

/* Points where the probability, averaged over the samples, is neither 0 nor 1. */
static double uncertain_point(scene *s, double *u)
{
    for (;;) {
        double chance = 0.0, mean[MOST_M], deviation[MOST_M];
        random_point(s, u);
        for (int i = 0; i < s->samples; i++) {
            moments_of_h(s, i, u, mean, deviation);
            chance += probability(mean, deviation) / s->samples;
        }
        if (chance > 0.05 && chance < 0.95) return chance;
    }
}

static void ei_with_independent_constraints_is_ei_times_their_probabilities(void **state)
{
    (void)state;
    for (uint64_t trial = 0; trial < 6; trial++) {
        fenced f;
        double u[MOST_D], mean[MOST_M], deviation[MOST_M], expected = 0.0;
        fenced_open(&f, 3000 + trial, 1 + (int)trial % 3, 4, 1 + (int)trial % 3, THREE, 3);
        uncertain_point(&f.s, u);
        moments_of_h(&f.s, 0, u, mean, deviation);
        double incumbent = mean[0] + 0.4 * deviation[0];
        set_incumbent(&f.s, incumbent);
        for (int i = 0; i < f.s.samples; i++) {
            moments_of_h(&f.s, i, u, mean, deviation);
            double z = (mean[0] - incumbent) / deviation[0];
            expected += deviation[0] * (z * big_phi(z) + phi(z)) * probability(mean, deviation) / f.s.samples;
        }
        check_estimate(by_monte_carlo(&f.s, ACQUIRE_IMPROVEMENT, u), expected);
        fenced_close(&f);
    }
}

static void before_anything_allowed_is_known_it_is_the_probability_of_feasibility(void **state)
{
    (void)state;
    for (uint64_t trial = 0; trial < 6; trial++) {
        fenced f;
        double u[MOST_D];
        fenced_open(&f, 3100 + trial, 1 + (int)trial % 3, 4, 1 + (int)trial % 3, THREE, 3);
        double expected = uncertain_point(&f.s, u);
        set_incumbent(&f.s, -INFINITY);
        check_estimate(by_monte_carlo(&f.s, ACQUIRE_IMPROVEMENT, u), expected);
        fenced_close(&f);
    }
}

static void an_equality_with_a_tolerance_is_a_difference_of_probabilities(void **state)
{
    (void)state;
    static const char *const text[] = {"y[1] == 0.25 +- 0.125"};
    for (uint64_t trial = 0; trial < 4; trial++) {
        fenced f;
        double u[MOST_D], mean[MOST_M], deviation[MOST_M], expected;
        fenced_open(&f, 3200 + trial, 2, 2, 1, text, 1);
        do {
            random_point(&f.s, u);
            moments_of_h(&f.s, 0, u, mean, deviation);
            expected = big_phi((0.375 - mean[1]) / deviation[1]) - big_phi((0.125 - mean[1]) / deviation[1]);
        } while (expected < 0.01);
        set_incumbent(&f.s, -INFINITY);
        check_estimate(by_monte_carlo(&f.s, ACQUIRE_IMPROVEMENT, u), expected);
        fenced_close(&f);
    }
}

static void a_constraint_on_parameters_alone_is_known(void **state)
{
    (void)state;
    static const char *const text[] = {"x0 + 0.5*x1 <= 3"};
    fenced f;
    fenced_open(&f, 3300, 2, 2, 1, text, 1);
    int inside = 0;
    for (int i = 0; i < 200; i++) {
        double u[MOST_D], value;
        random_point(&f.s, u);
        fresh_normals(&f.s);
        set_incumbent(&f.s, -INFINITY);
        double x0 = 1.0 + 2.0 * u[0], x1 = 2.0 * pow(5.0 / 2.0, u[1]); /* as scene_open says */
        assert_int_equal(acquisition_monte_carlo(f.s.a, acquire_goal_of(ACQUIRE_IMPROVEMENT), 0, 1, f.s.z, 64,
                                                 u, 1, &value, NULL),
                         GOFH_OK);
        int allowed = x0 + 0.5 * x1 <= 3.0;
        check_near(value, allowed, 0.0);
        inside += allowed;
    }
    assert_true(inside > 20 && inside < 180);
    fenced_close(&f);
}

/* Eq. 23 draw by draw: widths of a tenth of the margin's deviation among the draws. g = y[0],
 * THREE. */
static double soft_by_hand(const scene *s, acquire_kind kind, const double *u, int draws)
{
    double total = 0.0;
    for (int sample = 0; sample < s->samples; sample++) {
        double mean[MOST_M], deviation[MOST_M], margin[SMALL][4], width[4] = {0};
        moments_of_h(s, sample, u, mean, deviation);
        for (int i = 0; i < draws; i++) {
            double h[MOST_M];
            for (int j = 0; j < s->m; j++) h[j] = mean[j] + deviation[j] * s->z[i * s->m + j];
            margin[i][0] = h[0];
            margin[i][1] = 1.5 - h[1];
            margin[i][2] = 2.0 * h[2] + 1.0;
            margin[i][3] = 2.0 - fabs(h[3] - 0.5);
        }
        for (int k = 1; k < 4; k++) {
            double sum = 0.0, squares = 0.0;
            for (int i = 0; i < draws; i++) sum += margin[i][k] / draws;
            for (int i = 0; i < draws; i++) squares += pow(margin[i][k] - sum, 2.0) / draws;
            width[k] = 0.1 * sqrt(squares);
        }
        for (int i = 0; i < draws; i++) {
            double gain = margin[i][0] - s->a->incumbent[sample], t = gain / s->smoothing;
            double part = kind == ACQUIRE_SOFT_IMPROVEMENT ? fmax(gain, 0.0)
                                                           : log1p(exp(t)) + 0.1 / (1.0 + t * t);
            for (int k = 1; k < 4; k++) {
                double v = margin[i][k] / width[k];
                part *= v < 0.0 ? 0.5 / pow(1.0 - v, 2.0) : 1.0 - 0.5 / pow(1.0 + v, 2.0);
            }
            total += part / draws / s->samples;
        }
    }
    return total;
}

static double soft(scene *s, acquire_kind kind, const double *u, double *gradient)
{
    double value;
    assert_int_equal(acquisition_monte_carlo(s->a, scene_goal(s, kind), 0, s->samples, s->z, SMALL, u, 1,
                                             &value, gradient),
                     GOFH_OK);
    return value;
}

static void place(fenced *f, uint64_t seed, const char *const *texts, int count, double *u)
{
    double mean[MOST_M], deviation[MOST_M];
    fenced_open(f, seed, 1 + (int)(seed % 3), 4, 1 + (int)(seed % 2), texts, count);
    fresh_normals(&f->s);
    for (int k = 0; k < f->s.d; k++) u[k] = between(&f->s, 0.05, 0.95);
    moments_of_h(&f->s, 0, u, mean, deviation);
    set_incumbent(&f->s, mean[0] + 0.317 * deviation[0]);
    f->s.smoothing = 0.3 * deviation[0];
}

static void what_is_climbed_is_equation_23_over_the_draws(void **state)
{
    (void)state;
    static const acquire_kind kinds[] = {ACQUIRE_SOFT_IMPROVEMENT, ACQUIRE_SMOOTH};
    for (uint64_t seed = 3400; seed < 3410; seed++) {
        fenced f;
        double u[MOST_D];
        place(&f, seed, THREE, 3, u);
        acquire_kind kind = kinds[seed % 2];
        check_close(soft(&f.s, kind, u, NULL), soft_by_hand(&f.s, kind, u, SMALL), 1e-11);
        fenced_close(&f);
    }
}

static void check_soft_gradient(scene *s, acquire_kind kind, const double *u)
{
    double gradient[MOST_D], difference[MOST_D], largest = 0.0;
    soft(s, kind, u, gradient);
    for (int k = 0; k < s->d; k++) {
        /* Small against the width of an edge; the differences are of fourth order. */
        const double h = 2e-6;
        double moved[MOST_D], at[4], by[4] = {-2.0 * h, -h, h, 2.0 * h};
        memcpy(moved, u, (size_t)s->d * sizeof *u);
        for (int i = 0; i < 4; i++) {
            moved[k] = u[k] + by[i];
            at[i] = soft(s, kind, moved, NULL);
        }
        difference[k] = (8.0 * (at[2] - at[1]) - (at[3] - at[0])) / (12.0 * h);
        largest = fmax(largest, fabs(difference[k]));
    }
    assert_true(largest > 0.0);
    for (int k = 0; k < s->d; k++) check_near(gradient[k], difference[k], 1e-5 * largest);
}

static void the_gradient_climbed_is_that_of_the_soft_value_with_the_same_normals(void **state)
{
    (void)state;
    static const char *const mixed[] = {"y[1] <= 1.5", "y[2]*y[3] >= x0 - 2", "exp(0.2*y[1]) + y[2] <= 2*x0"};
    static const acquire_kind kinds[] = {ACQUIRE_SOFT_IMPROVEMENT, ACQUIRE_SMOOTH};
    for (uint64_t seed = 3500; seed < 3512; seed++) {
        fenced f;
        double u[MOST_D];
        place(&f, seed, seed % 3 ? mixed : THREE, 3, u);
        check_soft_gradient(&f.s, kinds[seed % 2], u);
        set_incumbent(&f.s, -INFINITY); /* the probability of feasibility */
        check_soft_gradient(&f.s, kinds[seed % 2], u);
        fenced_close(&f);
    }
}

static void no_value_depends_on_whether_its_gradient_is_asked_for(void **state)
{
    (void)state;
    static const acquire_kind kinds[] = {ACQUIRE_IMPROVEMENT, ACQUIRE_SOFT_IMPROVEMENT, ACQUIRE_SMOOTH,
                                         ACQUIRE_PROBABILITY, ACQUIRE_MEAN};
    for (uint64_t seed = 3520; seed < 3530; seed++) {
        fenced f;
        double u[MOST_D], gradient[MOST_D];
        place(&f, seed, THREE, 3, u);
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            double alone = soft(&f.s, kinds[k], u, NULL), beside = soft(&f.s, kinds[k], u, gradient);
            if (isfinite(alone)) check_close(beside, alone, 1e-9); /* the deviations differ by rounding */
            assert_int_equal(isfinite(alone), isfinite(beside));
        }
        fenced_close(&f);
    }
}

static void far_outside_the_gradient_points_towards_what_is_allowed(void **state)
{
    (void)state;
    static const char *const text[] = {"y[1] >= 1000"}; /* hundreds of deviations away */
    for (uint64_t seed = 3600; seed < 3606; seed++) {
        fenced f;
        double u[MOST_D], gradient[MOST_D], value, length = 0.0, mean[MOST_M], further[MOST_M],
                                                   deviation[MOST_M];
        place(&f, seed, text, 1, u);
        set_incumbent(&f.s, -INFINITY);
        fresh_normals(&f.s);
        assert_int_equal(acquisition_monte_carlo(f.s.a, acquire_goal_of(ACQUIRE_IMPROVEMENT), 0, 1, f.s.z,
                                                 SMALL, u, 1, &value, NULL),
                         GOFH_OK);
        check_near(value, 0.0, 0.0);
        assert_true(soft(&f.s, ACQUIRE_SOFT_IMPROVEMENT, u, gradient) > 0.0);
        for (int k = 0; k < f.s.d; k++) length += gradient[k] * gradient[k];
        assert_true(length > 0.0);
        /* A step along it brings margins, in their deviations, nearer to the edge. */
        moments_of_h(&f.s, 0, u, mean, deviation);
        double before = (mean[1] - 1000.0) / deviation[1];
        for (int k = 0; k < f.s.d; k++) u[k] += 1e-3 * gradient[k] / sqrt(length);
        if (f.s.samples == 1) {
            moments_of_h(&f.s, 0, u, further, deviation);
            assert_true((further[1] - 1000.0) / deviation[1] > before);
        }
        fenced_close(&f);
    }
}

static void moments_of_a_linear_g_heed_the_constraints(void **state)
{
    (void)state;
    static const char *const never[] = {"y[1] >= 1000"}, *const always[] = {"y[1] >= -1000"};
    fenced f;
    double u[MOST_D], value, deviation, mean[MOST_M], spread[MOST_M];
    place(&f, 3700, never, 1, u);
    fresh_normals(&f.s);
    assert_int_equal(acquisition_moments(f.s.a, f.s.z, 128, u, 1, &value, &deviation), GOFH_OK);
    assert_true(value == -INFINITY && deviation == INFINITY);
    fenced_close(&f);
    place(&f, 3702, always, 1, u);
    assert_int_equal(f.s.samples, 1);
    fresh_normals(&f.s);
    assert_int_equal(acquisition_moments(f.s.a, f.s.z, DRAWS, u, 1, &value, &deviation), GOFH_OK);
    moments_of_h(&f.s, 0, u, mean, spread);
    check_near(value, mean[0], 4.5 * spread[0] / sqrt(DRAWS));
    check_near(deviation, spread[0], 4.5 * spread[0] / sqrt(2.0 * DRAWS));
    fenced_close(&f);
}

static void up_to_one_draw_in_forty_may_break_a_constraint(void **state)
{
    (void)state;
    for (int refused = 2; refused <= 4; refused++) {
        static const char *const text[] = {"y[1] >= 0"};
        fenced f;
        double u[MOST_D], value, deviation, mean[MOST_M], spread[MOST_M];
        place(&f, 3802, text, 1, u);
        assert_int_equal(f.s.samples, 1);
        moments_of_h(&f.s, 0, u, mean, spread);
        for (int i = 0; i < 120; i++)
            f.s.z[i * f.s.m + 1] = ((i < refused ? -1.0 : 1.0) - mean[1]) / spread[1]; /* y[1] is -1 or 1 */
        assert_int_equal(acquisition_moments(f.s.a, f.s.z, 120, u, 1, &value, &deviation), GOFH_OK);
        assert_true(refused <= 3 ? isfinite(value) : value == -INFINITY);
        assert_int_equal(acquisition_monte_carlo(f.s.a, acquire_goal_of(ACQUIRE_MEAN), 0, 1, f.s.z, 120, u, 1,
                                                 &value, NULL),
                         GOFH_OK);
        assert_true(refused <= 3 ? isfinite(value) : value == -INFINITY);
        fenced_close(&f);
    }
}

static void the_plug_in_pays_for_violations_of_the_posterior_mean(void **state)
{
    (void)state;
    for (uint64_t seed = 3900; seed < 3906; seed++) {
        static const char *const texts[] = {"y[1] <= -5", "y[2] >= 5", "y[3] >= -1000"};
        fenced f;
        double u[MOST_D], value, gradient[MOST_D], mean[MOST_M], deviation[MOST_M];
        place(&f, seed, texts, 3, u);
        for (int i = 0; i < 3; i++) f.s.a->penalty[i] = 1.0 + i;
        assert_int_equal(acquisition_plug_in(f.s.a, ACQUIRE_OBJECTIVE, 0, u, 1, &value, gradient), GOFH_OK);
        moments_of_h(&f.s, 0, u, mean, deviation);
        check_near(value, mean[0] - (mean[1] + 5.0) - 2.0 * (5.0 - mean[2]), 1e-10);
        for (int k = 0; k < f.s.d; k++) {
            double moved[MOST_D], above, below;
            memcpy(moved, u, sizeof moved);
            moved[k] = u[k] + 1e-5;
            acquisition_plug_in(f.s.a, ACQUIRE_OBJECTIVE, 0, moved, 1, &above, NULL);
            moved[k] = u[k] - 1e-5;
            acquisition_plug_in(f.s.a, ACQUIRE_OBJECTIVE, 0, moved, 1, &below, NULL);
            check_near(gradient[k], (above - below) / 2e-5, 1e-6 * (1.0 + fabs(gradient[k])));
        }
        fenced_close(&f);
    }
}

static void margins_kept_apart_have_their_values_and_slopes(void **state)
{
    (void)state;
    static const char *const texts[] = {"y[1]*x0 <= 1", "y[2] >= y[3]^2"};
    for (uint64_t seed = 4000; seed < 4004; seed++) {
        fenced f;
        double u[MOST_D], value, gradient[MOST_D], margin[2], slope[2 * MOST_D], mean[MOST_M],
            deviation[MOST_M];
        double offset[] = {0.1, -0.2, 0.3, 0.4}, tilt[4 * MOST_D];
        place(&f, seed, texts, 2, u);
        for (int i = 0; i < 4 * f.s.d; i++) tilt[i] = 0.1 * (i + 1);
        double centre[MOST_D] = {0.5, 0.5, 0.5};
        acquisition_correction correction = {centre, offset, tilt};
        assert_int_equal(acquisition_with_margins(f.s.a, 0, &correction, u, &value, gradient, margin, slope),
                         GOFH_OK);
        moments_of_h(&f.s, 0, u, mean, deviation);
        for (int j = 0; j < 4; j++) {
            mean[j] += offset[j];
            for (int k = 0; k < f.s.d; k++) mean[j] += tilt[j * f.s.d + k] * (u[k] - 0.5);
        }
        check_near(value, mean[0], 1e-11);
        check_near(margin[0], 1.0 - mean[1] * (1.0 + 2.0 * u[0]), 1e-10);
        check_near(margin[1], mean[2] - mean[3] * mean[3], 1e-10);
        for (int k = 0; k < f.s.d; k++) {
            double moved[MOST_D], v[2], c[2][2], ignored[MOST_D], ignored_too[2 * MOST_D];
            memcpy(moved, u, sizeof moved);
            for (int side = 0; side < 2; side++) {
                moved[k] = u[k] + (side ? 1e-5 : -1e-5);
                acquisition_with_margins(f.s.a, 0, &correction, moved, &v[side], ignored, c[side],
                                         ignored_too);
            }
            check_near(gradient[k], (v[1] - v[0]) / 2e-5, 1e-6 * (1.0 + fabs(gradient[k])));
            for (int i = 0; i < 2; i++)
                check_near(slope[i * f.s.d + k], (c[1][i] - c[0][i]) / 2e-5,
                           1e-6 * (1.0 + fabs(slope[i * f.s.d + k])));
        }
        fenced_close(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ei_with_independent_constraints_is_ei_times_their_probabilities),
        cmocka_unit_test(before_anything_allowed_is_known_it_is_the_probability_of_feasibility),
        cmocka_unit_test(an_equality_with_a_tolerance_is_a_difference_of_probabilities),
        cmocka_unit_test(a_constraint_on_parameters_alone_is_known),
        cmocka_unit_test(what_is_climbed_is_equation_23_over_the_draws),
        cmocka_unit_test(the_gradient_climbed_is_that_of_the_soft_value_with_the_same_normals),
        cmocka_unit_test(no_value_depends_on_whether_its_gradient_is_asked_for),
        cmocka_unit_test(far_outside_the_gradient_points_towards_what_is_allowed),
        cmocka_unit_test(moments_of_a_linear_g_heed_the_constraints),
        cmocka_unit_test(up_to_one_draw_in_forty_may_break_a_constraint),
        cmocka_unit_test(the_plug_in_pays_for_violations_of_the_posterior_mean),
        cmocka_unit_test(margins_kept_apart_have_their_values_and_slopes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

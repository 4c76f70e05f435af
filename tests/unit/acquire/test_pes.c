#include "acquire/pes.h"

#include "acquire/ep.h"
#include "acquire/pes_condition.h"
#include "base/normal.h"
#include "model/kernel.h"
#include "pes_fixture.h"

/* Functionals of every kind at a point of two dimensions, with the datum at (0.7, 0.1) as the
 * best. */
typedef struct {
    gp process;
    gp_inputs inputs;
    condition c;
    double inverse_lengthscale[2], data[2], x[2];
    functional functionals[6];
} functional_case;

enum { VALUE, SLOPE_0, SLOPE_1, CURVATURE_0, CURVATURE_1, GAP, FUNCTIONALS };

static void functional_case_set(functional_case *t, gofh_kernel kernel)
{
    *t = (functional_case){.inverse_lengthscale = {2.0, 3.0}, .data = {0.7, 0.1}, .x = {0.35, 0.6}};
    const functional all[] = {{FUNCTIONAL_VALUE, 0, 1.0},     {FUNCTIONAL_SLOPE, 0, -1.0},
                              {FUNCTIONAL_SLOPE, 1, 1.0},     {FUNCTIONAL_CURVATURE, 0, -1.0},
                              {FUNCTIONAL_CURVATURE, 1, 1.0}, {FUNCTIONAL_GAP, 0, 1.0}};
    for (int i = 0; i < FUNCTIONALS; i++) t->functionals[i] = all[i];
    t->process.hyper.inverse_lengthscale = t->inverse_lengthscale;
    t->inputs = (gp_inputs){.d = 2, .n = 1, .capacity = 1, .x = t->data};
    t->c = (condition){.process = &t->process,
                       .inputs = &t->inputs,
                       .kernel = kernel,
                       .x = t->x,
                       .count = FUNCTIONALS,
                       .functionals = t->functionals};
}

static double correlation(const functional_case *t, const double *a, const double *b)
{
    double r2 = 0.0, value;
    for (int k = 0; k < 2; k++)
        r2 += (a[k] - b[k]) * (a[k] - b[k]) * t->inverse_lengthscale[k] * t->inverse_lengthscale[k];
    kernel_apply(t->c.kernel, &r2, 1, &value, NULL);
    return value;
}

/* Any function of a point, and the functionals applied to it by central differences. */
typedef double (*point_function)(const functional_case *t, const double *x, const void *context);

static double by_differences(const functional_case *t, int which, double step, point_function function,
                             const void *context)
{
    const functional *f = &t->functionals[which];
    double up[] = {t->x[0], t->x[1]}, down[] = {t->x[0], t->x[1]}, centre = function(t, t->x, context);
    double move = step / t->inverse_lengthscale[f->coordinate];
    up[f->coordinate] += move;
    down[f->coordinate] -= move;
    switch (f->kind) {
    case FUNCTIONAL_SLOPE:
        return f->sign * (function(t, up, context) - function(t, down, context)) / (2.0 * step);
    case FUNCTIONAL_CURVATURE:
        return f->sign * (function(t, up, context) - 2.0 * centre + function(t, down, context)) /
               (step * step);
    case FUNCTIONAL_GAP:
        return f->sign * (centre - function(t, t->data, context));
    default:
        return f->sign * centre;
    }
}

static double correlation_with(const functional_case *t, const double *x, const void *other)
{
    return correlation(t, x, other);
}

static double cross_of(const functional_case *t, const double *x, const void *which)
{
    double covariance[FUNCTIONALS];
    condition_cross(&t->c, x, correlation(t, x, t->data), covariance);
    return covariance[*(const int *)which];
}

static int exists(gofh_kernel kernel, int which)
{
    return kernel != GOFH_KERNEL_MATERN_32 || (which != CURVATURE_0 && which != CURVATURE_1);
}

static void kernel_derivatives_match_differences(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        functional_case t;
        functional_case_set(&t, (gofh_kernel)k);
        double x[] = {0.52, 0.37}, covariance[FUNCTIONALS];
        condition_cross(&t.c, x, correlation(&t, x, t.data), covariance);
        for (int i = 0; i < FUNCTIONALS; i++)
            if (exists(t.c.kernel, i))
                check_near(covariance[i], by_differences(&t, i, 1e-4, correlation_with, x), 1e-6);
    }
}

static void covariances_of_derivatives_match_differences(void **state)
{
    (void)state;
    /* The highest derivative of a Matern kernel that exists has a kink at 0: differences are of
     * order 1. */
    const double tolerance[] = {1e-5, 0.1, 0.02};
    for (int k = 0; k < 3; k++) {
        functional_case t;
        functional_case_set(&t, (gofh_kernel)k);
        double cross[FUNCTIONALS];
        condition_cross(&t.c, t.data, 1.0, cross);
        for (int i = 0; i < FUNCTIONALS; i++)
            for (int j = 0; j < FUNCTIONALS; j++) {
                if (!exists(t.c.kernel, i) || !exists(t.c.kernel, j)) continue;
                double expected = by_differences(&t, i, 1e-3, cross_of, &j);
                check_near(condition_prior(&t.c, i, j, cross), expected, tolerance[k]);
            }
    }
}

/* Moments of a normal pair known to be positive, by the midpoint rule. */
static void truncated_moments(const double *mean, const double *covariance, double *moments)
{
    double det = covariance[0] * covariance[3] - covariance[1] * covariance[1], mass = 0.0, step = 0.02;
    double sum[5] = {0};
    for (double a = 0.5 * step; a < 12.0; a += step)
        for (double b = 0.5 * step; b < 12.0; b += step) {
            double u = a - mean[0], v = b - mean[1];
            double square = covariance[3] * u * u - 2.0 * covariance[1] * u * v + covariance[0] * v * v;
            double weight = exp(-0.5 * square / det), terms[] = {a, b, a * a, b * b, a * b};
            mass += weight;
            for (int i = 0; i < 5; i++) sum[i] += weight * terms[i];
        }
    for (int i = 0; i < 5; i++) sum[i] /= mass;
    moments[0] = sum[0];
    moments[1] = sum[1];
    moments[2] = sum[2] - sum[0] * sum[0];
    moments[3] = sum[3] - sum[1] * sum[1];
    moments[4] = sum[4] - sum[0] * sum[1];
}

static void propagation_is_exact_for_independent_variables(void **state)
{
    (void)state;
    double mean[] = {0.3, -1.2}, covariance[] = {1.5, 0.0, 0.0, 0.8}, moments[5];
    double precision[2], shift[2], work[2];
    truncated_moments(mean, covariance, moments);
    assert_int_equal(ep_positive(2, mean, covariance, precision, shift, work), 0);
    check_near(mean[0], moments[0], 2e-4);
    check_near(mean[1], moments[1], 2e-4);
    check_near(covariance[0], moments[2], 2e-4);
    check_near(covariance[3], moments[3], 2e-4);
}

static void propagation_is_within_three_percent_for_correlated_variables(void **state)
{
    (void)state;
    const double correlations[] = {-0.6, 0.3, 0.8};
    for (int c = 0; c < 3; c++) {
        double mean[] = {0.2, -0.5}, covariance[] = {1.0, correlations[c], correlations[c], 1.0}, moments[5];
        double precision[2], shift[2], work[2];
        truncated_moments(mean, covariance, moments);
        assert_int_equal(ep_positive(2, mean, covariance, precision, shift, work), 0);
        check_close(mean[0], moments[0], 0.03);
        check_close(mean[1], moments[1], 0.03);
        check_near(covariance[0], moments[2], 0.03);
        check_near(covariance[3], moments[3], 0.03);
        check_near(covariance[1], moments[4], 0.03);
    }
}

static void propagation_survives_what_is_nearly_impossible(void **state)
{
    (void)state;
    double mean[] = {-300.0, -40.0, 5.0}, precision[3], shift[3], work[3];
    double covariance[] = {1.0, 0.99, 0.5, 0.99, 1.0, 0.5, 0.5, 0.5, 1.0};
    assert_int_equal(ep_positive(3, mean, covariance, precision, shift, work), 0);
    for (int i = 0; i < 3; i++) {
        assert_true(isfinite(mean[i]) && precision[i] >= 0.0);
        assert_true(covariance[i * 3 + i] >= 0.0 && covariance[i * 3 + i] <= 1.0);
    }
    double broken_mean = NAN, variance = 1.0;
    assert_int_equal(ep_positive(1, &broken_mean, &variance, precision, shift, work), -1);
}

/* Prepares with optima found on the paths; checks what must hold whatever the model. */
static void check_sanity(const fixture *f, const double *x, const double *y)
{
    enum { OPTIMA = 3, POINTS = 150 };
    model *mo = fixture_model(f, x, y);
    pes *p = pes_create(mo, OPTIMA, 1, 0);
    double *points = memory_doubles((size_t)(POINTS * f->d)), before[POINTS], after[POINTS], value[POINTS];
    random_stream stream = random_open(2, RANDOM_TEST, 0, 0);
    assert_true(p && points);
    fixture_optima(p, mo, OPTIMA);
    assert_int_equal(pes_prepare(p), 0);
    for (int i = 0; i < POINTS * f->d; i++) points[i] = random_uniform(&stream);
    for (int i = 0; i < f->d; i++) points[i] = x[i];
    for (int s = 0; s < f->samples; s++)
        for (int j = 0; j < OPTIMA; j++) {
            pes_variances(p, s, j, points, POINTS, before, after);
            for (int i = 0; i < POINTS; i++) assert_true(after[i] >= 0.0 && after[i] <= before[i] + 1e-12);
        }
    pes_evaluate(p, points, POINTS, value);
    double most = 0.0;
    for (int i = 0; i < POINTS; i++) {
        assert_true(value[i] >= -1e-9 && value[i] < 50.0);
        most = fmax(most, value[i]);
    }
    assert_true(most > 1e-3);
    if (f->noise == 0.0) check_near(value[0], 0.0, 1e-2 * most);
    free(points);
    pes_free(p);
    model_free(mo);
}

static void knowing_the_optimum_never_adds_variance(void **state)
{
    (void)state;
    const int dimension[] = {1, 2, 4};
    for (int i = 0; i < 9; i++) {
        fixture f = {(gofh_kernel)(i % 3), dimension[i / 3], 4 * dimension[i / 3], 2, 0.4, 1.0, 0.0, NAN};
        double x[64], y[16];
        fixture_random_data(&f, (uint64_t)(20 + i), x, y);
        check_sanity(&f, x, y);
        f.noise = 0.05;
        f.mean = 0.2;
        check_sanity(&f, x, y);
    }
}

static void one_datum_is_enough(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++)
        check_sanity(&(fixture){(gofh_kernel)k, 2, 1, 1, 0.4, 1.0, 0.0, NAN}, (double[]){0.3, 0.6},
                     (double[]){1.0});
}

static void duplicated_data_are_no_difficulty(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++)
        check_sanity(&(fixture){(gofh_kernel)k, 1, 5, 1, 0.3, 1.0, 0.0, NAN},
                     (double[]){0.3, 0.3, 0.6, 0.6, 0.9}, (double[]){1.0, 1.0, 0.4, 0.4, 0.0});
}

/* With x* at a datum, inside or at a corner, the data say all there is about f(x*). */
static void an_optimum_at_a_datum_is_no_difficulty(void **state)
{
    (void)state;
    double x[] = {0.0, 1.0, 0.4, 0.5, 0.9, 0.2}, y[] = {1.0, 0.8, 0.0}, value[3];
    for (int k = 0; k < 3; k++) {
        fixture f = {(gofh_kernel)k, 2, 3, 1, 0.4, 1.0, 0.0, NAN};
        model *mo = fixture_model(&f, x, y);
        pes *p = pes_create(mo, 2, 1, 0);
        double points[] = {0.05, 0.95, 0.41, 0.5, 0.7, 0.7};
        assert_non_null(p);
        pes_set_optimum(p, 0, 0, x);
        pes_set_optimum(p, 0, 1, x + 2);
        assert_int_equal(pes_prepare(p), 0);
        pes_evaluate(p, points, 3, value);
        for (int i = 0; i < 3; i++) assert_true(isfinite(value[i]) && value[i] >= -1e-9);
        pes_free(p);
        model_free(mo);
    }
}

static void it_averages_over_hyperparameter_samples(void **state)
{
    (void)state;
    fixture both = {GOFH_KERNEL_MATERN_52, 2, 6, 2, 0.3, 1.0, 0.0, NAN}, one = both;
    double x[12], y[6], optimum[] = {0.4, 0.0, 0.7, 0.3}, points[] = {0.1, 0.2, 0.6, 0.4}, value[2], part[2];
    double sum[] = {0.0, 0.0};
    fixture_random_data(&both, 40, x, y);
    one.samples = 1;
    for (int s = 0; s < 3; s++) {
        model *mo = fixture_model(s < 2 ? &one : &both, x, y);
        pes *p = pes_create(mo, 1, 1, 0);
        assert_non_null(p);
        for (int j = 0; j < mo->samples; j++) pes_set_optimum(p, j, 0, optimum + 2 * (s < 2 ? s : j));
        pes_prepare(p);
        pes_evaluate(p, points, 2, s < 2 ? part : value);
        for (int i = 0; i < 2 && s < 2; i++) sum[i] += 0.5 * part[i];
        one.lengthscale *= 1.2;
        pes_free(p);
        model_free(mo);
    }
    for (int i = 0; i < 2; i++) check_near(value[i], sum[i], 1e-12);
}

static void units_and_threads_change_nothing(void **state)
{
    (void)state;
    fixture f = {GOFH_KERNEL_SQUARED_EXPONENTIAL, 2, 6, 3, 0.4, 1.0, 0.0, NAN};
    double x[12], y[6], scaled[6], points[160], value[80], other[80];
    random_stream stream = random_open(2, RANDOM_TEST, 1, 0);
    fixture_random_data(&f, 41, x, y);
    for (int i = 0; i < 6; i++) scaled[i] = 1e20 * y[i] - 3e20;
    for (int i = 0; i < 160; i++) points[i] = random_uniform(&stream);
    model *mo = fixture_model(&f, x, y), *large = fixture_model(&f, x, scaled);
    pes *p = pes_create(mo, 2, 1, 0), *q;
    large->threads = 3;
    q = pes_create(large, 2, 1, 0);
    assert_true(p && q);
    for (int s = 0; s < 3; s++)
        for (int j = 0; j < 2; j++) {
            double optimum[] = {0.1 * s, 0.5 * j};
            pes_set_optimum(p, s, j, optimum);
            pes_set_optimum(q, s, j, optimum);
        }
    pes_prepare(p);
    pes_prepare(q);
    pes_evaluate(p, points, 80, value);
    pes_evaluate(q, points, 80, other);
    for (int i = 0; i < 80; i++) check_near(other[i], value[i], 1e-6);
    mo->threads = 3;
    pes_free(q);
    q = pes_create(mo, 2, 1, 0);
    assert_non_null(q);
    for (int s = 0; s < 3; s++)
        for (int j = 0; j < 2; j++) pes_set_optimum(q, s, j, (double[]){0.1 * s, 0.5 * j});
    pes_prepare(q);
    pes_evaluate(q, points, 80, other);
    for (int i = 0; i < 80; i++) assert_true(other[i] == value[i]);
    pes_free(p);
    pes_free(q);
    model_free(mo);
    model_free(large);
}

static void an_optimum_that_breaks_down_counts_as_telling_nothing(void **state)
{
    (void)state;
    fixture f = {GOFH_KERNEL_SQUARED_EXPONENTIAL, 1, 2, 1, 0.2, 1.0, 0.0, 0.0};
    double x[] = {0.4, 0.6}, y[] = {0.5, -0.5}, good = 0.25, bad = NAN, points[] = {0.1, 0.3}, both[2],
           one[2];
    model *mo = fixture_model(&f, x, y);
    pes *p = pes_create(mo, 2, 1, 0);
    assert_non_null(p);
    pes_set_optimum(p, 0, 0, &good);
    pes_set_optimum(p, 0, 1, &good);
    assert_int_equal(pes_prepare(p), 0);
    pes_evaluate(p, points, 2, one);
    pes_set_optimum(p, 0, 1, &bad);
    assert_int_equal(pes_prepare(p), 1);
    pes_evaluate(p, points, 2, both);
    for (int i = 0; i < 2; i++) check_near(both[i], 0.5 * one[i], 1e-12);
    pes_free(p);
    model_free(mo);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernel_derivatives_match_differences),
        cmocka_unit_test(covariances_of_derivatives_match_differences),
        cmocka_unit_test(propagation_is_exact_for_independent_variables),
        cmocka_unit_test(propagation_is_within_three_percent_for_correlated_variables),
        cmocka_unit_test(propagation_survives_what_is_nearly_impossible),
        cmocka_unit_test(knowing_the_optimum_never_adds_variance),
        cmocka_unit_test(one_datum_is_enough),
        cmocka_unit_test(duplicated_data_are_no_difficulty),
        cmocka_unit_test(an_optimum_at_a_datum_is_no_difficulty),
        cmocka_unit_test(it_averages_over_hyperparameter_samples),
        cmocka_unit_test(units_and_threads_change_nothing),
        cmocka_unit_test(an_optimum_that_breaks_down_counts_as_telling_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Every transform of outputs against its own definition: the inverse of forward, finite
 * differences, quadrature. */
#include "check.h"
#include "model/transform.h"

#include <string.h>

enum { DATA = 9, STRIDE = 3, DRAWS = 131 };

/* Values over decades, above 0, so that every transform may be applied to them. */
static const double Y[DATA] = {1e-3, 4e-3, 0.02, 0.3, 0.9, 1.7, 6.0, 45.0, 800.0};

/* What is linear, for those who ask. */
static const double MAGNITUDE = 0.5;

static transform fitted(int number)
{
    transform t = {.kind = transform_numbered(number)};
    assert_true(t.kind->fit(&t, Y, DATA, 1, MAGNITUDE));
    return t;
}

static void numbers_and_kinds_belong_together(void **state)
{
    (void)state;
    for (int number = 0; number < TRANSFORM_COUNT; number++)
        assert_int_equal(transform_number(transform_numbered(number)), number);
    assert_null(transform_numbered(-1));
    assert_null(transform_numbered(TRANSFORM_COUNT));
    transform none = transform_none();
    assert_true(transform_is_none(&none));
    assert_ptr_equal(transform_numbered(0), none.kind);
}

static void the_inverse_undoes_the_transform(void **state)
{
    (void)state;
    for (int number = 0; number < TRANSFORM_COUNT; number++) {
        transform t = fitted(number);
        for (int i = 0; i < DATA; i++)
            check_close(t.kind->inverse(&t, t.kind->forward(&t, Y[i])), Y[i], 2e-15);
    }
}

/* In chunks and strides: the last of the draws and those between the columns stay as they are. */
static void many_are_inverted_as_one_is(void **state)
{
    (void)state;
    for (int number = 0; number < TRANSFORM_COUNT; number++) {
        transform t = fitted(number);
        for (int count = 0; count <= DRAWS; count += 13) {
            double z[(DRAWS + 1) * STRIDE], before[(DRAWS + 1) * STRIDE];
            for (int i = 0; i < (DRAWS + 1) * STRIDE; i++) before[i] = z[i] = 0.07 * (i - 190);
            t.kind->invert(&t, z, STRIDE, count);
            for (int i = 0; i < (DRAWS + 1) * STRIDE; i++)
                if (i % STRIDE == 0 && i / STRIDE < count)
                    check_close(z[i], t.kind->inverse(&t, before[i]), 4e-16);
                else
                    check_near(z[i], before[i], 0.0);
        }
    }
}

static void no_number_is_too_large_to_invert(void **state)
{
    (void)state;
    for (int number = 0; number < TRANSFORM_COUNT; number++) {
        transform t = fitted(number);
        for (int sign = -1; sign <= 1; sign += 2) {
            double z = sign * 1e6, y = t.kind->inverse(&t, z), several[2] = {z, 0.5 * z};
            t.kind->invert(&t, several, 1, 2);
            assert_true(isfinite(y * y));
            assert_true(isfinite(several[0] * several[0]) && isfinite(several[1] * several[1]));
        }
    }
}

/* Fourth order in a step that is small beside where y changes. */
static double slope_of(double (*f)(const transform *, double), const transform *t, double at, double step)
{
    return (8.0 * (f(t, at + step) - f(t, at - step)) - (f(t, at + 2.0 * step) - f(t, at - 2.0 * step))) /
           (12.0 * step);
}

static void slopes_are_those_of_the_inverse(void **state)
{
    (void)state;
    for (int number = 0; number < TRANSFORM_COUNT; number++) {
        transform t = fitted(number);
        double y[DATA * STRIDE] = {0}, slope[DATA];
        for (int i = 0; i < DATA; i++) y[i * STRIDE] = Y[i];
        t.kind->slopes(&t, y, STRIDE, DATA, slope);
        for (int i = 0; i < DATA; i++) {
            double z = t.kind->forward(&t, Y[i]);
            check_close(slope[i], slope_of(t.kind->inverse, &t, z, 1e-3), 1e-9);
        }
    }
}

static void the_jacobian_is_that_of_the_transform(void **state)
{
    (void)state;
    for (int number = 0; number < TRANSFORM_COUNT; number++) {
        transform t = fitted(number);
        for (int i = 0; i < DATA; i++)
            check_near(t.kind->log_jacobian(&t, Y[i]),
                       log(fabs(slope_of(t.kind->forward, &t, Y[i], 1e-3 * Y[i]))), 1e-9);
    }
}

/* Far apart it is the difference; close together, the slope times the distance. What that leaves
 * out is of the order of the distance, 1e-12; a subtraction would be wrong in the fourth digit. */
static void differences_lose_nothing_to_rounding(void **state)
{
    (void)state;
    for (int number = 0; number < TRANSFORM_COUNT; number++) {
        transform t = fitted(number);
        for (int i = 0; i < DATA; i++) {
            double far = t.kind->forward(&t, 3.0 * Y[i]) - t.kind->forward(&t, Y[i]), near = 1e-12 * Y[i];
            check_close(t.kind->difference(&t, Y[i], 2.0 * Y[i]), far, 1e-13);
            check_close(t.kind->difference(&t, Y[i], near), near * exp(t.kind->log_jacobian(&t, Y[i])),
                        1e-11);
        }
    }
}

/* By the trapezoidal rule, which converges geometrically where the integrand is analytic and
 * vanishes at both ends. */
static void integrate(const transform *t, double mean, double deviation, double *first, double *second)
{
    const double step = 1.0 / 64.0, reach = 16.0;
    double sum = 0.0, squares = 0.0;
    for (int pass = 0; pass < 2; pass++)
        for (double u = -reach; u <= reach; u += step) {
            double density = exp(-0.5 * u * u) * step / sqrt(8.0 * atan(1.0));
            double y = t->kind->inverse(t, mean + deviation * u);
            if (pass == 0)
                sum += density * y;
            else
                squares += density * (y - sum) * (y - sum);
        }
    *first = sum;
    *second = sqrt(squares);
}

static void moments_are_those_of_quadrature(void **state)
{
    (void)state;
    static const double MEAN[] = {-3.0, 0.0, 1.3}, DEVIATION[] = {1e-3, 0.2, 1.1};
    for (int number = 0; number < TRANSFORM_COUNT; number++) {
        transform t = fitted(number);
        for (int i = 0; i < 9; i++) {
            double mean = MEAN[i % 3], deviation = DEVIATION[i / 3], expected[2];
            integrate(&t, mean, deviation, &expected[0], &expected[1]);
            t.kind->moments(&t, &mean, &deviation, 0, NULL, NULL);
            check_near(mean, expected[0], 1e-12 * (1.0 + fabs(expected[0])));
            check_close(deviation, expected[1], 1e-11);
        }
    }
}

/* The moments of a normal whose mean and deviation are functions of two parameters. */
static void moments_along(const transform *t, const double *x, double *mean, double *deviation)
{
    *mean = 0.4 + x[0] - 2.0 * x[1];
    *deviation = 0.5 + 0.3 * x[0] + 0.7 * x[1];
    t->kind->moments(t, mean, deviation, 0, NULL, NULL);
}

static void the_gradients_of_moments_are_right(void **state)
{
    (void)state;
    const double step = 1e-5;
    for (int number = 0; number < TRANSFORM_COUNT; number++) {
        transform t = fitted(number);
        double mean = 0.4, deviation = 0.5, in_mean[2] = {1.0, -2.0}, in_deviation[2] = {0.3, 0.7};
        t.kind->moments(&t, &mean, &deviation, 2, in_mean, in_deviation);
        for (int k = 0; k < 2; k++) {
            double x[2] = {0.0, 0.0}, after[2], before[2];
            x[k] = step;
            moments_along(&t, x, &after[0], &after[1]);
            x[k] = -step;
            moments_along(&t, x, &before[0], &before[1]);
            check_near(in_mean[k], (after[0] - before[0]) / (2.0 * step), 1e-8);
            check_near(in_deviation[k], (after[1] - before[1]) / (2.0 * step), 1e-8);
        }
    }
}

/* Where the deviation vanishes it is that of z times the slope. */
static void a_vanishing_deviation_has_its_gradient_yet(void **state)
{
    (void)state;
    for (int number = 0; number < TRANSFORM_COUNT; number++) {
        transform t = fitted(number);
        double mean = 0.7, deviation = 0.0, in_mean = 0.0, in_deviation = 2.0, slope;
        double y = t.kind->inverse(&t, mean);
        t.kind->slopes(&t, &y, 1, 1, &slope);
        t.kind->moments(&t, &mean, &deviation, 1, &in_mean, &in_deviation);
        check_near(mean, y, 1e-15 * y);
        check_near(deviation, 0.0, 0.0);
        check_near(in_mean, 0.0, 0.0);
        check_near(in_deviation, 2.0 * slope, 1e-14);
    }
}

static void data_are_in_the_domain_or_not(void **state)
{
    (void)state;
    for (int number = 0; number < TRANSFORM_COUNT; number++) {
        transform t = fitted(number);
        for (int i = 0; i < DATA; i++) assert_true(t.kind->contains(Y[i]));
        assert_false(t.kind->contains(NAN));
        assert_false(t.kind->contains(INFINITY));
        for (int i = 0; i < 2; i++) {
            double outside = -1.0 * i, y[DATA];
            if (t.kind->contains(outside)) continue;
            memcpy(y, Y, sizeof y);
            y[4] = outside;
            assert_false(t.kind->fit(&t, y, DATA, 1, MAGNITUDE));
        }
    }
}

static void a_logarithm_is_for_positive_values_that_differ_by_a_factor_of_two(void **state)
{
    (void)state;
    transform t = {.kind = &transform_logarithm};
    const double apart[] = {3.0, -1.0, 4.0, -1.0, 6.0}, close[] = {3.0, 4.0, 5.999};
    assert_true(transform_identity.contains(0.0) && transform_identity.contains(-1.0));
    assert_false(transform_logarithm.contains(0.0) || transform_logarithm.contains(-1e-300));
    assert_true(transform_logarithm.contains(1e-300));
    assert_true(t.kind->fit(&t, apart, 3, 2, 1.0));
    assert_false(t.kind->fit(&t, apart, 5, 1, 1.0));
    assert_false(t.kind->fit(&t, close, 3, 1, 1.0));
}

static void an_asinh_is_for_values_far_beyond_the_magnitude(void **state)
{
    (void)state;
    transform t = {.kind = &transform_asinh};
    const double both[] = {-100.0, 0.0, 3.0, 80.0};
    assert_true(t.kind->fit(&t, both, 4, 1, 3.0) && t.parameter == 3.0);
    assert_false(t.kind->fit(&t, both, 4, 1, 4.0));
    assert_false(t.kind->fit(&t, both, 4, 1, 0.0));
    /* Linear below it, logarithmic beyond. */
    assert_true(t.kind->fit(&t, both, 4, 1, 2.0));
    check_close(t.kind->forward(&t, 1e-6), 0.5e-6, 1e-12);
    check_close(t.kind->forward(&t, -1e9), -log(1e9), 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_and_kinds_belong_together),
        cmocka_unit_test(the_inverse_undoes_the_transform),
        cmocka_unit_test(many_are_inverted_as_one_is),
        cmocka_unit_test(no_number_is_too_large_to_invert),
        cmocka_unit_test(slopes_are_those_of_the_inverse),
        cmocka_unit_test(the_jacobian_is_that_of_the_transform),
        cmocka_unit_test(differences_lose_nothing_to_rounding),
        cmocka_unit_test(moments_are_those_of_quadrature),
        cmocka_unit_test(the_gradients_of_moments_are_right),
        cmocka_unit_test(a_vanishing_deviation_has_its_gradient_yet),
        cmocka_unit_test(data_are_in_the_domain_or_not),
        cmocka_unit_test(an_asinh_is_for_values_far_beyond_the_magnitude),
        cmocka_unit_test(a_logarithm_is_for_positive_values_that_differ_by_a_factor_of_two),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

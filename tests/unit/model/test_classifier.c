/* The model of success against orthant probabilities, differences, and data that are told apart at
 * a hair's breadth. */
#include "check.h"
#include "model/classifier.h"

#include <math.h>
#include <stdlib.h>

static const double PI = 3.14159265358979323846;

/* n data in d parameters, points of a fixed sequence, success where the first coordinate is below
 * 0.6. */
static classifier *some_data(int d, int n, double lengthscale, double variance)
{
    classifier *c = classifier_create(d, n);
    assert_non_null(c);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < d; k++)
            c->x[k * n + i] = fmod(0.5 + (i + 1) * (0.6180339887 + 0.1370283 * k), 1.0);
        c->sign[i] = c->x[i] < 0.6 ? 1.0 : -1.0;
    }
    for (int k = 0; k < d; k++) c->inverse_lengthscale[k] = 1.0 / (lengthscale * (1.0 + 0.3 * k));
    c->variance = variance;
    return c;
}

static void the_evidence_of_two_data_is_the_probability_of_an_orthant(void **state)
{
    (void)state;
    for (int opposite = 0; opposite < 2; opposite++) {
        classifier *c = classifier_create(1, 2);
        assert_non_null(c);
        c->x[0] = 0.2;
        c->x[1] = 0.5;
        c->sign[0] = 1.0;
        c->sign[1] = opposite ? -1.0 : 1.0;
        c->inverse_lengthscale[0] = 1.0 / 0.4;
        c->variance = 3.0;
        assert_int_equal(classifier_condition(c), 0);
        double correlation = 3.0 * (1.0 + exp(-0.5 * 0.75 * 0.75)) / (1.0 + 6.0);
        double both = 0.25 + (opposite ? -1.0 : 1.0) * asin(correlation) / (2.0 * PI);
        /* Expectation propagation is not exact, but known to be good to a percent or two. */
        check_near(c->log_evidence, log(both), 0.03);
        classifier_free(c);
    }
}

static void one_success_moves_the_mean_as_its_closed_form_says(void **state)
{
    (void)state;
    classifier *c = classifier_create(1, 1);
    assert_non_null(c);
    c->x[0] = 0.3;
    c->sign[0] = 1.0;
    c->inverse_lengthscale[0] = 2.0;
    c->variance = 2.0;
    assert_int_equal(classifier_condition(c), 0);
    check_near(c->log_evidence, log(0.5), 1e-10);
    /* f ~ N(0, 4), Phi(f) seen as 1: mean 4 sqrt(2 / pi) / sqrt(5), variance 4 - 16 / 5 * 2 /
     * pi. */
    double mean = 4.0 * sqrt(2.0 / PI) / sqrt(5.0), variance = 4.0 - 16.0 / 5.0 * 2.0 / PI, score, work[2];
    classifier_score(c, c->x, 1, &score, NULL, work);
    check_near(score, mean / sqrt(1.0 + variance), 1e-5);
    classifier_free(c);
}

static void the_gradient_of_the_evidence_is_that_of_differences(void **state)
{
    (void)state;
    enum { D = 2, N = 25 };
    classifier *c = some_data(D, N, 0.4, 30.0);
    double gradient[D + 1];
    assert_int_equal(classifier_condition(c), 0);
    classifier_evidence_gradient(c, gradient);
    for (int k = 0; k <= D; k++) {
        const double step = 1e-2;
        double value[2];
        for (int side = 0; side < 2; side++) {
            double factor = exp(side ? step : -step);
            classifier *moved = some_data(D, N, 0.4, 30.0);
            if (k < D)
                moved->inverse_lengthscale[k] /= factor;
            else
                moved->variance *= factor;
            assert_int_equal(classifier_condition(moved), 0);
            value[side] = moved->log_evidence;
            classifier_free(moved);
        }
        check_near(gradient[k], (value[1] - value[0]) / (2.0 * step), 2e-3);
    }
    classifier_free(c);
}

static void the_gradient_of_the_score_is_that_of_differences(void **state)
{
    (void)state;
    enum { D = 3, N = 40 };
    classifier *c = some_data(D, N, 0.5, 1e4);
    double work[2 * N], at[2 * D] = {0.55, 0.3, 0.8, 0.1, 0.9, 0.4}, score[2], gradient[2 * D];
    assert_int_equal(classifier_condition(c), 0);
    classifier_score(c, at, 2, score, gradient, work);
    for (int p = 0; p < 2; p++)
        for (int k = 0; k < D; k++) {
            double low, high, moved[D];
            for (int i = 0; i < D; i++) moved[i] = at[p * D + i];
            moved[k] += 1e-5;
            classifier_score(c, moved, 1, &high, NULL, work);
            moved[k] -= 2e-5;
            classifier_score(c, moved, 1, &low, NULL, work);
            check_near(gradient[p * D + k], (high - low) / 2e-5, 1e-4 * (1.0 + fabs(gradient[p * D + k])));
        }
    classifier_free(c);
}

static void a_sharp_edge_is_found_between_the_data_around_it(void **state)
{
    (void)state;
    enum { N = 12 };
    /* Ever closer to an edge at 0.4, in turn from both sides. */
    classifier *c = some_data(1, N, 0.5, 1e10);
    double work[2 * N], at[2], score[2], closest = 0.3 * pow(0.3, N / 2 - 1);
    for (int i = 0; i < N; i++) {
        c->sign[i] = i % 2 ? -1.0 : 1.0;
        c->x[i] = 0.4 - c->sign[i] * 0.3 * pow(0.3, i / 2);
    }
    assert_int_equal(classifier_condition(c), 0);
    at[0] = 0.4 - 2.0 * closest;
    at[1] = 0.4 + 2.0 * closest;
    classifier_score(c, at, 2, score, NULL, work);
    assert_true(score[0] > 0.5);
    assert_true(score[1] < -0.5);
    at[0] = 0.4 - 0.3 * closest;
    at[1] = 0.4 + 0.3 * closest;
    classifier_score(c, at, 2, score, NULL, work);
    assert_true(fabs(score[0]) < 1.0 && fabs(score[1]) < 1.0);
    classifier_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_evidence_of_two_data_is_the_probability_of_an_orthant),
        cmocka_unit_test(one_success_moves_the_mean_as_its_closed_form_says),
        cmocka_unit_test(the_gradient_of_the_evidence_is_that_of_differences),
        cmocka_unit_test(the_gradient_of_the_score_is_that_of_differences),
        cmocka_unit_test(a_sharp_edge_is_found_between_the_data_around_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

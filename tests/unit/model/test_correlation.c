/* The correlation of the outputs, against dense matrices and densities taken one row at a time. */
#include "base/random.h"
#include "check.h"
#include "model/correlation.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 12 };

/* Rows of normals: output j has the noise of its own, and this much of one that all share. */
static void fill(double *errors, int count, int outputs, double common, uint64_t seed)
{
    random_stream stream = random_open(seed, RANDOM_TEST, (uint64_t)count, (uint64_t)outputs);
    for (int i = 0; i < count; i++) {
        double all = random_normal(&stream);
        for (int j = 0; j < outputs; j++)
            errors[i * outputs + j] = pow(10.0, j - 2) * (common * all + random_normal(&stream));
    }
}

/* Each column with a mean square of 1. */
static void unit_columns(const double *errors, int count, int outputs, double *unit)
{
    for (int j = 0; j < outputs; j++) {
        double squares = 0.0;
        for (int i = 0; i < count; i++) squares += pow(errors[i * outputs + j], 2.0);
        for (int i = 0; i < count; i++)
            unit[i * outputs + j] = errors[i * outputs + j] / sqrt(squares / count);
    }
}

/* How many rows the prior weighs, from rest = weight / (weight + count). */
static double weight_of(const output_correlation *r, int count)
{
    return count * r->rest / (1.0 - r->rest);
}

static const int SHAPES[][2] = {{20, 4}, {5, 9}, {7, 7}, {3, 2}};

static void it_is_the_mean_of_the_prior_and_of_what_the_rows_say(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof SHAPES / sizeof *SHAPES; k++) {
        int count = SHAPES[k][0], m = SHAPES[k][1];
        double errors[20 * MOST], unit[20 * MOST];
        output_correlation r = {.rest = 1.0};
        fill(errors, count, m, 1.0, 1);
        unit_columns(errors, count, m, unit);
        assert_int_equal(correlation_estimate(&r, count, m, errors), 0);
        double weight = weight_of(&r, count);
        for (int a = 0; a < m; a++)
            for (int b = 0; b < m; b++) {
                double sum = a == b ? weight : 0.0;
                for (int i = 0; i < count; i++) sum += unit[i * m + a] * unit[i * m + b];
                check_near(correlation_between(&r, a, b), sum / (weight + count), 1e-12);
                if (a == b) check_near(correlation_between(&r, a, b), 1.0, 1e-12);
            }
        correlation_free(&r);
    }
}

/* The log density of all rows, each given those before it: with an inverse Wishart prior of mean I, a
 * multivariate t whose scale and degrees of freedom grow with them. By elimination on the dense scale. */
static double log_density(const double *row, int count, int m, double weight)
{
    double scale[MOST * MOST] = {0}, sum = 0.0, degrees = weight + 2.0; /* of the first row */
    for (int j = 0; j < m; j++) scale[j * m + j] = weight;
    for (int i = 0; i < count; i++, row += m, degrees += 1.0) {
        double a[MOST * MOST], b[MOST], log_determinant = 0.0, squares = 0.0;
        memcpy(a, scale, sizeof a);
        memcpy(b, row, (size_t)m * sizeof *b);
        for (int p = 0; p < m; p++) { /* symmetric and positive definite: no pivoting */
            log_determinant += log(a[p * m + p]);
            squares += b[p] * b[p] / a[p * m + p];
            for (int q = p + 1; q < m; q++) {
                double factor = a[q * m + p] / a[p * m + p];
                for (int c = p; c < m; c++) a[q * m + c] -= factor * a[p * m + c];
                b[q] -= factor * b[p];
            }
        }
        /* t with `degrees` degrees of freedom and the scale matrix scale / degrees */
        sum += lgamma(0.5 * (degrees + m)) - lgamma(0.5 * degrees) - 0.5 * log_determinant -
               0.5 * (degrees + m) * log1p(squares);
        for (int p = 0; p < m; p++)
            for (int q = 0; q < m; q++) scale[p * m + q] += row[p] * row[q];
    }
    return sum;
}

static void the_weight_of_the_prior_has_the_most_evidence(void **state)
{
    (void)state;
    static const double common[] = {0.3, 1.0, 3.0};
    for (size_t k = 0; k < sizeof SHAPES / sizeof *SHAPES; k++)
        for (int c = 0; c < 3; c++) {
            int count = SHAPES[k][0], m = SHAPES[k][1];
            double errors[20 * MOST], unit[20 * MOST];
            output_correlation r = {.rest = 1.0};
            fill(errors, count, m, common[c], 2);
            unit_columns(errors, count, m, unit);
            assert_int_equal(correlation_estimate(&r, count, m, errors), 0);
            double weight = weight_of(&r, count), best = log_density(unit, count, m, weight);
            /* Weights are compared in steps of 2, from 1/32 to 2^14. */
            if (weight > 0.04) assert_true(log_density(unit, count, m, weight / 2.0) < best);
            if (weight < 1e4) assert_true(log_density(unit, count, m, weight * 2.0) < best);
            correlation_free(&r);
        }
}

static void outputs_that_go_together_are_told_from_those_that_do_not(void **state)
{
    (void)state;
    enum { COUNT = 40, M = 6 };
    double errors[COUNT * M];
    output_correlation r = {.rest = 1.0};
    fill(errors, COUNT, M, 0.0, 3);
    assert_int_equal(correlation_estimate(&r, COUNT, M, errors), 0);
    for (int j = 1; j < M; j++) assert_true(fabs(correlation_between(&r, 0, j)) < 0.15);
    fill(errors, COUNT, M, 10.0, 3); /* a true correlation of 100/101 */
    assert_int_equal(correlation_estimate(&r, COUNT, M, errors), 0);
    for (int j = 1; j < M; j++) assert_true(correlation_between(&r, 0, j) > 0.95);
    correlation_free(&r);
}

static void mixed_unit_vectors_are_a_root_of_it(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof SHAPES / sizeof *SHAPES; k++) {
        int count = SHAPES[k][0], m = SHAPES[k][1];
        double errors[20 * MOST], root[MOST * MOST] = {0};
        output_correlation r = {.rest = 1.0};
        fill(errors, count, m, 1.0, 4);
        assert_int_equal(correlation_estimate(&r, count, m, errors), 0);
        for (int j = 0; j < m; j++) root[j * m + j] = 1.0;
        correlation_mix(&r, m, root); /* row j is the column j of the root */
        for (int a = 0; a < m; a++)
            for (int b = 0; b < m; b++) {
                double sum = 0.0;
                for (int j = 0; j < m; j++) sum += root[j * m + a] * root[j * m + b];
                check_near(sum, correlation_between(&r, a, b), 1e-12);
            }
        correlation_free(&r);
    }
}

static void an_output_without_errors_goes_with_no_other(void **state)
{
    (void)state;
    enum { COUNT = 10, M = 3 };
    double errors[COUNT * M];
    output_correlation r = {.rest = 1.0};
    fill(errors, COUNT, M, 2.0, 5);
    for (int i = 0; i < COUNT; i++) errors[i * M + 1] = 0.0;
    assert_int_equal(correlation_estimate(&r, COUNT, M, errors), 0);
    check_near(correlation_between(&r, 0, 1), 0.0, 1e-15);
    check_near(correlation_between(&r, 1, 2), 0.0, 1e-15);
    memset(errors, 0, sizeof errors);
    assert_int_equal(correlation_estimate(&r, COUNT, M, errors), 0);
    for (int a = 0; a < M; a++)
        for (int b = 0; b < M; b++) assert_true(correlation_between(&r, a, b) == (a == b ? 1.0 : 0.0));
    correlation_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_the_mean_of_the_prior_and_of_what_the_rows_say),
        cmocka_unit_test(the_weight_of_the_prior_has_the_most_evidence),
        cmocka_unit_test(outputs_that_go_together_are_told_from_those_that_do_not),
        cmocka_unit_test(mixed_unit_vectors_are_a_root_of_it),
        cmocka_unit_test(an_output_without_errors_goes_with_no_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

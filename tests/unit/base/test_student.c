#include "base/normal.h"
#include "base/student.h"
#include "check.h"

#include <math.h>

/* Of one degree t is Cauchy's distribution, of two its cdf is algebraic. */
static void few_degrees_have_their_closed_forms(void **state)
{
    (void)state;
    const double pi = acos(-1.0);
    for (double t = -30.0; t <= 30.0; t += 0.37) {
        assert_true(fabs(student_cdf(t, 1) - (0.5 + atan(t) / pi)) < 1e-14);
        assert_true(fabs(student_cdf(t, 2) - (0.5 + t / (2.0 * sqrt(2.0 + t * t)))) < 1e-14);
    }
}

/* The printed tables of Student's distribution have four decimals. */
static void quantiles_are_those_of_the_tables(void **state)
{
    (void)state;
    static const struct {
        int degrees;
        double p, t;
    } table[] = {{1, 0.975, 12.706}, {2, 0.95, 2.920},   {3, 0.995, 5.841},   {4, 0.9, 1.533},
                 {5, 0.975, 2.571},  {10, 0.975, 2.228}, {14, 0.975, 2.145},  {15, 0.99, 2.602},
                 {24, 0.975, 2.064}, {30, 0.95, 1.697},  {120, 0.975, 1.980}, {9, 0.025, -2.262}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        assert_true(fabs(student_quantile(table[i].p, table[i].degrees) - table[i].t) < 5.1e-4);
    assert_true(student_quantile(0.5, 7) == 0.0);
}

/* The integral of the density, by Simpson's rule with errors below 1e-12. */
static void the_cdf_is_the_integral_of_the_density(void **state)
{
    (void)state;
    for (int degrees = 3; degrees < 40; degrees += 4) {
        const double nu = degrees, end = 2.3;
        const int steps = 4000;
        double sum = 0.0, constant = exp(lgamma(0.5 * (nu + 1.0)) - lgamma(0.5 * nu)) / sqrt(nu * acos(-1.0));
        for (int i = 0; i <= steps; i++) {
            double t = end * i / steps, weight = i == 0 || i == steps ? 1.0 : i % 2 ? 4.0 : 2.0;
            sum += weight * constant * pow(1.0 + t * t / nu, -0.5 * (nu + 1.0));
        }
        assert_true(fabs(student_cdf(end, degrees) - 0.5 - sum * end / steps / 3.0) < 1e-11);
    }
}

static void no_degrees_are_the_normal_limit(void **state)
{
    (void)state;
    assert_true(student_cdf(0.7, 0) == normal_cdf(0.7));
    assert_true(student_quantile(0.9, 0) == normal_quantile(0.9));
    assert_true(fabs(student_cdf(1.3, 100001) - normal_cdf(1.3)) < 1e-5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(few_degrees_have_their_closed_forms),
                                       cmocka_unit_test(quantiles_are_those_of_the_tables),
                                       cmocka_unit_test(the_cdf_is_the_integral_of_the_density),
                                       cmocka_unit_test(no_degrees_are_the_normal_limit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

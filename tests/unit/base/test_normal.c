#include "base/normal.h"
#include "check.h"

/* Computed once with mpmath at 60 digits from erfc; 0 where the value is below the smallest
 * double. */
static const struct {
    double z, cdf, log_cdf, hazard, expected_positive;
} EXACT[] = {
    {-300.0, 0, -4.50066227321186634e+4, 3.00003333259263374e+2, 0},
    {-40.0, 0, -8.04608442013753788e+2, 4.00249688472072637e+1, 0},
    {-38.0, 0, -7.2655721601882013e+2, 3.8026279466575869e+1, 0},
    {-37.0, 5.72557122252457682e-300, -6.89030585576890594e+2, 3.70269876861269901e+1,
     1.54519919051220246e-301},
    {-20.0, 2.7536241186062337e-89, -2.03917155371097264e+2, 2.00497530685278505e+1, 1.37001249472957994e-90},
    {-10.0, 7.61985302416052607e-24, -5.32312851505124706e+1, 1.0098093233962512e+1, 7.47456025458932804e-25},
    {-7.5, 3.19089167291089623e-14, -3.10758909028900012e+1, 7.62896639110376592, 4.1151778345837655e-15},
    {-5.25, 7.60496051648871425e-8, -1.63918800100377932e+1, 5.42865538838609829, 1.35866717473423386e-8},
    {-5.0, 2.86651571879193912e-7, -1.50649983939887257e+1, 5.18650396712584212, 5.34616553383281495e-8},
    {-4.75, 1.01708324256870317e-6, -1.37985715931474666e+1, 4.94503013921469274, 1.98361886391105283e-7},
    {-3.0, 1.34989803163009453e-3, -6.60772622151034954, 3.28309865493043651, 3.82154317047723596e-4},
    {-2.0, 2.27501319481792072e-2, -3.78318433368203195, 2.37321553282284087, 8.49070261682963755e-3},
    {-1.5, 6.6807201268858066e-2, -2.70594440082388981, 1.93867716662254319, 2.93067937626046286e-2},
    {-1.0, 1.58655253931457051e-1, -1.84102164500926351, 1.52513527616098121, 8.33154705876862984e-2},
    {-0.25, 4.01293674317076276e-1, -9.13061764811135055e-1, 9.63553979416403907e-1, 2.86344698223580138e-1},
    {0.0, 5.0e-1, -6.93147180559945309e-1, 7.97884560802865356e-1, 3.98942280401432678e-1},
    {0.5, 6.91462461274013104e-1, -3.68946415288656393e-1, 5.09160433837033486e-1, 6.9779655740130603e-1},
    {1.0, 8.41344746068542949e-1, -1.7275377902344989e-1, 2.87599970939178361e-1, 1.0833154705876863},
    {3.0, 9.98650101968369905e-1, -1.3508099647481938e-3, 4.43783904212566379e-3, 3.00038215431704772},
    {6.0, 9.99999999013412355e-1, -9.86587645524375732e-10, 6.07588285581767645e-9, 6.00000000015635698},
    {10.0, 1.0, -7.61985302416052607e-24, 7.69459862670641935e-23, 1.0e+1},
};

enum { EXACT_COUNT = sizeof EXACT / sizeof *EXACT };

/* Rounding z^2 alone costs a relative z^2 / 2 units of exp(-z^2 / 2). */
static double unit_of(double z)
{
    return 4e-16 * (4.0 + z * z);
}

/* Results that underflow may be anything as small. */
static const double TINY = 1e-300;

static void the_density_is_the_gaussian(void **state)
{
    (void)state;
    const double root = 2.50662827463100050242; /* sqrt(2 pi) */
    for (int i = 0; i < EXACT_COUNT; i++) {
        double z = EXACT[i].z;
        check_near(normal_density(z), exp(-0.5 * z * z) / root, unit_of(z) * exp(-0.5 * z * z));
    }
}

static void the_cdf_is_right_in_both_tails(void **state)
{
    (void)state;
    for (int i = 0; i < EXACT_COUNT; i++)
        check_near(normal_cdf(EXACT[i].z), EXACT[i].cdf,
                   EXACT[i].cdf > 0.0 ? unit_of(EXACT[i].z) * EXACT[i].cdf : TINY);
}

static void the_log_cdf_is_right_to_rounding_far_into_both_tails(void **state)
{
    (void)state;
    for (int i = 0; i < EXACT_COUNT; i++) {
        double right = EXACT[i].z > 0.0 ? unit_of(EXACT[i].z) : 0.0;
        check_close(normal_log_cdf(EXACT[i].z), EXACT[i].log_cdf, 1e-15 + right);
    }
    /* The leading terms of Mills' ratio are all there is this far out. */
    check_close(normal_log_cdf(-1e10), -0.5e20, 1e-15);
    assert_true(isfinite(normal_log_cdf(-1e150)));
    assert_true(normal_log_cdf(1e10) == 0.0);
}

static void the_hazard_is_right_and_finite_far_to_the_left(void **state)
{
    (void)state;
    for (int i = 0; i < EXACT_COUNT; i++)
        check_close(normal_hazard_left(EXACT[i].z), EXACT[i].hazard, 1e-15 + unit_of(fmax(EXACT[i].z, -5.0)));
    check_close(normal_hazard_left(-1e10), 1e10, 1e-15);
    check_close(normal_hazard_left(-1e150), 1e150, 1e-15);
    assert_true(normal_hazard_left(50.0) == 0.0);
}

static void the_hazard_is_the_derivative_of_the_log_cdf(void **state)
{
    (void)state;
    const double step = 1e-5;
    for (double z = -30.0; z < 5.0; z += 0.37) {
        double slope = (normal_log_cdf(z + step) - normal_log_cdf(z - step)) / (2.0 * step);
        check_near(normal_hazard_left(z), slope, 1e-8 * (1.0 + fabs(z)));
    }
}

static void the_expected_positive_part_is_right_to_rounding_in_the_left_tail(void **state)
{
    (void)state;
    for (int i = 0; i < EXACT_COUNT; i++)
        check_near(normal_expected_positive(EXACT[i].z), EXACT[i].expected_positive,
                   EXACT[i].expected_positive > 0.0 ? 2.0 * unit_of(EXACT[i].z) * EXACT[i].expected_positive
                                                    : TINY);
}

static void the_expected_positive_part_grows_with_z_without_a_seam(void **state)
{
    (void)state;
    double before = 0.0;
    for (double z = -37.0; z < 10.0; z += 0x1p-8) {
        double value = normal_expected_positive(z);
        assert_true(value > before);
        before = value;
    }
}

static void the_quantile_is_right_for_probabilities_down_to_1e_300(void **state)
{
    (void)state;
    /* mpmath, 60 digits: the root of log cdf(z) = log p. */
    static const double exact[][2] = {
        {1e-300, -3.70470962993611992e+1}, {1e-100, -2.12734535609653243e+1}, {1e-20, -9.26234008979840758},
        {1e-10, -6.3613409024040562},      {2.8e-7, -5.00452480852914598},    {2.9e-7, -4.99776035918044696},
        {1e-6, -4.75342430882289896},      {0.001, -3.09023230616781354},     {0.1, -1.28155156554460044},
        {0.3, -5.24400512708040816e-1},    {0.499, -2.50663089957176623e-3},  {0.75, 6.74489750196081743e-1},
        {0.999, 3.09023230616781328},
    };
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++)
        check_near(normal_quantile(exact[i][0]), exact[i][1], 2e-15 * fmax(fabs(exact[i][1]), 0.5));
    assert_true(normal_quantile(0.5) == 0.0);
}

static void the_quantile_undoes_the_cdf(void **state)
{
    (void)state;
    for (double z = -8.0; z < 0.0; z += 0.0371) {
        check_near(normal_quantile(0.5 * erfc(-z / sqrt(2.0))), z, 1e-13);
        check_near(normal_quantile(1.0 - 0x1p-20 * ceil(0x1p20 * normal_cdf(z))),
                   -normal_quantile(0x1p-20 * ceil(0x1p20 * normal_cdf(z))), 1e-15);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_density_is_the_gaussian),
        cmocka_unit_test(the_cdf_is_right_in_both_tails),
        cmocka_unit_test(the_log_cdf_is_right_to_rounding_far_into_both_tails),
        cmocka_unit_test(the_hazard_is_right_and_finite_far_to_the_left),
        cmocka_unit_test(the_hazard_is_the_derivative_of_the_log_cdf),
        cmocka_unit_test(the_expected_positive_part_is_right_to_rounding_in_the_left_tail),
        cmocka_unit_test(the_expected_positive_part_grows_with_z_without_a_seam),
        cmocka_unit_test(the_quantile_is_right_for_probabilities_down_to_1e_300),
        cmocka_unit_test(the_quantile_undoes_the_cdf),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

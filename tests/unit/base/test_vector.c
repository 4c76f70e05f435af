#include "base/random.h"
#include "base/vector.h"
#include "check.h"

#include <string.h>

/* Distance in units in the last place of the exact value, for values in the normal range. */
static double ulps(double value, long double exact)
{
    int exponent;
    (void)frexpl(exact, &exponent);
    return (double)(fabsl((long double)value - exact) / ldexpl(1.0L, exponent - 53));
}

static void check_exp(const double *in, int count)
{
    double out[1024];
    assert_true(count <= 1024);
    vector_exp(in, count, out);
    for (int i = 0; i < count; i++) {
        double error = ulps(out[i], expl((long double)in[i]));
        if (!(error <= 1.02)) {
            print_error("exp(%.17g) is %.17g, off by %.3f units\n", in[i], out[i], error);
            fail();
        }
    }
}

static void exp_is_exact_to_a_unit_and_a_fiftieth(void **state)
{
    (void)state;
    random_stream stream = random_open(1, RANDOM_TEST, 0, 0);
    double in[1000];
    for (int round = 0; round < 300; round++) {
        double reach = round % 3 == 0 ? 708.0 : round % 3 == 1 ? 30.0 : 1.0;
        for (int i = 0; i < 1000; i++) in[i] = reach * (2.0 * random_uniform(&stream) - 1.0);
        check_exp(in, 1000);
    }
}

/* Arguments at the joints of the reduction by log 2, where the remainder is largest. */
static void exp_is_as_exact_at_the_joints_of_its_reduction(void **state)
{
    (void)state;
    for (int k = -1021; k <= 1021; k++) {
        double joint = ((double)k + 0.5) * 0.69314718055994530942;
        double in[] = {joint, nextafter(joint, -1e3), nextafter(joint, 1e3), nextafter(joint + 0.5, 0.0)};
        check_exp(in, 4);
    }
    double ends[] = {-708.0, 709.0, 0.0, -0.0, 5e-324, -5e-324, 1e-17, -1e-17, 0x1p-53, -0x1p-54};
    check_exp(ends, 10);
}

static void exp_of_what_is_below_minus_708_is_zero(void **state)
{
    (void)state;
    double in[] = {nextafter(-708.0, -1e3), -745.0, -1e4, -1.7976931348623157e308, -INFINITY}, out[5];
    vector_exp(in, 5, out);
    for (int i = 0; i < 5; i++) assert_true(out[i] == 0.0);
}

static void exp_of_nan_is_nan_whatever_its_payload(void **state)
{
    (void)state;
    double in[] = {NAN, -NAN, 1.0, nan("1"), nan("0xfff")}, out[5];
    vector_exp(in, 5, out);
    assert_true(isnan(out[0]) && isnan(out[1]) && isnan(out[3]) && isnan(out[4]));
    check_close(out[2], 2.71828182845904523536, 2e-16);
}

static void check_waves(const double *in, int count)
{
    double cosine[1024], sine[1024];
    assert_true(count <= 1024);
    vector_cos(in, count, cosine);
    vector_sin(in, count, sine);
    for (int i = 0; i < count; i++) {
        double error = fmax(ulps(cosine[i], cosl((long double)in[i])),
                            ulps(sine[i], sinl((long double)in[i])));
        if (!(error <= 3.0)) {
            print_error("cos or sin of %.17g is off by %.3f units\n", in[i], error);
            fail();
        }
    }
}

static void waves_are_within_three_units_at_small_and_large_angles(void **state)
{
    (void)state;
    random_stream stream = random_open(1, RANDOM_TEST, 2, 0);
    double in[1000];
    for (int round = 0; round < 300; round++) {
        double reach = pow(10.0, round % 12 - 3);
        for (int i = 0; i < 1000; i++) in[i] = reach * (2.0 * random_uniform(&stream) - 1.0);
        check_waves(in, 1000);
    }
}

/* Where a quarter turn ends the remainder is smallest, and half way between it is largest. */
static void waves_are_within_three_units_beside_whole_eighths_of_a_turn(void **state)
{
    (void)state;
    double in[1000];
    for (int first = 0; first < 1200000; first += 7777) {
        for (int i = 0; i < 1000; i++) {
            double angle = (first + i / 5) * 0.78539816339744830962;
            in[i] = i % 5 == 0   ? nextafter(angle, 0.0)
                    : i % 5 == 1 ? nextafter(angle, 1e9)
                    : i % 5 == 2 ? -angle
                                 : angle;
        }
        check_waves(in, 1000);
    }
}

static void waves_of_what_is_not_finite_are_nan(void **state)
{
    (void)state;
    double in[] = {NAN, INFINITY, 0.0, -INFINITY, 0.0}, out[5];
    vector_cos(in, 5, out);
    assert_true(isnan(out[0]) && isnan(out[1]) && out[2] == 1.0 && isnan(out[3]) && out[4] == 1.0);
    vector_sin(in, 5, in);
    assert_true(isnan(in[0]) && isnan(in[1]) && in[2] == 0.0 && isnan(in[3]) && in[4] == 0.0);
}

static void a_sum_is_that_of_the_numbers_whatever_their_count(void **state)
{
    (void)state;
    random_stream stream = random_open(1, RANDOM_TEST, 3, 0);
    double x[100];
    for (int count = 0; count <= 100; count++) {
        long double sum = 0.0L, size = 0.0L;
        for (int i = 0; i < count; i++) {
            x[i] = random_normal(&stream);
            sum += x[i];
            size += fabs(x[i]);
        }
        check_near(vector_sum(x, count), (double)sum, 1e-15 * (double)size);
    }
}

static void exp_in_place_gives_the_same_bits_at_every_offset_and_length(void **state)
{
    (void)state;
    random_stream stream = random_open(1, RANDOM_TEST, 1, 0);
    double in[40], out[40], single[40];
    for (int i = 0; i < 40; i++) in[i] = 20.0 * random_normal(&stream);
    for (int i = 0; i < 40; i++) vector_exp(in + i, 1, single + i);
    for (int start = 0; start < 8; start++)
        for (int count = 0; count + start <= 40; count++) {
            memcpy(out, in, sizeof in);
            vector_exp(out + start, count, out + start);
            assert_memory_equal(out, in, (size_t)start * sizeof *out);
            assert_memory_equal(out + start, single + start, (size_t)count * sizeof *out);
            assert_memory_equal(out + start + count, in + start + count,
                                (size_t)(40 - start - count) * sizeof *out);
        }
}

static void the_largest_of_equal_values_is_the_first(void **state)
{
    (void)state;
    const double values[] = {-INFINITY, 2.0, 3.0, 3.0, NAN, -3.0};
    assert_int_equal(vector_largest(values, 6), 2);
    assert_int_equal(vector_largest(values, 2), 1);
    assert_int_equal(vector_largest(values, 1), 0);
}

static void sums_in_eight_parts_are_those_in_extended_precision(void **state)
{
    (void)state;
    random_stream stream = random_open(1, RANDOM_TEST, 2, 0);
    double weight[40], x[40];
    for (int i = 0; i < 40; i++) {
        weight[i] = random_normal(&stream);
        x[i] = random_uniform(&stream);
    }
    for (int count = 0; count <= 40; count++) {
        long double pull = 0, squares = 0, dot = 0;
        for (int i = 0; i < count; i++) {
            long double away = 0.3L - (long double)x[i];
            pull += (long double)weight[i] * away;
            squares += (long double)weight[i] * away * away;
            dot += (long double)weight[i] * (long double)x[i];
        }
        /* 40 terms below 4 each: a few units of rounding of 100. */
        assert_true(fabs(vector_weighted_difference(weight, 0.3, x, count) - (double)pull) < 1e-14);
        assert_true(fabs(vector_weighted_squares(weight, 0.3, x, count) - (double)squares) < 1e-14);
        assert_true(fabs(vector_dot(weight, x, count) - (double)dot) < 1e-14);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exp_is_exact_to_a_unit_and_a_fiftieth),
        cmocka_unit_test(exp_is_as_exact_at_the_joints_of_its_reduction),
        cmocka_unit_test(exp_of_what_is_below_minus_708_is_zero),
        cmocka_unit_test(exp_of_nan_is_nan_whatever_its_payload),
        cmocka_unit_test(waves_are_within_three_units_at_small_and_large_angles),
        cmocka_unit_test(waves_are_within_three_units_beside_whole_eighths_of_a_turn),
        cmocka_unit_test(waves_of_what_is_not_finite_are_nan),
        cmocka_unit_test(a_sum_is_that_of_the_numbers_whatever_their_count),
        cmocka_unit_test(exp_in_place_gives_the_same_bits_at_every_offset_and_length),
        cmocka_unit_test(the_largest_of_equal_values_is_the_first),
        cmocka_unit_test(sums_in_eight_parts_are_those_in_extended_precision),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

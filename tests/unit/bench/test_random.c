#include "check.h"

#include "bench/problems/random.h"

static void bits_are_those_of_splitmix64(void **state)
{
    (void)state;
    /* The first outputs of the reference implementation for the seeds 0 and 1234567. */
    assert_true(bench_random_uniform(0, 0) == (double)(0xe220a8397b1dcdafu >> 11) * 0x1p-53);
    assert_true(bench_random_uniform(1234567, 0) == (double)(6457827717110365317u >> 11) * 0x1p-53);
    assert_true(bench_random_uniform(1234567, 1) == (double)(3203168211198807973u >> 11) * 0x1p-53);
}

static void normal_numbers_have_the_moments_of_the_normal_distribution(void **state)
{
    (void)state;
    enum { COUNT = 200000 };
    double sum[5] = {0};
    for (uint64_t i = 0; i < COUNT; i++) {
        double value = bench_random_normal(42, i), power = 1;
        for (int k = 1; k <= 4; k++) sum[k] += power *= value;
    }
    /* 5 standard errors: the variances of z, z^2, z^3 and z^4 are 1, 2, 15 and 96. */
    check_near(sum[1] / COUNT, 0, 5 * sqrt(1.0 / COUNT));
    check_near(sum[2] / COUNT, 1, 5 * sqrt(2.0 / COUNT));
    check_near(sum[3] / COUNT, 0, 5 * sqrt(15.0 / COUNT));
    check_near(sum[4] / COUNT, 3, 5 * sqrt(96.0 / COUNT));
}

static void keys_differ_in_every_argument(void **state)
{
    (void)state;
    uint64_t keys[] = {bench_random_key("gp", 0, 0), bench_random_key("gp", 0, 1),
                       bench_random_key("gp", 1, 0), bench_random_key("pg", 0, 0),
                       bench_random_key("gp", 1, 1)};
    for (int i = 0; i < 5; i++) {
        for (int j = 0; j < i; j++) assert_true(keys[i] != keys[j]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_are_those_of_splitmix64),
        cmocka_unit_test(normal_numbers_have_the_moments_of_the_normal_distribution),
        cmocka_unit_test(keys_differ_in_every_argument),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

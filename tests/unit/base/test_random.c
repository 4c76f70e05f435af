#include "base/random.h"
#include "check.h"

#include <stdlib.h>
#include <string.h>

enum { DRAWS = 100000 };

static random_stream stream_of(uint64_t first, uint64_t second)
{
    return random_open(7, RANDOM_TEST, first, second);
}

/* The kat_vectors file of Random123 (Salmon et al. 2011), philox4x32 with 10 rounds. */
static void philox_gives_the_published_answers(void **state)
{
    (void)state;
    static const struct {
        uint32_t counter[4], key[2], block[4];
    } known[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        uint32_t block[4];
        random_philox(known[i].counter, known[i].key, block);
        assert_memory_equal(block, known[i].block, sizeof block);
    }
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The largest distance of the empirical distribution from `cdf`. A right sampler exceeds 1.95 /
 * sqrt(count) once in a thousand seeds (Kolmogorov's distribution), and the seeds here are
 * fixed. */
static void check_distribution(double *sample, int count, double (*cdf)(double))
{
    qsort(sample, (size_t)count, sizeof *sample, by_value);
    double distance = 0.0;
    for (int i = 0; i < count; i++) {
        double p = cdf(sample[i]);
        distance = fmax(distance, fmax(p - (double)i / count, (double)(i + 1) / count - p));
    }
    check_near(distance, 0.0, 1.95 / sqrt(count));
}

static double identity_cdf(double x)
{
    return x;
}

static double gauss_cdf(double x)
{
    return 0.5 * erfc(-x / sqrt(2.0));
}

static void check_moments(const double *sample, int count, double mean, double variance)
{
    double sum = 0.0, squares = 0.0;
    for (int i = 0; i < count; i++) sum += sample[i];
    for (int i = 0; i < count; i++) squares += (sample[i] - mean) * (sample[i] - mean);
    check_near(sum / count, mean, 4.0 * sqrt(variance / count));
    check_close(squares / count, variance, 0.03);
}

static double sample[DRAWS];

static void uniforms_are_uniform_in_the_open_interval(void **state)
{
    (void)state;
    random_stream stream = stream_of(1, 0);
    for (int i = 0; i < DRAWS; i++) {
        sample[i] = random_uniform(&stream);
        assert_true(sample[i] > 0.0 && sample[i] < 1.0);
    }
    check_moments(sample, DRAWS, 0.5, 1.0 / 12.0);
    check_distribution(sample, DRAWS, identity_cdf);
}

static void the_extreme_words_give_uniforms_inside_the_open_interval(void **state)
{
    (void)state;
    random_stream low = {.block = {0, 0, 0, 0}}, high = low;
    memset(high.block, 0xff, sizeof high.block);
    assert_true(random_uniform(&low) == 0x1p-53);
    assert_true(random_uniform(&high) == 1.0 - 0x1p-53);
    low.used = high.used = 0;
    check_near(random_normal(&low) + random_normal(&high), 0.0, 1e-14);
}

static void normals_are_normal(void **state)
{
    (void)state;
    random_stream stream = stream_of(2, 0);
    double cubes = 0.0, fourths = 0.0;
    for (int i = 0; i < DRAWS; i++) {
        double z = sample[i] = random_normal(&stream);
        cubes += z * z * z / DRAWS;
        fourths += z * z * z * z / DRAWS;
    }
    /* Variances 15 and 105 - 9 of Z^3 and Z^4. */
    check_near(cubes, 0.0, 4.0 * sqrt(15.0 / DRAWS));
    check_near(fourths, 3.0, 4.0 * sqrt(96.0 / DRAWS));
    check_moments(sample, DRAWS, 0.0, 1.0);
    check_distribution(sample, DRAWS, gauss_cdf);
}

static double gamma_half_cdf(double x)
{
    return erf(sqrt(x));
}

static double gamma_one_cdf(double x)
{
    return -expm1(-x);
}

static double gamma_three_cdf(double x)
{
    return 1.0 - exp(-x) * (1.0 + x + 0.5 * x * x);
}

static void gammas_have_the_gamma_distribution(void **state)
{
    (void)state;
    static const struct {
        double shape;
        double (*cdf)(double);
    } cases[] = {{0.5, gamma_half_cdf}, {1.0, gamma_one_cdf}, {3.0, gamma_three_cdf}};
    for (int c = 0; c < 3; c++) {
        random_stream stream = stream_of(3, (uint64_t)c);
        for (int i = 0; i < DRAWS; i++) sample[i] = random_gamma(&stream, cases[c].shape);
        check_moments(sample, DRAWS, cases[c].shape, cases[c].shape);
        check_distribution(sample, DRAWS, cases[c].cdf);
    }
}

static void gammas_of_a_large_shape_have_its_mean_and_variance(void **state)
{
    (void)state;
    random_stream stream = stream_of(4, 0);
    for (int i = 0; i < DRAWS; i++) sample[i] = random_gamma(&stream, 1000.0);
    check_moments(sample, DRAWS, 1000.0, 1000.0);
}

static void a_bounded_draw_takes_all_values_equally_often(void **state)
{
    (void)state;
    random_stream stream = stream_of(5, 0);
    int count[7] = {0};
    for (int i = 0; i < DRAWS; i++) {
        uint32_t value = random_below(&stream, 7);
        assert_true(value < 7);
        count[value]++;
    }
    double chi2 = 0.0, expected = DRAWS / 7.0;
    for (int k = 0; k < 7; k++) chi2 += (count[k] - expected) * (count[k] - expected) / expected;
    assert_true(chi2 < 22.46); /* the 0.999 quantile of chi-squared with 6 degrees of freedom */
}

/* A multiplication alone would give a third of the values of this bound twice as often as the
 * rest. */
static void a_bounded_draw_has_no_bias_at_a_huge_bound(void **state)
{
    (void)state;
    random_stream stream = stream_of(6, 0);
    const uint32_t bound = 3U << 30;
    int thirds[3] = {0}, multiples = 0;
    for (int i = 0; i < DRAWS; i++) {
        uint32_t value = random_below(&stream, bound);
        thirds[value >> 30]++;
        multiples += value % 3 == 0;
    }
    double error = 4.0 * sqrt(2.0 / 9.0 / DRAWS);
    for (int k = 0; k < 3; k++) check_near((double)thirds[k] / DRAWS, 1.0 / 3.0, error);
    check_near((double)multiples / DRAWS, 1.0 / 3.0, error);
    assert_int_equal(random_below(&stream, 1), 0);
}

static void a_stream_opened_again_gives_the_same_words_whatever_others_drew(void **state)
{
    (void)state;
    random_stream a = stream_of(1, 2), b = stream_of(1, 2), other = stream_of(1, 3);
    uint32_t first[100];
    for (int i = 0; i < 100; i++) first[i] = random_word(&a);
    for (int i = 0; i < 100; i++) {
        random_normal(&other);
        assert_int_equal(random_word(&b), first[i]);
    }
}

static void streams_that_differ_in_one_part_of_the_name_are_uncorrelated(void **state)
{
    (void)state;
    random_stream streams[] = {random_open(1, RANDOM_TEST, 1, 1),
                               random_open(2, RANDOM_TEST, 1, 1),
                               random_open(1, RANDOM_DESIGN, 1, 1),
                               random_open(1, RANDOM_TEST, 2, 1),
                               random_open(1, RANDOM_TEST, 1, 2),
                               random_open((uint64_t)1 << 32 | 1, RANDOM_TEST, 1, 1),
                               random_open(1, RANDOM_TEST, (uint64_t)1 << 40 | 1, 1)};
    enum { COUNT = sizeof streams / sizeof *streams, N = 20000 };
    double sum[COUNT][COUNT] = {{0}};
    for (int i = 0; i < N; i++) {
        double u[COUNT];
        for (int s = 0; s < COUNT; s++) u[s] = sqrt(12.0) * (random_uniform(&streams[s]) - 0.5);
        for (int s = 0; s < COUNT; s++)
            for (int t = 0; t < s; t++) sum[s][t] += u[s] * u[t] / N;
    }
    for (int s = 0; s < COUNT; s++)
        for (int t = 0; t < s; t++) check_near(sum[s][t], 0.0, 4.0 / sqrt(N));
}

static void first_draws_of_neighbouring_streams_are_uniform(void **state)
{
    (void)state;
    double lagged = 0.0;
    for (int i = 0; i < DRAWS; i++) {
        random_stream stream = stream_of((uint64_t)(i / 100), (uint64_t)(i % 100));
        sample[i] = random_uniform(&stream);
        if (i) lagged += 12.0 * (sample[i] - 0.5) * (sample[i - 1] - 0.5) / DRAWS;
    }
    check_near(lagged, 0.0, 4.0 / sqrt(DRAWS));
    check_distribution(sample, DRAWS, identity_cdf);
}

static void the_counter_carries_into_its_second_word(void **state)
{
    (void)state;
    random_stream stream = stream_of(1, 1);
    stream.counter[0] = 0xffffffff;
    for (int i = 0; i < 4; i++) random_word(&stream);
    assert_int_equal(stream.counter[0], 0);
    assert_int_equal(stream.counter[1], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(philox_gives_the_published_answers),
        cmocka_unit_test(uniforms_are_uniform_in_the_open_interval),
        cmocka_unit_test(the_extreme_words_give_uniforms_inside_the_open_interval),
        cmocka_unit_test(normals_are_normal),
        cmocka_unit_test(gammas_have_the_gamma_distribution),
        cmocka_unit_test(gammas_of_a_large_shape_have_its_mean_and_variance),
        cmocka_unit_test(a_bounded_draw_takes_all_values_equally_often),
        cmocka_unit_test(a_bounded_draw_has_no_bias_at_a_huge_bound),
        cmocka_unit_test(a_stream_opened_again_gives_the_same_words_whatever_others_drew),
        cmocka_unit_test(streams_that_differ_in_one_part_of_the_name_are_uncorrelated),
        cmocka_unit_test(first_draws_of_neighbouring_streams_are_uniform),
        cmocka_unit_test(the_counter_carries_into_its_second_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

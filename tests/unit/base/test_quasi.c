#include "base/quasi.h"
#include "check.h"

#include <stdlib.h>
#include <string.h>

/* Points 86 and 653 in natural order, times 1024: scipy 1.17, stats.qmc.Sobol(64, scramble=False),
 * where they come as numbers 100 and 777 of the Gray code order. */
static const int POINT_86[64] = {424, 264, 792, 744, 904, 760, 24,  488, 648, 712, 472,  696, 488,
                                 872, 328, 504, 696, 760, 856, 344, 776, 408, 8,   504,  24,  8,
                                 968, 680, 248, 744, 728, 424, 264, 264, 376, 680, 1000, 488, 920,
                                 136, 728, 680, 424, 504, 264, 616, 280, 728, 744, 680,  904, 824,
                                 72,  856, 392, 792, 88,  280, 424, 168, 504, 24,  472,  664};
static const int POINT_653[64] = {709, 959, 167, 281, 651, 365, 195, 781, 357, 331, 763, 713, 393,
                                  485, 583, 527, 413, 885, 379, 771, 243, 279, 969, 493, 353, 149,
                                  61,  799, 65,  113, 555, 921, 115, 3,   825, 969, 473, 359, 351,
                                  367, 739, 273, 971, 411, 329, 155, 385, 33,  795, 975, 85,  37,
                                  631, 725, 709, 933, 365, 661, 821, 565, 525, 501, 141, 437};

static void the_unscrambled_points_are_scipys(void **state)
{
    (void)state;
    double *points = malloc(654 * 64 * sizeof *points);
    quasi_sobol(64, 654, points);
    for (int j = 0; j < 64; j++) {
        assert_true(points[j] == 0.0);
        assert_true(points[64 + j] == 0.5);
        assert_true(1024.0 * points[86 * 64 + j] == POINT_86[j]);
        assert_true(1024.0 * points[653 * 64 + j] == POINT_653[j]);
    }
    free(points);
}

/* The first coordinates as in every textbook: van der Corput's sequence, and the second of
 * Sobol'. */
static void the_first_points_in_three_dimensions_are_the_published_ones(void **state)
{
    (void)state;
    static const double expected[8][3] = {{0, 0, 0},
                                          {0.5, 0.5, 0.5},
                                          {0.25, 0.75, 0.75},
                                          {0.75, 0.25, 0.25},
                                          {0.125, 0.625, 0.375},
                                          {0.625, 0.125, 0.875},
                                          {0.375, 0.375, 0.625},
                                          {0.875, 0.875, 0.125}};
    double points[24];
    quasi_sobol(3, 8, points);
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 3; j++) assert_true(points[3 * i + j] == expected[i][j]);
}

enum { WIDE = 150, LOG_COUNT = 8, COUNT = 1 << LOG_COUNT };

static double *scrambled(uint64_t seed, int dimension, int count)
{
    random_stream stream = random_open(seed, RANDOM_TEST, 0, 0);
    double *points = malloc((size_t)dimension * (size_t)count * sizeof *points);
    quasi_points(&stream, dimension, count, points);
    for (int i = 0; i < dimension * count; i++) assert_true(points[i] > 0.0 && points[i] < 1.0);
    return points;
}

static void every_coordinate_has_one_point_in_each_interval_also_beyond_the_table(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 5; seed++) {
        double *points = scrambled(seed, WIDE, COUNT);
        for (int j = 0; j < WIDE; j++) {
            char seen[COUNT] = {0};
            for (int i = 0; i < COUNT; i++) seen[(int)(COUNT * points[i * WIDE + j])]++;
            for (int i = 0; i < COUNT; i++) assert_int_equal(seen[i], 1);
        }
        free(points);
    }
}

/* The first two Sobol' coordinates are a (0, 2)-sequence, and nested scrambling keeps that; so are
 * the first two of each group beyond the table. */
static void pairs_of_coordinates_have_one_point_in_each_elementary_rectangle(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 5; seed++) {
        double *points = scrambled(seed, WIDE, COUNT);
        for (int first = 0; first < WIDE; first += QUASI_DIMENSIONS)
            for (int rows = 0; rows <= LOG_COUNT; rows++) {
                int across = 1 << rows, up = COUNT >> rows;
                char seen[COUNT] = {0};
                for (int i = 0; i < COUNT; i++) {
                    const double *x = points + i * WIDE + first;
                    seen[(int)(across * x[0]) * up + (int)(up * x[1])]++;
                }
                for (int i = 0; i < COUNT; i++) assert_int_equal(seen[i], 1);
            }
        free(points);
    }
}

static double correlation(const double *points, int dimension, int count, int a, int b)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++)
        sum += 12.0 * (points[i * dimension + a] - 0.5) * (points[i * dimension + b] - 0.5) / count;
    return sum;
}

static void coordinates_of_different_groups_are_uncorrelated(void **state)
{
    (void)state;
    enum { N = 1024 };
    double *points = scrambled(3, WIDE, N);
    for (int j = QUASI_DIMENSIONS; j < WIDE; j++)
        for (int k = j - QUASI_DIMENSIONS; k >= 0; k -= QUASI_DIMENSIONS)
            check_near(correlation(points, WIDE, N, j, k), 0.0, 4.5 / sqrt(N));
    free(points);
}

static void another_scrambling_gives_other_points_and_the_same_one_the_same(void **state)
{
    (void)state;
    double *a = scrambled(1, 3, 16), *b = scrambled(1, 3, 16), *c = scrambled(2, 3, 16);
    assert_memory_equal(a, b, 48 * sizeof *a);
    assert_memory_not_equal(a, c, 48 * sizeof *a);
    free(a);
    free(b);
    free(c);
}

/* Over scramblings each single point is uniform, and its coordinates are independent: else the
 * integrals would be biased. */
static void each_point_is_uniform_over_the_scramblings(void **state)
{
    (void)state;
    enum { SEEDS = 20000, BINS = 64 };
    int bins[2][BINS] = {{0}};
    double products = 0.0;
    for (int seed = 0; seed < SEEDS; seed++) {
        random_stream stream = random_open((uint64_t)seed, RANDOM_TEST, 0, 0);
        double points[8];
        quasi_points(&stream, 2, 4, points);
        bins[0][(int)(BINS * points[0])]++;
        bins[1][(int)(BINS * points[7])]++;
        products += 12.0 * (points[4] - 0.5) * (points[5] - 0.5) / SEEDS;
    }
    check_near(products, 0.0, 4.0 / sqrt(SEEDS));
    for (int c = 0; c < 2; c++) {
        double chi2 = 0.0, expected = (double)SEEDS / BINS;
        for (int b = 0; b < BINS; b++) chi2 += (bins[c][b] - expected) * (bins[c][b] - expected) / expected;
        assert_true(chi2 < 103.4); /* the 0.999 quantile of chi-squared with 63 degrees of freedom */
    }
}

/* Mean squared error over scramblings of the integral of prod_j (1 + sqrt(12) (x_j - 1/2)), whose
 * value is 1 and whose variance is 2^d - 1. */
static double squared_error(int dimension, int count)
{
    enum { SEEDS = 200 };
    double sum = 0.0;
    for (int seed = 0; seed < SEEDS; seed++) {
        double *points = scrambled((uint64_t)seed, dimension, count), integral = 0.0;
        for (int i = 0; i < count; i++) {
            double product = 1.0;
            for (int j = 0; j < dimension; j++)
                product *= 1.0 + sqrt(12.0) * (points[i * dimension + j] - 0.5);
            integral += product / count;
        }
        sum += (integral - 1.0) * (integral - 1.0) / SEEDS;
        free(points);
    }
    return sum;
}

static void a_smooth_integral_is_far_nearer_than_by_random_points(void **state)
{
    (void)state;
    enum { D = 4, N = 1024 };
    double random = sqrt((pow(2.0, D) - 1.0) / N);
    assert_true(sqrt(squared_error(D, N)) < random / 10.0);
    assert_true(sqrt(squared_error(2, 4096)) < sqrt(3.0 / 4096) / 300.0);
}

/* With nested scrambling each of the n intervals has an independent uniform point: the error of the
 * integral of sqrt(12) (x - 1/2) has variance n^-3. */
static void the_error_on_a_line_is_that_of_one_uniform_point_an_interval(void **state)
{
    (void)state;
    for (int count = 16; count <= 1024; count *= 4)
        check_close(sqrt(squared_error(1, count)), pow(count, -1.5), 0.2); /* 4 sigma of 200 squares */
}

static void four_times_the_points_give_a_quarter_of_the_error_or_less(void **state)
{
    (void)state;
    assert_true(sqrt(squared_error(3, 1024)) < 0.3 * sqrt(squared_error(3, 256)));
}

static void a_sum_over_many_groups_is_still_integrated_better_than_by_random_points(void **state)
{
    (void)state;
    enum { N = 256 };
    double squares = 0.0;
    for (int seed = 0; seed < 20; seed++) {
        double *points = scrambled((uint64_t)seed, WIDE, N), sum = 0.0;
        for (int i = 0; i < N * WIDE; i++) sum += (points[i] - 0.5) / N;
        squares += sum * sum / 20;
        free(points);
    }
    assert_true(sqrt(squares) < sqrt(WIDE / 12.0 / N) / 50.0);
}

static void quasi_normals_have_the_moments_of_normals(void **state)
{
    (void)state;
    enum { N = 4096, D = 70 };
    random_stream stream = random_open(5, RANDOM_TEST, 0, 0);
    double *z = malloc(N * D * sizeof *z);
    quasi_normals(&stream, D, N, z);
    for (int j = 0; j < D; j++) {
        double moment[5] = {0};
        for (int i = 0; i < N; i++)
            for (int k = 1; k <= 4; k++) moment[k] += pow(z[i * D + j], k) / N;
        check_near(moment[1], 0.0, 1e-3);
        check_near(moment[2], 1.0, 5e-3);
        check_near(moment[3], 0.0, 3e-2);
        check_near(moment[4], 3.0, 1e-1);
    }
    free(z);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_unscrambled_points_are_scipys),
        cmocka_unit_test(the_first_points_in_three_dimensions_are_the_published_ones),
        cmocka_unit_test(every_coordinate_has_one_point_in_each_interval_also_beyond_the_table),
        cmocka_unit_test(pairs_of_coordinates_have_one_point_in_each_elementary_rectangle),
        cmocka_unit_test(coordinates_of_different_groups_are_uncorrelated),
        cmocka_unit_test(another_scrambling_gives_other_points_and_the_same_one_the_same),
        cmocka_unit_test(each_point_is_uniform_over_the_scramblings),
        cmocka_unit_test(a_smooth_integral_is_far_nearer_than_by_random_points),
        cmocka_unit_test(the_error_on_a_line_is_that_of_one_uniform_point_an_interval),
        cmocka_unit_test(four_times_the_points_give_a_quarter_of_the_error_or_less),
        cmocka_unit_test(a_sum_over_many_groups_is_still_integrated_better_than_by_random_points),
        cmocka_unit_test(quasi_normals_have_the_moments_of_normals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

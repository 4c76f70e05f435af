/* Samples that share factors and are told different values of the same points: fantasies of open
 * trials. */
#include "unit/acquire/models.h"

enum { D = 2, M = 2, N = 9, OPEN = 3, SHARED = ACQUIRE_SHARED, SEED = 4 };

/* OPEN points, and what each of SHARED fantasies has for their outputs: OPEN x SHARED x M. */
static void make_fantasies(scene *s, double *points, double *values)
{
    for (int i = 0; i < OPEN * D; i++) points[i] = random_uniform(&s->stream);
    for (int i = 0; i < OPEN * SHARED * M; i++) values[i] = between(s, -3.0, 3.0);
}

static void append_all(scene *s, const double *points, const double *values, int stride)
{
    double work[2 * 64];
    for (int i = 0; i < OPEN; i++) model_append(s->mo, 1, points + i * D, values + i * stride, work);
}

/* A scene of the same data, and one fantasy alone. */
static void open_alone(scene *s, const double *points, const double *values, int fantasy)
{
    scene_open(s, SEED, D, M, 1, N);
    append_all(s, points, values + fantasy * M, SHARED * M);
}

static void each_shared_sample_believes_what_it_would_alone(void **state)
{
    (void)state;
    scene s;
    double points[OPEN * D], values[OPEN * SHARED * M], u[D], before[2 * M], after[2 * M];
    scene_open(&s, SEED, D, M, 1, N);
    make_fantasies(&s, points, values);
    random_point(&s, u);
    moments_of_h(&s, 0, u, before, before + M);
    double work[2 * 64];
    assert_int_equal(model_fork(s.mo, SHARED), 0);
    model_append(s.mo, OPEN, points, values, work);
    for (int f = 0; f < SHARED; f++) {
        scene alone;
        double mean[M], deviation[M], expected[M], expected_deviation[M];
        open_alone(&alone, points, values, f);
        moments_of_h(&s, f, u, mean, deviation);
        moments_of_h(&alone, 0, u, expected, expected_deviation);
        for (int j = 0; j < M; j++) {
            check_near(mean[j], expected[j], 1e-11);
            check_near(deviation[j], expected_deviation[j], 1e-11);
        }
        scene_close(&alone);
    }
    model_join(s.mo);
    model_truncate(s.mo, N);
    assert_int_equal(s.mo->samples, 1);
    moments_of_h(&s, 0, u, after, after + M);
    assert_memory_equal(before, after, sizeof before);
    scene_close(&s);
}

static void the_improvement_is_the_average_over_fantasies_with_an_incumbent_each(void **state)
{
    (void)state;
    scene s;
    double points[OPEN * D], values[OPEN * SHARED * M];
    scene_open(&s, SEED, D, M, 1, N);
    make_fantasies(&s, points, values);
    assert_int_equal(model_fork(s.mo, SHARED), 0);
    append_all(&s, points, values, SHARED * M);
    for (int f = 0; f < SHARED; f++) s.a->incumbent[f] = 0.2 * f;
    for (int p = 0; p < 4; p++) {
        double u[D], value, sum = 0.0;
        random_point(&s, u);
        assert_int_equal(
            acquisition_closed_form(s.a, acquire_goal_of(ACQUIRE_IMPROVEMENT), u, 1, &value, NULL), GOFH_OK);
        for (int f = 0; f < SHARED; f++) {
            scene alone;
            double mean[M], deviation[M], mu = 0.0, variance = 0.0;
            open_alone(&alone, points, values, f);
            moments_of_h(&alone, 0, u, mean, deviation);
            for (int j = 0; j < M; j++) {
                mu += s.weights[j] * mean[j];
                variance += s.weights[j] * s.weights[j] * deviation[j] * deviation[j];
            }
            double sigma = sqrt(variance), z = (mu - 0.2 * f) / sigma;
            sum += sigma * (z * big_phi(z) + phi(z)) / SHARED;
            scene_close(&alone);
        }
        check_near(value, sum, 1e-9 * (1.0 + sum));
        /* The same by draws of h, as the method uses it. */
        fresh_normals(&s);
        double drawn;
        assert_int_equal(acquisition_monte_carlo(s.a, acquire_goal_of(ACQUIRE_IMPROVEMENT), 0, SHARED, s.z,
                                                 DRAWS, u, 1, &drawn, NULL),
                         GOFH_OK);
        check_near(drawn, sum, 0.1 * sum + 0.02);
    }
    scene_close(&s);
}

/* Of more points than are predicted at once, with gradients, from the same normals. */
static void draws_under_all_fantasies_are_the_average_over_each_alone(void **state)
{
    (void)state;
    enum { POINTS = 11, COUNT = 64 };
    scene s;
    double points[OPEN * D], values[OPEN * SHARED * M], u[POINTS * D], value[POINTS], slope[POINTS * D];
    double sum[POINTS] = {0}, slopes[POINTS * D] = {0};
    scene_open(&s, SEED, D, M, 1, N);
    make_fantasies(&s, points, values);
    for (int i = 0; i < POINTS * D; i++) u[i] = random_uniform(&s.stream);
    fresh_normals(&s);
    assert_int_equal(model_fork(s.mo, SHARED), 0);
    append_all(&s, points, values, SHARED * M);
    for (int f = 0; f < SHARED; f++) {
        scene alone;
        open_alone(&alone, points, values, f);
        s.a->incumbent[f] = alone.a->incumbent[0] = 0.2 * f;
        acquisition_monte_carlo(alone.a, acquire_goal_of(ACQUIRE_IMPROVEMENT), 0, 1, s.z, COUNT, u, POINTS,
                                value, slope);
        for (int p = 0; p < POINTS; p++) sum[p] += value[p] / SHARED;
        for (int i = 0; i < POINTS * D; i++) slopes[i] += slope[i] / SHARED;
        scene_close(&alone);
    }
    acquisition_monte_carlo(s.a, acquire_goal_of(ACQUIRE_IMPROVEMENT), 0, SHARED, s.z, COUNT, u, POINTS,
                            value, slope);
    for (int p = 0; p < POINTS; p++) check_near(value[p], sum[p], 1e-11);
    for (int i = 0; i < POINTS * D; i++) check_near(slope[i], slopes[i], 1e-9);
    scene_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_shared_sample_believes_what_it_would_alone),
        cmocka_unit_test(the_improvement_is_the_average_over_fantasies_with_an_incumbent_each),
        cmocka_unit_test(draws_under_all_fantasies_are_the_average_over_each_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "check.h"

#include "base/memory.h"
#include "base/random.h"
#include "search/ascent.h"

#include <stdlib.h>
#include <string.h>

enum { D = 3, STARTS = 8, LARGEST_PATH = 400 };

/* The gradient of -sum weight (x - optimum)^2 / 2, with normal noise. */
typedef struct {
    double optimum[D], weight[D], noise, scale;
    uint64_t seed;
    int faint;        /* iterations whose gradients are 1e-200 of the others */
    int abort_at;     /* iteration, from 0, that returns 77; below 0: none */
    int silent_start; /* gets zeros; below 0: none */
    int nan_start;    /* gets NaN in its last coordinate; below 0: none */
    int calls, outside;
    double path[LARGEST_PATH][D]; /* of the first start */
} noisy_quadratic;

static int noisy(const double *x, int count, int iteration, double *gradient, void *context)
{
    noisy_quadratic *q = context;
    assert_int_equal(iteration, q->calls);
    q->calls++;
    if (iteration == q->abort_at) return 77;
    double scale = iteration >= q->faint ? q->scale : q->scale * 1e-200;
    if (iteration < LARGEST_PATH) memcpy(q->path[iteration], x, sizeof q->path[0]);
    for (int k = 0; k < count; k++) {
        random_stream stream = random_open(q->seed, RANDOM_TEST, (uint64_t)iteration, (uint64_t)k);
        for (int i = 0; i < D; i++) {
            double at = x[k * D + i];
            double slope = q->weight[i] * (q->optimum[i] - at) + q->noise * random_normal(&stream);
            gradient[k * D + i] = k == q->silent_start ? 0 : scale * slope;
            q->outside += !(at >= 0 && at <= 1);
        }
        if (k == q->nan_start) gradient[k * D + D - 1] = NAN;
    }
    return 0;
}

static const double LOWER[D] = {0, 0, 0}, UPPER[D] = {1, 1, 1};

static noisy_quadratic inside(double noise)
{
    return (noisy_quadratic){.optimum = {0.3, 0.62, 0.5},
                             .weight = {1, 4, 10},
                             .noise = noise,
                             .scale = 1,
                             .seed = 5,
                             .abort_at = -1,
                             .silent_start = -1,
                             .nan_start = -1};
}

static void random_starts(double *x)
{
    random_stream stream = random_open(9, RANDOM_TEST, 0, 0);
    for (int i = 0; i < STARTS * D; i++) x[i] = random_uniform(&stream);
}

static int climb(noisy_quadratic *q, const ascent_settings *settings, const double *step, double *x)
{
    double *work = memory_doubles(ascent_work(STARTS, D));
    int status = ascent_maximize(noisy, q, settings, STARTS, D, LOWER, UPPER, step, x, work);
    free(work);
    assert_int_equal(q->outside, 0);
    return status;
}

/* The root mean square distance of all starts from the optimum. */
static double error_of(const noisy_quadratic *q, const double *x)
{
    double sum = 0;
    for (int i = 0; i < STARTS * D; i++) sum += pow(x[i] - q->optimum[i % D], 2);
    return sqrt(sum / STARTS);
}

static void without_noise_it_comes_close_to_the_maximum(void **state)
{
    (void)state;
    double x[STARTS * D];
    random_starts(x);
    noisy_quadratic q = inside(0);
    ascent_settings settings;
    ascent_defaults(&settings);
    assert_int_equal(climb(&q, &settings, NULL, x), 0);
    assert_int_equal(q.calls, settings.iterations);
    print_message("error %g\n", error_of(&q, x));
    assert_true(error_of(&q, x) < 2e-2);
}

static void with_noise_the_error_shrinks_as_the_square_root_of_the_iterations(void **state)
{
    (void)state;
    double error[2];
    for (int k = 0; k < 2; k++) {
        double x[STARTS * D];
        random_starts(x);
        noisy_quadratic q = inside(1);
        ascent_settings settings;
        ascent_defaults(&settings);
        settings.iterations = k ? 8000 : 500;
        climb(&q, &settings, NULL, x);
        error[k] = error_of(&q, x);
        /* No method does better than noise / weight / sqrt(n) in a coordinate (Cramer and Rao). */
        double bound = sqrt((1 + 1.0 / 16 + 1.0 / 100) / settings.iterations);
        print_message("%d iterations: error %g, bound %g\n", settings.iterations, error[k], bound);
        assert_true(error[k] < 3 * bound);
    }
    assert_true(error[1] < error[0] / 2);
}

static void the_mean_of_the_path_is_closer_than_its_end(void **state)
{
    (void)state;
    double error[2];
    for (int average = 0; average < 2; average++) {
        double x[STARTS * D];
        random_starts(x);
        noisy_quadratic q = inside(3);
        ascent_settings settings;
        ascent_defaults(&settings);
        settings.iterations = 2000;
        settings.average = average;
        climb(&q, &settings, NULL, x);
        error[average] = error_of(&q, x);
    }
    print_message("end %g, mean %g\n", error[0], error[1]);
    assert_true(error[1] < error[0]);
}

static void a_maximum_on_the_bounds_is_reached(void **state)
{
    (void)state;
    double x[STARTS * D];
    random_starts(x);
    noisy_quadratic q = inside(0.5);
    q.optimum[0] = -1;
    q.optimum[2] = 1.7;
    ascent_settings settings;
    ascent_defaults(&settings);
    settings.average = 0;
    settings.iterations = 1000;
    climb(&q, &settings, NULL, x);
    for (int k = 0; k < STARTS; k++) {
        check_near(x[k * D], 0, 0.01);
        check_near(x[k * D + 1], 0.62, 0.1);
        assert_true(x[k * D + 2] == 1);
    }
}

static void the_path_does_not_depend_on_the_scale_of_the_objective(void **state)
{
    (void)state;
    static const double scales[] = {1e-12, 0x1p-40, 1e-200, 1e200};
    double x[STARTS * D];
    random_starts(x);
    noisy_quadratic q = inside(1);
    ascent_settings settings;
    ascent_defaults(&settings);
    climb(&q, &settings, NULL, x);
    for (int k = 0; k < 4; k++) {
        double scaled_x[STARTS * D];
        random_starts(scaled_x);
        noisy_quadratic scaled = inside(1);
        scaled.scale = scales[k];
        climb(&scaled, &settings, NULL, scaled_x);
        for (int i = 0; i < STARTS * D; i++) check_near(scaled_x[i], x[i], k == 1 ? 0 : 1e-10);
    }
}

static void each_start_begins_with_its_own_step(void **state)
{
    (void)state;
    double before[STARTS * D], x[STARTS * D], step[STARTS];
    for (int k = 0; k < STARTS; k++) step[k] = 0.01 * (k + 1);
    for (int i = 0; i < STARTS * D; i++) before[i] = x[i] = 0.15;
    noisy_quadratic q = inside(0);
    ascent_settings settings;
    ascent_defaults(&settings);
    settings.iterations = 1;
    climb(&q, &settings, step, x);
    for (int i = 0; i < STARTS * D; i++) check_near(x[i] - before[i], step[i / D], 1e-12);
}

static void steps_shrink_by_the_power_law(void **state)
{
    (void)state;
    double x[STARTS * D] = {0};
    noisy_quadratic q = inside(0);
    for (int i = 0; i < D; i++) {
        q.optimum[i] = 1e9; /* the slope is the same everywhere, so each step has its full length */
        q.weight[i] = 1e-9;
    }
    ascent_settings settings;
    ascent_defaults(&settings);
    settings.step = 0.01;
    settings.iterations = 30;
    climb(&q, &settings, NULL, x);
    for (int k = 0; k + 1 < 30; k++)
        check_near(q.path[k + 1][0] - q.path[k][0], 0.01 / pow(1 + k / 10.0, 0.7), 1e-9);
}

static void a_start_without_a_gradient_stays_and_the_others_move_as_before(void **state)
{
    (void)state;
    double x[STARTS * D], reference[STARTS * D], begin[STARTS * D];
    random_starts(x);
    random_starts(reference);
    random_starts(begin);
    noisy_quadratic all = inside(1), some = inside(1);
    some.silent_start = 2;
    some.nan_start = 6;
    ascent_settings settings;
    ascent_defaults(&settings);
    climb(&all, &settings, NULL, reference);
    climb(&some, &settings, NULL, x);
    for (int k = 0; k < STARTS; k++)
        for (int i = 0; i < D; i++)
            check_near(x[k * D + i], k == 2 || k == 6 ? begin[k * D + i] : reference[k * D + i],
                       k == 2 || k == 6 ? 1e-14 : 0);
}

static void a_gradient_that_grows_by_200_orders_of_magnitude_still_leads_to_the_maximum(void **state)
{
    (void)state;
    double x[STARTS * D];
    random_starts(x);
    noisy_quadratic q = inside(0);
    q.faint = 5;
    ascent_settings settings;
    ascent_defaults(&settings);
    settings.iterations = 400;
    climb(&q, &settings, NULL, x);
    assert_true(error_of(&q, x) < 0.02);
}

static void an_aborting_gradient_ends_the_ascent_with_its_code(void **state)
{
    (void)state;
    static const int iterations[] = {0, 3, 150};
    for (int k = 0; k < 3; k++) {
        double x[STARTS * D];
        random_starts(x);
        noisy_quadratic q = inside(1);
        q.abort_at = iterations[k];
        ascent_settings settings;
        ascent_defaults(&settings);
        assert_int_equal(climb(&q, &settings, NULL, x), 77);
        assert_int_equal(q.calls, iterations[k] + 1);
        for (int i = 0; i < STARTS * D; i++) assert_true(x[i] >= 0 && x[i] <= 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_noise_it_comes_close_to_the_maximum),
        cmocka_unit_test(with_noise_the_error_shrinks_as_the_square_root_of_the_iterations),
        cmocka_unit_test(the_mean_of_the_path_is_closer_than_its_end),
        cmocka_unit_test(a_maximum_on_the_bounds_is_reached),
        cmocka_unit_test(the_path_does_not_depend_on_the_scale_of_the_objective),
        cmocka_unit_test(each_start_begins_with_its_own_step),
        cmocka_unit_test(steps_shrink_by_the_power_law),
        cmocka_unit_test(a_start_without_a_gradient_stays_and_the_others_move_as_before),
        cmocka_unit_test(a_gradient_that_grows_by_200_orders_of_magnitude_still_leads_to_the_maximum),
        cmocka_unit_test(an_aborting_gradient_ends_the_ascent_with_its_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

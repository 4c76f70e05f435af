#include "acquire/utility.h"
#include "base/random.h"
#include "check.h"

enum { COUNT = 600 };

/* Draws on both sides of the incumbent, from far to very near, and some that are not allowed. */
static void make_draws(double incumbent, double *f)
{
    random_stream stream = random_open(1, RANDOM_TEST, 0, 0);
    for (int i = 0; i < COUNT; i++)
        f[i] = i % 50 == 7
                   ? -INFINITY
                   : incumbent + (i % 2 ? 1.0 : -1.0) * pow(10.0, 12.0 * random_uniform(&stream) - 6.0);
}

static void smooth_improvements_are_those_of_the_formula(void **state)
{
    (void)state;
    const double incumbent = 0.3, smoothing[] = {1e-3, 1.0, 1e3};
    double f[COUNT], utility[COUNT], slope[COUNT];
    make_draws(incumbent, f);
    for (int w = 0; w < 3; w++) {
        const double width = smoothing[w];
        utility_of_draws((acquire_goal){.kind = ACQUIRE_SMOOTH, .threshold = 0.5, .smoothing = width},
                         incumbent, f, COUNT, utility, slope);
        for (int i = 0; i < COUNT; i++) {
            if (f[i] == -INFINITY) {
                assert_true(utility[i] == 0.0 && slope[i] == 0.0);
                continue;
            }
            long double t = ((long double)f[i] - incumbent) / smoothing[w], tail = 1.0L / (1.0L + t * t);
            long double softplus = t > 0.0L ? t + log1pl(expl(-t)) : log1pl(expl(t));
            long double rise = (1.0L / (1.0L + expl(-t)) - 0.2L * t * tail * tail) / smoothing[w];
            check_close(utility[i], (double)(softplus + 0.1L * tail), 4e-15);
            check_near(slope[i], (double)rise, 4e-15 / smoothing[w]);
        }
    }
}

static void improvements_are_what_a_draw_exceeds_the_incumbent_by(void **state)
{
    (void)state;
    const double f[] = {-INFINITY, -1.0, 0.0, 0.25, 0.75, 2.0}, nothing = NAN;
    double utility[6], slope[6];
    utility_of_draws((acquire_goal){.kind = ACQUIRE_IMPROVEMENT, .threshold = 0.5, .smoothing = 1.0}, 0.0, f,
                     6, utility, slope);
    for (int i = 0; i < 6; i++) {
        assert_true(utility[i] == fmax(f[i], 0.0));
        assert_true(slope[i] == (i > 2));
    }
    utility_of_draws((acquire_goal){.kind = ACQUIRE_PROBABILITY, .threshold = 0.5, .smoothing = 1.0}, 0.0, f,
                     6, utility, slope);
    for (int i = 0; i < 6; i++) assert_true(utility[i] == (i > 3) && slope[i] == 0.0);
    utility_of_draws((acquire_goal){.kind = ACQUIRE_MEAN, .threshold = 0.5, .smoothing = 1.0}, 0.0, f, 6,
                     utility, slope);
    for (int i = 0; i < 6; i++) assert_true(utility[i] == f[i] && slope[i] == 1.0);
    for (acquire_kind kind = ACQUIRE_IMPROVEMENT; kind <= ACQUIRE_SMOOTH; kind++) {
        if (kind == ACQUIRE_MEAN) continue;
        utility_of_draws((acquire_goal){.kind = kind, .threshold = 0.5, .smoothing = 1.0}, 0.0, &nothing, 1,
                         utility, slope);
        assert_true(utility[0] == 0.0 && slope[0] == 0.0);
    }
}

static void before_anything_is_allowed_all_that_is_counts_the_same(void **state)
{
    (void)state;
    const double f[] = {-INFINITY, -1e300, 0.0, 1e300};
    const acquire_kind kinds[] = {ACQUIRE_IMPROVEMENT, ACQUIRE_SMOOTH, ACQUIRE_PROBABILITY};
    for (int k = 0; k < 3; k++) {
        double utility[4], slope[4];
        utility_of_draws((acquire_goal){.kind = kinds[k], .smoothing = 1.0}, -INFINITY, f, 4, utility, slope);
        for (int i = 0; i < 4; i++) assert_true(utility[i] == (i > 0) && slope[i] == 0.0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smooth_improvements_are_those_of_the_formula),
        cmocka_unit_test(improvements_are_what_a_draw_exceeds_the_incumbent_by),
        cmocka_unit_test(before_anything_is_allowed_all_that_is_counts_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

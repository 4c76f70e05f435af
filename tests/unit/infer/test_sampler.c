/* The sampler on densities whose moments are known, without a model. */
#include "infer/sampler.h"

#include "check.h"

#include <string.h>

static void draw_uniform(random_stream *stream, double *point, void *context)
{
    for (int k = 0; k < *(const int *)context; k++) point[k] = random_uniform(stream);
}

static double no_prior(const double *point, void *context)
{
    (void)point, (void)context;
    return 0.0;
}

/* Two normals in d dimensions: a narrow one with weight 0.3, one twice as wide with weight 0.7. */
static gofh_status two_normals(const double *point, int count, double *value, void *context)
{
    int d = *(const int *)context;
    for (int i = 0; i < count; i++) {
        double narrow = 0.0, wide = 0.0;
        for (int k = 0; k < d; k++) {
            narrow += pow((point[i * d + k] - 0.25) / 0.01, 2.0);
            wide += pow((point[i * d + k] - 0.7) / 0.02, 2.0);
        }
        double a = log(0.3) - 0.5 * narrow - d * log(0.01), b = log(0.7) - 0.5 * wide - d * log(0.02);
        value[i] = fmax(a, b) + log1p(exp(-fabs(a - b)));
    }
    return GOFH_OK;
}

static double share_below(const sampler_result *r, double limit)
{
    double sum = 0.0;
    for (int p = 0; p < SAMPLER_POPULATIONS; p++)
        for (int w = 0; w < r->walkers; w++)
            for (int t = 0; t < r->steps; t++) sum += sampler_state(r, p, w, t)[0] < limit;
    return sum / ((double)SAMPLER_POPULATIONS * r->walkers * r->steps);
}

static void separate_modes_have_their_weights(void **state)
{
    (void)state;
    int d = 3;
    double centre[3] = {0.7, 0.7, 0.7}, factor[9] = {0.03, 0.0, 0.0, 0.0, 0.03, 0.0, 0.0, 0.0, 0.03};
    const infer_basin basin = {centre, factor, 3.0 * log(0.03)};
    sampler_target target = {.d = d,
                             .log_density = two_normals,
                             .draw = draw_uniform,
                             .log_prior = no_prior,
                             .context = &d,
                             .basin = &basin,
                             .seed = 5,
                             .samples = 4000};
    /* Without a start in any mode, and with one in the larger mode alone. */
    for (target.basins = 0; target.basins < 2; target.basins++) {
        sampler_result r;
        assert_int_equal(sampler_run(&target, &r), GOFH_OK);
        check_near(share_below(&r, 0.5), 0.3, 0.06);
        for (int k = 0; k < d; k++) assert_true(r.effective[k] > 300.0 && r.rhat[k] < 1.1);
        sampler_release(&r);
    }
}

/* A narrow mode that has nearly all weight, and a wide plateau where most of the prior lies. */
static gofh_status mode_and_plateau(const double *point, int count, double *value, void *context)
{
    (void)context;
    for (int i = 0; i < count; i++) {
        double narrow = 0.0, wide = 0.0;
        for (int k = 0; k < 2; k++) {
            narrow += pow((point[2 * i + k] - 0.1) / 0.002, 2.0);
            wide += pow((point[2 * i + k] - 0.7) / 0.1, 2.0);
        }
        double a = -0.5 * narrow, b = log(1e-7) - 0.5 * wide;
        value[i] = fmax(a, b) + log1p(exp(-fabs(a - b)));
    }
    return GOFH_OK;
}

static void a_known_mode_is_reached_from_anywhere(void **state)
{
    (void)state;
    int d = 2;
    double centre[2] = {0.1, 0.1}, factor[4] = {0.002, 0.0, 0.0, 0.002};
    const infer_basin basin = {centre, factor, 2.0 * log(0.002)};
    sampler_target target = {.d = d,
                             .log_density = mode_and_plateau,
                             .draw = draw_uniform,
                             .log_prior = no_prior,
                             .context = &d,
                             .basin = &basin,
                             .basins = 1,
                             .samples = 2000};
    for (target.seed = 1; target.seed <= 10; target.seed++) {
        sampler_result r;
        assert_int_equal(sampler_run(&target, &r), GOFH_OK);
        /* The plateau has 2500 times the area and 1e-7 of the height. */
        check_near(share_below(&r, 0.2), 1.0, 0.01);
        assert_true(r.rhat[0] < 1.1 && r.rhat[1] < 1.1);
        sampler_release(&r);
    }
}

/* A normal with a correlation of 0.999, which a sampler that is not affine-invariant creeps along. */
static gofh_status narrow_ridge(const double *point, int count, double *value, void *context)
{
    (void)context;
    for (int i = 0; i < count; i++) {
        double a = (point[2 * i] - 0.5) / 0.1, b = (point[2 * i + 1] - 0.5) / 0.1, rho = 0.999;
        value[i] = -0.5 * (a * a - 2.0 * rho * a * b + b * b) / (1.0 - rho * rho);
    }
    return GOFH_OK;
}

static void a_narrow_ridge_has_its_moments(void **state)
{
    (void)state;
    int d = 2;
    sampler_target target = {.d = d,
                             .log_density = narrow_ridge,
                             .draw = draw_uniform,
                             .log_prior = no_prior,
                             .context = &d,
                             .seed = 1,
                             .samples = 20000};
    sampler_result r;
    assert_int_equal(sampler_run(&target, &r), GOFH_OK);
    double sum = 0.0, squares = 0.0, product = 0.0, count = 0.0;
    for (int p = 0; p < SAMPLER_POPULATIONS; p++)
        for (int w = 0; w < r.walkers; w++)
            for (int t = 0; t < r.steps; t++, count++) {
                const double *point = sampler_state(&r, p, w, t);
                sum += point[0] - 0.5;
                squares += (point[0] - 0.5) * (point[0] - 0.5);
                product += (point[0] - 0.5) * (point[1] - 0.5);
            }
    check_near(sum / count, 0.0, 0.003);
    check_close(sqrt(squares / count), 0.1, 0.02);
    check_close(product / squares, 0.999, 0.001);
    assert_true(r.rhat[0] < 1.01 && r.effective[0] >= 20000.0);
    sampler_release(&r);
}

/* ---- what is said of samples: known sequences ---- */

static sampler_result made_chains(int walkers, int steps, double *chain, double *both)
{
    return (sampler_result){.d = 1,
                            .populations = SAMPLER_POPULATIONS,
                            .walkers = walkers,
                            .steps = steps,
                            .room = (size_t)steps,
                            .chain = chain,
                            .rhat = both,
                            .effective = both + 1};
}

/* A normal x0, and a narrow x1 around a parabola of it, with three others: the ridge is four times as
 * thick as wide where it is taken for straight. */
static gofh_status curved_ridge(const double *point, int count, double *value, void *context)
{
    (void)context;
    for (int i = 0; i < count; i++) {
        double w[5];
        for (int k = 0; k < 5; k++) w[k] = (point[5 * i + k] - 0.5) / 0.03;
        double across = (w[1] - w[0] - 0.03 * (w[0] * w[0] - 1.0)) / 0.0072,
               third = (w[2] + 0.95 * w[0]) / 0.25, fourth = (w[3] - 0.5 * w[0]) / 0.8;
        value[i] = -0.5 * (w[0] * w[0] + across * across + third * third + fourth * fourth + w[4] * w[4]);
    }
    return GOFH_OK;
}

/* Without straight coordinates it takes 400 steps. */
static void a_curved_ridge_is_sampled_in_few_steps(void **state)
{
    (void)state;
    int d = 5;
    double sum = 0.0, squares = 0.0;
    sampler_target target = {.d = d,
                             .log_density = curved_ridge,
                             .draw = draw_uniform,
                             .log_prior = no_prior,
                             .context = &d,
                             .seed = 1,
                             .samples = 4000};
    sampler_result r;
    assert_int_equal(sampler_run(&target, &r), GOFH_OK);
    double all = (double)SAMPLER_POPULATIONS * r.walkers * r.steps;
    for (int p = 0; p < SAMPLER_POPULATIONS; p++)
        for (int w = 0; w < r.walkers; w++)
            for (int t = 0; t < r.steps; t++) {
                double own = (sampler_state(&r, p, w, t)[0] - 0.5) / 0.03;
                sum += own / all;
                squares += own * own / all;
            }
    /* Four standard errors of 4,000 samples, which are not quite independent. */
    check_near(sum, 0.0, 0.08);
    check_near(sqrt(squares - sum * sum), 1.0, 0.06);
    assert_true(r.steps <= 100);
    sampler_release(&r);
}

static void the_effective_size_is_that_of_an_autoregression(void **state)
{
    (void)state;
    enum { WALKERS = 50, STEPS = 400, COUNT = SAMPLER_POPULATIONS * WALKERS };
    static double chain[COUNT * STEPS];
    double both[2];
    for (int i = 0; i < 3; i++) {
        double rho = i == 0 ? 0.0 : i == 1 ? 0.5 : 0.9;
        random_stream stream = random_open(1, RANDOM_TEST, (uint64_t)i, 0);
        for (int w = 0; w < COUNT; w++) {
            double x = random_normal(&stream);
            for (int t = 0; t < STEPS; t++) {
                x = rho * x + sqrt(1.0 - rho * rho) * random_normal(&stream);
                chain[w * STEPS + t] = x;
            }
        }
        sampler_result r = made_chains(WALKERS, STEPS, chain, both);
        assert_int_equal(sampler_diagnose(&r), 0);
        /* Independent: n; with a correlation of rho from step to step: n (1 - rho)/(1 + rho). */
        check_close(r.effective[0], COUNT * STEPS * (1.0 - rho) / (1.0 + rho), 0.1);
        check_near(r.rhat[0], 1.0, 0.005);
    }
}

static void populations_that_disagree_have_a_large_rhat(void **state)
{
    (void)state;
    enum { WALKERS = 50, STEPS = 20 };
    static double chain[SAMPLER_POPULATIONS * WALKERS * STEPS];
    double both[2];
    random_stream stream = random_open(1, RANDOM_TEST, 9, 0);
    for (int i = 0; i < SAMPLER_POPULATIONS * WALKERS * STEPS; i++)
        chain[i] = random_normal(&stream) + (i < WALKERS * STEPS ? 2.0 : 0.0);
    sampler_result r = made_chains(WALKERS, STEPS, chain, both);
    assert_int_equal(sampler_diagnose(&r), 0);
    /* Of eight halves two are 2 higher: the variance of the means is 4 * 2 * 6 / (8 * 7). */
    check_near(r.rhat[0], sqrt(1.0 + 4.0 * 2.0 * 6.0 / (8.0 * 7.0)), 0.05);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(separate_modes_have_their_weights),
        cmocka_unit_test(a_known_mode_is_reached_from_anywhere),
        cmocka_unit_test(a_narrow_ridge_has_its_moments),
        cmocka_unit_test(a_curved_ridge_is_sampled_in_few_steps),
        cmocka_unit_test(the_effective_size_is_that_of_an_autoregression),
        cmocka_unit_test(populations_that_disagree_have_a_large_rhat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

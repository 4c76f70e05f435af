#include "check.h"
#include "target.h"

static const long double PI = 3.14159265358979323846264L;
static const hyper_noise MODES[] = {HYPER_EXACT, HYPER_ESTIMATED, HYPER_KNOWN};
enum { MODE_COUNT = 3, D = 2, N = 9 };

/* log of the integral over the mean of the normal density of y, by the trapezoidal rule. */
static long double log_marginal_of_mean(const dense_gp *g, long double variance)
{
    long double log_det, yy, oy, oo, sum = 0;
    dense_forms(g, &log_det, &yy, &oy, &oo);
    long double width = sqrtl(variance / oo), least = (yy - oy * oy / oo) / variance;
    const int steps = 80;
    for (int i = -steps; i <= steps; i++) {
        long double mean = oy / oo + width * 10 * i / steps;
        sum += expl(-0.5L * ((yy - 2 * mean * oy + mean * mean * oo) / variance - least));
    }
    return logl(sum * width * 10 / steps) - 0.5L * (least + log_det + g->n * logl(2 * PI * variance));
}

/* log of the scaled inverse chi-squared density of the variance, times the variance: its density in
 * log. */
static long double log_variance_prior(long double variance)
{
    long double half = 0.5L * PRIOR.variance_weight;
    return half * logl(half * PRIOR.variance_scale) - lgammal(half) - half * logl(variance) -
           half * PRIOR.variance_scale / variance;
}

static long double log_normal_density(double theta, double median, double spread)
{
    long double z = (theta - logl(median)) / spread;
    return -0.5L * z * z - logl(spread * sqrtl(2 * PI));
}

/* The log posterior up to the evidence, from the densities, the mean and the variance integrated
 * out on grids. */
static double brute_force(const fixture *f, hyper_noise noise, const double *theta)
{
    double inverse_lengthscale[FIXTURE_PARAMETERS];
    int d = f->inputs.d;
    long double value = 0;
    for (int k = 0; k < d; k++)
        value += log_normal_density(theta[k], PRIOR.lengthscale_median, PRIOR.lengthscale_spread);
    if (noise == HYPER_KNOWN) {
        dense_gp g = process_of(f, noise, theta, 1.0, inverse_lengthscale);
        double variance = exp(theta[f->dense.trend > 0.0 ? d + 1 : d]) / mean_diagonal(&g);
        g = process_of(f, noise, theta, variance, inverse_lengthscale);
        return (double)(value + log_marginal_of_mean(&g, variance) + log_variance_prior(variance));
    }
    if (noise == HYPER_ESTIMATED)
        value += log_normal_density(theta[d], PRIOR.noise_median, PRIOR.noise_spread);
    dense_gp g = process_of(f, noise, theta, 1.0, inverse_lengthscale);
    const long double step = 0.1L;
    long double top = -INFINITY, sum = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = -120; i <= 250; i++) {
            long double variance = expl(step * i);
            long double part = log_marginal_of_mean(&g, variance) + log_variance_prior(variance);
            if (pass == 0)
                top = fmaxl(top, part);
            else
                sum += expl(part - top) * step;
        }
    return (double)(value + top + logl(sum));
}

static void random_theta(random_stream *stream, hyper_noise noise, int d, double *theta)
{
    /* Points on a line see each other from near: longer lengthscales leave the differences to
     * rounding. */
    double least = d == 1 ? 0.03 : 0.08;
    for (int k = 0; k < d; k++) theta[k] = log(least) + 1.3 * random_uniform(stream);
    if (noise == HYPER_ESTIMATED) theta[d] = log(1e-4) + 6.0 * random_uniform(stream);
    if (noise == HYPER_KNOWN) theta[d] = 2.0 * random_normal(stream);
}

/* The same with a trend between the lengthscales and the noise. */
static void random_theta_with_trend(random_stream *stream, hyper_noise noise, int d, double *theta)
{
    random_theta(stream, noise, d, theta);
    theta[d + 1] = theta[d];
    theta[d] = 6.0 * random_uniform(stream) - 5.0;
}

/* The constant left out does not depend on theta. */
static void the_log_posterior_is_the_brute_force_one_up_to_a_constant(void **state)
{
    (void)state;
    FOR_EACH_KERNEL(kernel)
    for (int mode = 0; mode < MODE_COUNT; mode++) {
        fixture f;
        fixture_open(&f, kernel, D, N, 2);
        hyper_target target = target_open(&f, MODES[mode], &PRIOR);
        random_stream stream = random_open(3, RANDOM_TEST, (uint64_t)mode, 0);
        double theta[D + 1], constant = 0.0;
        assert_int_equal(hyper_dimension(&target), MODES[mode] == HYPER_EXACT ? D : D + 1);
        for (int i = 0; i < 5; i++) {
            random_theta(&stream, MODES[mode], D, theta);
            double difference = hyper_log_posterior(&target, theta, NULL) -
                                brute_force(&f, MODES[mode], theta);
            if (i == 0) constant = difference;
            check_near(difference, constant, 1e-7);
        }
        target_close(&target);
        fixture_close(&f);
    }
}

/* The gradient at theta is the difference quotient, and asking for it does not change the value. */
static void check_gradient(hyper_target *target, double *theta)
{
    const double step = 1e-5;
    double gradient[5];
    double value = hyper_log_posterior(target, theta, gradient);
    check_near(value, hyper_log_posterior(target, theta, NULL), 0.0);
    for (int k = 0; k < hyper_dimension(target); k++) {
        double middle = theta[k];
        theta[k] = middle + step;
        double after = hyper_log_posterior(target, theta, NULL);
        theta[k] = middle - step;
        double before = hyper_log_posterior(target, theta, NULL);
        theta[k] = middle;
        check_near(gradient[k], (after - before) / (2.0 * step), 2e-5 * (1.0 + fabs(gradient[k])));
    }
}

static void its_gradient_is_its_difference_quotient(void **state)
{
    (void)state;
    FOR_EACH_KERNEL(kernel)
    for (int mode = 0; mode < MODE_COUNT; mode++)
        for (int d = 1; d <= 4; d += 3) {
            fixture f;
            fixture_open(&f, kernel, d, 12, 2);
            hyper_target target = target_open(&f, MODES[mode], &PRIOR);
            random_stream stream = random_open(4, RANDOM_TEST, (uint64_t)mode, (uint64_t)d);
            double theta[5];
            for (int i = 0; i < 4; i++) {
                random_theta(&stream, MODES[mode], d, theta);
                check_gradient(&target, theta);
            }
            target_close(&target);
            fixture_close(&f);
        }
}

static void with_a_trend_value_and_gradient_are_those_of_the_brute_force_too(void **state)
{
    (void)state;
    hyper_prior prior = PRIOR;
    prior.trend_spread = 2.0;
    for (int mode = 0; mode < MODE_COUNT; mode++) {
        fixture f;
        fixture_open(&f, GOFH_KERNEL_SQUARED_EXPONENTIAL, D, N, 2);
        f.dense.trend = 1.0;
        hyper_target target = target_open(&f, MODES[mode], &prior);
        target.trend = 1;
        random_stream stream = random_open(5, RANDOM_TEST, (uint64_t)mode, 0);
        double theta[D + 2], constant = 0.0;
        assert_int_equal(hyper_dimension(&target), MODES[mode] == HYPER_EXACT ? D + 1 : D + 2);
        for (int i = 0; i < 5; i++) {
            random_theta_with_trend(&stream, MODES[mode], D, theta);
            /* The brute force knows the priors of all but the trend, and reads the noise after the
             * lengthscales. */
            double z = theta[D] / prior.trend_spread, prior_of_noise = 0.0;
            if (MODES[mode] == HYPER_ESTIMATED)
                prior_of_noise =
                    (double)(log_normal_density(theta[D + 1], PRIOR.noise_median, PRIOR.noise_spread) -
                             log_normal_density(theta[D], PRIOR.noise_median, PRIOR.noise_spread));
            double difference = hyper_log_posterior(&target, theta, NULL) + 0.5 * z * z - prior_of_noise -
                                brute_force(&f, MODES[mode], theta);
            if (i == 0) constant = difference;
            check_near(difference, constant, 1e-6);
            check_gradient(&target, theta);
        }
        target_close(&target);
        fixture_close(&f);
    }
}

/* The known noise of each datum is a part of the diagonal, whatever the variance of the signal. */
static double brute_force_of_own_noise(const fixture *f, const double *own, const double *theta)
{
    double inverse_lengthscale[FIXTURE_PARAMETERS], relative[N];
    long double value = 0;
    for (int k = 0; k < D; k++)
        value += log_normal_density(theta[k], PRIOR.lengthscale_median, PRIOR.lengthscale_spread);
    dense_gp g = process_of(f, HYPER_EXACT, theta, 1.0, inverse_lengthscale);
    double variance = exp(theta[f->dense.trend > 0.0 ? D + 1 : D]) / mean_diagonal(&g);
    for (int i = 0; i < N; i++) relative[i] = own[i] / variance;
    g.own = relative;
    return (double)(value + log_marginal_of_mean(&g, variance) + log_variance_prior(variance));
}

static void with_noise_of_each_datum_value_and_gradient_are_those_of_the_brute_force(void **state)
{
    (void)state;
    hyper_prior prior = PRIOR;
    prior.trend_spread = 2.0;
    for (int trend = 0; trend < 2; trend++) {
        fixture f;
        fixture_open(&f, GOFH_KERNEL_MATERN_52, D, N, 2);
        f.dense.trend = trend;
        double own[N], sum = 0.0;
        for (int i = 0; i < N; i++) sum += own[i] = 0.02 * (i % 4); /* some are exact */
        hyper_target target = target_open(&f, HYPER_KNOWN, &prior);
        target.trend = trend;
        target.own_noise = own;
        target.known_noise = sum / N;
        random_stream stream = random_open(6, RANDOM_TEST, (uint64_t)trend, 0);
        double theta[D + 2], constant = 0.0;
        for (int i = 0; i < 5; i++) {
            if (trend)
                random_theta_with_trend(&stream, HYPER_KNOWN, D, theta);
            else
                random_theta(&stream, HYPER_KNOWN, D, theta);
            double z = trend ? theta[D] / prior.trend_spread : 0.0;
            double difference = hyper_log_posterior(&target, theta, NULL) + 0.5 * z * z -
                                brute_force_of_own_noise(&f, own, theta);
            if (i == 0) constant = difference;
            check_near(difference, constant, 1e-6);
            check_gradient(&target, theta);
        }
        target_close(&target);
        fixture_close(&f);
    }
}

/* Three outputs: y of the fixture, and what the same random points give in two other forms. */
enum { SHARING = 3 };

static void fill_outputs(const fixture *f, double *y)
{
    for (int i = 0; i < f->inputs.n; i++) {
        const double *x = f->x + i * f->inputs.d;
        y[i] = f->y[i];
        y[f->inputs.n + i] = cos(4.0 * x[0]) + 0.1 * f->y[i];
        y[2 * f->inputs.n + i] = 3.0 * x[0] * x[0] - 0.2 * f->y[i];
    }
}

static void outputs_that_share_have_the_sum_of_their_likelihoods_and_the_prior_once(void **state)
{
    (void)state;
    hyper_prior prior = PRIOR, flat = PRIOR;
    flat.lengthscale_spread = flat.noise_spread = flat.trend_spread = 1e100;
    prior.trend_spread = 2.0;
    for (int mode = 0; mode < 2; mode++)
        for (int trend = 0; trend < 2; trend++) {
            fixture f;
            fixture_open(&f, GOFH_KERNEL_MATERN_52, D, N, 2);
            double y[SHARING * N], theta[D + 2];
            fill_outputs(&f, y);
            hyper_target alone = target_open(&f, MODES[mode], &flat), shared = alone;
            alone.trend = shared.trend = trend;
            shared.prior = &prior;
            shared.others = SHARING - 1;
            shared.y = y;
            shared.work = calloc(hyper_work(N, SHARING - 1), sizeof(double));
            random_stream stream = random_open(8, RANDOM_TEST, (uint64_t)mode, 0);
            random_theta_with_trend(&stream, MODES[mode], D, theta);
            double sum = 0.0, variance[SHARING];
            for (int j = 0; j < SHARING; j++) {
                gp_hyper hyper = {.inverse_lengthscale = (double[D]){0.0}};
                alone.y = y + j * N;
                sum += hyper_log_posterior(&alone, theta, NULL);
                hyper_resolve(&alone, theta, NULL, &hyper);
                variance[j] = hyper.variance;
            }
            alone.prior = &prior; /* the prior is what it adds to one of them */
            double with = hyper_log_posterior(&alone, theta, NULL);
            alone.prior = &flat;
            double once = with - hyper_log_posterior(&alone, theta, NULL);
            check_near(hyper_log_posterior(&shared, theta, NULL), sum + once, 1e-9);
            for (int j = 0; j < SHARING; j++) check_close(hyper_variance(&shared, j), variance[j], 1e-12);
            target_close(&alone);
            target_close(&shared);
            fixture_close(&f);
        }
}

static void the_gradient_of_what_they_share_is_its_difference_quotient(void **state)
{
    (void)state;
    enum { MOST_N = 30 };
    hyper_prior prior = PRIOR;
    prior.trend_spread = 2.0;
    for (int n = 8; n <= MOST_N; n += 11)
        for (int trend = 0; trend < 2; trend++) {
            fixture f;
            fixture_open(&f, GOFH_KERNEL_SQUARED_EXPONENTIAL, D, n, 2);
            double y[SHARING * MOST_N], theta[D + 2];
            fill_outputs(&f, y);
            hyper_target target = target_open(&f, HYPER_ESTIMATED, &prior);
            target_close(&target);
            target.trend = trend;
            target.others = SHARING - 1;
            target.y = y;
            target.work = calloc(hyper_work(n, SHARING - 1), sizeof(double));
            random_stream stream = random_open(9, RANDOM_TEST, (uint64_t)n, 0);
            for (int i = 0; i < 4; i++) {
                if (trend)
                    random_theta_with_trend(&stream, HYPER_ESTIMATED, D, theta);
                else
                    random_theta(&stream, HYPER_ESTIMATED, D, theta);
                check_gradient(&target, theta);
            }
            target_close(&target);
            fixture_close(&f);
        }
}

/* With one output on a line, the integral over the lengthscale by brute force; the prior is
 * normalised. */
static void the_evidence_is_near_the_integral_over_the_lengthscale(void **state)
{
    (void)state;
    enum { STEPS = 4000, LINE = 20 };
    fixture f;
    fixture_open(&f, GOFH_KERNEL_MATERN_52, 1, LINE, 2);
    hyper_target target = target_open(&f, HYPER_EXACT, &PRIOR);
    double best = -INFINITY, at = 0.0, sum = 0.0, low = log(1e-2), high = log(10.0);
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i <= STEPS; i++) {
            double theta = low + (high - low) * i / STEPS, value = hyper_log_posterior(&target, &theta, NULL);
            if (pass) sum += exp(value - best) * (high - low) / STEPS;
            if (!pass && value > best) at = theta;
            if (!pass) best = fmax(best, value);
        }
    double normalised = best + log(sum) - log(PRIOR.lengthscale_spread * sqrt(2.0 * (double)PI));
    check_near(hyper_log_evidence(&target, &at), normalised, 0.1);
    target_close(&target);
    fixture_close(&f);
}

/* Where the data say nothing of the noise but that there is none, all of its prior is left: an
 * exponential from the least noise on, of which the likelihood takes what is above the nugget. */
static void noise_at_its_floor_costs_what_the_likelihood_leaves_of_its_prior(void **state)
{
    (void)state;
    enum { STEPS = 20000 };
    hyper_prior prior = PRIOR;
    prior.noise_rate = 0.3;
    fixture f;
    fixture_open(&f, GOFH_KERNEL_SQUARED_EXPONENTIAL, D, N, 2);
    hyper_target exact = target_open(&f, HYPER_EXACT, &prior),
                 noisy = target_open(&f, HYPER_ESTIMATED, &prior);
    double theta[D + 1] = {log(0.3), log(0.4), log(1e-12)}, gradient[D + 1];
    for (int j = 0; j < N; j++) f.y[j] = sin(2.0 * f.x[j * D]) + f.x[j * D + 1]; /* smooth: no noise */
    hyper_log_posterior(&noisy, theta, gradient);
    assert_true(gradient[D] < 0.0);
    double difference = hyper_log_evidence(&noisy, theta) - hyper_log_evidence(&exact, theta), sum = 0.0;
    double base = hyper_log_posterior(&exact, theta, NULL), high = 0.0, low = log(1e-12);
    for (int i = 0; i <= STEPS; i++) {
        theta[D] = low + (high - low) * i / STEPS;
        double density = hyper_log_posterior(&noisy, theta, NULL) - base + prior.noise_rate * low;
        sum += (i % STEPS ? 1.0 : 0.5) * prior.noise_rate * exp(density) * (high - low) / STEPS;
    }
    check_near(difference, log(sum), 0.3);
    target_close(&exact);
    target_close(&noisy);
    fixture_close(&f);
}

static void with_one_datum_only_the_prior_speaks(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, GOFH_KERNEL_SQUARED_EXPONENTIAL, D, 1, 2);
    hyper_target target = target_open(&f, HYPER_EXACT, &PRIOR);
    double a[D] = {-1.0, 0.3}, b[D] = {-2.0, 0.1}, gradient[D], expected = 0.0;
    for (int k = 0; k < D; k++)
        expected += (double)(log_normal_density(a[k], 0.4, 0.8) - log_normal_density(b[k], 0.4, 0.8));
    check_near(hyper_log_posterior(&target, a, NULL) - hyper_log_posterior(&target, b, gradient), expected,
               1e-12);
    for (int k = 0; k < D; k++) check_near(gradient[k], -(b[k] - log(0.4)) / 0.64, 1e-12);
    target_close(&target);
    fixture_close(&f);
}

static void duplicated_points_have_a_finite_log_posterior(void **state)
{
    (void)state;
    FOR_EACH_KERNEL(kernel)
    {
        fixture f;
        fixture_open(&f, kernel, D, N, 2);
        memcpy(f.x + D, f.x, D * sizeof *f.x);
        f.y[1] = f.y[0];
        fixture_take(&f, N);
        hyper_target target = target_open(&f, HYPER_EXACT, &PRIOR);
        for (double lengthscale = 0.01; lengthscale < 1000.0; lengthscale *= 2.0) {
            double theta[D] = {log(lengthscale), log(lengthscale)}, gradient[D];
            assert_true(isfinite(hyper_log_posterior(&target, theta, gradient)));
            assert_true(isfinite(gradient[0]) && isfinite(gradient[1]));
        }
        target_close(&target);
        fixture_close(&f);
    }
}

static void the_start_is_at_the_prior_medians_and_inside_the_bounds(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, GOFH_KERNEL_MATERN_52, D, N, 2);
    hyper_prior extreme = PRIOR;
    extreme.lengthscale_median = 1e9;
    extreme.noise_median = 1e-30;
    extreme.variance_scale = 1e40;
    for (int mode = 0; mode < MODE_COUNT; mode++) {
        double theta[D + 1], lower[D + 1], upper[D + 1];
        hyper_target target = target_open(&f, MODES[mode], &PRIOR),
                     far = target_open(&f, MODES[mode], &extreme);
        hyper_start(&target, theta);
        for (int k = 0; k < D; k++) check_near(theta[k], log(0.4), 1e-15);
        if (MODES[mode] == HYPER_ESTIMATED) check_near(theta[D], log(1e-2), 1e-15);
        if (MODES[mode] == HYPER_KNOWN) check_near(theta[D], log(1.3), 1e-15);
        hyper_start(&far, theta);
        hyper_bounds(&far, lower, upper);
        for (int k = 0; k < hyper_dimension(&far); k++)
            assert_true(theta[k] >= lower[k] && theta[k] <= upper[k]);
        target_close(&target);
        target_close(&far);
    }
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_log_posterior_is_the_brute_force_one_up_to_a_constant),
        cmocka_unit_test(its_gradient_is_its_difference_quotient),
        cmocka_unit_test(with_a_trend_value_and_gradient_are_those_of_the_brute_force_too),
        cmocka_unit_test(with_noise_of_each_datum_value_and_gradient_are_those_of_the_brute_force),
        cmocka_unit_test(outputs_that_share_have_the_sum_of_their_likelihoods_and_the_prior_once),
        cmocka_unit_test(the_gradient_of_what_they_share_is_its_difference_quotient),
        cmocka_unit_test(the_evidence_is_near_the_integral_over_the_lengthscale),
        cmocka_unit_test(noise_at_its_floor_costs_what_the_likelihood_leaves_of_its_prior),
        cmocka_unit_test(with_one_datum_only_the_prior_speaks),
        cmocka_unit_test(duplicated_points_have_a_finite_log_posterior),
        cmocka_unit_test(the_start_is_at_the_prior_medians_and_inside_the_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

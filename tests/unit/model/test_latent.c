/* Choices as places on a line: the same numbers as a process whose inputs have the places for a coordinate
 * has, which knows nothing of choices. */
#include "check.h"
#include "target.h"

enum { LEVELS = 4, FIRST = 1, D = FIRST + LEVELS + 1, PLAIN_D = 3, N = 14, MOST_POINTS = 40 };

static const latent_choices CHOICES = {.count = 1, .of = {{FIRST, LEVELS}}};
static const hyper_noise MODES[] = {HYPER_EXACT, HYPER_ESTIMATED, HYPER_KNOWN};

/* A fixture in which coordinates FIRST to FIRST + LEVELS are those of a choice. */
static void open_choices(fixture *f, gofh_kernel kernel, int n, int *level)
{
    fixture_open(f, kernel, D, n, 2);
    for (int i = 0; i < FIXTURE_MOST; i++) {
        level[i] = (i * 7 + i / 5) % LEVELS;
        for (int k = 0; k < LEVELS; k++) f->x[i * D + FIRST + k] = k == level[i] ? 0.85 : 0.15;
    }
    fixture_take(f, n);
}

/* The same inputs with a coordinate for the place; the first and the last are the others. */
static void place_inputs(const fixture *f, const int *level, const double *place, fixture *plain)
{
    double mean = 0.0;
    for (int k = 0; k < LEVELS; k++) mean += place[k] / LEVELS;
    fixture_open(plain, f->kernel, PLAIN_D, f->inputs.n, 2);
    memcpy(plain->y, f->y, sizeof plain->y);
    for (int i = 0; i < FIXTURE_MOST; i++) {
        plain->x[i * PLAIN_D] = f->x[i * D];
        plain->x[i * PLAIN_D + 1] = 0.5 + place[level[i]] - mean;
        plain->x[i * PLAIN_D + 2] = f->x[i * D + D - 1];
    }
    fixture_take(plain, f->inputs.n);
}

static void random_places(random_stream *stream, double *theta)
{
    theta[0] = log(0.1) + 1.3 * random_uniform(stream);
    for (int k = 0; k < LEVELS; k++) theta[FIRST + k] = random_normal(stream);
    theta[D - 1] = log(0.1) + 1.3 * random_uniform(stream);
}

/* The log prior of places and lengthscales, from their densities. */
static double log_prior_of_places(const double *theta, const hyper_prior *prior)
{
    double sum = 0.0, deviation = 1.0 / (sqrt(2.0) * prior->lengthscale_median);
    for (int k = 0; k < LEVELS; k++) sum -= 0.5 * pow(theta[FIRST + k] / deviation, 2.0);
    return sum;
}

static void the_likelihood_is_that_of_a_coordinate_with_the_places(void **state)
{
    (void)state;
    hyper_prior prior = PRIOR;
    prior.trend_spread = 2.0;
    FOR_EACH_KERNEL(kernel)
    for (int mode = 0; mode < 3; mode++)
        for (int trend = 0; trend < 2; trend++) {
            fixture f, plain;
            int level[FIXTURE_MOST];
            open_choices(&f, kernel, N, level);
            hyper_target target = target_open(&f, MODES[mode], &prior);
            target.latent = &CHOICES;
            target.trend = trend;
            random_stream stream = random_open(3, RANDOM_TEST, (uint64_t)mode, (uint64_t)trend);
            for (int i = 0; i < 3; i++) {
                double theta[D + 2], other[PLAIN_D + 2];
                random_places(&stream, theta);
                theta[D] = -1.5 + i;
                theta[D + 1] = -2.0 + i;
                place_inputs(&f, level, theta + FIRST, &plain);
                hyper_target same = target_open(&plain, MODES[mode], &prior);
                same.trend = trend;
                other[0] = theta[0];
                other[1] = 0.0; /* a lengthscale of 1 */
                other[2] = theta[D - 1];
                other[PLAIN_D] = theta[D];
                other[PLAIN_D + 1] = theta[D + 1];
                double z = log(prior.lengthscale_median) / prior.lengthscale_spread; /* of that one */
                check_near(hyper_log_posterior(&target, theta, NULL) - log_prior_of_places(theta, &prior),
                           hyper_log_posterior(&same, other, NULL) + 0.5 * z * z, 1e-8);
                target_close(&same);
                fixture_close(&plain);
            }
            target_close(&target);
            fixture_close(&f);
        }
}

static void its_gradient_is_its_difference_quotient(void **state)
{
    (void)state;
    enum { OUTPUTS = 3 };
    const double step = 1e-5;
    hyper_prior prior = PRIOR;
    prior.trend_spread = 2.0;
    FOR_EACH_KERNEL(kernel)
    for (int mode = 0; mode < 3; mode++)
        for (int trend = 0; trend < 2; trend++)
            for (int others = 0; others < (MODES[mode] == HYPER_KNOWN ? 1 : OUTPUTS); others += 2) {
                fixture f;
                int level[FIXTURE_MOST];
                double y[OUTPUTS * N], theta[D + 2], gradient[D + 2];
                open_choices(&f, kernel, N, level);
                for (int i = 0; i < OUTPUTS * N; i++) y[i] = f.y[(i * 5) % FIXTURE_MOST];
                hyper_target target = target_open(&f, MODES[mode], &prior);
                target_close(&target);
                target.latent = &CHOICES;
                target.trend = trend;
                target.others = others;
                target.y = y;
                target.work = calloc(hyper_work(N, others), sizeof(double));
                random_stream stream = random_open(5, RANDOM_TEST, (uint64_t)mode, (uint64_t)trend);
                random_places(&stream, theta);
                theta[D] = -0.7;
                theta[D + 1] = -1.2;
                hyper_log_posterior(&target, theta, gradient);
                for (int k = 0; k < hyper_dimension(&target); k++) {
                    double middle = theta[k];
                    theta[k] = middle + step;
                    double after = hyper_log_posterior(&target, theta, NULL);
                    theta[k] = middle - step;
                    double before = hyper_log_posterior(&target, theta, NULL);
                    theta[k] = middle;
                    check_near(gradient[k], (after - before) / (2.0 * step),
                               2e-5 * (1.0 + fabs(gradient[k])));
                }
                target_close(&target);
                fixture_close(&f);
            }
}

/* The hyperparameters of both, with a trend or without; seen: room of the one with places. */
static void give_hyper(fixture *f, fixture *plain, const int *level, double trend, double *seen)
{
    static const double PLACE[LEVELS] = {0.4, -1.1, 0.5, 2.0};
    double *own = f->process.hyper.inverse_lengthscale;
    place_inputs(f, level, PLACE, plain);
    f->process.hyper.latent = &CHOICES;
    f->process.hyper.trend = plain->process.hyper.trend = trend;
    f->process.seen = seen;
    latent_keep(&CHOICES, 0, PLACE, own);
    plain->process.hyper.inverse_lengthscale[0] = own[0];
    plain->process.hyper.inverse_lengthscale[1] = 1.0;
    plain->process.hyper.inverse_lengthscale[2] = own[D - 1];
}

static void check_joint(const fixture *f, const fixture *plain)
{
    enum { Q = 20 };
    double work[3000], mean[Q], other[Q], covariance[Q * Q], same[Q * Q];
    assert_true(gp_joint_work(f->inputs.n, Q, D) <= sizeof work / sizeof *work);
    gp_joint(&f->process, &f->inputs, f->kernel, f->x + N * D, Q, mean, covariance, work);
    gp_joint(&plain->process, &plain->inputs, f->kernel, plain->x + N * PLAIN_D, Q, other, same, work);
    for (int p = 0; p < Q; p++) {
        check_near(mean[p], other[p], 1e-10);
        for (int r = p; r < Q; r++) check_near(covariance[p * Q + r], same[p * Q + r], 1e-10);
    }
}

static void check_prediction(const fixture *f, const fixture *plain)
{
    enum { Q = 20 };
    double mean[Q], variance[Q], slope[Q * D], variance_slope[Q * D];
    double other[Q], other_variance[Q], other_slope[Q * PLAIN_D], other_variance_slope[Q * PLAIN_D];
    double work[4 * Q * MOST_POINTS + 2 * MOST_POINTS], k[Q * MOST_POINTS], slopes[Q * D * MOST_POINTS];
    double same[Q * MOST_POINTS], same_slopes[Q * PLAIN_D * MOST_POINTS];
    int n = f->inputs.n;
    assert_true(gp_predict_work(n, Q) <= sizeof work / sizeof *work);
    for (int gradient = 0; gradient < 2; gradient++) {
        gp_predict(&f->process, &f->inputs, f->kernel, f->x + N * D, Q, mean, variance,
                   gradient ? slope : NULL, gradient ? variance_slope : NULL, work);
        gp_predict(&plain->process, &plain->inputs, f->kernel, plain->x + N * PLAIN_D, Q, other,
                   other_variance, gradient ? other_slope : NULL, gradient ? other_variance_slope : NULL,
                   work);
        for (int p = 0; p < Q; p++) {
            check_near(mean[p], other[p], 1e-10);
            check_near(variance[p], other_variance[p], 1e-10);
        }
    }
    gp_basis(&f->process, &f->inputs, f->kernel, f->x + N * D, Q, k, variance, slopes, NULL, work);
    gp_basis(&plain->process, &plain->inputs, f->kernel, plain->x + N * PLAIN_D, Q, same, other_variance,
             same_slopes, NULL, work);
    for (int i = 0; i < n * Q; i++) check_near(k[i], same[i], 1e-12);
    for (int p = 0; p < Q; p++) {
        check_near(variance[p], other_variance[p], 1e-10);
        check_near(slope[p * D], other_slope[p * PLAIN_D], 1e-8);
        check_near(slope[p * D + D - 1], other_slope[p * PLAIN_D + 2], 1e-8);
        check_near(variance_slope[p * D + D - 1], other_variance_slope[p * PLAIN_D + 2], 1e-8);
        for (int i = 0; i < n; i++)
            check_near(slopes[(p * D + D - 1) * n + i], same_slopes[(p * PLAIN_D + 2) * n + i], 1e-10);
    }
}

static void predictions_are_those_of_a_coordinate_with_the_places(void **state)
{
    (void)state;
    FOR_EACH_KERNEL(kernel)
    for (int trend = 0; trend < 2; trend++) {
        fixture f, plain;
        int level[FIXTURE_MOST];
        double seen[FIXTURE_MOST * D], work[2 * FIXTURE_MOST];
        open_choices(&f, kernel, N, level);
        give_hyper(&f, &plain, level, 0.3 * trend, seen);
        assert_int_equal(fixture_condition(&f, 1.7, 1e-3, NAN), 0);
        assert_int_equal(fixture_condition(&plain, 1.7, 1e-3, NAN), 0);
        check_prediction(&f, &plain);
        check_joint(&f, &plain);
        for (int n = N + 1; n < N + 5; n++) { /* data that come one by one */
            fixture_take(&f, n);
            fixture_take(&plain, n);
            gp_append(&f.process, &f.inputs, kernel, f.y[n - 1], work);
            gp_append(&plain.process, &plain.inputs, kernel, f.y[n - 1], work);
        }
        check_prediction(&f, &plain);
        fixture_close(&f);
        fixture_close(&plain);
    }
}

static void any_places_give_a_positive_definite_matrix(void **state)
{
    (void)state;
    random_stream stream = random_open(11, RANDOM_TEST, 0, 0);
    FOR_EACH_KERNEL(kernel)
    for (int i = 0; i < 50; i++) {
        fixture f;
        int level[FIXTURE_MOST];
        double seen[FIXTURE_MOST * D], place[LEVELS];
        open_choices(&f, kernel, FIXTURE_MOST, level);
        for (int k = 0; k < LEVELS; k++) /* some in one place, some far away */
            place[k] = (i + k) % 3 ? pow(10.0, i % 4 - 2.0) * random_normal(&stream) : 0.0;
        f.process.hyper.latent = &CHOICES;
        f.process.seen = seen;
        latent_keep(&CHOICES, 0, place, f.process.hyper.inverse_lengthscale);
        assert_int_equal(fixture_condition(&f, 1.0, 1e-10, NAN), 0);
        assert_true(f.process.nugget <= 1e-10);
        fixture_close(&f);
    }
}

/* theta of three places whose mean is 0, by two orthonormal directions, and a lengthscale. */
static void place_three(const double *at, double log_lengthscale, double *theta)
{
    theta[0] = at[0] / sqrt(2.0) + at[1] / sqrt(6.0);
    theta[1] = -at[0] / sqrt(2.0) + at[1] / sqrt(6.0);
    theta[2] = -2.0 * at[1] / sqrt(6.0);
    theta[3] = log_lengthscale;
}

/* The evidence of three choices beside a coordinate whose lengthscale the prior knows, by a sum over a
 * grid of the two differences of places around one of the two maxima that mirror each other; the mean
 * of the places has the prior alone. */
static void the_evidence_is_near_the_integral_over_the_places(void **state)
{
    (void)state;
    enum { THREE = 3, DATA = 18, STEPS = 60 };
    static const latent_choices three = {.count = 1, .of = {{0, THREE}}};
    const double PI = 3.14159265358979323846;
    fixture f;
    fixture_open(&f, GOFH_KERNEL_MATERN_52, THREE + 1, DATA, 2);
    for (int i = 0; i < DATA; i++) {
        double *x = f.x + i * (THREE + 1), place = i % THREE - 0.8 * (i % THREE == 2);
        for (int k = 0; k < THREE; k++) x[k] = i % THREE == k ? 0.85 : 0.15;
        f.y[i] = sin(5.0 * x[THREE] + place) + 0.2 * cos(9.0 * x[THREE]);
    }
    fixture_take(&f, DATA);
    hyper_prior prior = PRIOR;
    prior.lengthscale_spread = 1e-3;
    hyper_target target = target_open(&f, HYPER_EXACT, &prior);
    target.latent = &three;
    double deviation = 1.0 / (sqrt(2.0) * prior.lengthscale_median), range = 4.0 * deviation;
    double best = -INFINITY, at[2] = {0.0, 0.0}, centre[2], theta[THREE + 1], sum = 0.0, step = 0.0;
    for (int pass = 0; pass < 4; pass++) { /* nearer to the maximum each time; in the last the sum */
        memcpy(centre, at, sizeof at);
        step = 2.0 * range / STEPS;
        for (int i = 0; i <= STEPS; i++)
            for (int j = 0; j <= STEPS; j++) {
                double here[2] = {centre[0] + step * i - range, centre[1] + step * j - range};
                place_three(here, log(prior.lengthscale_median), theta);
                double value = hyper_log_posterior(&target, theta, NULL);
                if (pass == 3) sum += exp(value - best) * step * step;
                if (pass == 3 || !(value > best)) continue;
                best = value;
                memcpy(at, here, sizeof at);
            }
        if (pass < 2) range /= 6.0;
    }
    place_three(at, log(prior.lengthscale_median), theta);
    double integral = best + log(2.0 * sum) - 2.0 * log(deviation * sqrt(2.0 * PI));
    check_near(hyper_log_evidence(&target, theta), integral, 0.3);
    target_close(&target);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_likelihood_is_that_of_a_coordinate_with_the_places),
        cmocka_unit_test(its_gradient_is_its_difference_quotient),
        cmocka_unit_test(predictions_are_those_of_a_coordinate_with_the_places),
        cmocka_unit_test(any_places_give_a_positive_definite_matrix),
        cmocka_unit_test(the_evidence_is_near_the_integral_over_the_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

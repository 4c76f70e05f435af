/* The posterior of the parameters against posteriors in closed form. */
#include "unit/api/posteriors.h"

static void a_linear_h_with_normal_prior_and_noise_gives_the_exact_posterior(void **state)
{
    (void)state;
    const double sigma[LINEAR_M] = {0.3, 0.25, 0.4, 0.35, 0.3}, centre[2] = {0.5, 0.1},
                 spread[2] = {0.4, 0.3};
    /* P = A' W A + S^-1, mean = P^-1 (A' W data + S^-1 centre). */
    double p[2][2] = {{1.0 / (spread[0] * spread[0]), 0.0}, {0.0, 1.0 / (spread[1] * spread[1])}},
           side[2] = {centre[0] * p[0][0], centre[1] * p[1][1]};
    for (int j = 0; j < LINEAR_M; j++)
        for (int a = 0; a < 2; a++) {
            side[a] += SLOPE[j][a] * LINEAR_DATA[j] / (sigma[j] * sigma[j]);
            for (int b = 0; b < 2; b++) p[a][b] += SLOPE[j][a] * SLOPE[j][b] / (sigma[j] * sigma[j]);
        }
    double determinant = p[0][0] * p[1][1] - p[0][1] * p[1][0];
    double variance[2] = {p[1][1] / determinant, p[0][0] / determinant}, between = -p[0][1] / determinant;
    double mean[2] = {variance[0] * side[0] + between * side[1], between * side[0] + variance[1] * side[1]};

    gofh_posterior_results results;
    gofh_study *study = linear_study(sigma, 1, 1);
    gofh_posterior *posterior = posterior_of(study, 60000, &results);
    gofh_study_free(study); /* the posterior does not need it any more */
    for (int k = 0; k < 2; k++) {
        double deviation = sqrt(variance[k]);
        check_near(results.mean[k], mean[k], 0.01 * deviation);
        check_close(results.deviation[k], deviation, 0.01);
        check_close(results.data_deviation[k], deviation, 0.03);
        check_near(results.lower[k], mean[k] - 1.959964 * deviation, 0.04 * deviation);
        check_near(results.upper[k], mean[k] + 1.959964 * deviation, 0.04 * deviation);
        assert_true(results.rhat[k] < 1.01 && results.effective[k] > 20000.0);
    }
    check_near(results.correlation[1], between / sqrt(variance[0] * variance[1]), 0.01);
    assert_int_equal(results.converged, 1);
    assert_int_equal(results.data, LINEAR_M);
    assert_string_equal(results.message, "");
    gofh_posterior_free(posterior);
}

/* With a flat prior of x and Jeffreys' of sigma the posterior of x is Student's t of m - 2 degrees of
 * freedom around least squares. Of three its ends are at 3.18 scales, where a normal's are at 1.96. */
static void an_unknown_sigma_gives_students_distribution(void **state)
{
    (void)state;
    double p[2][2] = {{0.0}}, side[2] = {0.0};
    for (int j = 0; j < LINEAR_M; j++)
        for (int a = 0; a < 2; a++) {
            side[a] += SLOPE[j][a] * LINEAR_DATA[j];
            for (int b = 0; b < 2; b++) p[a][b] += SLOPE[j][a] * SLOPE[j][b];
        }
    double determinant = p[0][0] * p[1][1] - p[0][1] * p[1][0], squares = 0.0;
    double mean[2] = {(p[1][1] * side[0] - p[0][1] * side[1]) / determinant,
                      (p[0][0] * side[1] - p[0][1] * side[0]) / determinant};
    for (int j = 0; j < LINEAR_M; j++) {
        double rest = LINEAR_DATA[j] - SLOPE[j][0] * mean[0] - SLOPE[j][1] * mean[1];
        squares += rest * rest;
    }
    double scale[2] = {sqrt(squares / 3.0 * p[1][1] / determinant),
                       sqrt(squares / 3.0 * p[0][0] / determinant)};
    gofh_posterior_results results;
    gofh_study *study = linear_study(NULL, 0, 1);
    gofh_posterior *posterior = posterior_of(study, 40000, &results);
    const double t_975 = 3.182446; /* of three degrees of freedom */
    for (int k = 0; k < 2; k++) {
        check_near(results.median[k], mean[k], 0.06 * scale[k]);
        check_near(results.lower[k], mean[k] - t_975 * scale[k], 0.4 * scale[k]);
        check_near(results.upper[k], mean[k] + t_975 * scale[k], 0.4 * scale[k]);
    }
    assert_int_equal(results.sigmas, 1);
    assert_string_equal(results.sigma_data[0], "o");
    /* sigma^2 is squares over chi squared of three degrees of freedom. */
    check_close(results.sigma_upper[0], sqrt(squares / 0.2157953), 0.12);
    check_close(results.sigma_lower[0], sqrt(squares / 9.348404), 0.02);
    assert_true(says(&results, "sigma of o is estimated"));
    gofh_posterior_free(posterior);
    gofh_study_free(study);
}

static void the_same_seed_gives_the_same_samples(void **state)
{
    (void)state;
    enum { SAMPLES = 500 };
    const double sigma[LINEAR_M] = {0.3, 0.25, 0.4, 0.35, 0.3};
    double x[3][2 * SAMPLES];
    for (int i = 0; i < 3; i++) {
        gofh_study *study = linear_study(sigma, 1, i == 2 ? 2 : 1);
        gofh_posterior *posterior;
        check_ok(study, gofh_posterior_create(&posterior, study, SAMPLES));
        assert_int_equal(gofh_posterior_sample(posterior, x[i], NULL), GOFH_OK);
        gofh_posterior_free(posterior);
        gofh_study_free(study);
    }
    assert_memory_equal(x[0], x[1], sizeof x[0]);
    assert_memory_not_equal(x[0], x[2], sizeof x[0]);
}

static void a_misfit_far_from_the_number_of_data_is_said(void **state)
{
    (void)state;
    double small[LINEAR_M], large[LINEAR_M];
    for (int j = 0; j < LINEAR_M; j++) {
        small[j] = 0.01;
        large[j] = 30.0;
    }
    gofh_posterior_results results;
    gofh_study *study = linear_study(small, 0, 1);
    gofh_posterior *posterior = posterior_of(study, 500, &results);
    assert_true(says(&results, "sigma is too small, or the model can't fit"));
    gofh_posterior_free(posterior);
    gofh_study_free(study);
    study = linear_study(large, 0, 1);
    posterior = posterior_of(study, 500, &results);
    assert_true(says(&results, "the data say little of a: its deviation is"));
    gofh_posterior_free(posterior);
    gofh_study_free(study);
}

/* ---- two modes: h = (x^2 - 1, 0.3 x) ---- */

static int two_modes_h(const double *x, double *y, void *context)
{
    (void)context;
    y[0] = x[0] * x[0] - 1.0;
    y[1] = 0.3 * x[0];
    return 0;
}

static void two_modes_get_their_weights(void **state)
{
    (void)state;
    const double data[2] = {0.0, 0.05}, sigma[2] = {0.05, 0.5}, lower = -2.0, upper = 2.0;
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "x", lower, upper, GOFH_SCALE_LINEAR);
    gofh_problem_set_outputs(problem, 2);
    gofh_problem_set_data(problem, "o", data, 2);
    gofh_problem_set_sigma(problem, "o", sigma, 2);
    gofh_problem_fit(problem, "y", "o", GOFH_RESIDUAL_DIFFERENCE, GOFH_LOSS_SQUARE, 0.0);
    gofh_study *study = study_of(problem, NULL);
    import_grid(study, two_modes_h, NULL, 1, 2, 9, &lower, &upper);
    /* The weight of x > 0, by the sum over a fine grid. */
    double above = 0.0, all = 0.0;
    for (int i = 0; i < 400000; i++) {
        double x = lower + (upper - lower) * (i + 0.5) / 400000.0, y[2], misfit = 0.0;
        two_modes_h(&x, y, NULL);
        for (int j = 0; j < 2; j++) misfit += pow((y[j] - data[j]) / sigma[j], 2.0);
        all += exp(-0.5 * misfit);
        above += x > 0.0 ? exp(-0.5 * misfit) : 0.0;
    }
    gofh_posterior_results results;
    gofh_posterior *posterior = posterior_of(study, 20000, &results);
    double *x = malloc(20000 * sizeof *x), positive = 0.0;
    assert_non_null(x);
    gofh_posterior_sample(posterior, x, NULL);
    for (int i = 0; i < 20000; i++) positive += (x[i] > 0.0) / 20000.0;
    check_near(positive, above / all, 0.03);
    assert_true(above / all > 0.52 && above / all < 0.8);
    free(x);
    gofh_posterior_free(posterior);
    gofh_study_free(study);
}

/* ---- a product that alone is told, of parameters on either scale ---- */

static int product_h(const double *x, double *y, void *context)
{
    (void)context;
    for (int j = 0; j < 4; j++) y[j] = log(x[0] * x[1]) * (j + 1);
    return 0;
}

static void a_product_that_alone_is_told_is_named(void **state)
{
    (void)state;
    for (int logarithmic = 0; logarithmic < 2; logarithmic++) {
        const double lower[2] = {1.0, 2.0}, upper[2] = {6.0, 12.0}, data[4] = {2.5, 5.0, 7.4, 10.1},
                     sigma = 0.1;
        gofh_scale scale = logarithmic ? GOFH_SCALE_LOG : GOFH_SCALE_LINEAR;
        gofh_problem *problem = gofh_problem_create();
        gofh_problem_add_parameter(problem, "loss", lower[0], upper[0], scale);
        gofh_problem_add_parameter(problem, "heater", lower[1], upper[1], scale);
        gofh_problem_set_outputs(problem, 4);
        gofh_problem_set_data(problem, "o", data, 4);
        gofh_problem_set_sigma(problem, "o", &sigma, 1);
        gofh_problem_fit(problem, "y", "o", GOFH_RESIDUAL_DIFFERENCE, GOFH_LOSS_SQUARE, 0.0);
        gofh_study *study = study_of(problem, NULL);
        import_grid(study, product_h, NULL, 2, 4, 6, lower, upper);
        gofh_posterior_results results;
        gofh_posterior *posterior = posterior_of(study, 4000, &results);
        assert_true(says(&results, "the data tell loss x heater, not each"));
        gofh_posterior_free(posterior);
        gofh_study_free(study);
    }
}

/* ---- where the emulator is to blame, and where a bound is ---- */

static int waves_h(const double *x, double *y, void *context)
{
    (void)context;
    for (int j = 0; j < 3; j++) y[j] = sin((4.0 + j) * x[0]);
    return 0;
}

static double waves_deviation(int runs, int *blamed)
{
    const double lower = 0.0, upper = 1.0, truth = 0.43, sigma = 0.01;
    double data[3];
    waves_h(&truth, data, NULL);
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "x", lower, upper, GOFH_SCALE_LINEAR);
    gofh_problem_set_outputs(problem, 3);
    gofh_problem_set_data(problem, "o", data, 3);
    gofh_problem_set_sigma(problem, "o", &sigma, 1);
    gofh_problem_fit(problem, "y", "o", GOFH_RESIDUAL_DIFFERENCE, GOFH_LOSS_SQUARE, 0.0);
    gofh_study *study = study_of(problem, NULL);
    import_grid(study, waves_h, NULL, 1, 3, runs, &lower, &upper);
    gofh_posterior_results results;
    gofh_posterior *posterior = posterior_of(study, 2000, &results);
    double deviation = results.deviation[0];
    *blamed = strstr(results.message, "of the variance of x is the emulator's") != NULL;
    assert_true(!*blamed || results.data_deviation[0] < 0.9 * deviation);
    assert_true(results.lower[0] < truth && truth < results.upper[0]);
    gofh_posterior_free(posterior);
    gofh_study_free(study);
    return deviation;
}

static void few_runs_widen_the_interval_and_the_emulator_is_blamed(void **state)
{
    (void)state;
    int blamed[2];
    double few = waves_deviation(4, &blamed[0]), many = waves_deviation(12, &blamed[1]);
    assert_true(blamed[0] && !blamed[1] && few > 2.0 * many);
    /* 12 runs leave what the data do: sigma over the length of the slope at the truth. */
    double slope = 0.0;
    for (int j = 0; j < 3; j++) slope += pow((4.0 + j) * cos((4.0 + j) * 0.43), 2.0);
    check_close(many, 0.01 / sqrt(slope), 0.1);
}

/* ---- where the best evaluation is, and where the emulator would have it ---- */

enum { FADING_M = 6 };
static const double FADING_DATA[FADING_M] = {5.0, 3.0327, 1.8394, 1.1157, 0.6767, 0.4104},
                    FADING_SIGMA = 0.01;

static double fading_misfit(const double *x, double *y)
{
    double sum = 0.0;
    for (int j = 0; j < FADING_M; j++) {
        y[j] = x[0] * exp(-x[1] * j);
        sum += pow((y[j] - FADING_DATA[j]) / FADING_SIGMA, 2.0);
    }
    return sum;
}

/* Evaluations of a search with alpha up to 4: of its design, and where it went from there. With the bound at
 * 10 all are moved so that they are around what fits, 5 and 0.5. */
static gofh_study *fading_study(double alpha)
{
    enum { RUNS = 14 };
    static const double at[RUNS][2] = {{1.14, 0.66},  {3.53, 0.37},  {2.88, 0.093}, {3.99, 0.399},
                                       {4.0, 0.427},  {4.0, 0.3996}, {4.0, 0.4001}, {3.50, 0.382},
                                       {3.70, 0.386}, {3.54, 0.378}, {3.55, 0.37},  {3.49, 0.393},
                                       {3.59, 0.447}, {3.50, 0.348}};
    double factor = alpha > 4.0 ? 1.25 : 1.0;
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "alpha", 1.0, alpha, GOFH_SCALE_LINEAR);
    gofh_problem_add_parameter(problem, "k", 0.01, 10.0, GOFH_SCALE_LOG);
    gofh_problem_set_outputs(problem, FADING_M);
    gofh_problem_set_data(problem, "o", FADING_DATA, FADING_M);
    gofh_problem_set_sigma(problem, "o", &FADING_SIGMA, 1);
    gofh_problem_fit(problem, "y", "o", GOFH_RESIDUAL_DIFFERENCE, GOFH_LOSS_SQUARE, 0.0);
    gofh_study *study = study_of(problem, NULL);
    for (int i = 0; i < RUNS; i++) {
        double x[2] = {factor * at[i][0], factor * at[i][1]}, y[FADING_M];
        fading_misfit(x, y);
        check_ok(study, gofh_study_import(study, x, y, NULL));
    }
    return study;
}

/* Up to alpha = 4 the data can't be fitted: what the emulator does not know then looks likelier than the best
 * evaluation, and the simulator itself says that it is not. */
static void a_posterior_far_from_the_best_evaluation_is_not_to_be_trusted(void **state)
{
    (void)state;
    static const char TEXT[] = "the best evaluation is far outside of the interval of k, which is where the "
                               "emulator knows little: do not trust it before more runs for the posterior";
    gofh_posterior_results results;
    double y[FADING_M];
    gofh_study *study = fading_study(4.0);
    gofh_posterior *posterior = posterior_of(study, 2000, &results);
    assert_true(results.best[1] > 2.0 * results.upper[1] || results.best[1] < 0.5 * results.lower[1]);
    assert_true(fading_misfit(results.mean, y) > 2.0 * fading_misfit(results.best, y));
    assert_true(says(&results, TEXT));
    assert_true(says(&results, "of the variance of k is the emulator's: more runs would move its interval"));
    assert_true(results.emulator[1] > 0.95);
    assert_int_equal(results.runs, 0);
    assert_true(says(&results, "how many are needed can't be told yet"));
    gofh_posterior_free(posterior);
    gofh_study_free(study);

    study = fading_study(10.0);
    posterior = posterior_of(study, 2000, &results);
    assert_true(results.lower[1] < 0.5 && results.upper[1] > 0.5);
    assert_null(strstr(results.message, "outside"));
    gofh_posterior_free(posterior);
    gofh_study_free(study);
}

static void a_bound_that_cuts_the_posterior_off_is_said(void **state)
{
    (void)state;
    const double lower = 0.0, upper = 1.0, data[2] = {-0.1, 0.0}, sigma = 0.2;
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "x", lower, upper, GOFH_SCALE_LINEAR);
    gofh_problem_set_outputs(problem, 2);
    gofh_problem_set_data(problem, "o", data, 2);
    gofh_problem_set_sigma(problem, "o", &sigma, 1);
    gofh_problem_fit(problem, "y", "o", GOFH_RESIDUAL_DIFFERENCE, GOFH_LOSS_SQUARE, 0.0);
    gofh_study *study = study_of(problem, NULL);
    for (int i = 0; i < 5; i++) {
        double x = i / 4.0, y[2] = {x, 2.0 * x};
        check_ok(study, gofh_study_import(study, &x, y, NULL));
    }
    gofh_posterior_results results;
    gofh_posterior *posterior = posterior_of(study, 2000, &results);
    assert_true(says(&results, "x is at its lower bound 0, which cuts its posterior off"));
    gofh_posterior_free(posterior);
    gofh_study_free(study);
}

/* ---- intervals hold the truth as often as they say ---- */

enum { DECAY_M = 8 };

static int decay_h(const double *x, double *y, void *context)
{
    (void)context;
    for (int j = 0; j < DECAY_M; j++) y[j] = x[0] * exp(-x[1] * j);
    return 0;
}

static void intervals_of_95_percent_hold_the_truth(void **state)
{
    (void)state;
    enum { CALIBRATIONS = 40 };
    const double lower[2] = {1.0, 0.05}, upper[2] = {9.0, 1.5}, sigma = 0.15;
    int held = 0;
    dice numbers = {.state = 7};
    for (int i = 0; i < CALIBRATIONS; i++) {
        /* The truth is a draw of the prior. */
        double truth[2], data[DECAY_M];
        for (int k = 0; k < 2; k++) truth[k] = lower[k] + (upper[k] - lower[k]) * dice_uniform(&numbers);
        decay_h(truth, data, NULL);
        for (int j = 0; j < DECAY_M; j++) data[j] += sigma * dice_normal(&numbers);
        gofh_problem *problem = gofh_problem_create();
        gofh_problem_add_parameter(problem, "amplitude", lower[0], upper[0], GOFH_SCALE_LINEAR);
        gofh_problem_add_parameter(problem, "rate", lower[1], upper[1], GOFH_SCALE_LINEAR);
        gofh_problem_set_outputs(problem, DECAY_M);
        gofh_problem_set_data(problem, "o", data, DECAY_M);
        gofh_problem_set_sigma(problem, "o", &sigma, 1);
        gofh_problem_fit(problem, "y", "o", GOFH_RESIDUAL_DIFFERENCE, GOFH_LOSS_SQUARE, 0.0);
        gofh_settings settings;
        gofh_settings_defaults(&settings);
        settings.seed = (uint64_t)i + 1;
        settings.budget = 12;
        gofh_study *study = study_of(problem, &settings);
        gofh_optimize(study, decay_h, NULL);
        gofh_posterior_results results;
        gofh_posterior *posterior = posterior_of(study, 1000, &results);
        for (int k = 0; k < 2; k++) held += results.lower[k] <= truth[k] && truth[k] <= results.upper[k];
        assert_int_equal(results.converged, 1);
        gofh_posterior_free(posterior);
        gofh_study_free(study);
    }
    /* Of 80, two of each calibration: 76 are expected. If they were independent, fewer than 70 had a
     * probability of 0.4 %, and 80 one of 1.7 %. */
    if (held < 70) print_error("%d of %d intervals hold the truth\n", held, 2 * CALIBRATIONS);
    assert_true(held >= 70);
}

/* ---- what is refused ---- */

static void check_refused(gofh_problem *problem, gofh_status expected, const char *text)
{
    gofh_study *study = study_of(problem, NULL);
    const double x[1] = {0.5}, y[3] = {1.0, 2.0, 3.0};
    check_ok(study, gofh_study_import(study, x, y, NULL));
    gofh_posterior *posterior = (gofh_posterior *)x;
    assert_int_equal(gofh_posterior_create(&posterior, study, 0), expected);
    assert_null(posterior);
    if (!strstr(gofh_study_message(study), text)) print_error("message: %s\n", gofh_study_message(study));
    assert_non_null(strstr(gofh_study_message(study), text));
    gofh_study_free(study);
}

static gofh_problem *small_problem(int count)
{
    const double data[3] = {1.5, 2.5, 2.0};
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "a", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_output(problem, "v", count);
    if (count < 3) gofh_problem_add_output(problem, "rest", 3 - count);
    gofh_problem_set_data(problem, "o", data, count);
    return problem;
}

static void what_has_no_likelihood_is_refused(void **state)
{
    (void)state;
    gofh_problem *problem = small_problem(3);
    gofh_problem_minimize(problem, "sum((v - o)^2)");
    check_refused(problem, GOFH_ERROR_PROBLEM, "objective: {fit: {output: data}}");
    problem = small_problem(3);
    gofh_problem_fit(problem, "v", "o", GOFH_RESIDUAL_DIFFERENCE, GOFH_LOSS_HUBER, 1.0);
    check_refused(problem, GOFH_ERROR_PROBLEM, "Huber's loss needs the sigma of all data");
    problem = small_problem(1);
    gofh_problem_fit(problem, "v", "o", GOFH_RESIDUAL_DIFFERENCE, GOFH_LOSS_SQUARE, 0.0);
    check_refused(problem, GOFH_ERROR_PROBLEM,
                  "sigma of data \"o\" can't be estimated from 1 values with 1 parameter");
}

static void a_study_without_results_has_no_posterior(void **state)
{
    (void)state;
    gofh_problem *problem = small_problem(3);
    gofh_problem_fit(problem, "v", "o", GOFH_RESIDUAL_DIFFERENCE, GOFH_LOSS_SQUARE, 0.0);
    gofh_study *study = study_of(problem, NULL);
    gofh_posterior *posterior;
    assert_int_equal(gofh_posterior_create(&posterior, study, 0), GOFH_ERROR_EMPTY);
    /* Of two evaluations an emulator says nothing. */
    for (int i = 0; i < 2; i++)
        check_ok(study,
                 gofh_study_import(study, (double[]){0.2 + 0.5 * i}, (double[]){i, 1.0, 2.0 - i}, NULL));
    assert_int_equal(gofh_posterior_create(&posterior, study, 0), GOFH_ERROR_EMPTY);
    assert_non_null(strstr(gofh_study_message(study), "needs 3 trials with an f at least, and there are 2"));
    assert_int_equal(gofh_posterior_create(&posterior, study, 7), GOFH_ERROR_ARGUMENT);
    assert_non_null(strstr(gofh_study_message(study), "7 samples: there must be 100 to 1000000"));
    assert_int_equal(gofh_posterior_create(NULL, study, 0), GOFH_ERROR_ARGUMENT);
    gofh_study_free(study);
    gofh_posterior_free(NULL);
}

static void priors_that_can_not_be_are_refused(void **state)
{
    (void)state;
    const struct {
        const char *name;
        gofh_prior kind;
        double location, spread;
        const char *text;
    } wrong[] = {
        {"b", GOFH_PRIOR_NORMAL, 0.0, 1.0, "a prior of \"b\", which is not a parameter"},
        {"a", GOFH_PRIOR_NORMAL, 0.0, 0.0, "the deviation 0 of the prior of parameter \"a\" must be above 0"},
        {"a", GOFH_PRIOR_LOGNORMAL, 0.0, 1.0, "the median 0 of the lognormal prior"},
        {"a", GOFH_PRIOR_NORMAL, 50.0, 1.0, "has next to nothing within its bounds 0 to 1"},
        {"a", (gofh_prior)3, 0.0, 1.0, "unknown prior 3"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        gofh_problem *problem = small_problem(3);
        assert_int_equal(
            gofh_problem_set_prior(problem, wrong[i].name, wrong[i].kind, wrong[i].location, wrong[i].spread),
            GOFH_ERROR_ARGUMENT);
        assert_non_null(strstr(gofh_problem_message(problem), wrong[i].text));
        gofh_problem_free(problem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_linear_h_with_normal_prior_and_noise_gives_the_exact_posterior),
        cmocka_unit_test(an_unknown_sigma_gives_students_distribution),
        cmocka_unit_test(the_same_seed_gives_the_same_samples),
        cmocka_unit_test(a_misfit_far_from_the_number_of_data_is_said),
        cmocka_unit_test(two_modes_get_their_weights),
        cmocka_unit_test(a_product_that_alone_is_told_is_named),
        cmocka_unit_test(few_runs_widen_the_interval_and_the_emulator_is_blamed),
        cmocka_unit_test(a_posterior_far_from_the_best_evaluation_is_not_to_be_trusted),
        cmocka_unit_test(a_bound_that_cuts_the_posterior_off_is_said),
        cmocka_unit_test(intervals_of_95_percent_hold_the_truth),
        cmocka_unit_test(what_has_no_likelihood_is_refused),
        cmocka_unit_test(a_study_without_results_has_no_posterior),
        cmocka_unit_test(priors_that_can_not_be_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What tests of posteriors share: studies of a regular grid of points, and a linear h. */
#ifndef TESTS_API_POSTERIORS_H
#define TESTS_API_POSTERIORS_H

#include "unit/api/valley.h"

#include <stdio.h>

/* Evaluates h at points of a regular grid of side^d within the unit cube of the bounds, and imports them. */
static inline void import_grid(gofh_study *study, gofh_inner h, void *context, int d, int m, int side,
                               const double *lower, const double *upper)
{
    int count = 1;
    for (int k = 0; k < d; k++) count *= side;
    for (int i = 0; i < count; i++) {
        double x[4], y[64];
        assert_true(d <= 4 && m <= 64);
        for (int k = 0, rest = i; k < d; k++, rest /= side)
            x[k] = lower[k] + (upper[k] - lower[k]) * (rest % side) / (side - 1);
        assert_int_equal(h(x, y, context), 0);
        check_ok(study, gofh_study_import(study, x, y, NULL));
    }
}

static inline gofh_posterior *posterior_of(gofh_study *study, int samples, gofh_posterior_results *results)
{
    gofh_posterior *posterior;
    check_ok(study, gofh_posterior_create(&posterior, study, samples));
    assert_int_equal(gofh_posterior_summary(posterior, results), GOFH_OK);
    return posterior;
}

static inline int says(const gofh_posterior_results *results, const char *text)
{
    if (strstr(results->message, text)) return 1;
    print_error("\"%s\" is not in \"%s\"\n", text, results->message);
    return 0;
}

/* ---- a linear h: h = A x, with A 5 x 2 ---- */

enum { LINEAR_M = 5 };
static const double SLOPE[LINEAR_M][2] = {{1.0, 0.5}, {0.4, 1.2}, {-0.3, 0.8}, {0.9, -0.2}, {0.5, 0.5}};
static const double LINEAR_DATA[LINEAR_M] = {0.9, 0.2, -0.45, 1.0, 0.3};

static inline int linear_h(const double *x, double *y, void *context)
{
    (void)context;
    for (int j = 0; j < LINEAR_M; j++) y[j] = SLOPE[j][0] * x[0] + SLOPE[j][1] * x[1];
    return 0;
}

static inline gofh_study *linear_study(const double *sigma, int prior, uint64_t seed)
{
    static const double lower[2] = {-4.0, -4.0}, upper[2] = {5.0, 4.0};
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "a", lower[0], upper[0], GOFH_SCALE_LINEAR);
    gofh_problem_add_parameter(problem, "b", lower[1], upper[1], GOFH_SCALE_LINEAR);
    gofh_problem_set_outputs(problem, LINEAR_M);
    gofh_problem_set_data(problem, "o", LINEAR_DATA, LINEAR_M);
    if (sigma) gofh_problem_set_sigma(problem, "o", sigma, LINEAR_M);
    gofh_problem_fit(problem, "y", "o", GOFH_RESIDUAL_DIFFERENCE, GOFH_LOSS_SQUARE, 0.0);
    if (prior) {
        gofh_problem_set_prior(problem, "a", GOFH_PRIOR_NORMAL, 0.5, 0.4);
        gofh_problem_set_prior(problem, "b", GOFH_PRIOR_NORMAL, 0.1, 0.3);
    }
    gofh_settings settings;
    gofh_settings_defaults(&settings);
    settings.seed = seed;
    gofh_study *study = study_of(problem, &settings);
    import_grid(study, linear_h, NULL, 2, LINEAR_M, 4, lower, upper);
    return study;
}

#endif

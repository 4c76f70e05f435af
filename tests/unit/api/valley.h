/* A small calibration for tests of the public interface: two parameters (the second on a log
 * scale), three outputs, a misfit that is 0 at one point only. */
#ifndef TESTS_API_VALLEY_H
#define TESTS_API_VALLEY_H

#include "check.h"
#include "gofh.h"

#include <stdlib.h>
#include <string.h>

enum { VALLEY_D = 2, VALLEY_M = 3, VALLEY_INITIAL = 2 * (VALLEY_D + 1) };

static const double VALLEY_TRUTH[VALLEY_D] = {0.7, 10.0};

static inline int valley_h(const double *x, double *y, void *context)
{
    (void)context;
    double a = x[0], b = log10(x[1]);
    y[0] = sin(2.0 * a) + 0.3 * b;
    y[1] = a * a - b;
    y[2] = cos(a + b);
    return 0;
}

static inline int valley_g(const double *y, const double *x, int count, double *value, double *dy, double *dx,
                           void *context)
{
    (void)x, (void)dx, (void)context;
    double observed[VALLEY_M];
    valley_h(VALLEY_TRUTH, observed, NULL);
    for (int s = 0; s < count; s++) {
        value[s] = 0.0;
        for (int j = 0; j < VALLEY_M; j++) {
            double rest = y[s * VALLEY_M + j] - observed[j];
            value[s] += rest * rest;
            if (dy) dy[s * VALLEY_M + j] = 2.0 * rest;
        }
    }
    return 0;
}

static inline gofh_problem *valley_problem(void)
{
    gofh_problem *problem = gofh_problem_create();
    assert_non_null(problem);
    gofh_problem_add_parameter(problem, "a", 0.0, 2.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_parameter(problem, "b", 1.0, 100.0, GOFH_SCALE_LOG);
    gofh_problem_set_outputs(problem, VALLEY_M);
    gofh_problem_minimize_function(problem, valley_g, GOFH_GRADIENT_GIVEN, NULL);
    return problem;
}

/* The study of a problem, which is freed. */
static inline gofh_study *study_of(gofh_problem *problem, const gofh_settings *settings)
{
    gofh_study *study;
    gofh_error error = {.status = GOFH_OK};
    gofh_status status = gofh_study_create(&study, problem, settings, &error);
    if (status) print_error("%s\n", error.message);
    assert_int_equal(status, GOFH_OK);
    gofh_problem_free(problem);
    return study;
}

/* The paper's method, with few samples. */
static inline gofh_settings quick_settings(void)
{
    gofh_settings settings;
    gofh_settings_defaults(&settings);
    settings.stop = GOFH_STOPPING_NEVER;
    settings.method = "ei-cf";
    settings.hyper_samples = 3;
    return settings;
}

static inline gofh_study *valley_study(const gofh_settings *settings)
{
    return study_of(valley_problem(), settings);
}

static inline void check_status(const gofh_study *study, gofh_status status, gofh_status expected, int line)
{
    if (status == expected) return;
    print_error("line %d: status %d (%s), expected %d\n", line, (int)status, gofh_study_message(study),
                (int)expected);
    fail();
}
#define check_ok(study, status) check_status((study), (status), GOFH_OK, __LINE__)

/* Asks and tells `count` times; keeps the points asked (count x d) unless NULL. */
static inline void advance(gofh_study *study, gofh_inner h, void *context, int d, int count, double *asked)
{
    double x[GOFH_MAX_PARAMETERS], y[1000];
    for (int i = 0; i < count; i++) {
        int64_t trial;
        check_ok(study, gofh_study_ask(study, &trial, x));
        assert_int_equal(h(x, y, context), 0);
        check_ok(study, gofh_study_tell(study, trial, y));
        if (asked) memcpy(asked + i * d, x, (size_t)d * sizeof *x);
    }
}

static inline void advance_valley(gofh_study *study, int count, double *asked)
{
    advance(study, valley_h, NULL, VALLEY_D, count, asked);
}

static inline double best_f(gofh_study *study)
{
    gofh_trial best;
    check_ok(study, gofh_study_best(study, &best));
    return best.f;
}

/* Whether some line of the log contains the text. */
static inline int log_has(const gofh_study *study, const char *text)
{
    const char *line;
    for (int i = 0; (line = gofh_study_log(study, i)); i++)
        if (strstr(line, text)) return 1;
    return 0;
}

/* Numbers for test data that do not come from the library: a linear congruential generator. */
typedef struct {
    uint64_t state;
} dice;

static inline double dice_uniform(dice *d)
{
    d->state = d->state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(d->state >> 11) + 0.5) / 9007199254740992.0;
}

static inline double dice_normal(dice *d)
{
    double r = sqrt(-2.0 * log(dice_uniform(d)));
    return r * cos(2.0 * 3.14159265358979323846 * dice_uniform(d));
}

#endif

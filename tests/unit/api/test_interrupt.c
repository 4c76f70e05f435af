/* A call that takes long can be ended, and leaves the study as it was. */
#include "check.h"
#include "gofh.h"

#include <string.h>

enum { D = 3, M = 200, DESIGN = 8 };

static gofh_study *open_study(const char *method)
{
    gofh_problem *problem = gofh_problem_create();
    static const char *const names[D] = {"a", "b", "c"};
    for (int k = 0; k < D; k++) gofh_problem_add_parameter(problem, names[k], 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_set_outputs(problem, M);
    gofh_problem_minimize(problem, "sum((y - 0.3)^2) + 0.1 * max(y)");
    gofh_settings settings;
    gofh_settings_defaults(&settings);
    settings.stop = GOFH_STOPPING_NEVER;
    settings.method = method;
    gofh_study *study;
    gofh_error error = {0};
    assert_int_equal(gofh_study_create(&study, problem, &settings, &error), GOFH_OK);
    gofh_problem_free(problem);
    return study;
}

static void evaluate(gofh_study *study, int64_t id, const double *x)
{
    double y[M];
    for (int j = 0; j < M; j++) y[j] = sin(3.0 * x[0] + 0.01 * j) * x[1] + x[2] * x[2] * j / M;
    assert_int_equal(gofh_study_tell(study, id, y), GOFH_OK);
}

static void advance(gofh_study *study, int count)
{
    double x[D];
    int64_t id;
    for (int i = 0; i < count; i++) {
        assert_int_equal(gofh_study_ask(study, &id, x), GOFH_OK);
        evaluate(study, id, x);
    }
}

typedef struct {
    int asked, end_at; /* the question whose answer is to end */
} patience;

static int lose_patience(void *context)
{
    patience *p = context;
    return ++p->asked >= p->end_at;
}

static int log_lines(gofh_study *study)
{
    int lines = 0;
    while (gofh_study_log(study, lines)) lines++;
    return lines;
}

static void an_interrupted_suggestion_never_was(void **state)
{
    (void)state;
    static const char *const methods[] = {"gofh", "ei-cf"};
    for (int i = 0; i < 2; i++) {
        gofh_study *study = open_study(methods[i]), *twin = open_study(methods[i]);
        advance(study, DESIGN + 2);
        advance(twin, DESIGN + 2);
        double x[D], expected[D];
        int64_t id = 0;
        int interrupted = 0;
        /* However early or late it comes. */
        for (patience p = {0, 1};; p.end_at = 2 * p.end_at, p.asked = 0) {
            int lines = log_lines(study);
            gofh_study_set_interrupt(study, lose_patience, &p);
            gofh_status status = gofh_study_ask(study, &id, x);
            if (status == GOFH_OK) break;
            assert_int_equal(status, GOFH_STOP_CALLER);
            assert_int_equal(gofh_study_count(study), DESIGN + 2);
            assert_int_equal(log_lines(study), lines);
            interrupted++;
        }
        assert_true(interrupted > 0);
        assert_int_equal(gofh_study_ask(twin, &id, expected), GOFH_OK);
        assert_memory_equal(x, expected, sizeof x);
        gofh_study_free(study);
        gofh_study_free(twin);
    }
}

static void a_prediction_can_be_interrupted_and_made_again(void **state)
{
    (void)state;
    gofh_study *study = open_study("ei-cf"), *twin = open_study("ei-cf");
    advance(study, DESIGN);
    advance(twin, DESIGN);
    gofh_recommendation ours = {0}, theirs = {0};
    patience p = {0, 1};
    gofh_study_set_interrupt(study, lose_patience, &p);
    assert_int_equal(gofh_study_recommend(study, &ours), GOFH_STOP_CALLER);
    gofh_study_set_interrupt(study, NULL, NULL);
    assert_int_equal(gofh_study_recommend(study, &ours), GOFH_OK);
    assert_int_equal(gofh_study_recommend(twin, &theirs), GOFH_OK);
    assert_true(ours.f == theirs.f && ours.deviation == theirs.deviation);
    gofh_study_free(study);
    gofh_study_free(twin);
}

typedef struct {
    gofh_study *other;
    int calls;
} within;

/* Asks another study something in the middle. */
static int g_with_a_study(const double *y, const double *x, int count, double *value, double *dy, double *dx,
                          void *context)
{
    within *w = context;
    gofh_trial best;
    (void)x, (void)dy, (void)dx;
    if (gofh_study_best(w->other, &best)) return 1;
    w->calls++;
    for (int i = 0; i < count; i++) {
        value[i] = 0.0;
        for (int j = 0; j < M; j++) value[i] += y[i * M + j] * y[i * M + j];
    }
    return 0;
}

static void a_call_on_another_study_within_does_not_end_the_asking(void **state)
{
    (void)state;
    within w = {.other = open_study("gofh")};
    advance(w.other, 1);
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "a", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_parameter(problem, "b", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_parameter(problem, "c", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_set_outputs(problem, M);
    gofh_problem_minimize_function(problem, g_with_a_study, GOFH_GRADIENT_NONE, &w);
    gofh_study *study;
    gofh_error error = {0};
    assert_int_equal(gofh_study_create(&study, problem, NULL, &error), GOFH_OK);
    gofh_problem_free(problem);
    advance(study, DESIGN);
    patience p = {0, 1};
    gofh_study_set_interrupt(study, lose_patience, &p);
    double x[D];
    int64_t id;
    assert_int_equal(gofh_study_ask(study, &id, x), GOFH_STOP_CALLER);
    gofh_study_free(study);
    gofh_study_free(w.other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_interrupted_suggestion_never_was),
        cmocka_unit_test(a_prediction_can_be_interrupted_and_made_again),
        cmocka_unit_test(a_call_on_another_study_within_does_not_end_the_asking),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

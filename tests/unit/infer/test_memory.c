/* Every allocation of a posterior fails in turn: a status, no crash, nothing lost. */
#include "unit/api/valley.h"

#include <stdlib.h>

void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);

static long left = -1; /* allocations until one fails; negative: none does */

static int fails(void)
{
    return left >= 0 && left-- == 0;
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *block, size_t size)
{
    return fails() ? NULL : __real_realloc(block, size);
}

static const char *const WORDS[2] = {"near", "away"};

/* choices: with a parameter one of whose values fits nothing, which the posterior then looks at by itself. */
static void check_posterior(int outputs, int choices)
{
    const double data[12] = {0.2, 0.5}, sigma = 0.3;
    assert_true(outputs <= 12);
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "a", 0.0, 1.0, GOFH_SCALE_LINEAR);
    if (choices) gofh_problem_add_choices(problem, "w", WORDS, 2, GOFH_ORDER_NONE);
    gofh_problem_set_outputs(problem, outputs);
    gofh_problem_set_data(problem, "o", data, outputs);
    gofh_problem_set_sigma(problem, "o", &sigma, 1);
    gofh_problem_fit(problem, "y", "o", GOFH_RESIDUAL_DIFFERENCE, GOFH_LOSS_SQUARE, 0.0);
    gofh_study *study = study_of(problem, NULL);
    for (int i = 0; i < (choices ? 8 : 4); i++) {
        double x[2] = {i % 4 / 3.0, i / 4}, y[12];
        for (int j = 0; j < outputs; j++)
            y[j] = (j % 2 ? 1.0 - x[0] : x[0] + 0.1 * j * x[0] * x[0]) + 9.0 * x[1];
        check_ok(study, gofh_study_import(study, x, y, NULL));
    }
    int count = 0, failed = 1;
    for (; failed; count += choices ? 1 + count / 10 : 1) {
        gofh_posterior *posterior = NULL;
        left = count;
        gofh_status status = gofh_posterior_create(&posterior, study, 100);
        failed = left < 0;
        left = -1;
        /* A fit may do without what it does not get. */
        assert_true(status == GOFH_OK ? posterior != NULL : status == GOFH_ERROR_MEMORY && !posterior);
        if (!failed) assert_int_equal(status, GOFH_OK);
        gofh_posterior_free(posterior);
    }
    assert_true(count > 20);
    gofh_study_free(study);
}

static void an_allocation_that_fails_is_a_status(void **state)
{
    (void)state;
    check_posterior(2, 0);
    check_posterior(12, 0); /* so many share a kernel */
    check_posterior(2, 1);
}

/* The same of a suggestion for the posterior, until one has all that it asks for. */
static void check_suggestion(int choices)
{
    const double data[2] = {0.2, 0.5}, sigma = 0.01;
    gofh_settings settings;
    gofh_settings_defaults(&settings);
    settings.goal = GOFH_GOAL_POSTERIOR;
    settings.budget = 0;
    settings.stop = GOFH_STOPPING_NEVER;
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "a", 0.0, 1.0, GOFH_SCALE_LINEAR);
    if (choices) gofh_problem_add_choices(problem, "w", WORDS, 2, GOFH_ORDER_NONE);
    gofh_problem_set_outputs(problem, 2);
    gofh_problem_set_data(problem, "o", data, 2);
    gofh_problem_set_sigma(problem, "o", &sigma, 1);
    gofh_problem_fit(problem, "y", "o", GOFH_RESIDUAL_DIFFERENCE, GOFH_LOSS_SQUARE, 0.0);
    gofh_study *study = study_of(problem, &settings);
    for (int i = 0; i < (choices ? 6 : 3); i++) {
        double x[2] = {i % 3 / 2.0, i / 3}, y[2] = {sin(3.0 * x[0]) + 9.0 * x[1], cos(5.0 * x[0])};
        check_ok(study, gofh_study_import(study, x, y, NULL));
    }
    int count = 0, failed = 1;
    for (; failed; count += 1 + count / 20) {
        int64_t id;
        double x[2];
        left = count;
        gofh_status status = gofh_study_ask(study, &id, x);
        failed = left < 0;
        left = -1;
        assert_true(status == GOFH_OK || status == GOFH_ERROR_MEMORY);
        if (!failed) assert_int_equal(status, GOFH_OK);
        if (status == GOFH_OK) check_ok(study, gofh_study_fail(study, id, "no matter"));
    }
    assert_true(count > 20);
    gofh_study_free(study);
}

static void a_suggestion_for_the_posterior_fails_with_a_status(void **state)
{
    (void)state;
    check_suggestion(0);
    check_suggestion(1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_allocation_that_fails_is_a_status),
        cmocka_unit_test(a_suggestion_for_the_posterior_fails_with_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

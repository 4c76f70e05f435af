/* Six choices of which three and three are alike: the model finds out, and a study that is opened again
 * knows it. */
#include "base/random.h"
#include "unit/api/stored.h"

#include <string.h>

enum { DATA = 45, TESTED = 100, OUTPUTS = 3, PARAMETERS = 4 };

static const char *const ALLOYS[] = {"a", "b", "c", "d", "e", "f"};

static gofh_problem *alloy_problem(void)
{
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_choices(problem, "alloy", ALLOYS, 6, GOFH_ORDER_NONE);
    gofh_problem_add_parameter(problem, "u", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_parameter(problem, "v", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_parameter(problem, "w", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_set_outputs(problem, OUTPUTS);
    gofh_problem_minimize(problem, "sum((y - 0.3)^2)");
    return problem;
}

static void alloy_outputs(const double *x, double *y)
{
    static const double phase[] = {0.0, 2.0, 0.04, 2.04, 1.96, -0.04};
    double shift = phase[(int)x[0]], size = 1.0 + x[1] * x[2];
    y[0] = sin(2.0 * x[1] + x[2] + 0.5 * x[3] + shift) * size;
    y[1] = sin(0.7 * x[1] + 2.5 * x[2] + 1.2 * x[3] + 0.8 * shift) * size;
    y[2] = sin(1.4 * x[1] + 0.4 * x[2] + 2.8 * x[3] + 1.2 * shift) * size;
}

static void draw_point(random_stream *stream, double *x)
{
    x[0] = (double)random_below(stream, 6);
    for (int k = 1; k < PARAMETERS; k++) x[k] = random_uniform(stream);
}

static void import_data(gofh_study *study)
{
    random_stream stream = random_open(1, RANDOM_TEST, 0, 0);
    double x[PARAMETERS], y[OUTPUTS];
    for (int i = 0; i < DATA; i++) {
        draw_point(&stream, x);
        alloy_outputs(x, y);
        check_ok(study, gofh_study_import(study, x, y, NULL));
    }
}

/* The root mean square error of the means at other points. */
static double error_of(const char *method)
{
    gofh_settings settings;
    gofh_settings_defaults(&settings);
    settings.method = method;
    gofh_problem *problem = alloy_problem();
    gofh_study *study;
    assert_int_equal(gofh_study_create(&study, problem, &settings, NULL), GOFH_OK);
    import_data(study);
    random_stream stream = random_open(2, RANDOM_TEST, 0, 0);
    static double x[TESTED * PARAMETERS], mean[TESTED * OUTPUTS];
    double y[OUTPUTS], squares = 0.0;
    for (int i = 0; i < TESTED; i++) draw_point(&stream, x + (size_t)i * PARAMETERS);
    check_ok(study, gofh_study_predict(study, x, TESTED, mean, NULL, NULL, NULL));
    for (int i = 0; i < TESTED; i++) {
        alloy_outputs(x + (size_t)i * PARAMETERS, y);
        for (int j = 0; j < OUTPUTS; j++) squares += pow(mean[i * OUTPUTS + j] - y[j], 2.0);
    }
    gofh_study_free(study);
    gofh_problem_free(problem);
    return sqrt(squares / (TESTED * OUTPUTS));
}

static void choices_that_are_alike_are_found_to_be(void **state)
{
    (void)state;
    double with = error_of("gofh"), without = error_of("gofh-no-places");
    if (!(with < 0.5 * without)) fail_msg("an error of %g with places, of %g without", with, without);
}

static void a_study_that_is_opened_again_suggests_the_same(void **state)
{
    (void)state;
    enum { ASKED = 4 };
    gofh_settings settings;
    gofh_settings_defaults(&settings);
    settings.stop = GOFH_STOPPING_NEVER;
    double asked[2][ASKED][PARAMETERS], y[OUTPUTS];
    for (int again = 0; again < 2; again++) {
        gofh_error error;
        gofh_study *study = open_stored(alloy_problem(), GOFH_OPEN_WRITE, &settings, &error);
        assert_non_null(study);
        import_data(study);
        for (int i = 0; i < ASKED; i++) {
            int64_t id;
            check_ok(study, gofh_study_ask(study, &id, asked[again][i]));
            alloy_outputs(asked[again][i], y);
            check_ok(study, gofh_study_tell(study, id, y));
            if (!again) continue;
            gofh_study_free(study);
            study = open_stored(alloy_problem(), GOFH_OPEN_WRITE, NULL, &error);
            if (!study) fail_msg("%s", error.message);
        }
        gofh_study_free(study);
        assert_int_equal(remove(stored_path), 0);
    }
    assert_memory_equal(asked[0], asked[1], sizeof asked[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(choices_that_are_alike_are_found_to_be),
        cmocka_unit_test_setup_teardown(a_study_that_is_opened_again_suggests_the_same, stored_setup,
                                        stored_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

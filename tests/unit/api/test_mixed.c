/* Parameters that have values: suggestions are exactly these, none twice, and what is found is what brute
 * force finds. */
#include "unit/api/stored.h"

#include <string.h>

static const char *const METALS[] = {"steel", "aluminium", "titanium", "brass"};

static void check_step(gofh_study *study, gofh_status status, gofh_status wanted)
{
    if (status != wanted) fail_msg("%s", gofh_study_message(study));
}

/* 5 x 4 x 4 points: whole numbers, a catalogue, choices. */
static const double CATALOGUE[] = {20.0, 6.0, 8.0, 12.0};

static gofh_problem *discrete_problem(void)
{
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_integer(problem, "n", 1, 5, GOFH_SCALE_LINEAR);
    gofh_problem_add_values(problem, "plate", CATALOGUE, 4, GOFH_SCALE_LINEAR);
    gofh_problem_add_choices(problem, "metal", METALS, 4, GOFH_ORDER_NONE);
    gofh_problem_fix(problem, "density", 7850.0);
    gofh_problem_set_outputs(problem, 3);
    gofh_problem_minimize(problem, "sum(y^2) + 1");
    return problem;
}

static void discrete_outputs(const double *x, double *y)
{
    static const double strength[] = {0.9, 0.1, -0.6, 0.35};
    y[0] = x[0] - 3.2 + strength[(int)x[2]];
    y[1] = (x[1] - 11.0) / 4.0 * (1.0 + 0.3 * strength[(int)x[2]]);
    y[2] = sin(x[0] + x[1]) + strength[(int)x[2]];
}

static double discrete_f(const double *x)
{
    double y[3];
    discrete_outputs(x, y);
    return y[0] * y[0] + y[1] * y[1] + y[2] * y[2] + 1.0;
}

static double discrete_optimum(void)
{
    double best = INFINITY;
    for (int n = 1; n <= 5; n++)
        for (int p = 0; p < 4; p++)
            for (int c = 0; c < 4; c++) best = fmin(best, discrete_f((double[]){n, CATALOGUE[p], c, 7850.0}));
    return best;
}

static int is_allowed(const double *x)
{
    int plate = 0;
    for (int i = 0; i < 4; i++) plate |= x[1] == CATALOGUE[i];
    return plate && x[0] >= 1.0 && x[0] <= 5.0 && x[0] == floor(x[0]) && x[2] >= 0.0 && x[2] <= 3.0 &&
           x[2] == floor(x[2]) && x[3] == 7850.0;
}

static void all_points_are_tried_once_and_then_the_study_ends(void **state)
{
    (void)state;
    gofh_settings settings;
    gofh_settings_defaults(&settings);
    settings.budget = 0;
    settings.stop = GOFH_STOPPING_NEVER;
    gofh_problem *problem = discrete_problem();
    gofh_study *study;
    assert_int_equal(gofh_study_create(&study, problem, &settings, NULL), GOFH_OK);
    double x[81][4], y[3];
    int64_t id;
    int count = 0;
    gofh_status status;
    while (count < 81 && (status = gofh_study_ask(study, &id, x[count])) == GOFH_OK) {
        assert_true(is_allowed(x[count]));
        for (int i = 0; i < count; i++) assert_memory_not_equal(x[i], x[count], sizeof x[i]);
        discrete_outputs(x[count++], y);
        check_ok(study, gofh_study_tell(study, id, y));
    }
    check_step(study, status, GOFH_STOP_EXHAUSTED);
    assert_int_equal(count, 80);
    gofh_study_free(study);
    gofh_problem_free(problem);
}

/* Of 80 points a search that learned nothing would have tried half when it met the best. */
static void the_best_of_all_points_is_found_early(void **state)
{
    (void)state;
    double optimum = discrete_optimum();
    int needed = 0;
    for (int seed = 1; seed <= 10; seed++) {
        gofh_settings settings;
        gofh_settings_defaults(&settings);
        settings.seed = (uint64_t)seed;
        settings.budget = 80;
        gofh_problem *problem = discrete_problem();
        gofh_study *study;
        assert_int_equal(gofh_study_create(&study, problem, &settings, NULL), GOFH_OK);
        double x[4], y[3];
        int64_t id;
        for (int i = 0; i < 80; i++) {
            check_ok(study, gofh_study_ask(study, &id, x));
            discrete_outputs(x, y);
            check_ok(study, gofh_study_tell(study, id, y));
            needed++;
            if (discrete_f(x) <= optimum + 1e-12) break;
        }
        gofh_study_free(study);
        gofh_problem_free(problem);
    }
    assert_in_range(needed, 10, 250);
}

/* f = (width - w(metal))^2 + ..., whose optimum for each choice is known in closed form. */
static void continuous_parameters_are_found_to_rounding_beside_choices(void **state)
{
    (void)state;
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_choices(problem, "metal", METALS, 4, GOFH_ORDER_NONE);
    gofh_problem_add_integer(problem, "n", 2, 9, GOFH_SCALE_LINEAR);
    gofh_problem_add_parameter(problem, "width", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_parameter(problem, "length", 1.0, 10.0, GOFH_SCALE_LOG);
    gofh_problem_set_outputs(problem, 4);
    gofh_problem_minimize(problem, "sum(y^2)");
    gofh_settings settings;
    gofh_settings_defaults(&settings);
    settings.budget = 45;
    gofh_study *study;
    assert_int_equal(gofh_study_create(&study, problem, &settings, NULL), GOFH_OK);
    double x[4], y[4];
    int64_t id;
    static const double metal[] = {1.0, 0.5, 0.0, 0.7};
    while (gofh_study_ask(study, &id, x) == GOFH_OK) {
        y[0] = metal[(int)x[0]];
        y[1] = 0.4 * (x[1] - 5.0);
        y[2] = x[2] - 0.37 + 0.1 * y[0];
        y[3] = log(x[3]) - 1.1 + 0.2 * (x[2] - 0.37);
        check_ok(study, gofh_study_tell(study, id, y));
    }
    gofh_trial best;
    check_ok(study, gofh_study_best(study, &best));
    assert_true(best.x[0] == 2.0 && best.x[1] == 5.0);
    assert_true(best.f < 1e-16);
    gofh_study_free(study);
    gofh_problem_free(problem);
}

/* The same problem with its choices in another order: the number of evaluations until the best is found
 * may differ by chance, but not in the mean of 10 seeds by more than its spread. */
static void the_order_of_choices_does_not_matter(void **state)
{
    (void)state;
    static const int order[2][4] = {{0, 1, 2, 3}, {2, 0, 3, 1}};
    double optimum = discrete_optimum(), mean[2] = {0};
    for (int o = 0; o < 2; o++)
        for (int seed = 1; seed <= 10; seed++) {
            const char *words[4];
            for (int i = 0; i < 4; i++) words[i] = METALS[order[o][i]];
            gofh_settings settings;
            gofh_settings_defaults(&settings);
            settings.seed = (uint64_t)seed;
            settings.budget = 80;
            gofh_problem *problem = gofh_problem_create();
            gofh_problem_add_integer(problem, "n", 1, 5, GOFH_SCALE_LINEAR);
            gofh_problem_add_values(problem, "plate", CATALOGUE, 4, GOFH_SCALE_LINEAR);
            gofh_problem_add_choices(problem, "metal", words, 4, GOFH_ORDER_NONE);
            gofh_problem_set_outputs(problem, 3);
            gofh_problem_minimize(problem, "sum(y^2) + 1");
            gofh_study *study;
            assert_int_equal(gofh_study_create(&study, problem, &settings, NULL), GOFH_OK);
            double x[4] = {0}, y[3], f = INFINITY;
            int64_t id;
            for (int i = 0; i < 80 && f > optimum + 1e-12; i++) {
                check_ok(study, gofh_study_ask(study, &id, x));
                x[2] = order[o][(int)x[2]];
                discrete_outputs(x, y);
                f = discrete_f(x);
                check_ok(study, gofh_study_tell(study, id, y));
                mean[o] += 0.1;
            }
            gofh_study_free(study);
            gofh_problem_free(problem);
        }
    assert_true(fabs(mean[0] - mean[1]) < 6.0);
}

static void values_are_decimal_numbers(void **state)
{
    (void)state;
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_grid(problem, "x", 0.0, 1.05, 0.1, GOFH_SCALE_LINEAR);
    assert_true(gofh_problem_upper(problem, "x") == 1.0);
    gofh_problem_set_outputs(problem, 1);
    gofh_problem_minimize(problem, "y[0]");
    gofh_settings settings;
    gofh_settings_defaults(&settings);
    settings.budget = 0;
    settings.stop = GOFH_STOPPING_NEVER;
    gofh_study *study;
    assert_int_equal(gofh_study_create(&study, problem, &settings, NULL), GOFH_OK);
    static const double wanted[] = {0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0};
    int seen[11] = {0};
    double x;
    int64_t id;
    while (gofh_study_ask(study, &id, &x) == GOFH_OK) {
        for (int i = 0; i < 11; i++) seen[i] += x == wanted[i];
        check_ok(study, gofh_study_tell(study, id, &x));
    }
    for (int i = 0; i < 11; i++) assert_int_equal(seen[i], 1);
    gofh_study_free(study);
    gofh_problem_free(problem);
}

static void check_message(gofh_problem *problem, const char *message)
{
    if (!strstr(gofh_problem_message(problem), message)) fail_msg("%s", gofh_problem_message(problem));
    gofh_problem_free(problem);
}

static void what_is_wrong_with_values_is_said(void **state)
{
    (void)state;
    gofh_problem *problem = gofh_problem_create();
    assert_true(gofh_problem_add_grid(problem, "x", 0.0, 1.0, 2.0, GOFH_SCALE_LINEAR) < 0);
    check_message(problem, "step 2 of parameter \"x\" is longer than its range 0 to 1");
    problem = gofh_problem_create();
    assert_true(gofh_problem_add_values(problem, "x", (double[]){1.0, 2.0, 1.0}, 3, GOFH_SCALE_LINEAR) < 0);
    check_message(problem, "has the value 1 twice");
    problem = gofh_problem_create();
    assert_true(gofh_problem_add_choices(problem, "x", METALS, 1, GOFH_ORDER_NONE) < 0);
    check_message(problem, "has 1 choice: at least 2 are needed");
    problem = gofh_problem_create();
    gofh_problem_add_choices(problem, "x", METALS, 4, GOFH_ORDER_NONE);
    assert_string_equal(gofh_problem_choice(problem, "x", 3), "brass");
    assert_int_equal(gofh_problem_choices(problem, "x"), 4);
    assert_true(gofh_problem_fix(problem, "x", 4.0) < 0);
    check_message(problem, "can't be fixed at choice 4");
    problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "x", 0.0, 1.0, GOFH_SCALE_LINEAR);
    assert_int_equal(gofh_problem_fix(problem, "x", 1.0), GOFH_OK);
    gofh_problem_add_parameter(problem, "z", 0.0, 1.0, GOFH_SCALE_LINEAR);
    assert_true(gofh_problem_fix(problem, "z", 2.0) < 0);
    check_message(problem, "parameter \"z\" can't be fixed at 2: its bounds are 0 and 1");
    problem = gofh_problem_create();
    gofh_problem_add_grid(problem, "x", 0.0, 1.0, 0.1, GOFH_SCALE_LINEAR);
    assert_int_equal(gofh_problem_fix(problem, "x", 0.1 * 3.0), GOFH_OK);
    assert_true(gofh_problem_upper(problem, "x") == 0.3); /* as the decimal number that it is */
    gofh_problem_add_values(problem, "z", (double[]){1.0, 2.0, 4.0}, 3, GOFH_SCALE_LINEAR);
    assert_true(gofh_problem_fix(problem, "z", 3.0) < 0);
    check_message(problem, "parameter \"z\" can't be fixed at 3: it is not one of its values");
    problem = gofh_problem_create();
    gofh_problem_fix(problem, "x", 4.0);
    gofh_problem_set_outputs(problem, 1);
    gofh_problem_minimize(problem, "y[0]");
    gofh_study *study;
    gofh_error error = {.status = GOFH_OK};
    assert_int_equal(gofh_study_create(&study, problem, NULL, &error), GOFH_ERROR_PROBLEM);
    assert_non_null(strstr(error.message, "all parameters are fixed"));
    gofh_problem_free(problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_points_are_tried_once_and_then_the_study_ends),
        cmocka_unit_test(the_best_of_all_points_is_found_early),
        cmocka_unit_test(continuous_parameters_are_found_to_rounding_beside_choices),
        cmocka_unit_test(the_order_of_choices_does_not_matter),
        cmocka_unit_test(values_are_decimal_numbers),
        cmocka_unit_test(what_is_wrong_with_values_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What the known constraints leave, compared with all points that meet them. */
#include "unit/api/stored.h"

#include <math.h>
#include <string.h>

static gofh_problem *problem_of_numbers(int lower, int upper, const char *constraint)
{
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_integer(problem, "a", lower, upper, GOFH_SCALE_LINEAR);
    gofh_problem_add_integer(problem, "b", lower, upper, GOFH_SCALE_LINEAR);
    gofh_problem_set_outputs(problem, 1);
    gofh_problem_minimize(problem, "y[0]");
    if (constraint) gofh_problem_add_constraint(problem, constraint);
    return problem;
}

/* Asks until all points have been tried; seen[a][b] counts them. Returns how many. */
static int try_all(gofh_problem *problem, int seen[][4])
{
    gofh_study *study;
    gofh_error error = {.status = GOFH_OK};
    if (gofh_study_create(&study, problem, NULL, &error)) fail_msg("%s", error.message);
    double x[2];
    int64_t id;
    int count = 0;
    for (; gofh_study_ask(study, &id, x) == GOFH_OK; count++) {
        seen[(int)x[0]][(int)x[1]]++;
        double y = x[0] - x[1];
        check_ok(study, gofh_study_tell(study, id, &y));
    }
    gofh_study_free(study);
    return count;
}

static void less_is_strict_between_whole_numbers(void **unused)
{
    (void)unused;
    gofh_problem *problem = problem_of_numbers(0, 3, "a < b");
    int seen[4][4] = {{0}}, equalities;
    double share;
    assert_int_equal(try_all(problem, seen), 6);
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++) assert_int_equal(seen[a][b], a < b);
    assert_int_equal(gofh_problem_share(problem, &share, &equalities, NULL), GOFH_OK);
    assert_true(share == 6.0 / 16.0);
    gofh_problem_free(problem);
}

static void less_or_equal_is_not(void **unused)
{
    (void)unused;
    gofh_problem *problem = problem_of_numbers(0, 3, "a <= b");
    int seen[4][4] = {{0}};
    assert_int_equal(try_all(problem, seen), 10);
    gofh_problem_free(problem);
}

/* One strict and one not, joined by or; and a chain, of which each comparison counts. */
static void less_is_strict_inside_other_constraints(void **unused)
{
    (void)unused;
    gofh_problem *problem = problem_of_numbers(0, 3, "a < b or a >= 3");
    int seen[4][4] = {{0}}, chained[4][4] = {{0}};
    assert_int_equal(try_all(problem, seen), 10);
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++) assert_int_equal(seen[a][b], a < b || a >= 3);
    gofh_problem_free(problem);
    problem = problem_of_numbers(0, 3, "0 < a < b");
    assert_int_equal(try_all(problem, chained), 3);
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++) assert_int_equal(chained[a][b], 0 < a && a < b);
    gofh_problem_free(problem);
}

/* 0.3 - 0.1 is a little less than 0.2 in floating-point numbers. */
static void values_of_a_grid_that_rounding_makes_differ_are_equal(void **unused)
{
    (void)unused;
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_grid(problem, "a", 0.0, 1.0, 0.1, GOFH_SCALE_LINEAR);
    gofh_problem_add_grid(problem, "b", 0.0, 1.0, 0.1, GOFH_SCALE_LINEAR);
    gofh_problem_add_constraint(problem, "b - 0.1 < a");
    gofh_problem_set_outputs(problem, 1);
    gofh_problem_minimize(problem, "y[0]");
    double share;
    int equalities, count = 0;
    for (int a = 0; a <= 10; a++)
        for (int b = 0; b <= 10; b++) count += b - 1 < a;
    assert_int_equal(gofh_problem_share(problem, &share, &equalities, NULL), GOFH_OK);
    assert_true(fabs(share - count / 121.0) < 1e-12);
    gofh_problem_free(problem);
}

static void no_two_numbers_of_one_are_in_order(void **unused)
{
    (void)unused;
    gofh_problem *problem = problem_of_numbers(0, 1, "a < b and b < 1");
    gofh_study *study;
    gofh_error error = {.status = GOFH_OK};
    assert_int_equal(gofh_study_create(&study, problem, NULL, &error), GOFH_ERROR_PROBLEM);
    assert_non_null(strstr(error.message, "no point meets the known constraints: a < b and b < 1"));
    gofh_problem_free(problem);
}

enum { ASKED = 14 };

/* Asks and tells with f = sum (log x_k - k - 1)^2, over d parameters on log scales from 1e-8 to 1e8, or
 * whole numbers from 1 to 1e6. `points`: ASKED x d. */
static void run_on_log_scales(int d, int whole, const char *first, const char *second, double *points)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    gofh_problem *problem = gofh_problem_create();
    for (int k = 0; k < d; k++)
        whole ? gofh_problem_add_integer(problem, names[k], 1, 1000000, GOFH_SCALE_LOG)
              : gofh_problem_add_parameter(problem, names[k], 1e-8, 1e8, GOFH_SCALE_LOG);
    gofh_problem_set_outputs(problem, d);
    gofh_problem_minimize(problem, "sum(y^2)");
    gofh_problem_add_constraint(problem, first);
    if (second) gofh_problem_add_constraint(problem, second);
    gofh_settings settings;
    gofh_settings_defaults(&settings);
    settings.budget = ASKED;
    settings.stop = GOFH_STOPPING_NEVER;
    gofh_study *study;
    gofh_error error = {.status = GOFH_OK};
    if (gofh_study_create(&study, problem, &settings, &error)) fail_msg("%s", error.message);
    int64_t id;
    for (int i = 0; i < ASKED; i++) {
        double *x = points + i * d, y[4];
        check_ok(study, gofh_study_ask(study, &id, x));
        for (int k = 0; k < d; k++) y[k] = log(x[k]) - k - 1.0;
        check_ok(study, gofh_study_tell(study, id, y));
    }
    gofh_study_free(study);
    gofh_problem_free(problem);
}

/* The least f on a b = 1 with a >= b is at log a = 0: the sum (u - 1)^2 + (-u - 2)^2 falls until -1/2. */
static void a_product_on_log_scales_is_what_it_must_be(void **unused)
{
    (void)unused;
    double x[ASKED][2], best = INFINITY;
    run_on_log_scales(2, 0, "a*b == 1", "a >= b", x[0]);
    for (int i = 0; i < ASKED; i++) {
        assert_true(fabs(x[i][0] * x[i][1] - 1.0) <= 2.1e-9);
        assert_true(x[i][0] >= x[i][1]);
        best = fmin(best, fabs(log(x[i][0])));
    }
    assert_true(best < 1e-3);
}

static void equalities_on_log_scales_hold_however_they_are_written(void **unused)
{
    (void)unused;
    double x[ASKED][4];
    run_on_log_scales(4, 0, "a*b - c*d == 0", NULL, x[0]);
    for (int i = 0; i < ASKED; i++) check_close(x[i][0] * x[i][1], x[i][2] * x[i][3], 4.1e-9);
    run_on_log_scales(4, 0, "0 == a*b*c - d", "a <= b", x[0]);
    for (int i = 0; i < ASKED; i++) check_close(x[i][0] * x[i][1] * x[i][2], x[i][3], 4.1e-9);
    run_on_log_scales(4, 0, "a + b == c + d", NULL, x[0]);
    for (int i = 0; i < ASKED; i++) check_close(x[i][0] + x[i][1], x[i][2] + x[i][3], 2.1e-9);
    run_on_log_scales(4, 0, "a - b == c", "b >= d", x[0]);
    for (int i = 0; i < ASKED; i++)
        check_near(x[i][0] - x[i][1], x[i][2], 1e-9 * (x[i][0] + x[i][1] + x[i][2]));
}

/* 1e-9 of the range of these products is 1000. */
static void products_of_whole_numbers_are_exact(void **unused)
{
    (void)unused;
    double x[ASKED][3];
    run_on_log_scales(3, 1, "a*b == 1000*c", NULL, x[0]);
    for (int i = 0; i < ASKED; i++) assert_true(x[i][0] * x[i][1] == 1000.0 * x[i][2]);
}

/* Beside an edge that rounding is on both sides of: what was suggested is allowed. */
static void the_probability_that_known_constraints_hold_is_0_or_1(void **unused)
{
    (void)unused;
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "a", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_add_parameter(problem, "b", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_set_outputs(problem, 2);
    gofh_problem_minimize(problem, "sum(y^2)");
    gofh_problem_add_constraint(problem, "a + b <= 1");
    gofh_settings settings;
    gofh_settings_defaults(&settings);
    settings.budget = 12;
    gofh_study *study;
    assert_int_equal(gofh_study_create(&study, problem, &settings, NULL), GOFH_OK);
    double x[14][2] = {{0.9, 0.9}, {0.2, 0.3}}, feasible[14];
    int64_t id;
    int count = 2;
    for (; gofh_study_ask(study, &id, x[count]) == GOFH_OK; count++) {
        const double y[2] = {x[count][0] - 0.8, x[count][1] - 0.6};
        check_ok(study, gofh_study_tell(study, id, y));
    }
    check_ok(study, gofh_study_predict_objective(study, x[0], count, NULL, NULL, feasible));
    assert_true(feasible[0] == 0.0);
    for (int i = 1; i < count; i++) assert_true(feasible[i] == 1.0);
    gofh_study_free(study);
    gofh_problem_free(problem);
}

typedef struct {
    const char *constraint[2];
    int whole, continuous; /* parameters: n, k, l from 1 to 120, x, z from -1 to 1 */
    int count;             /* of allowed points */
} few_points;

/* Asks until the study ends or 9 points are there. Returns how many; of few none is there twice. */
static int ask_few(const few_points *p, gofh_status *ended)
{
    static const char *const names[] = {"n", "k", "l", "x", "z"};
    enum { MOST = 9, D = 5 };
    double x[MOST][D] = {{0}}, y;
    int d = p->whole + p->continuous, count = 0;
    gofh_problem *problem = gofh_problem_create();
    for (int k = 0; k < p->whole; k++) gofh_problem_add_integer(problem, names[k], 1, 120, GOFH_SCALE_LINEAR);
    for (int k = 0; k < p->continuous; k++)
        gofh_problem_add_parameter(problem, names[3 + k], -1.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_set_outputs(problem, 1);
    gofh_problem_minimize(problem, "y[0]");
    for (int i = 0; i < 2 && p->constraint[i]; i++) gofh_problem_add_constraint(problem, p->constraint[i]);
    gofh_settings settings;
    gofh_settings_defaults(&settings);
    settings.budget = MOST;
    settings.stop = GOFH_STOPPING_NEVER;
    gofh_study *study;
    gofh_error error = {.status = GOFH_OK};
    if (gofh_study_create(&study, problem, &settings, &error)) fail_msg("%s", error.message);
    int64_t id;
    for (; count < MOST && (*ended = gofh_study_ask(study, &id, x[count])) == GOFH_OK; count++) {
        for (int i = 0; i < count && p->count < MOST; i++) {
            double apart = 0.0;
            for (int k = 0; k < d; k++) apart = fmax(apart, fabs(x[i][k] - x[count][k]));
            assert_true(apart > 1e-6);
        }
        y = x[count][0];
        check_ok(study, gofh_study_tell(study, id, &y));
    }
    gofh_study_free(study);
    gofh_problem_free(problem);
    return count;
}

/* Of a space of more than a million points, and of intervals, constraints may leave few: each is tried
 * once. */
static void a_study_ends_with_the_few_points_that_constraints_leave(void **unused)
{
    (void)unused;
    const few_points all[] = {
        {{"n + k + l == 360", NULL}, 3, 0, 1},   {{"n + k + l >= 359", NULL}, 3, 0, 4},
        {{"x == 0.25", NULL}, 0, 1, 1},          {{"x + z >= 2", NULL}, 0, 2, 1},
        {{"x^2 + z^2 == 1", "x == z"}, 0, 2, 2}, {{"n <= 6", "x == 0.1*n"}, 1, 1, 6},
        {{"n <= 2", "x^2 == 0.25*n"}, 1, 1, 4},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        gofh_status ended;
        int count = ask_few(&all[i], &ended);
        if (count != all[i].count || ended != GOFH_STOP_EXHAUSTED)
            fail_msg("%s: %d points", all[i].constraint[0], count);
    }
}

static void a_study_goes_on_where_points_are_many(void **unused)
{
    (void)unused;
    const few_points all[] = {{{"x >= 0.9", NULL}, 0, 1, 9},
                              {{"x + z >= 1.999", NULL}, 0, 2, 9},
                              {{"x + z == 1", NULL}, 0, 2, 9},
                              {{"n + k + l >= 357", NULL}, 3, 0, 9},
                              {{"n <= 2", "(n - 1)*(x - 0.5) == 0"}, 1, 1, 9}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        gofh_status ended;
        int count = ask_few(&all[i], &ended);
        if (count != all[i].count) fail_msg("%s: %d points", all[i].constraint[0], count);
    }
}

/* The corners of a sphere's grid lie apart from each other, so that no walk leads from one to the next. */
static void points_among_more_than_a_million_are_each_tried_once(void **unused)
{
    (void)unused;
    enum { SIDE = 101, SQUARES = 50, MOST = 200 };
    int expected = 0, count = 0;
    for (int a = 0; a < SIDE; a++)
        for (int b = 0; b < SIDE; b++)
            for (int c = 0; c < SIDE; c++) expected += a * a + b * b + c * c == SQUARES;
    assert_in_range(expected, 10, MOST - 1);
    gofh_problem *problem = problem_of_numbers(0, SIDE - 1, NULL);
    gofh_problem_add_integer(problem, "c", 0, SIDE - 1, GOFH_SCALE_LINEAR);
    gofh_problem_add_constraint(problem, "a^2 + b^2 + c^2 == 50");
    gofh_settings settings;
    gofh_settings_defaults(&settings);
    settings.method = "random";
    settings.budget = MOST;
    gofh_study *study;
    gofh_error error = {.status = GOFH_OK};
    if (gofh_study_create(&study, problem, &settings, &error)) fail_msg("%s", error.message);
    double x[MOST][3];
    int64_t id;
    gofh_status status;
    while ((status = gofh_study_ask(study, &id, x[count])) == GOFH_OK) {
        for (int i = 0; i < count; i++) assert_memory_not_equal(x[i], x[count], sizeof x[i]);
        check_ok(study, gofh_study_tell(study, id, x[count++]));
    }
    assert_int_equal(status, GOFH_STOP_EXHAUSTED);
    assert_int_equal(count, expected);
    gofh_study_free(study);
    gofh_problem_free(problem);
}

/* What is queued comes first, also what has been tried; what is forgotten is tried again. */
static void what_is_forgotten_or_queued_can_be_tried_again(void **unused)
{
    (void)unused;
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_integer(problem, "n", 1, 4, GOFH_SCALE_LINEAR);
    gofh_problem_set_outputs(problem, 1);
    gofh_problem_minimize(problem, "y[0]");
    gofh_study *study;
    assert_int_equal(gofh_study_create(&study, problem, NULL, NULL), GOFH_OK);
    double x, again, wrong = 99.0;
    int64_t id;
    for (int i = 0; i < 4; i++) {
        check_ok(study, gofh_study_ask(study, &id, &x));
        check_ok(study, gofh_study_tell(study, id, i ? &x : &wrong));
    }
    assert_int_equal(gofh_study_ask(study, &id, &again), GOFH_STOP_EXHAUSTED);
    gofh_trial first;
    check_ok(study, gofh_study_trial(study, 1, &first));
    check_ok(study, gofh_study_forget(study, 1, 1));
    check_ok(study, gofh_study_ask(study, &id, &again));
    assert_true(again == first.x[0]);
    check_ok(study, gofh_study_tell(study, id, &again));
    assert_int_equal(gofh_study_ask(study, &id, &again), GOFH_STOP_EXHAUSTED);
    x = 2.0;
    check_ok(study, gofh_study_enqueue(study, &x));
    check_ok(study, gofh_study_ask(study, &id, &again));
    assert_true(again == 2.0);
    gofh_study_free(study);
    gofh_problem_free(problem);
}

static void a_start_that_can_t_be_completed_is_refused_with_all_constraints(void **unused)
{
    (void)unused;
    gofh_problem *problem = problem_of_numbers(1, 5, "a <= 4");
    gofh_problem_add_integer(problem, "c", 1, 5, GOFH_SCALE_LINEAR);
    gofh_problem_add_constraint(problem, "a + b == 4");
    gofh_study *study;
    assert_int_equal(gofh_study_create(&study, problem, NULL, NULL), GOFH_OK);
    const double start[3] = {2.0, 5.0, NAN};
    assert_int_equal(gofh_study_enqueue(study, start), GOFH_ERROR_ARGUMENT);
    assert_string_equal(gofh_study_message(study), "no point was found with the values of the start point "
                                                   "that meets the known constraints: a <= 4; a + b == 4");
    gofh_study_free(study);
    gofh_problem_free(problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(less_is_strict_between_whole_numbers),
        cmocka_unit_test(less_or_equal_is_not),
        cmocka_unit_test(less_is_strict_inside_other_constraints),
        cmocka_unit_test(values_of_a_grid_that_rounding_makes_differ_are_equal),
        cmocka_unit_test(no_two_numbers_of_one_are_in_order),
        cmocka_unit_test(a_product_on_log_scales_is_what_it_must_be),
        cmocka_unit_test(equalities_on_log_scales_hold_however_they_are_written),
        cmocka_unit_test(products_of_whole_numbers_are_exact),
        cmocka_unit_test(a_study_ends_with_the_few_points_that_constraints_leave),
        cmocka_unit_test(a_study_goes_on_where_points_are_many),
        cmocka_unit_test(points_among_more_than_a_million_are_each_tried_once),
        cmocka_unit_test(what_is_forgotten_or_queued_can_be_tried_again),
        cmocka_unit_test(a_start_that_can_t_be_completed_is_refused_with_all_constraints),
        cmocka_unit_test(the_probability_that_known_constraints_hold_is_0_or_1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

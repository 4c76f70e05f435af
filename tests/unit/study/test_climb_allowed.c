/* Climbs over whole numbers and an interval. */
#include "check.h"

#include "api/handle.h"
#include "base/domain.h"
#include "study/climb.h"

#include <gofh.h>

#include <math.h>

enum { NUMBERS = 500 }; /* more than are tried one by one */

static gofh_study *study_of_a_number_and_an_interval(gofh_problem *problem, const char *constraint)
{
    gofh_study *made;
    gofh_error error = {0};
    gofh_problem_add_integer(problem, "n", 0, NUMBERS - 1, GOFH_SCALE_LINEAR);
    gofh_problem_add_parameter(problem, "z", 0, 1, GOFH_SCALE_LINEAR);
    gofh_problem_set_outputs(problem, 1);
    gofh_problem_minimize(problem, "y[0]");
    if (constraint) gofh_problem_add_constraint(problem, constraint);
    assert_int_equal(gofh_study_create(&made, problem, NULL, &error), GOFH_OK);
    return made;
}

/* n - 400 (z - n/10)^2 for n up to 7: the largest is 7, at z = 0.7, with ridges between that are far apart
 * in z for one step of n. 0 beyond. */
static int ridges(const double *x, int count, double *value, double *gradient, void *context)
{
    const study *st = context;
    for (int i = 0; i < count; i++) {
        int n = domain_index(&st->spec.box, 0, x + 2 * i);
        double off = x[2 * i + 1] - 0.1 * n;
        value[i] = n <= 7 ? n - 400.0 * off * off : -1e3;
        if (!gradient) continue;
        gradient[2 * i] = 0.0;
        gradient[2 * i + 1] = n <= 7 ? -800.0 * off : 0.0;
    }
    return 0;
}

static double climb_from(const char *constraint, int n, double z, double *reached)
{
    gofh_problem *problem = gofh_problem_create();
    gofh_study *made = study_of_a_number_and_an_interval(problem, constraint);
    study *st = made->core;
    gofh_status failure = GOFH_OK;
    double x[2] = {0.0, z}, value;
    domain_set(&st->spec.box, 0, n, x);
    assert_int_equal(climb_allowed(st, ridges, st, &failure, 60, 1, x, &value), GOFH_OK);
    *reached = x[1];
    int at = domain_index(&st->spec.box, 0, x);
    gofh_study_free(made);
    gofh_problem_free(problem);
    check_near(value, at - 400.0 * pow(*reached - 0.1 * at, 2.0), 1e-12);
    return at;
}

/* A step to the next number is only better once z has moved with it. */
static void a_climb_goes_on_to_a_number_that_needs_another_place(void **state)
{
    (void)state;
    double z;
    assert_true(climb_from(NULL, 6, 0.6, &z) == 7.0);
    check_near(z, 0.7, 1e-6);
}

static void so_it_does_where_a_known_constraint_is_kept(void **state)
{
    (void)state;
    double z;
    assert_true(climb_from("z <= 0.65", 5, 0.5, &z) == 6.0);
    check_near(z, 0.6, 1e-6);
}

enum { FIVE = 5 };

/* 1 - 100 (z - 0.9)^2 where the first of five numbers is 11 and all others are 10, and -1 for each
 * number that is not 10 elsewhere: from z = 0.1, where all are 10, the one neighbour that is better
 * looks the worst. */
static int hidden(const double *x, int count, double *value, double *gradient, void *context)
{
    const study *st = context;
    for (int i = 0; i < count; i++) {
        const double *at = x + i * (FIVE + 1);
        int others = 0, first = domain_index(&st->spec.box, 0, at);
        double off = at[FIVE] - 0.9;
        for (int k = 1; k < FIVE; k++) others += domain_index(&st->spec.box, k, at) != 10;
        int found = first == 11 && others == 0;
        value[i] = found ? 1.0 - 100.0 * off * off : -others - (first != 10);
        for (int k = 0; gradient && k <= FIVE; k++) gradient[i * (FIVE + 1) + k] = 0.0;
        if (gradient && found) gradient[i * (FIVE + 1) + FIVE] = -200.0 * off;
    }
    return 0;
}

static void all_points_that_differ_in_one_value_are_climbed_from(void **state)
{
    (void)state;
    gofh_problem *problem = gofh_problem_create();
    gofh_study *made;
    gofh_status failure = GOFH_OK;
    double from[FIVE + 1], x[FIVE + 1], value;
    for (int k = 0; k < FIVE; k++)
        gofh_problem_add_integer(problem, (const char *[]){"a", "b", "c", "d", "e"}[k], 0, NUMBERS - 1,
                                 GOFH_SCALE_LINEAR);
    gofh_problem_add_parameter(problem, "z", 0, 1, GOFH_SCALE_LINEAR);
    gofh_problem_set_outputs(problem, 1);
    gofh_problem_minimize(problem, "y[0]");
    assert_int_equal(gofh_study_create(&made, problem, NULL, NULL), GOFH_OK);
    study *st = made->core;
    for (int k = 0; k < FIVE; k++) domain_set(&st->spec.box, k, 10, from);
    from[FIVE] = 0.1;
    assert_true(climb_is_mixed(st));
    assert_int_equal(climb_beside(st, hidden, st, &failure, 60, from, x, &value), GOFH_OK);
    assert_int_equal(domain_index(&st->spec.box, 0, x), 11);
    check_near(x[FIVE], 0.9, 1e-6);
    check_near(value, 1.0, 1e-9);
    gofh_study_free(made);
    gofh_problem_free(problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_climb_goes_on_to_a_number_that_needs_another_place),
        cmocka_unit_test(so_it_does_where_a_known_constraint_is_kept),
        cmocka_unit_test(all_points_that_differ_in_one_value_are_climbed_from),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

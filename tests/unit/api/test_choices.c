/* Lists of choices in a study's file that are not what was written there. Checksums would tell: these
 * files have the right ones, as those have that somebody made on purpose. */
#include "store/checksum.h"
#include "unit/api/stored.h"
#include "unit/store/sql.h"

static const char *const METALS[] = {"steel", "oak", "brass"};

static gofh_problem *metal_problem(int count)
{
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_choices(problem, "metal", METALS, count, GOFH_ORDER_NONE);
    gofh_problem_add_parameter(problem, "x", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_set_outputs(problem, 1);
    gofh_problem_minimize(problem, "y[0]");
    return problem;
}

/* A trial of each choice from this one on. */
static void make_file(int first)
{
    gofh_error error;
    gofh_study *study = open_stored(metal_problem(3), GOFH_OPEN_WRITE, NULL, &error);
    assert_non_null(study);
    for (int i = first; i < 3; i++)
        check_ok(study, gofh_study_import(study, (double[]){i, 0.3 * i}, (double[]){i}, NULL));
    gofh_study_free(study);
}

/* The problem's checksum as it is now. */
static void set_checksum(void)
{
    gofh_error error = {.status = GOFH_OK};
    store *file = store_open(stored_path, GOFH_OPEN_WRITE, (store_patience){NULL, NULL}, &error);
    assert_non_null(file);
    assert_int_equal(checksum_keep_problem(file, &error), GOFH_OK);
    assert_int_equal(store_commit(file, &error), GOFH_OK);
    store_close(file);
}

static void set_list(const char *value)
{
    char sql[200];
    snprintf(sql, sizeof sql, "UPDATE meta SET value = %s WHERE name = 'choices of metal'", value);
    assert_int_equal(run_sql(sql), 1);
}

static void a_list_that_is_too_short_for_its_trials_is_refused(void **state)
{
    (void)state;
    static const char *const lists[] = {"'steel' || char(10) || 'oak'", "'steel'", "''", "char(10)"};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        make_file(2);
        set_list(lists[i]);
        check_refused(metal_problem(3), GOFH_ERROR_DAMAGED, "the problem is not what was written");
        set_checksum();
        check_refused(metal_problem(3), GOFH_ERROR_CHANGED, "is no longer there, but trials have it");
        assert_int_equal(remove(stored_path), 0);
    }
    make_file(2);
    set_list("'steel' || char(10) || 'oak'");
    set_checksum();
    check_refused(metal_problem(3), GOFH_ERROR_CHANGED,
                  "parameter metal: the choice of a trial is no longer there, but trials have it");
}

static void a_list_that_is_too_long_or_in_another_order_is_taken_by_its_names(void **state)
{
    (void)state;
    gofh_error error;
    gofh_trial trial;
    make_file(0);
    set_list("'brass' || char(10) || 'steel' || char(10) || 'oak' || char(10) || 'gold'");
    set_checksum();
    gofh_study *study = open_stored(metal_problem(3), GOFH_OPEN_READ, NULL, &error);
    assert_non_null(study);
    static const double now[] = {2.0, 0.0, 1.0};
    for (int i = 0; i < 3; i++) {
        check_ok(study, gofh_study_trial(study, i + 1, &trial));
        assert_true(trial.x[0] == now[i]);
    }
    gofh_study_free(study);
}

/* The name of the choice that is missing is told, but not what would control a terminal. */
static void a_lost_choice_is_named_without_its_control_characters(void **state)
{
    (void)state;
    make_file(0);
    check_refused(metal_problem(2), GOFH_ERROR_CHANGED, "the choice brass is no longer there");
    set_list("'steel' || char(10) || 'oak' || char(10) || 'br' || char(27) || '[2Jass'");
    set_checksum();
    check_refused(metal_problem(3), GOFH_ERROR_CHANGED, "the choice br [2Jass is no longer there");
}

static void a_missing_list_is_told(void **state)
{
    (void)state;
    make_file(0);
    assert_int_equal(run_sql("DELETE FROM meta WHERE name = 'choices of metal'"), 1);
    set_checksum();
    check_refused(metal_problem(3), GOFH_ERROR_CHANGED, "has choices, but had none in the study");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, stored_setup, stored_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_list_that_is_too_short_for_its_trials_is_refused),
        TEST(a_list_that_is_too_long_or_in_another_order_is_taken_by_its_names),
        TEST(a_lost_choice_is_named_without_its_control_characters),
        TEST(a_missing_list_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Parts of the engine's moves that a study shows only in passing. */
#include "unit/api/valley.h" /* first: it calls a study by the name that is a type below */

#include "api/handle.h"
#include "study/engine.h"
#include "study/fit.h"
#include "study/objective.h"
#include "unit/api/dense.h"

/* ---- The factor of the augmented expected improvement ---- */

enum { DRAWS = 128, DATA = 4 };
static const double AT[DATA] = {0.1, 0.3, 0.7, 0.9}, SEEN[DATA] = {-0.4, 1.0, -1.0, 0.4};
static const double LENGTH = 0.2, VARIANCE = 1.5, NOISE = 0.04;

/* What engine_augment gives at x for f = 3 y - 1 with known hyperparameters, and one constraint or
 * none. */
static double factor_at(double x, const char *constraint)
{
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "x", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_set_outputs(problem, 1);
    gofh_problem_maximize(problem, "3*y[0] - 1");
    if (constraint) assert_int_equal(gofh_problem_add_constraint(problem, constraint), GOFH_OK);
    gofh_settings settings = quick_settings();
    settings.hyper = GOFH_HYPER_FIXED;
    gofh_study *handle = study_of(problem, &settings);
    gofh_hyperparameters values = {.lengthscale = &LENGTH, .variance = VARIANCE, .noise = NOISE, .mean = 0.0};
    check_ok(handle, gofh_study_set_hyperparameters(handle, 0, &values));
    for (int i = 0; i < DATA; i++) check_ok(handle, gofh_study_import(handle, &AT[i], &SEEN[i], NULL));
    engine e = {.st = handle->core, .d = 1, .climb_draws = DRAWS};
    assert_int_equal(study_fit(e.st), GOFH_OK);
    e.z = objective_new_normals(e.st, RANDOM_NORMALS, 1, 0, DRAWS);
    assert_non_null(e.z);
    double factor;
    assert_int_equal(engine_augment(&e, &x, &factor), GOFH_OK);
    free(e.z);
    gofh_study_free(handle);
    return factor;
}

/* 1 - tau / sqrt(s^2 + tau^2), where s is the posterior deviation of f and tau that of its noise: g is
 * linear, so that the normals that they are estimated with cancel. */
static double expected_at(double x)
{
    dense p = {.kernel = GOFH_KERNEL_MATERN_52,
               .d = 1,
               .n = DATA,
               .length = &LENGTH,
               .variance = VARIANCE,
               .noise = NOISE,
               .mean = 0.0};
    gofh_settings settings = quick_settings();
    p.kernel = settings.kernel;
    memcpy(p.z, AT, sizeof AT);
    memcpy(p.y, SEEN, sizeof SEEN);
    double mean, variance;
    dense_predict(&p, &x, &mean, &variance);
    return 1.0 - 3.0 * sqrt(NOISE) / sqrt(9.0 * variance + 9.0 * NOISE);
}

static void what_another_look_tells_is_what_the_noise_leaves_of_it(void **state)
{
    (void)state;
    for (double x = 0.05; x < 1.0; x += 0.1) check_close(factor_at(x, NULL), expected_at(x), 1e-9);
    assert_true(expected_at(0.3) < 0.5 && expected_at(0.5) > 0.6); /* it differs */
}

/* The data are antisymmetric about 0.5, where the mean is 0: a constraint there cuts the draws of f and
 * those of its noise at the same normals, and the ratio of their deviations is what it was. */
static void with_constraints_only_feasible_draws_count(void **state)
{
    (void)state;
    check_close(factor_at(0.5, "y[0] <= 0"), expected_at(0.5), 1e-9);
    check_close(factor_at(0.5, "y[0] >= 0"), expected_at(0.5), 1e-9);
    check_close(factor_at(0.5, "y[0] <= 50"), expected_at(0.5), 1e-9);
    assert_true(factor_at(0.5, "y[0] <= -50") == 1.0); /* none is */
}

/* ---- To the choices that have been tried least ---- */

enum { METALS = 3, PLATES = 2, CASES = METALS * PLATES, EACH = 5 };
static const double PLATE[PLATES] = {6.0, 8.0};

static gofh_problem *case_problem(int has_choices)
{
    static const char *const words[] = {"steel", "oak", "brass"};
    static const double numbers[] = {0.0, 1.0, 2.0};
    gofh_problem *problem = gofh_problem_create();
    if (has_choices)
        gofh_problem_add_choices(problem, "metal", words, METALS, GOFH_ORDER_NONE);
    else
        gofh_problem_add_values(problem, "metal", numbers, METALS, GOFH_SCALE_LINEAR);
    gofh_problem_add_values(problem, "plate", PLATE, PLATES, GOFH_SCALE_LINEAR);
    gofh_problem_add_parameter(problem, "x", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_set_outputs(problem, 1);
    gofh_problem_minimize(problem, "y[0]^2");
    return problem;
}

/* A study with so many evaluations of each case, and its model. */
static gofh_study *case_study(int has_choices, const int visits[CASES])
{
    gofh_settings settings = quick_settings();
    gofh_study *handle = study_of(case_problem(has_choices), &settings);
    for (int c = 0; c < CASES; c++)
        for (int i = 0; i < visits[c]; i++) {
            double x[] = {c / PLATES, PLATE[c % PLATES], (i + 0.5) / visits[c]};
            double y = x[2] - 0.2 - 0.1 * x[0] + 0.05 * (x[1] - 7.0);
            check_ok(handle, gofh_study_import(handle, x, &y, NULL));
        }
    assert_int_equal(study_fit(handle->core), GOFH_OK);
    return handle;
}

/* What is proposed where the screened points are EACH of every case. */
typedef struct {
    int metal, plate, best; /* -1: nothing; best: no point of the case has a larger g of the mean */
} outcome;

static outcome propose(gofh_study *handle, search_state searched)
{
    study_spec *spec = &handle->core->spec;
    double screen[CASES * EACH * 8], value[CASES * EACH];
    engine e = {.st = handle->core, .d = handle->core->d, .state = searched};
    size_t d = (size_t)e.d;
    assert_true(d <= 8);
    e.all = (candidates){.screened = CASES * EACH, .screen = screen, .screen_value = value};
    e.all.recipe.iterations = 40;
    /* The maximiser of the expected improvement has been found. */
    e.proposal_count = 1;
    e.proposed_by[0] = propose_improve;
    for (int i = 0; i < CASES * EACH; i++) {
        double x[] = {i / EACH / PLATES, PLATE[i / EACH % PLATES], (i % EACH + 0.7) / EACH};
        domain_to_unit(&spec->box, x, screen + (size_t)i * d);
        value[i] = -fabs(i % EACH - 2.0); /* the third of each case is its best */
    }
    proposal p = {.gain = -INFINITY};
    outcome result = {-1, -1, 0};
    assert_int_equal(propose_other_choice(&e, &p), GOFH_OK);
    if (p.gain == -INFINITY) return result;
    assert_true(p.gain == 0.0);
    double x[3], reached, at[GOFH_MAX_PARAMETERS], other;
    plug_in o = {.st = handle->core};
    domain_to_user(&spec->box, p.u, x);
    result = (outcome){(int)x[0], (int)x[1], 1};
    candidates_plug_in(p.u, 1, &reached, NULL, &o);
    for (int i = 0; i <= 1000; i++) {
        domain_to_unit(&spec->box, (double[]){x[0], x[1], i / 1000.0}, at);
        candidates_plug_in(at, 1, &other, NULL, &o);
        if (other > reached + 1e-9) result.best = 0;
    }
    return result;
}

static const search_state THIRD = {.best_f = -1.0, .region = {.turn = 6}};

/* Of metals 0, 1, 2 with plates of 6 and 8. */
static void the_case_that_was_tried_least_is_gone_to_and_climbed_within(void **state)
{
    (void)state;
    static const int visits[][CASES] = {{4, 5, 3, 2, 4, 6}, {4, 1, 3, 2, 4, 6}, {4, 5, 3, 2, 0, 6}};
    for (size_t k = 0; k < sizeof visits / sizeof visits[0]; k++) {
        int least = 0;
        for (int c = 1; c < CASES; c++)
            if (visits[k][c] < visits[k][least]) least = c;
        gofh_study *handle = case_study(1, visits[k]);
        outcome found = propose(handle, THIRD);
        assert_int_equal(found.metal, least / PLATES);
        assert_int_equal(found.plate, (int)PLATE[least % PLATES]);
        assert_true(found.best);
        gofh_study_free(handle);
    }
}

static void only_every_third_time_without_noise_and_while_some_case_is_new(void **state)
{
    (void)state;
    static const int few[CASES] = {4, 5, 3, 2, 4, 6}, enough[CASES] = {12, 13, 12, 12, 12, 12};
    gofh_study *handle = case_study(1, few);
    search_state second = THIRD, noisy = THIRD, infeasible = THIRD;
    second.region.turn = 5;
    noisy.noisy = 1;
    infeasible.best_f = -INFINITY;
    assert_int_equal(propose(handle, THIRD).metal, 1);
    assert_int_equal(propose(handle, second).metal, -1);
    assert_int_equal(propose(handle, noisy).metal, -1);
    assert_int_equal(propose(handle, infeasible).metal, -1);
    gofh_study_free(handle);
    handle = case_study(1, enough);
    assert_int_equal(propose(handle, THIRD).metal, -1);
    gofh_study_free(handle);
    handle = case_study(0, few); /* nothing but ordered values */
    assert_int_equal(propose(handle, THIRD).metal, -1);
    gofh_study_free(handle);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_another_look_tells_is_what_the_noise_leaves_of_it),
        cmocka_unit_test(with_constraints_only_feasible_draws_count),
        cmocka_unit_test(the_case_that_was_tried_least_is_gone_to_and_climbed_within),
        cmocka_unit_test(only_every_third_time_without_noise_and_while_some_case_is_new),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

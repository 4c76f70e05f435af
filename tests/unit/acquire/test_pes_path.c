/* Functions drawn from the posterior: against the exact posterior, statistically. */
#include "pes_fixture.h"

enum { DRAWS = 1500, POINTS = 5 };

static const double AT[POINTS] = {0.0, 0.28, 0.5, 0.83, 1.0};

/* Sample moments of the draws within 5 standard errors of the exact ones. */
static void compare_moments(const fixture *f)
{
    double x[] = {0.1, 0.45, 0.8}, y[] = {0.2, 1.0, -0.4}, mean[POINTS], covariance[POINTS * POINTS];
    model *mo = fixture_model(f, x, y);
    pes *p = pes_create(mo, DRAWS, 3, 1);
    double *work = memory_doubles(gp_joint_work(f->n, POINTS, 1)), *value = memory_doubles(DRAWS * POINTS);
    assert_true(p && work && value);
    gp_joint(model_process(mo, 0, 0), &mo->inputs, mo->kernel, AT, POINTS, mean, covariance, work);
    for (int t = 0; t < DRAWS; t++)
        pes_path_evaluate(AT, POINTS, value + t * POINTS, NULL, pes_path_of(p, 0, t));
    for (int i = 0; i < POINTS; i++) {
        double variance = covariance[i * POINTS + i], sum = 0.0;
        for (int t = 0; t < DRAWS; t++) sum += value[t * POINTS + i];
        check_near(sum / DRAWS, mean[i], 5.0 * sqrt(variance / DRAWS));
        for (int j = i; j < POINTS; j++) {
            double product = 0.0, both = covariance[i * POINTS + j];
            double error = sqrt((variance * covariance[j * POINTS + j] + both * both) / DRAWS);
            for (int t = 0; t < DRAWS; t++)
                product += (value[t * POINTS + i] - mean[i]) * (value[t * POINTS + j] - mean[j]);
            check_near(product / DRAWS, both, 5.0 * error);
        }
    }
    free(work);
    free(value);
    pes_free(p);
    model_free(mo);
}

static void paths_have_the_posterior_mean_and_covariance(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        compare_moments(&(fixture){(gofh_kernel)k, 1, 3, 1, 0.2, 1.0, 0.0, NAN});
        compare_moments(&(fixture){(gofh_kernel)k, 1, 3, 1, 0.2, 2.0, 0.1, NAN});
        compare_moments(&(fixture){(gofh_kernel)k, 1, 3, 1, 0.3, 0.7, 0.1, 0.5});
    }
}

static void one_datum_is_enough_for_the_posterior_mean_and_covariance(void **state)
{
    (void)state;
    compare_moments(&(fixture){GOFH_KERNEL_SQUARED_EXPONENTIAL, 1, 1, 1, 0.2, 1.0, 0.0, NAN});
}

static void paths_pass_through_exact_data(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        fixture f = {(gofh_kernel)k, 3, 12, 2, 0.5, 1.0, 0.0, NAN};
        double x[36], y[12], value[12];
        fixture_random_data(&f, 4, x, y);
        model *mo = fixture_model(&f, x, y);
        pes *p = pes_create(mo, 3, 3, 1);
        assert_non_null(p);
        for (int s = 0; s < f.samples; s++)
            for (int j = 0; j < 3; j++) {
                pes_path_evaluate(x, f.n, value, NULL, pes_path_of(p, s, j));
                for (int i = 0; i < f.n; i++) check_near(mo->shift[0] + mo->scale[0] * value[i], y[i], 1e-7);
            }
        pes_free(p);
        model_free(mo);
    }
}

static void gradients_of_paths_match_differences(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        fixture f = {(gofh_kernel)k, 3, 8, 1, 0.5, 1.0, 0.01, NAN};
        double x[24], y[8], at[] = {0.3, 0.62, 0.11, 0.9, 0.05, 0.4}, value[2], gradient[6], step = 1e-6;
        fixture_random_data(&f, 5, x, y);
        model *mo = fixture_model(&f, x, y);
        pes *p = pes_create(mo, 1, 3, 1);
        assert_non_null(p);
        pes_path *path = pes_path_of(p, 0, 0);
        assert_int_equal(pes_path_evaluate(at, 2, value, gradient, path), 0);
        for (int i = 0; i < 6; i++) {
            double moved[6], up[2], down[2];
            for (int j = 0; j < 6; j++) moved[j] = at[j];
            moved[i] = at[i] + step;
            pes_path_evaluate(moved, 2, up, NULL, path);
            moved[i] = at[i] - step;
            pes_path_evaluate(moved, 2, down, NULL, path);
            check_near(gradient[i], (up[i / 3] - down[i / 3]) / (2.0 * step), 1e-6);
        }
        pes_free(p);
        model_free(mo);
    }
}

static void a_path_depends_on_seed_trial_and_number_only(void **state)
{
    (void)state;
    fixture f = {GOFH_KERNEL_MATERN_52, 2, 6, 2, 0.4, 1.0, 0.0, NAN};
    double x[12], y[6], at[] = {0.37, 0.71}, first, again, other;
    fixture_random_data(&f, 6, x, y);
    model *mo = fixture_model(&f, x, y);
    pes *p = pes_create(mo, 2, 3, 1), *same = pes_create(mo, 2, 3, 1), *next = pes_create(mo, 2, 3, 2);
    assert_true(p && same && next);
    pes_path_evaluate(at, 1, &first, NULL, pes_path_of(p, 1, 1));
    pes_path_evaluate(at, 1, &again, NULL, pes_path_of(same, 1, 1));
    pes_path_evaluate(at, 1, &other, NULL, pes_path_of(next, 1, 1));
    assert_true(first == again);
    assert_true(first != other);
    pes_path_evaluate(at, 1, &other, NULL, pes_path_of(p, 1, 0));
    assert_true(first != other);
    pes_free(p);
    pes_free(same);
    pes_free(next);
    model_free(mo);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_have_the_posterior_mean_and_covariance),
        cmocka_unit_test(one_datum_is_enough_for_the_posterior_mean_and_covariance),
        cmocka_unit_test(paths_pass_through_exact_data),
        cmocka_unit_test(gradients_of_paths_match_differences),
        cmocka_unit_test(a_path_depends_on_seed_trial_and_number_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Problems at the ends of what is promised: one parameter and twenty, a hundred outputs and a
 * thousand, hundreds of data. */
#include "unit/api/valley.h"

typedef struct {
    int d, m;
} shape;

/* m smooth outputs of d parameters in [0, 1]. */
static int smooth_h(const double *x, double *y, void *context)
{
    const shape *s = context;
    for (int j = 0; j < s->m; j++) {
        double sum = 0.0;
        for (int k = 0; k < s->d; k++) sum += cos(1.0 + j + 2.0 * k) * (x[k] - 0.4);
        y[j] = sin(sum) + 0.1 * j;
    }
    return 0;
}

/* The misfit to the outputs at 0.4: 0 there. */
static int smooth_g(const double *y, const double *x, int count, double *value, double *dy, double *dx,
                    void *context)
{
    (void)x, (void)dx;
    const shape *s = context;
    for (int i = 0; i < count; i++) {
        value[i] = 0.0;
        for (int j = 0; j < s->m; j++) {
            double rest = y[i * s->m + j] - 0.1 * j;
            value[i] += rest * rest;
            if (dy) dy[i * s->m + j] = 2.0 * rest;
        }
    }
    return 0;
}

static gofh_study *smooth_study(shape *s, const gofh_settings *settings)
{
    gofh_problem *problem = gofh_problem_create();
    char name[4] = "p00";
    for (int k = 0; k < s->d; k++) {
        name[1] = (char)('0' + k / 10);
        name[2] = (char)('0' + k % 10);
        gofh_problem_add_parameter(problem, name, 0.0, 1.0, GOFH_SCALE_LINEAR);
    }
    gofh_problem_set_outputs(problem, s->m);
    gofh_problem_minimize_function(problem, smooth_g, GOFH_GRADIENT_GIVEN, s);
    return study_of(problem, settings);
}

static void one_parameter_and_one_output_work(void **state)
{
    (void)state;
    shape s = {1, 1};
    gofh_settings settings = quick_settings();
    gofh_study *study = smooth_study(&s, &settings);
    advance(study, smooth_h, &s, 1, 12, NULL);
    assert_true(best_f(study) < 1e-10);
    gofh_study_free(study);
}

static void twenty_parameters_work(void **state)
{
    (void)state;
    shape s = {20, 3};
    gofh_settings settings = quick_settings();
    settings.hyper = GOFH_HYPER_MAP;
    gofh_study *study = smooth_study(&s, &settings);
    advance(study, smooth_h, &s, 20, 42, NULL);
    double design = best_f(study);
    advance(study, smooth_h, &s, 20, 4, NULL);
    assert_true(best_f(study) < 0.1 * design);
    gofh_study_free(study);
}

static void check_outputs(int outputs, int samples, int evaluations)
{
    shape s = {2, outputs};
    gofh_settings settings = quick_settings();
    settings.hyper_samples = samples;
    gofh_study *study = smooth_study(&s, &settings);
    advance(study, smooth_h, &s, 2, 6, NULL);
    double design = best_f(study);
    advance(study, smooth_h, &s, 2, evaluations, NULL);
    assert_true(best_f(study) < 1e-3 * design);
    gofh_study_free(study);
}

static void a_hundred_outputs_work(void **state)
{
    (void)state;
    check_outputs(100, 2, 5);
}

/* So many that not all hyperparameter samples screen the candidates. */
static void a_thousand_outputs_work(void **state)
{
    (void)state;
    check_outputs(1000, 6, 3);
}

/* Above 100 data the hyperparameters are kept for a while, and new data are conditioned on one by
 * one. */
static void hundreds_of_imported_data_work(void **state)
{
    (void)state;
    for (int noise = 0; noise < 2; noise++) {
        shape s = {3, 2};
        dice numbers = {17};
        gofh_settings settings = quick_settings();
        settings.hyper_samples = 2;
        settings.noise = noise ? GOFH_NOISE_ESTIMATED : GOFH_NOISE_NONE;
        settings.kernel = GOFH_KERNEL_MATERN_52;
        gofh_study *study = smooth_study(&s, &settings);
        for (int i = 0; i < 220; i++) {
            double x[3], y[2];
            for (int k = 0; k < 3; k++) x[k] = dice_uniform(&numbers);
            smooth_h(x, y, &s);
            check_ok(study, gofh_study_import(study, x, y, NULL));
        }
        advance(study, smooth_h, &s, 3, 5, NULL);
        assert_true(best_f(study) < 1e-5);
        double x[3] = {0.2, 0.7, 0.5}, y[2], mean[2];
        smooth_h(x, y, &s);
        check_ok(study, gofh_study_predict(study, x, 1, mean, NULL, NULL, NULL));
        for (int j = 0; j < 2; j++) check_near(mean[j], y[j], 1e-3);
        gofh_study_free(study);
    }
}

static void a_small_memory_limit_means_fewer_samples_and_a_line_in_the_log(void **state)
{
    (void)state;
    gofh_settings settings = quick_settings();
    settings.hyper_samples = 10;
    settings.memory_limit = 40e3; /* 24 x 24 doubles, with room to grow, are 5 kB, of three outputs 14 kB */
    gofh_study *study = valley_study(&settings);
    advance_valley(study, VALLEY_INITIAL + 1, NULL);
    assert_true(log_has(study, "2 hyperparameter samples are kept instead of 10"));
    gofh_hyperparameters hyper;
    check_ok(study, gofh_study_hyperparameters(study, 1, 0, &hyper));
    assert_int_equal(gofh_study_hyperparameters(study, 2, 0, &hyper), GOFH_ERROR_ARGUMENT);
    gofh_study_free(study);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_parameter_and_one_output_work),
        cmocka_unit_test(twenty_parameters_work),
        cmocka_unit_test(a_hundred_outputs_work),
        cmocka_unit_test(a_thousand_outputs_work),
        cmocka_unit_test(hundreds_of_imported_data_work),
        cmocka_unit_test(a_small_memory_limit_means_fewer_samples_and_a_line_in_the_log),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

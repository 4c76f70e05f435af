/* Studies on several threads: the numbers are the same to the bit, whoever else is at work, and
 * after a fork. */
#include "unit/api/valley.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { D = 3, MOST_M = 12, DATA = 120, LOOKS = 70 };

/* Waves, and at last what is best modelled by its logarithm; but twelve are mixtures of the same
 * waves, and get one kernel. */
static void outputs_at(const double *x, int m, double *y)
{
    for (int j = 0; j < m; j++) {
        y[j] = 0.0;
        for (int r = 0; r < 4; r++)
            y[j] += cos(1.0 + 2.3 * j + 1.9 * r) * sin((1 + r % 2) * x[0] + (1 + r / 2) * x[1] + x[2]);
        if (m < MOST_M && j == m - 1) y[j] = exp(3.0 * x[0] - 2.0 * x[1]);
    }
}

static gofh_study *study_with_data(int m, int threads)
{
    double target[MOST_M], x[D] = {0.4, 0.7, 0.2}, y[MOST_M];
    gofh_problem *problem = gofh_problem_create();
    outputs_at(x, m, target);
    for (int k = 0; k < D; k++)
        gofh_problem_add_parameter(problem, (const char *[]){"a", "b", "c"}[k], 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_set_outputs(problem, m);
    gofh_problem_set_data(problem, "target", target, m);
    gofh_problem_minimize(problem, "sum((y - target)^2)");
    gofh_settings settings;
    gofh_settings_defaults(&settings);
    settings.stop = GOFH_STOPPING_NEVER;
    settings.budget = 0;
    settings.initial = 0;
    settings.threads = threads;
    gofh_study *study = study_of(problem, &settings);
    dice d = {.state = 5};
    for (int i = 0; i < DATA; i++) {
        for (int k = 0; k < D; k++) x[k] = dice_uniform(&d);
        outputs_at(x, m, y);
        check_ok(study, gofh_study_import(study, x, y, NULL));
    }
    return study;
}

/* All that may depend on how work is split: two suggestions, one beside the other, and predictions
 * at many points. */
typedef struct {
    double asked[2][D], mean[LOOKS * MOST_M], variance[LOOKS * MOST_M], f[LOOKS];
} numbers;

static void find_numbers(int m, int threads, numbers *n)
{
    gofh_study *study = study_with_data(m, threads);
    double x[LOOKS * D];
    dice d = {.state = 9};
    memset(n, 0, sizeof *n);
    for (int i = 0; i < 2; i++) {
        int64_t trial;
        check_ok(study, gofh_study_ask(study, &trial, n->asked[i]));
    }
    if (m == 4) assert_true(log_has(study, "by its logarithm"));
    if (m == MOST_M) assert_true(log_has(study, "have one kernel"));
    for (int i = 0; i < LOOKS * D; i++) x[i] = dice_uniform(&d);
    check_ok(study, gofh_study_predict(study, x, LOOKS, n->mean, n->variance, n->f, NULL));
    gofh_study_free(study);
}

static void a_suggestion_has_the_same_bits_with_1_2_3_and_5_threads(void **state)
{
    (void)state;
    static const int outputs[] = {1, 4, MOST_M}, threads[] = {2, 3, 5};
    for (int i = 0; i < 3; i++) {
        static numbers one, many;
        find_numbers(outputs[i], 1, &one);
        for (int k = 0; k < 3; k++) {
            find_numbers(outputs[i], threads[k], &many);
            assert_memory_equal(&one, &many, sizeof one);
        }
    }
}

typedef struct {
    int m;
    numbers found;
} job;

static void *work(void *context)
{
    job *j = context;
    find_numbers(j->m, 2, &j->found);
    return NULL;
}

static void studies_in_several_threads_do_not_disturb_each_other(void **state)
{
    (void)state;
    static numbers alone[3];
    static job jobs[3] = {{.m = 1}, {.m = 2}, {.m = 4}};
    pthread_t handle[3];
    for (int i = 0; i < 3; i++) find_numbers(jobs[i].m, 1, &alone[i]);
    for (int i = 0; i < 3; i++) assert_int_equal(pthread_create(&handle[i], NULL, work, &jobs[i]), 0);
    for (int i = 0; i < 3; i++) pthread_join(handle[i], NULL);
    for (int i = 0; i < 3; i++) assert_memory_equal(&alone[i], &jobs[i].found, sizeof alone[i]);
}

/* A child's exit status: whether it finds what its parent found. */
static int finds_in_child(const numbers *expected)
{
    static numbers found;
    alarm(3600);
    find_numbers(4, 2, &found);
    return memcmp(expected, &found, sizeof found) == 0;
}

static void check_child(const numbers *expected)
{
    int status;
    pid_t child = fork();
    if (child == 0) _exit(!finds_in_child(expected));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

typedef struct {
    const numbers *expected;
    int calls;
} forking;

/* While a suggestion is computed, when its threads wait. */
static int forking_g(const double *y, const double *x, int count, double *value, double *dy, double *dx,
                     void *context)
{
    forking *f = context;
    if (f->calls++ == 40) check_child(f->expected);
    return valley_g(y, x, count, value, dy, dx, NULL);
}

static void a_child_can_have_studies_of_its_own(void **state)
{
    (void)state;
    static numbers expected;
    find_numbers(4, 2, &expected);
    check_child(&expected);
    forking f = {.expected = &expected};
    gofh_settings settings;
    gofh_settings_defaults(&settings);
    settings.stop = GOFH_STOPPING_NEVER;
    settings.threads = 2;
    gofh_problem *problem = valley_problem();
    gofh_problem_minimize_function(problem, forking_g, GOFH_GRADIENT_GIVEN, &f);
    gofh_study *forked = study_of(problem, &settings), *plain = valley_study(&settings);
    double points[2][12 * VALLEY_D];
    advance_valley(forked, 12, points[0]);
    advance_valley(plain, 12, points[1]);
    assert_true(f.calls > 40);
    assert_memory_equal(points[0], points[1], sizeof points[0]);
    gofh_study_free(forked);
    gofh_study_free(plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_suggestion_has_the_same_bits_with_1_2_3_and_5_threads),
        cmocka_unit_test(studies_in_several_threads_do_not_disturb_each_other),
        cmocka_unit_test(a_child_can_have_studies_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

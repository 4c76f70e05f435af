/* The suggestions of the C library, for test_same.py: one line per trial, in hexadecimal. */
#include <gofh.h>
#include <stdio.h>

static int h(const double *x, double *y, void *context)
{
    (void)context;
    for (int i = 0; i < 4; i++) y[i] = x[0] + i * x[1] - 0.25 * i * x[0] * x[1];
    for (int k = 0; k < 2; k++) printf("%a ", x[k]);
    puts("");
    return 0;
}

int main(void)
{
    const double observed[4] = {2, 2.5, 3, 3.25};
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "a", 0, 4, GOFH_SCALE_LINEAR);
    gofh_problem_add_parameter(problem, "b", 0.1, 10, GOFH_SCALE_LOG);
    gofh_problem_add_output(problem, "c", 4);
    gofh_problem_set_data(problem, "observed", observed, 4);
    gofh_problem_minimize(problem, "sum((c - observed)^2)");
    gofh_settings settings;
    gofh_settings_defaults(&settings);
    settings.seed = 11;
    settings.budget = 11;
    gofh_study *study;
    gofh_error error = {0};
    if (gofh_study_create(&study, problem, &settings, &error))
        return fprintf(stderr, "%s\n", error.message), 1;
    gofh_status status = gofh_optimize(study, h, NULL);
    gofh_study_free(study);
    gofh_problem_free(problem);
    return status != GOFH_STOP_BUDGET;
}

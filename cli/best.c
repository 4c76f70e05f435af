/* gofh best: the best evaluation, or with noise the one with the best posterior mean. */
#include "base/number.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/describe.h"
#include "report/html.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char USAGE[] = "usage: gofh best problem.yaml [--recommend] [--json]\n"
                            "\n"
                            "Prints the best evaluation: its parameters, its outputs, and f. Where none\n"
                            "meets the constraints yet, the one that violates them least, and by how much.\n"
                            "Says how sure the study is of it, and why.\n"
                            "  --recommend  also the point predicted to be best, evaluated or not\n"
                            "  --json       print it as JSON\n";

static json_t *describe_bounds(const session *s, const gofh_assessment *a)
{
    json_t *object = json_object();
    for (int k = 0; k < s->d; k++)
        if (a->bound[k])
            json_object_set_new(object, s->file.parameters[k].name,
                                json_string(a->bound[k] < 0 ? "lower" : "upper"));
    return object;
}

static void add_assessment(const session *s, json_t *object, const gofh_assessment *a)
{
    json_object_set_new(object, "success", json_boolean(a->success));
    json_object_set_new(object, "message", describe_text(a->message));
    json_object_set_new(object, "explained", describe_number(a->explained));
    json_object_set_new(object, "ended", json_boolean(a->ended));
    json_object_set_new(object, "stuck", json_boolean(a->stuck));
    json_object_set_new(object, "bounds", describe_bounds(s, a));
}

static int print_json(const session *s, const gofh_trial *best, const gofh_assessment *a,
                      const gofh_recommendation *recommended)
{
    json_t *object = describe_trial(s, best);
    if (a) add_assessment(s, object, a);
    if (object && recommended) {
        json_t *more = json_object();
        json_object_set_new(more, "parameters", describe_parameters(s, recommended->x));
        json_object_set_new(more, "f", describe_number(recommended->f));
        json_object_set_new(more, "deviation", describe_number(recommended->deviation));
        json_object_set_new(object, "recommended", more);
    }
    return describe_print(s, object);
}

/* The reasons, a line each. */
static void print_assessment(const gofh_assessment *a)
{
    printf("\n%s\n", a->success ? "sure of it:" : "not sure of it:");
    for (const char *at = a->message; *at;) {
        const char *end = strstr(at, "; ");
        printf("  %.*s\n", (int)(end ? end - at : (long)strlen(at)), at);
        at = end ? end + 2 : at + strlen(at);
    }
}

static int has_done(const session *s)
{
    gofh_trial trial;
    for (int64_t i = 1; i <= gofh_study_count(s->study); i++)
        if (gofh_study_trial(s->study, i, &trial) == GOFH_OK && trial.state == GOFH_TRIAL_DONE) return 1;
    return 0;
}

/* What the model expects of f at a point, without the noise of its run. */
typedef struct {
    double f, deviation;
} expectation;

static int expect(const session *s, const gofh_trial *trial, expectation *expected)
{
    double x[GOFH_MAX_PARAMETERS];
    if (!describe_is_noisy(s, trial) || !isfinite(trial->f)) return 0;
    memcpy(x, trial->x, (size_t)s->d * sizeof *x);
    return gofh_study_predict(s->study, x, 1, NULL, NULL, &expected->f, &expected->deviation) == GOFH_OK &&
           isfinite(expected->f) && isfinite(expected->deviation);
}

static void print_best(const gofh_trial *best, const expectation *expected)
{
    number_print(stdout, "trial %lld: f = %.10g", (long long)best->trial, best->f);
    if (expected)
        number_print(stdout, " in its run; %.*g +- %.2g under the model",
                     number_digits(expected->f, expected->deviation), expected->f, expected->deviation);
    putchar('\n');
}

static int best_of(const session *s, int recommend, int json)
{
    gofh_trial best;
    gofh_assessment assessment;
    gofh_recommendation recommended;
    gofh_status status = gofh_study_best(s->study, &best);
    if (status == GOFH_ERROR_EMPTY) {
        fputs(has_done(s) ? "gofh best: no trial has an f yet: outputs that it needs are missing\n"
                          : "gofh best: no trial is done yet\n",
              stderr);
        return EXIT_NO_RESULT;
    }
    if (status) return session_failed(s, status);
    int64_t trial = best.trial;
    /* The best evaluation is known all the same. */
    session_counts counts;
    if ((status = session_count(s, &counts))) return session_failed(s, status);
    int modelled = counts.done <= REPORT_MODELLED_MAX;
    int assessed = modelled && gofh_study_assess(s->study, &assessment) == GOFH_OK;
    if (!modelled)
        fprintf(stderr,
                "gofh best: how sure it is can't be said: a model of %d evaluations would take too long\n",
                counts.done);
    else if (!assessed)
        fprintf(stderr, "gofh best: how sure it is can't be said: %s\n", gofh_study_message(s->study));
    if (recommend && (status = gofh_study_recommend(s->study, &recommended)))
        return session_failed(s, status);
    int outcome = isfinite(best.f) ? EXIT_DONE : EXIT_NO_RESULT;
    if (json) {
        if ((status = gofh_study_trial(s->study, trial, &best))) return session_failed(s, status);
        int printed = print_json(s, &best, assessed ? &assessment : NULL, recommend ? &recommended : NULL);
        return printed ? printed : outcome;
    }
    if (recommend) {
        number_print(stdout, "recommended: f = %.10g", recommended.f);
        if (isfinite(recommended.deviation))
            number_print(stdout, " +- %.2g under the model", recommended.deviation);
        putchar('\n');
        describe_values(s, stdout, recommended.x, NULL);
        putchar('\n');
    }
    if ((status = gofh_study_trial(s->study, trial, &best))) return session_failed(s, status);
    expectation expected;
    int expects = modelled && expect(s, &best, &expected);
    if (expects && (status = gofh_study_trial(s->study, trial, &best))) return session_failed(s, status);
    if (outcome)
        describe_best(s, "", &best);
    else
        print_best(&best, expects ? &expected : NULL);
    describe_values(s, stdout, best.x, best.y);
    describe_noise(s, "\n", best.trial, best.f);
    describe_without_f(s, "\n");
    if (assessed) print_assessment(&assessment);
    return outcome;
}

int command_best(int count, char **arguments)
{
    const char *path;
    int json = 0, recommend = 0;
    arguments_option options[] = {{"--json", &json, NULL}, {"--recommend", &recommend, NULL}, {0}};
    arguments_spec spec = {"best", USAGE, options, &path, 1, 1, 0};
    int status = arguments_read(&spec, count, arguments);
    if (status != ARGUMENTS_GO_ON) return status;
    session s;
    status = session_read(&s, "best", path);
    if (!status) status = session_open(&s, GOFH_OPEN_READ);
    if (!status) status = best_of(&s, recommend, json);
    session_close(&s);
    return status;
}

/* gofh best: the best evaluation, or with noise the one with the best posterior mean. */
#include "base/number.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/describe.h"

#include <math.h>
#include <stdio.h>

static const char USAGE[] = "usage: gofh best problem.yaml [--recommend] [--json]\n"
                            "\n"
                            "Prints the best evaluation: its parameters, its outputs, and f. Where none\n"
                            "meets the constraints yet, the one that violates them least, and by how much.\n"
                            "  --recommend  also the point predicted to be best, evaluated or not\n"
                            "  --json       print it as JSON\n";

static int print_json(const session *s, const gofh_trial *best, const gofh_recommendation *recommended)
{
    json_t *object = describe_trial(s, best);
    if (object && recommended) {
        json_t *more = json_object();
        json_object_set_new(more, "parameters", describe_parameters(s, recommended->x));
        json_object_set_new(more, "f", describe_number(recommended->f));
        json_object_set_new(more, "deviation", describe_number(recommended->deviation));
        json_object_set_new(object, "recommended", more);
    }
    return describe_print(s, object);
}

static int has_done(const session *s)
{
    gofh_trial trial;
    for (int64_t i = 1; i <= gofh_study_count(s->study); i++)
        if (gofh_study_trial(s->study, i, &trial) == GOFH_OK && trial.state == GOFH_TRIAL_DONE) return 1;
    return 0;
}

static int best_of(const session *s, int recommend, int json)
{
    gofh_trial best;
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
    if (recommend && (status = gofh_study_recommend(s->study, &recommended)))
        return session_failed(s, status);
    int outcome = isfinite(best.f) ? EXIT_DONE : EXIT_NO_RESULT;
    if (json) {
        if ((status = gofh_study_trial(s->study, trial, &best))) return session_failed(s, status);
        int printed = print_json(s, &best, recommend ? &recommended : NULL);
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
    if (outcome)
        describe_best(s, "", &best);
    else
        number_print(stdout, "trial %lld: f = %.10g\n", (long long)best.trial, best.f);
    describe_values(s, stdout, best.x, best.y);
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

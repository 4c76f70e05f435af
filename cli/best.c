/* gofh best: the best evaluation, or with noise the point believed best. */
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
                            "  --recommend  also the point that the model believes best, evaluated or not\n"
                            "  --json       print it as JSON\n";

static int print_json(const session *s, const gofh_trial *best, const gofh_recommendation *believed)
{
    json_t *object = describe_trial(s, best);
    if (object && believed) {
        json_t *more = json_object();
        json_object_set_new(more, "parameters", describe_parameters(s, believed->x));
        json_object_set_new(more, "f", describe_number(believed->f));
        json_object_set_new(more, "deviation", describe_number(believed->deviation));
        json_object_set_new(object, "recommended", more);
    }
    return describe_print(s, object);
}

static int best_of(const session *s, int recommend, int json)
{
    gofh_trial best;
    gofh_recommendation believed;
    gofh_status status = gofh_study_best(s->study, &best);
    if (status == GOFH_ERROR_EMPTY) {
        fputs("gofh best: no trial is done yet\n", stderr);
        return EXIT_NO_RESULT;
    }
    if (status) return session_failed(s, status);
    int64_t trial = best.trial;
    if (recommend && (status = gofh_study_recommend(s->study, &believed))) return session_failed(s, status);
    int outcome = isfinite(best.f) ? EXIT_DONE : EXIT_NO_RESULT;
    if (json) {
        if ((status = gofh_study_trial(s->study, trial, &best))) return session_failed(s, status);
        int printed = print_json(s, &best, recommend ? &believed : NULL);
        return printed ? printed : outcome;
    }
    if (recommend) {
        number_print(stdout, "recommended: f = %.10g", believed.f);
        if (isfinite(believed.deviation))
            number_print(stdout, " +- %.2g under the model", believed.deviation);
        putchar('\n');
        describe_values(s, stdout, believed.x, NULL);
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

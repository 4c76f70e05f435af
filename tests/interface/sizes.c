/* A program that was compiled against another version of gofh.h than the library's, with shorter
 * structs, longer ones or the same: it gets what it knows, nothing is written beyond what it has,
 * and what only it knows is 0. */
#include "gofh.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 64, CANARY = 0xA5 };

static void require(int holds, const char *what)
{
    if (holds) return;
    printf("FAILED: %s\n", what);
    exit(1);
}

#define REQUIRE(condition) require((condition), #condition)

/* Declares a struct of the caller between guards. */
#define GUARDED(type, name)                                                                                  \
    struct {                                                                                                 \
        unsigned char before[GUARD];                                                                         \
        type value;                                                                                          \
        unsigned char after[GUARD];                                                                          \
    } name;                                                                                                  \
    memset(&(name), CANARY, sizeof(name))

static void check_guard(const unsigned char *guard)
{
    for (int i = 0; i < GUARD; i++) REQUIRE(guard[i] == CANARY);
}

/* Of a struct that was filled: that the guards are untouched, the size is right, and the rest is 0.
 * LIBRARY: the bytes that the library has of the struct, as the program that was compiled against
 * its own header prints them. */
static void check_filled(const unsigned char *before, const void *value, size_t size, size_t library,
                         const unsigned char *after)
{
    size_t filled;
    memcpy(&filled, value, sizeof filled);
    check_guard(before);
    check_guard(after);
    REQUIRE(filled == (size < library ? size : library));
    for (size_t i = filled; i < size; i++) REQUIRE(((const unsigned char *)value)[i] == 0);
}

#define CHECK_FILLED(name, library)                                                                          \
    check_filled((name).before, &(name).value, sizeof((name).value), (size_t)(library), (name).after)

enum { SETTINGS, TRIAL, RECOMMENDATION, HYPERPARAMETERS, COMPARISON, ASSESSMENT, POSTERIOR, KINDS };
static const size_t OWN[KINDS] = {sizeof(gofh_settings),         sizeof(gofh_trial),
                                  sizeof(gofh_recommendation),   sizeof(gofh_hyperparameters),
                                  sizeof(gofh_comparison),       sizeof(gofh_assessment),
                                  sizeof(gofh_posterior_results)};

static gofh_study *make_study(size_t library)
{
    const double observed[2] = {1.0, 2.0};
    gofh_problem *problem = gofh_problem_create();
    gofh_problem_add_parameter(problem, "x", 0.0, 1.0, GOFH_SCALE_LINEAR);
    gofh_problem_set_outputs(problem, 2);
    gofh_problem_set_data(problem, "o", observed, 2);
    gofh_problem_set_sigma(problem, "o", observed, 1); /* 1 for both */
    gofh_problem_fit(problem, "y", "o", GOFH_RESIDUAL_DIFFERENCE, GOFH_LOSS_SQUARE, 0.0);
    GUARDED(gofh_settings, settings);
    gofh_settings_defaults(&settings.value);
    CHECK_FILLED(settings, library);
    REQUIRE(settings.value.budget == 60);
    settings.value.hyper = GOFH_HYPER_FIXED;
    gofh_study *study;
    gofh_error error;
    memset(&error, 0, sizeof error);
    if (gofh_study_create(&study, problem, &settings.value, &error)) require(0, error.message);
    check_guard(settings.after);
    gofh_problem_free(problem);
    return study;
}

/* Hyperparameters are given and come back. */
static void check_hyperparameters(gofh_study *study, size_t library)
{
    const double lengthscale = 0.5;
    for (int j = 0; j < 2; j++) {
        GUARDED(gofh_hyperparameters, given);
        given.value.lengthscale = &lengthscale;
        given.value.variance = 3.0 + j;
        given.value.noise = 0.0;
        given.value.mean = 0.25;
        REQUIRE(gofh_study_set_hyperparameters(study, j, &given.value) == GOFH_OK);
    }
    const double x[3] = {0.0, 0.5, 1.0}, y[3][2] = {{0.0, 0.0}, {1.0, 2.5}, {3.0, 3.0}};
    gofh_evaluation list[3];
    memset(list, 0, sizeof list);
    for (int i = 0; i < 3; i++) {
        list[i].x = &x[i];
        list[i].y = y[i];
    }
    REQUIRE(gofh_study_import_all(study, list, 3, NULL) == GOFH_OK);
    GUARDED(gofh_hyperparameters, found);
    REQUIRE(gofh_study_hyperparameters(study, 0, 1, &found.value) == GOFH_OK);
    CHECK_FILLED(found, library);
    REQUIRE(fabs(found.value.lengthscale[0] - 0.5) < 1e-12 && fabs(found.value.variance - 4.0) < 1e-12);
}

static void check_trials(gofh_study *study, size_t library)
{
    GUARDED(gofh_trial, trial);
    REQUIRE(gofh_study_trial(study, 3, &trial.value) == GOFH_OK);
    CHECK_FILLED(trial, library);
    REQUIRE(trial.value.trial == 3 && trial.value.state == GOFH_TRIAL_DONE && trial.value.x[0] == 1.0);
    REQUIRE(trial.value.f == 5.0); /* 2^2 + 1^2 */
    GUARDED(gofh_trial, best);
    REQUIRE(gofh_study_best(study, &best.value) == GOFH_OK);
    CHECK_FILLED(best, library);
    REQUIRE(best.value.trial == 2 && best.value.f == 0.25);
}

static void check_recommendation(gofh_study *study, size_t library)
{
    GUARDED(gofh_recommendation, found);
    REQUIRE(gofh_study_recommend(study, &found.value) == GOFH_OK);
    CHECK_FILLED(found, library);
    REQUIRE(found.value.x[0] >= 0.0 && found.value.x[0] <= 1.0 && found.value.f <= 0.25 + 1e-9);
}

static void check_assessment(gofh_study *study, size_t library)
{
    GUARDED(gofh_assessment, found);
    REQUIRE(gofh_study_assess(study, &found.value) == GOFH_OK);
    CHECK_FILLED(found, library);
    REQUIRE(found.value.success == 0 && found.value.ended == 0);
}

static void check_posterior(gofh_study *study, size_t library)
{
    GUARDED(gofh_posterior_results, found);
    gofh_posterior *posterior;
    REQUIRE(gofh_posterior_create(&posterior, study, 100) == GOFH_OK);
    REQUIRE(gofh_posterior_summary(posterior, &found.value) == GOFH_OK);
    CHECK_FILLED(found, library);
    REQUIRE(found.value.samples == 100 && found.value.parameters == 1);
    REQUIRE(gofh_posterior_summary_sized(posterior, &found.value, 1) == GOFH_ERROR_ARGUMENT);
    gofh_posterior_free(posterior);
}

/* An array, whose elements are as far apart as the caller's are. */
static void check_comparisons(gofh_study *study, size_t library)
{
    typedef struct {
        gofh_comparison item[3];
    } triple;
    int count;
    GUARDED(triple, list);
    REQUIRE(gofh_study_comparisons(study, list.value.item, 3, &count) == GOFH_OK);
    check_guard(list.before);
    check_guard(list.after);
    REQUIRE(count == 2);
    for (int i = 0; i < 2; i++) {
        const gofh_comparison *c = &list.value.item[i];
        REQUIRE(c->size == (sizeof *c < library ? sizeof *c : library));
        REQUIRE(c->output == i && c->value == i + 1.0 && strcmp(c->data, "o") == 0);
    }
    check_guard((const unsigned char *)&list.value.item[2]); /* smaller than a struct */
    REQUIRE(gofh_study_comparisons(study, NULL, 0, &count) == GOFH_OK && count == 2);
}

/* Without a size, or with one that no struct has, the call is refused and says why. */
static void check_wrong_sizes(gofh_study *study)
{
    const size_t wrong[] = {0, 1, sizeof(size_t) - 1, 1000000};
    GUARDED(gofh_trial, trial);
    GUARDED(gofh_recommendation, recommended);
    GUARDED(gofh_hyperparameters, hyper);
    GUARDED(gofh_comparison, compared);
    GUARDED(gofh_assessment, assessed);
    int count;
    for (int i = 0; i < 4; i++) {
        REQUIRE(gofh_study_trial_sized(study, 1, &trial.value, wrong[i]) == GOFH_ERROR_ARGUMENT);
        REQUIRE(strstr(gofh_study_message(study), "the size must be that of the caller's struct") != NULL);
        REQUIRE(gofh_study_best_sized(study, &trial.value, wrong[i]) == GOFH_ERROR_ARGUMENT);
        REQUIRE(gofh_study_recommend_sized(study, &recommended.value, wrong[i]) == GOFH_ERROR_ARGUMENT);
        REQUIRE(gofh_study_assess_sized(study, &assessed.value, wrong[i]) == GOFH_ERROR_ARGUMENT);
        REQUIRE(gofh_study_hyperparameters_sized(study, 0, 0, &hyper.value, wrong[i]) == GOFH_ERROR_ARGUMENT);
        REQUIRE(gofh_study_set_hyperparameters_sized(study, 0, &hyper.value, wrong[i]) ==
                GOFH_ERROR_ARGUMENT);
        REQUIRE(gofh_study_comparisons_sized(study, &compared.value, wrong[i], 1, &count) ==
                GOFH_ERROR_ARGUMENT);
        gofh_evaluation e;
        memset(&e, 0, sizeof e);
        REQUIRE(gofh_study_import_all_sized(study, &e, wrong[i], 1, NULL) == GOFH_ERROR_ARGUMENT);
    }
    check_guard((const unsigned char *)&recommended);
    gofh_settings settings;
    memset(&settings, 0, sizeof settings);
    gofh_study *none;
    gofh_error error;
    memset(&error, 0, sizeof error);
    gofh_problem *problem = gofh_problem_create();
    REQUIRE(gofh_study_create(&none, problem, &settings, &error) == GOFH_ERROR_ARGUMENT && !none);
    REQUIRE(strcmp(error.message, "settings of size 0: call gofh_settings_defaults first") == 0);
    gofh_problem_free(problem);
}

/* The sizes of this program's structs; or, where it is given those of the library's, what it
 * finds. */
int main(int count, char **arguments)
{
    size_t library[KINDS];
    if (count != 1 + KINDS) {
        for (int i = 0; i < KINDS; i++) printf("%d ", (int)OWN[i]);
        return 0;
    }
    for (int i = 0; i < KINDS; i++) library[i] = (size_t)strtol(arguments[1 + i], NULL, 10);
    gofh_study *study = make_study(library[SETTINGS]);
    check_hyperparameters(study, library[HYPERPARAMETERS]);
    check_trials(study, library[TRIAL]);
    check_recommendation(study, library[RECOMMENDATION]);
    check_comparisons(study, library[COMPARISON]);
    check_assessment(study, library[ASSESSMENT]);
    check_posterior(study, library[POSTERIOR]);
    check_wrong_sizes(study);
    gofh_study_free(study);
    return 0;
}

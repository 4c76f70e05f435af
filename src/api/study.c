#include "api/choices.h"
#include "api/observed.h"
#include "api/record.h"
#include "api/settings.h"
#include "api/sized.h"
#include "base/error.h"
#include "base/memory.h"
#include "outer/comparisons.h"
#include "study/fit.h"
#include "study/journal.h"
#include "study/predict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static gofh_status name_outputs(gofh_study *st, gofh_error *error)
{
    const store_problem *described = &st->description.problem;
    st->outputs = memory_new((size_t)described->output_count, sizeof *st->outputs);
    if (!st->outputs) return error_memory(error);
    for (int i = 0; i < described->output_count; i++)
        st->outputs[i] = (study_output){.name = described->outputs[i].name,
                                        .size = described->outputs[i].size};
    return GOFH_OK;
}

/* Has suggestions made for the posterior. */
static gofh_status set_goal(gofh_study *st, gofh_error *error)
{
    gofh_status status = observed_collect(&st->observed, st, error);
    if (status) return status == GOFH_ERROR_MEMORY ? error_memory(error) : status;
    if (!st->problem.is_fit)
        return error_set(error, GOFH_ERROR_PROBLEM,
                         "runs for the posterior need data: write the objective as a fit, "
                         "objective: {fit: {output: data}}");
    st->wanted = (infer_goal){.prior = st->problem.prior,
                              .data = st->observed.data,
                              .count = st->observed.count,
                              .groups = st->observed.groups};
    st->goal = (study_goal){.propose = inform_propose, .context = &st->wanted};
    st->core->goal = &st->goal;
    return GOFH_OK;
}

gofh_status gofh_study_create(gofh_study **result, const gofh_problem *problem, const gofh_settings *given,
                              gofh_error *error)
{
    gofh_error ignored = {.status = GOFH_OK};
    if (!error) error = &ignored;
    if (!result)
        return error_set(error, GOFH_ERROR_ARGUMENT,
                         "there is nowhere to put the study: the pointer is NULL");
    *result = NULL;
    study_spec spec = {.reduce_above = 0};
    gofh_status status = settings_take(given, &spec.settings, error);
    if (status) return status;
    gofh_study *made = memory_new(1, sizeof *made);
    if (!made) return error_memory(error);
    status = problem_compile(problem, &made->problem, error);
    if (!status) status = description_make(&made->description, problem, &spec.settings, error);
    if (!status) status = name_outputs(made, error);
    if (!status) {
        made->result = memory_doubles((size_t)problem->d + (size_t)made->problem.box.d + (size_t)problem->m);
        if (!made->result) status = error_memory(error);
    }
    if (status) {
        gofh_study_free(made);
        return status;
    }
    spec.box = made->problem.box;
    spec.known = made->problem.known;
    spec.g = &made->problem.g;
    spec.noise = made->problem.noise;
    spec.missing = made->problem.missing;
    spec.used = made->problem.used;
    spec.output = made->outputs;
    made->core = study_create(&spec, error);
    if (!made->core) {
        gofh_study_free(made);
        return GOFH_ERROR_MEMORY;
    }
    status = spec.settings.goal == GOFH_GOAL_POSTERIOR ? set_goal(made, error) : GOFH_OK;
    if (status)
        gofh_study_free(made);
    else
        *result = made;
    return status;
}

void gofh_study_free(gofh_study *st)
{
    if (!st) return;
    choices_free(st);
    study_free(st->core);
    observed_release(&st->observed);
    record_close(st);
    description_release(&st->description);
    problem_release(&st->problem);
    free(st->outputs);
    free(st->assessed);
    free(st->result);
    free(st);
}

const char *gofh_study_message(const gofh_study *st)
{
    return st ? st->error.message : "there is no study: the pointer is NULL";
}

void handle_enter(gofh_study *st)
{
    study_enter();
    st->before = st->error;
    st->error = (gofh_error){.status = GOFH_OK};
    st->mark = study_mark_now(st->core);
    interrupt_begin(&st->ending, st->interrupt, st->interrupt_context);
}

void gofh_study_set_interrupt(gofh_study *st, gofh_interrupt question, void *context)
{
    if (!st) return;
    st->interrupt = question;
    st->interrupt_context = context;
}

/* All that a study can find missing in its problem. */
static void name_missing_hyperparameters(gofh_study *st)
{
    int missing = study_hyper_missing(st->core);
    if (missing >= 0)
        error_set(&st->error, GOFH_ERROR_PROBLEM,
                  "the hyperparameters of output %d are to be fixed, but were not given", missing);
}

gofh_status handle_leave(gofh_study *st, gofh_status status)
{
    study_leave();
    if (interrupt_end(&st->ending)) {
        study_abandon(st->core, st->mark);
        status = GOFH_STOP_CALLER;
    }
    if (status == GOFH_ERROR_PROBLEM) name_missing_hyperparameters(st);
    if (status < 0)
        error_set(&st->error, status, "%s", gofh_status_text(status));
    else
        st->error = st->before;
    return status;
}

gofh_status handle_refuse(gofh_study *st, const char *what)
{
    st->error = (gofh_error){.status = GOFH_OK};
    return error_set(&st->error, GOFH_ERROR_ARGUMENT, "%s is NULL", what);
}

void handle_note_domain_errors(gofh_study *st)
{
    static const char *const words = "the expressions had no finite value for ";
    const char *noted = journal_find(st->core, words);
    long long before = noted ? strtoll(noted + strlen(words), NULL, 10) : 0;
    int64_t count = gofh_expression_domain_errors(st->problem.expression) +
                    gofh_constraints_domain_errors(st->problem.g.constraints);
    if (count <= 10 * before) return;
    study_log(st->core, "%s%lld samples of the outputs so far, which count as worse than all others", words,
              (long long)count);
}

gofh_status gofh_study_ask(gofh_study *st, int64_t *trial_id, double *x)
{
    if (!st) return GOFH_ERROR_ARGUMENT;
    if (!trial_id || !x) return handle_refuse(st, trial_id ? "x" : "trial");
    handle_enter(st);
    gofh_status status = record_allowed(st);
    if (status) return handle_leave(st, status);
    status = study_ask(st->core, trial_id, x, &st->error);
    handle_note_domain_errors(st);
    if (!status && (status = record_trial(st, *trial_id))) {
        study_drop_last(st->core);
        record_undo(st);
    }
    return handle_leave(st, status);
}

/* The result is kept, or was never reported. */
static gofh_status keep_result(gofh_study *st, int64_t trial_id)
{
    gofh_status status = record_trial(st, trial_id);
    if (!status) return GOFH_OK;
    study_reopen(st->core, trial_id);
    record_undo(st);
    return status;
}

gofh_status gofh_study_tell(gofh_study *st, int64_t trial_id, const double *y)
{
    return gofh_study_tell_noisy(st, trial_id, y, NULL);
}

gofh_status gofh_study_tell_noisy(gofh_study *st, int64_t trial_id, const double *y, const double *variance)
{
    if (!st) return GOFH_ERROR_ARGUMENT;
    if (!y) return handle_refuse(st, "y");
    handle_enter(st);
    gofh_status status = record_allowed(st);
    if (!status) status = study_tell(st->core, trial_id, y, variance, &st->error);
    return handle_leave(st, status ? status : keep_result(st, trial_id));
}

gofh_status gofh_study_fail(gofh_study *st, int64_t trial_id, const char *reason)
{
    if (!st) return GOFH_ERROR_ARGUMENT;
    handle_enter(st);
    gofh_status status = record_allowed(st);
    if (!status) status = study_fail(st->core, trial_id, reason, &st->error);
    return handle_leave(st, status ? status : keep_result(st, trial_id));
}

/* A copy of a trial's outputs with their variances after them (NULL unless it is done), and of its
 * reason. Returns -1 when there is no memory. */
static int copy_result(const gofh_study *st, const trial *t, double **y, char **reason)
{
    size_t m = (size_t)st->core->m;
    *y = t->state == GOFH_TRIAL_DONE ? memory_doubles(2 * m) : NULL;
    *reason = memory_copy_text(t->reason ? t->reason : "");
    if (!*reason || (t->state == GOFH_TRIAL_DONE && !*y)) return -1;
    for (size_t j = 0; *y && j < m; j++) {
        (*y)[j] = t->y[j];
        (*y)[m + j] = t->variance ? t->variance[j] : NAN;
    }
    return 0;
}

gofh_status gofh_study_replace(gofh_study *st, int64_t trial_id, const double *y, const double *variance,
                               const char *reason)
{
    if (!st) return GOFH_ERROR_ARGUMENT;
    handle_enter(st);
    double *old = NULL;
    char *old_reason = NULL;
    gofh_status status = record_allowed(st);
    int known = trial_id >= 1 && trial_id <= (int64_t)st->core->trials.count;
    if (!status && known && copy_result(st, &st->core->trials.list[trial_id - 1], &old, &old_reason))
        status = error_memory(&st->error);
    if (!status) status = study_replace(st->core, trial_id, y, variance, reason, &st->error);
    if (!status && (status = record_trial(st, trial_id))) {
        study_replace(st->core, trial_id, old, old ? old + st->core->m : NULL, old_reason, NULL);
        record_undo(st);
    }
    free(old);
    free(old_reason);
    return handle_leave(st, status);
}

gofh_status gofh_study_forget(gofh_study *st, int64_t trial_id, int forget)
{
    if (!st) return GOFH_ERROR_ARGUMENT;
    handle_enter(st);
    gofh_status status = record_allowed(st);
    if (!status) status = study_forget(st->core, trial_id, forget != 0, &st->error);
    if (!status && (status = record_trial(st, trial_id))) {
        study_forget(st->core, trial_id, forget == 0, NULL);
        record_undo(st);
    }
    return handle_leave(st, status);
}

gofh_status handle_check_inside(gofh_study *st, const double *x)
{
    gofh_status status = GOFH_OK;
    for (int k = 0; k < st->core->parameters && !status; k++) {
        double exact = x[k];
        status = parameters_check(&st->problem, k, "value", &exact, &st->error);
    }
    return status;
}

/* As many of them as can be taken; *taken is their number. */
static gofh_status take_imports(gofh_study *st, const gofh_evaluation *list, size_t size, int count,
                                int *taken)
{
    gofh_status status = sized_check(size, "gofh_evaluation", &st->error);
    for (*taken = 0; !status && *taken < count; *taken += !status) {
        gofh_evaluation e;
        sized_take(&e, sizeof e, (const char *)list + (size_t)*taken * size, size);
        status = e.x ? handle_check_inside(st, e.x)
                     : error_set(&st->error, GOFH_ERROR_ARGUMENT, "x of evaluation %d is NULL", *taken);
        if (!status) status = study_import(st->core, e.x, e.y, e.variance, e.reason, &st->error);
    }
    return status;
}

gofh_status gofh_study_import_all_sized(gofh_study *st, const gofh_evaluation *list, size_t size, int count,
                                        int64_t *first)
{
    if (!st) return GOFH_ERROR_ARGUMENT;
    if (!list && count > 0) return handle_refuse(st, "list");
    handle_enter(st);
    size_t before = st->core->trials.count;
    int taken = 0;
    gofh_status status = record_allowed(st);
    if (!status && count < 0) status = error_set(&st->error, GOFH_ERROR_ARGUMENT, "%d evaluations", count);
    if (!status) status = take_imports(st, list, size, count, &taken);
    if (!status && count > 0) status = record_trials(st, (int64_t)before + 1, (int64_t)before + count);
    if (status) {
        while (taken-- > 0) study_drop_last(st->core);
        record_undo(st);
    } else if (first) {
        *first = (int64_t)before + 1;
    }
    return handle_leave(st, status);
}

gofh_status gofh_study_import(gofh_study *st, const double *x, const double *y, int64_t *trial_id)
{
    if (!st) return GOFH_ERROR_ARGUMENT;
    if (!x || !y) return handle_refuse(st, x ? "y" : "x");
    const gofh_evaluation one = {.x = x, .y = y};
    return gofh_study_import_all(st, &one, 1, trial_id);
}

int64_t gofh_study_count(const gofh_study *st)
{
    return st ? (int64_t)st->core->trials.count : 0;
}

void handle_describe(const gofh_study *st, size_t index, gofh_trial *result)
{
    const trial *t = &st->core->trials.list[index];
    int has_result = t->state == GOFH_TRIAL_DONE || (t->state == GOFH_TRIAL_FORGOTTEN && !t->reason);
    *result = (gofh_trial){.size = sizeof *result,
                           .trial = (int64_t)index + 1,
                           .state = t->state,
                           .imported = t->imported,
                           .origin = t->origin,
                           .expected = t->expected,
                           .reason = t->reason ? t->reason : "",
                           .f = t->state == GOFH_TRIAL_DONE ? st->problem.g.sign * t->f : NAN,
                           .x = t->x,
                           .y = has_result ? t->y : NULL,
                           .variance = has_result ? t->variance : NULL,
                           .feasible = t->feasible};
}

static void give_trial(const gofh_study *st, size_t index, gofh_trial *result, size_t size)
{
    gofh_trial own;
    handle_describe(st, index, &own);
    sized_give(result, size, &own, sizeof own);
}

gofh_status gofh_study_trial_sized(gofh_study *st, int64_t trial_id, gofh_trial *result, size_t size)
{
    if (!st) return GOFH_ERROR_ARGUMENT;
    if (!result) return handle_refuse(st, "result");
    handle_enter(st);
    if (sized_check(size, "gofh_trial", &st->error)) return handle_leave(st, GOFH_ERROR_ARGUMENT);
    if (trial_id < 1 || trial_id > (int64_t)st->core->trials.count)
        return handle_leave(st, error_set(&st->error, GOFH_ERROR_TRIAL,
                                          "there is no trial %lld: there are %lld so far",
                                          (long long)trial_id, (long long)st->core->trials.count));
    give_trial(st, (size_t)trial_id - 1, result, size);
    return handle_leave(st, GOFH_OK);
}

gofh_status gofh_study_best_sized(gofh_study *st, gofh_trial *best, size_t size)
{
    if (!st) return GOFH_ERROR_ARGUMENT;
    if (!best) return handle_refuse(st, "best");
    handle_enter(st);
    if (sized_check(size, "gofh_trial", &st->error)) return handle_leave(st, GOFH_ERROR_ARGUMENT);
    gofh_status status;
    int index = study_best(st->core, &status);
    if (index < 0) return handle_leave(st, status ? status : GOFH_ERROR_EMPTY);
    give_trial(st, (size_t)index, best, size);
    return handle_leave(st, GOFH_OK);
}

gofh_status gofh_study_margin(gofh_study *st, int number, const double *x, const double *y, double *margin)
{
    if (!st) return GOFH_ERROR_ARGUMENT;
    if (!x || !y || !margin) return handle_refuse(st, !x ? "x" : y ? "margin" : "y");
    handle_enter(st);
    const outer *g = &st->problem.g;
    if (number < 0 || number >= st->problem.constraint_count)
        return handle_leave(st, error_set(&st->error, GOFH_ERROR_ARGUMENT,
                                          "there is no constraint %d: they are numbered from 0", number));
    int place = st->problem.place[number];
    if (place < 0) {
        *margin = space_margin_of(st->core->space, -1 - place, x);
        return handle_leave(st, GOFH_OK);
    }
    int first = 0, own = gofh_constraints_margins_of(g->constraints, place);
    for (int i = 0; i < place; i++) first += gofh_constraints_margins_of(g->constraints, i);
    double *all = st->core->margin;
    gofh_status status = outer_margins(g, y, x, 1, all);
    if (status) return handle_leave(st, status);
    *margin = all[first];
    for (int i = 1; i < own; i++) *margin = fmin(*margin, all[first + i]);
    return handle_leave(st, GOFH_OK);
}

gofh_status gofh_study_recommend_sized(gofh_study *st, gofh_recommendation *result, size_t size)
{
    if (!st) return GOFH_ERROR_ARGUMENT;
    if (!result) return handle_refuse(st, "result");
    handle_enter(st);
    if (sized_check(size, "gofh_recommendation", &st->error)) return handle_leave(st, GOFH_ERROR_ARGUMENT);
    double u[GOFH_MAX_PARAMETERS], *x = st->result, *y = x + st->core->parameters;
    gofh_recommendation own = {.x = x};
    gofh_status status = study_recommend(st->core, u, &own.f, &own.deviation);
    if (status) return handle_leave(st, status);
    space_to_user(st->core->space, u, x);
    own.f *= st->problem.g.sign;
    if (st->core->method->subject == MODEL_OF_H) {
        status = study_predict(st->core, u, 1, y, NULL, NULL, NULL);
        own.y = y;
    }
    if (!status) sized_give(result, size, &own, sizeof own);
    return handle_leave(st, status);
}

/* The name of the data, which are first among the numbers of the problem. */
static const char *data_name(const gofh_study *st, int data)
{
    return data >= 0 ? st->description.problem.numbers[data].name : NULL;
}

gofh_status gofh_study_comparisons_sized(gofh_study *st, gofh_comparison *list, size_t size, int room,
                                         int *count)
{
    if (!st) return GOFH_ERROR_ARGUMENT;
    if (!count || (!list && room > 0)) return handle_refuse(st, count ? "list" : "count");
    handle_enter(st);
    if (sized_check(size, "gofh_comparison", &st->error)) return handle_leave(st, GOFH_ERROR_ARGUMENT);
    comparisons found = {.items = NULL};
    gofh_status status = st->problem.is_fit ? comparisons_add(&found, &st->problem.fitted)
                                            : expression_comparisons(st->problem.expression, &found);
    if (!status) status = constraints_comparisons(st->problem.g.constraints, &found);
    *count = status ? 0 : (int)found.count;
    for (int i = 0; i < *count && i < room; i++) {
        const comparison *c = &found.items[i];
        gofh_comparison own = {.output = c->output,
                               .data = data_name(st, c->data),
                               .value = c->value,
                               .deviation = c->deviation};
        sized_give((char *)list + (size_t)i * size, size, &own, sizeof own);
    }
    comparisons_clear(&found);
    return handle_leave(st, status);
}

const char *gofh_study_log(const gofh_study *st, int line)
{
    if (!st || line < 0 || (size_t)line >= st->core->journal.count) return NULL;
    return st->core->journal.lines[line];
}

gofh_status gofh_optimize(gofh_study *st, gofh_inner h, void *context)
{
    if (!st) return GOFH_ERROR_ARGUMENT;
    if (!h) return handle_refuse(st, "h");
    double x[GOFH_MAX_PARAMETERS], *y = memory_doubles((size_t)st->core->m);
    if (!y) {
        handle_enter(st);
        return handle_leave(st, GOFH_ERROR_MEMORY);
    }
    gofh_status status;
    int64_t id;
    while ((status = gofh_study_ask(st, &id, x)) == GOFH_OK) {
        for (int j = 0; j < st->core->m; j++) y[j] = NAN; /* what h forgets is no value */
        const unsigned char *missing = st->problem.missing;
        int failed = h(x, y, context), fine = 1, known = 0;
        for (int j = 0; j < st->core->m; j++) {
            fine &= isfinite(y[j]) || (missing && missing[j] && isnan(y[j]));
            known |= isfinite(y[j]) != 0;
        }
        if (failed == GOFH_STOP_CALLER)
            status = gofh_study_fail(st, id, "the caller asked to stop");
        else if (failed)
            status = gofh_study_fail(st, id, "h returned a failure");
        else if (!fine || !known)
            status = gofh_study_fail(st, id, "h returned a value that is not finite");
        else
            status = gofh_study_tell(st, id, y);
        if (!status && failed == GOFH_STOP_CALLER) status = GOFH_STOP_CALLER;
        if (status) break;
    }
    free(y);
    return status;
}

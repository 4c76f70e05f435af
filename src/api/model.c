/* What the model of a study says: predictions, and its hyperparameters. */
#include "api/handle.h"
#include "api/sized.h"
#include "base/error.h"
#include "base/memory.h"
#include "study/calibrate.h"
#include "study/fit.h"
#include "study/predict.h"

#include <math.h>
#include <stdlib.h>

/* x of count points in the unit cube, to be freed; NULL and a status on failure. */
static double *unit_points(gofh_study *st, const double *x, int count, gofh_status *status)
{
    size_t d = (size_t)st->core->d, width = (size_t)st->core->parameters;
    double *u = memory_doubles((size_t)count * d);
    *status = u ? GOFH_OK : error_memory(&st->error);
    for (int i = 0; u && i < count && !*status; i++) {
        *status = handle_check_inside(st, x + (size_t)i * width);
        domain_to_unit(&st->core->spec.box, x + (size_t)i * width, u + (size_t)i * d);
    }
    if (*status) {
        free(u);
        return NULL;
    }
    return u;
}

gofh_status gofh_study_predict(gofh_study *st, const double *x, int count, double *mean, double *variance,
                               double *f, double *f_deviation)
{
    if (!st) return GOFH_ERROR_ARGUMENT;
    if (!x) return handle_refuse(st, "x");
    handle_enter(st);
    if (count < 0) return handle_leave(st, error_set(&st->error, GOFH_ERROR_ARGUMENT, "%d points", count));
    if ((mean || variance) && st->core->method->subject == MODEL_OF_F)
        return handle_leave(st, error_set(&st->error, GOFH_ERROR_ARGUMENT,
                                          "method \"%s\" models f alone: it knows nothing of h",
                                          st->core->method->name));
    gofh_status status;
    double *u = unit_points(st, x, count, &status);
    if (!status) status = study_predict(st->core, u, count, mean, variance, f, f_deviation);
    free(u);
    for (int i = 0; !status && f && i < count; i++) f[i] *= st->problem.g.sign;
    return handle_leave(st, status);
}

gofh_status gofh_study_predict_objective(gofh_study *st, const double *x, int count, double *objective,
                                         double *deviation, double *feasible)
{
    if (!st) return GOFH_ERROR_ARGUMENT;
    if (!x) return handle_refuse(st, "x");
    handle_enter(st);
    if (count < 0) return handle_leave(st, error_set(&st->error, GOFH_ERROR_ARGUMENT, "%d points", count));
    gofh_status status;
    double *u = unit_points(st, x, count, &status);
    if (!status) status = study_predict_objective(st->core, u, count, objective, deviation, feasible);
    free(u);
    for (int i = 0; !status && feasible && i < count; i++) /* at x itself: u may be a rounding beyond it */
        if (space_broken(st->core->space, x + (size_t)i * (size_t)st->core->parameters) >= 0)
            feasible[i] = 0.0;
    for (int i = 0; !status && objective && i < count; i++) objective[i] *= st->problem.g.sign;
    return handle_leave(st, status);
}

static gofh_status check_levels(gofh_study *st, const double *level, int levels)
{
    for (int i = 0; i < levels; i++)
        if (!(level[i] > 0.0 && level[i] < 1.0))
            return error_set(&st->error, GOFH_ERROR_ARGUMENT, "the level %g is not between 0 and 1",
                             level[i]);
    return levels < 0 ? error_set(&st->error, GOFH_ERROR_ARGUMENT, "%d levels", levels) : GOFH_OK;
}

gofh_status gofh_study_predict_quantiles(gofh_study *st, const double *x, int count, const double *level,
                                         int levels, double *f, double *outputs)
{
    if (!st) return GOFH_ERROR_ARGUMENT;
    if (!x || !level) return handle_refuse(st, x ? "level" : "x");
    handle_enter(st);
    if (count < 0) return handle_leave(st, error_set(&st->error, GOFH_ERROR_ARGUMENT, "%d points", count));
    gofh_status status = check_levels(st, level, levels);
    if (!status && outputs && st->core->method->subject == MODEL_OF_F)
        status = error_set(&st->error, GOFH_ERROR_ARGUMENT,
                           "method \"%s\" models f alone: it knows nothing of h", st->core->method->name);
    if (status) return handle_leave(st, status);
    double *u = unit_points(st, x, count, &status);
    if (!status) status = study_quantiles(st->core, u, count, level, levels, f, outputs);
    free(u);
    return handle_leave(st, status);
}

gofh_status gofh_study_leave_one_out(gofh_study *st, double *mean, double *variance)
{
    if (!st) return GOFH_ERROR_ARGUMENT;
    if (!mean || !variance) return handle_refuse(st, mean ? "variance" : "mean");
    handle_enter(st);
    if (st->core->method->subject == MODEL_OF_F)
        return handle_leave(st, error_set(&st->error, GOFH_ERROR_ARGUMENT,
                                          "method \"%s\" models f alone: it knows nothing of h",
                                          st->core->method->name));
    return handle_leave(st, study_leave_one_out(st->core, mean, variance));
}

gofh_status gofh_study_acquisition(gofh_study *st, const double *x, int count, double *value)
{
    if (!st) return GOFH_ERROR_ARGUMENT;
    if (!x || !value) return handle_refuse(st, x ? "value" : "x");
    handle_enter(st);
    const study *core = st->core;
    if (count < 0) return handle_leave(st, error_set(&st->error, GOFH_ERROR_ARGUMENT, "%d points", count));
    if (!core->method->acquisition)
        return handle_leave(st, error_set(&st->error, GOFH_ERROR_ARGUMENT,
                                          "method \"%s\" has no acquisition function", core->method->name));
    gofh_status status;
    double *u = unit_points(st, x, count, &status);
    if (!status)
        status = core->method->acquisition(st->core, (uint64_t)core->trials.count + 1, u, count, value);
    free(u);
    return handle_leave(st, status);
}

/* A model of f is one of f as it is maximised. */
static double mean_sign(const gofh_study *st)
{
    return st->core->method->subject == MODEL_OF_F ? st->problem.g.sign : 1.0;
}

/* What is wrong with hyperparameters, if anything. */
static gofh_status check_hyperparameters(gofh_study *st, int output, const gofh_hyperparameters *values)
{
    const study *core = st->core;
    if (!study_hyper_is_fixed(core))
        return error_set(&st->error, GOFH_ERROR_ARGUMENT,
                         "hyperparameters are not fixed: settings.hyper must be GOFH_HYPER_FIXED");
    if (output < 0 || output >= core->outputs)
        return error_set(&st->error, GOFH_ERROR_ARGUMENT, "there is no output %d: the model has %d, from 0",
                         output, core->outputs);
    for (int k = 0; k < core->parameters; k++)
        if (domain_kind_of(&core->spec.box, k).width > 0 &&
            !(values->lengthscale[k] > 0.0 && isfinite(values->lengthscale[k])))
            return error_set(&st->error, GOFH_ERROR_ARGUMENT,
                             "lengthscale %g of parameter \"%s\" is not above 0", values->lengthscale[k],
                             st->problem.name[k]);
    if (!(values->variance > 0.0 && isfinite(values->variance)))
        return error_set(&st->error, GOFH_ERROR_ARGUMENT, "variance %g is not above 0", values->variance);
    if (!(values->noise >= 0.0 && isfinite(values->noise)))
        return error_set(&st->error, GOFH_ERROR_ARGUMENT, "noise variance %g is not 0 or above",
                         values->noise);
    return GOFH_OK;
}

gofh_status gofh_study_set_hyperparameters_sized(gofh_study *st, int output,
                                                 const gofh_hyperparameters *values, size_t size)
{
    if (!st) return GOFH_ERROR_ARGUMENT;
    if (!values) return handle_refuse(st, "values");
    handle_enter(st);
    gofh_hyperparameters own;
    gofh_status status = sized_check(size, "gofh_hyperparameters", &st->error);
    if (status) return handle_leave(st, status);
    sized_take(&own, sizeof own, values, size);
    if (!own.lengthscale)
        status = error_set(&st->error, GOFH_ERROR_ARGUMENT, "lengthscale is NULL");
    else
        status = check_hyperparameters(st, output, &own);
    if (status) return handle_leave(st, status);
    own.mean *= mean_sign(st);
    study_fix_hyper(st->core, output, &own);
    return handle_leave(st, GOFH_OK);
}

gofh_status gofh_study_hyperparameters_sized(gofh_study *st, int sample, int output,
                                             gofh_hyperparameters *values, size_t size)
{
    if (!st) return GOFH_ERROR_ARGUMENT;
    if (!values) return handle_refuse(st, "values");
    handle_enter(st);
    if (sized_check(size, "gofh_hyperparameters", &st->error)) return handle_leave(st, GOFH_ERROR_ARGUMENT);
    study *core = st->core;
    gofh_status status = study_fit(core);
    if (!status) status = study_calibrate(core);
    if (status) return handle_leave(st, status);
    int samples = study_hyper_samples(core), outputs = study_hyper_outputs(core);
    if (sample < 0 || sample >= samples || output < 0 || output >= outputs)
        return handle_leave(
            st, error_set(&st->error, GOFH_ERROR_ARGUMENT,
                          "there is no sample %d of output %d: there are %d samples of %d outputs, from 0",
                          sample, output, samples, outputs));
    gofh_hyperparameters own;
    status = study_hyper_of(core, sample, output, st->result, &own);
    if (status) return handle_leave(st, status);
    own.mean *= mean_sign(st);
    sized_give(values, size, &own, sizeof own);
    return handle_leave(st, GOFH_OK);
}

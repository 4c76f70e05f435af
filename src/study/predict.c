#include "study/predict.h"

#include "base/memory.h"
#include "base/quasi.h"
#include "study/calibrate.h"
#include "study/fit.h"
#include "study/fit_reduced.h"
#include "study/reduce.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double *predict_normals(const study *st)
{
    double *z = memory_doubles((size_t)PREDICT_DRAWS * (size_t)st->outputs);
    if (!z) return NULL;
    random_stream stream = random_open(st->spec.settings.seed, RANDOM_RECOMMEND,
                                       (uint64_t)st->fitted->data_count, 0);
    quasi_normals(&stream, st->outputs, PREDICT_DRAWS, z);
    model_mix(st->fitted->mo, PREDICT_DRAWS, z);
    return z;
}

/* Mixture over the hyperparameter samples: mean of means, mean of variances plus variance of
 * means. */
static gofh_status predict_outputs(study *st, const double *points, int q, double *mean, double *variance)
{
    if (st->reduction) return fit_predict_all(st, points, q, mean, variance);
    const model *mo = st->fitted->mo;
    size_t m = (size_t)st->outputs, d = (size_t)st->d;
    enum { CHUNK = 64 };
    double *block = memory_doubles(posterior_size(CHUNK, st->outputs, st->d) + model_predict_work(mo, CHUNK) +
                                   2 * m * CHUNK);
    if (!block) return GOFH_ERROR_MEMORY;
    double *work = block + posterior_size(CHUNK, st->outputs, st->d),
           *sum = work + model_predict_work(mo, CHUNK);
    double *squares = sum + m * CHUNK;
    for (int start = 0; start < q; start += CHUNK) {
        int part = q - start < CHUNK ? q - start : CHUNK;
        size_t values = (size_t)part * m, at = (size_t)start * m;
        for (int s = 0; s < mo->samples; s++) {
            posterior p;
            posterior_place(&p, part, st->outputs, st->d, block);
            model_predict(mo, s, points + (size_t)start * d, part, PREDICT_DEVIATION, &p, work);
            posterior_moments(&p, 0);
            for (size_t i = 0; i < values; i++) {
                if (s == 0) sum[i] = squares[i] = 0.0;
                double rest = p.mean[i] - sum[i];
                sum[i] += rest / (s + 1);
                squares[i] += rest * (p.mean[i] - sum[i]) + p.deviation[i] * p.deviation[i];
            }
        }
        for (size_t i = 0; i < values; i++) {
            if (mean) mean[at + i] = sum[i];
            if (variance) variance[at + i] = squares[i] / mo->samples;
        }
    }
    for (int j = 0; j < st->outputs; j++) {
        if (study_is_seen(st, j)) continue;
        for (size_t i = (size_t)j; i < (size_t)q * m; i += m) {
            if (mean) mean[i] = NAN;
            if (variance) variance[i] = NAN;
        }
    }
    free(block);
    return GOFH_OK;
}

gofh_status predict_enter(study *st)
{
    gofh_status status = study_fit(st);
    if (!status) status = study_calibrate(st);
    if (status) return status;
    st->fitted->mo->correlated = 1;
    st->fitted->mo->inflation = st->fitted->inflation;
    return GOFH_OK;
}

void predict_leave(study *st)
{
    if (!st->fitted->mo) return;
    st->fitted->mo->correlated = fitted_correlates(st);
    st->fitted->mo->inflation = NULL;
}

/* Of transformed outputs the mean in closed form may be made by tails that no draw sees. Where it is not
 * within a deviation of the draws' mean, that is taken: the other would contradict the deviation. */
static void correct_mean(const double *drawn, const double *deviation, int q, double *f)
{
    for (int i = 0; i < q; i++)
        if (!(fabs(f[i] - drawn[i]) <= deviation[i])) f[i] = drawn[i];
}

/* Posterior mean and standard deviation of f; either may be NULL. */
static gofh_status predict_f(study *st, const double *points, int q, double *f, double *f_deviation)
{
    gofh_status status = GOFH_OK;
    int exact = acquisition_has_closed_form(st->fitted->acquire, ACQUIRE_MEAN);
    int doubtful = f && exact && !model_is_normal(st->fitted->mo);
    if (f && exact)
        status = acquisition_closed_form(st->fitted->acquire, acquire_goal_of(ACQUIRE_MEAN), points, q, f,
                                         NULL);
    if (status || (!f_deviation && !doubtful && (exact || !f))) return status;
    double *z = predict_normals(st), *drawn = memory_doubles(2 * (size_t)q);
    status = z && drawn ? GOFH_OK : GOFH_ERROR_MEMORY;
    double *mean = f && !exact ? f : drawn, *deviation = f_deviation ? f_deviation : drawn + q;
    if (!status)
        status = acquisition_moments(st->fitted->acquire, z, PREDICT_DRAWS, points, q, mean, deviation);
    if (!status && doubtful) correct_mean(drawn, deviation, q, f);
    free(z);
    free(drawn);
    return status;
}

/* The mean alone, as a search has it. */
static gofh_status expect_f(study *st, const double *points, int q, double *f)
{
    if (acquisition_has_closed_form(st->fitted->acquire, ACQUIRE_MEAN))
        return acquisition_closed_form(st->fitted->acquire, acquire_goal_of(ACQUIRE_MEAN), points, q, f,
                                       NULL);
    return predict_f(st, points, q, f, NULL);
}

gofh_status study_expect(study *st, const double *points, int q, double *f)
{
    gofh_status status;
    study *by = reduce_study(st, &status);
    if (!status) status = study_fit(by);
    return status ? status : expect_f(by, points, q, f);
}

gofh_status study_predict(study *st, const double *points, int q, double *mean, double *variance, double *f,
                          double *f_deviation)
{
    gofh_status status;
    study *by = reduce_study(st, &status);
    if (status) return status;
    status = predict_enter(by);
    if (!status && (mean || variance)) status = predict_outputs(st, points, q, mean, variance);
    if (!status) status = predict_f(by, points, q, f, f_deviation);
    predict_leave(by);
    return status;
}

gofh_status study_predict_objective(study *st, const double *points, int q, double *objective,
                                    double *deviation, double *feasible)
{
    size_t margins = (size_t)st->spec.g->margins;
    int apart = margins > 0 && st->method->subject == MODEL_OF_H;
    for (int i = 0; feasible && i < q; i++) feasible[i] = margins ? NAN : 1.0;
    if (!apart) return study_predict(st, points, q, NULL, NULL, objective, deviation);
    gofh_status status = predict_enter(st);
    double *z = status ? NULL : predict_normals(st), *free_of_cost = memory_doubles(margins + (size_t)q);
    if (!status && (!z || !free_of_cost)) status = GOFH_ERROR_MEMORY;
    if (!status)
        status = acquisition_penalised_moments(st->fitted->acquire, free_of_cost, z, PREDICT_DRAWS, points, q,
                                               objective ? objective : free_of_cost + margins, deviation);
    if (!status && feasible)
        status = acquisition_monte_carlo(st->fitted->acquire, acquire_goal_of(ACQUIRE_FEASIBILITY), 0,
                                         st->fitted->mo->samples, z, PREDICT_DRAWS, points, q, feasible,
                                         NULL);
    predict_leave(st);
    free(z);
    free(free_of_cost);
    return status;
}

gofh_status study_leave_one_out(study *st, double *mean, double *variance)
{
    gofh_status status = study_fit(st);
    if (status) return status;
    if (st->reduction) return fit_leave_one_out_all(st, mean, variance);
    const model *mo = st->fitted->mo;
    size_t n = (size_t)st->fitted->data_count, m = (size_t)st->outputs;
    double *own = memory_doubles(2 * n + gp_leave_one_out_work(st->fitted->data_count));
    if (!own) return GOFH_ERROR_MEMORY;
    double *squares = own + n, *work = squares + n;
    memset(mean, 0, n * m * sizeof *mean);
    memset(variance, 0, n * m * sizeof *variance);
    for (int s = 0; s < mo->samples; s++)
        for (size_t j = 0; j < m; j++) {
            model_leave_one_out(mo, s, (int)j, own, squares, work);
            for (size_t i = 0; i < n; i++) {
                double *at = mean + i * m + j, rest = own[i] - *at;
                *at += rest / (s + 1);
                variance[i * m + j] += (isnan(own[i]) ? INFINITY : rest * (own[i] - *at) + squares[i]) /
                                       mo->samples;
            }
        }
    free(own);
    return GOFH_OK;
}

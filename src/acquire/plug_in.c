/* g of the posterior mean of h, corrected or not. */
#include "acquire/acquire.h"

#include "base/interrupt.h"

#include <string.h>

/* The objective, and where `gradient` its gradient, at a->h, one row per point. */
static gofh_status evaluate(acquisition *a, acquire_subject subject, const double *points, int q,
                            int gradient)
{
    size_t d = (size_t)a->mo->inputs.d, width = (size_t)domain_parameters(a->box);
    for (int p = 0; p < q; p++) domain_to_user(a->box, points + (size_t)p * d, a->x + (size_t)p * width);
    return acquisition_objective(a, subject, q, gradient);
}

/* Adds a correction at `count` points to their posterior means and, where there are any, to the
 * gradients. */
static void correct(const acquisition_correction *c, const double *points, int count, posterior *post,
                    int gradient)
{
    size_t m = (size_t)post->outputs, d = (size_t)post->d;
    for (size_t p = 0; p < (size_t)count; p++)
        for (size_t j = 0; j < m; j++) {
            double *mean = &post->mean[p * m + j];
            *mean += c->offset[j];
            for (size_t k = 0; k < d; k++) {
                *mean += c->slope[j * d + k] * (points[p * d + k] - c->centre[k]);
                if (gradient && !post->deferred)
                    post->mean_gradient[(p * m + j) * d + k] += c->slope[j * d + k];
            }
        }
}

/* The gradient in the unit cube of something with gradients dh[m] in the outputs and dx[parameters]
 * in the user's parameters. */
static void pull_back(const acquisition *a, const posterior *post, const acquisition_correction *c, int point,
                      const double *dh, const double *dx, double *gradient)
{
    size_t d = (size_t)post->d, m = (size_t)post->outputs;
    double slope[GOFH_MAX_PARAMETERS], room[GOFH_MAX_PARAMETERS];
    domain_slope(a->box, a->x + (size_t)point * (size_t)domain_parameters(a->box), slope);
    dx = domain_spread(a->box, dx, room);
    for (size_t k = 0; k < d; k++) gradient[k] = slope[k] * dx[k];
    posterior_pull_mean(post, point, dh, gradient);
    for (size_t j = 0; c && post->deferred && j < m; j++) /* else it is part of the gradients */
        for (size_t k = 0; k < d; k++) gradient[k] += dh[j] * c->slope[j * d + k];
}

/* Where correction is NULL there is none. */
static gofh_status predict_corrected(acquisition *a, acquire_subject subject, int sample,
                                     const acquisition_correction *correction, const double *points, int q,
                                     double *value, double *gradient)
{
    size_t d = (size_t)a->mo->inputs.d, m = (size_t)a->mo->outputs, width = (size_t)domain_parameters(a->box);
    for (int start = 0; start < q; start += a->chunk) {
        if (interrupt_requested()) return GOFH_STOP_CALLER;
        int part = q - start < a->chunk ? q - start : a->chunk;
        const double *at = points + (size_t)start * d;
        posterior post;
        posterior_place(&post, part, a->mo->outputs, a->mo->inputs.d, a->posterior_block);
        post.may_defer = 1;
        model_predict(a->mo, sample, at, part, gradient ? PREDICT_MEAN_GRADIENT : PREDICT_MEAN, &post,
                      a->predict_work);
        if (correction) correct(correction, at, part, &post, gradient != NULL);
        posterior_medians(&post, gradient != NULL);
        memcpy(a->h, post.mean, (size_t)part * m * sizeof *a->h);
        gofh_status status = evaluate(a, subject, at, part, gradient != NULL);
        if (!status)
            status = outer_penalise(a->g, a->h, a->x, part, a->penalty, a->value, gradient ? a->dh : NULL,
                                    a->dx, a->outer_work);
        if (status) return status;
        memcpy(value + start, a->value, (size_t)part * sizeof *value);
        for (int p = 0; gradient && p < part; p++)
            pull_back(a, &post, correction, p, a->dh + (size_t)p * m, a->dx + (size_t)p * width,
                      gradient + (size_t)(start + p) * d);
        if (gradient) posterior_finish(&post, gradient + (size_t)start * d);
    }
    return GOFH_OK;
}

gofh_status acquisition_corrected(acquisition *a, int sample, const acquisition_correction *correction,
                                  const double *points, int q, double *value, double *gradient)
{
    return predict_corrected(a, ACQUIRE_OBJECTIVE, sample, correction, points, q, value, gradient);
}

gofh_status acquisition_plug_in(acquisition *a, acquire_subject subject, int sample, const double *points,
                                int q, double *value, double *gradient)
{
    return predict_corrected(a, subject, sample, NULL, points, q, value, gradient);
}

gofh_status acquisition_with_margins(acquisition *a, int sample, const acquisition_correction *correction,
                                     const double *point, double *value, double *gradient, double *margin,
                                     double *slope)
{
    size_t d = (size_t)a->mo->inputs.d, m = (size_t)a->mo->outputs, k = (size_t)a->g->margins;
    size_t width = (size_t)domain_parameters(a->box);
    posterior post;
    posterior_place(&post, 1, a->mo->outputs, a->mo->inputs.d, a->posterior_block);
    model_predict(a->mo, sample, point, 1, PREDICT_MEAN_GRADIENT, &post, a->predict_work);
    if (correction) correct(correction, point, 1, &post, 1);
    posterior_medians(&post, 1);
    memcpy(a->h, post.mean, m * sizeof *a->h);
    gofh_status status = evaluate(a, ACQUIRE_OBJECTIVE, point, 1, 1);
    if (status) return status;
    *value = a->value[0];
    pull_back(a, &post, NULL, 0, a->dh, a->dx, gradient);
    if (k == 0) return GOFH_OK;
    double *dh = a->outer_work, *dx = dh + k * m; /* fits: see outer_work */
    status = gofh_constraints_differentiate(a->g->constraints, a->h, a->x, 1, margin, dh, dx);
    for (size_t i = 0; !status && i < k; i++)
        pull_back(a, &post, NULL, 0, dh + i * m, dx + i * width, slope + i * d);
    return status;
}

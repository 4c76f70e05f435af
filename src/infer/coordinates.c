/* What the coordinates of a point of the posterior are. An interval has the one it has in the cube of the
 * study. The values of a discrete parameter have equal parts of (0, 1), within which the density does not
 * change: so all kinds are sampled alike, and each value has its exact probability. A fixed parameter has
 * none. */
#include "base/memory.h"
#include "infer/likelihood.h"
#include "study/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Draws of the prior until one meets the known constraints. */
enum { TRIES = 2000 };

static const domain *box_of(const likelihood *l)
{
    return &l->st->spec.box;
}

/* The logarithms of the probabilities of the values of coordinate k, over those of the uniform prior. */
static gofh_status weigh_values(likelihood *l, int k)
{
    const infer_prior *prior = &l->prior[l->parameter[k]];
    int count = l->cells[k];
    if (!count || prior->kind == GOFH_PRIOR_UNIFORM) return GOFH_OK;
    double *weight = memory_doubles((size_t)count), most = -INFINITY, sum = 0.0;
    if (!weight) return GOFH_ERROR_MEMORY;
    l->log_weight[k] = weight;
    for (int i = 0; i < count; i++) {
        weight[i] = prior_log_weight(prior, domain_value(box_of(l), l->parameter[k], i));
        most = fmax(most, weight[i]);
    }
    for (int i = 0; i < count; i++) sum += exp(weight[i] - most);
    for (int i = 0; i < count; i++) weight[i] += log(count / sum) - most;
    return GOFH_OK;
}

gofh_status likelihood_place(likelihood *l)
{
    const domain *box = box_of(l);
    gofh_status status = GOFH_OK;
    l->d = 0;
    l->held = -1;
    for (int p = 0; p < domain_parameters(box); p++) {
        domain_parameter kind = domain_kind_of(box, p);
        if (kind.kind == DOMAIN_FIXED) continue;
        l->parameter[l->d] = p;
        l->cells[l->d] = kind.kind == DOMAIN_INTERVAL ? 0 : kind.count;
        l->discrete += l->cells[l->d] > 0;
        l->d++;
    }
    for (int k = 0; k < l->d && !status; k++) status = weigh_values(l, k);
    return status;
}

void likelihood_forget(likelihood *l)
{
    for (int k = 0; k < l->d; k++) free(l->log_weight[k]);
}

int likelihood_value(const likelihood *l, int k, double at)
{
    if (k == l->held) return l->held_value;
    int i = (int)(at * l->cells[k]);
    return i < l->cells[k] ? i : l->cells[k] - 1;
}

void likelihood_cube(const likelihood *l, const double *point, double *u)
{
    for (int k = 0; k < l->d; k++) {
        if (l->cells[k])
            domain_set(box_of(l), l->parameter[k], likelihood_value(l, k, point[k]), u);
        else
            u[domain_kind_of(box_of(l), l->parameter[k]).first] = point[k];
    }
}

void likelihood_to_user(const likelihood *l, const double *point, double *x)
{
    double u[GOFH_MAX_PARAMETERS];
    likelihood_cube(l, point, u);
    domain_to_user(box_of(l), u, x);
}

double likelihood_log_prior(const likelihood *l, const double *point)
{
    double sum = 0.0;
    for (int k = 0; k < l->d; k++) {
        int p = l->parameter[k];
        if (!l->cells[k])
            sum += prior_log_density(&l->prior[p], box_of(l), p, point[k]);
        else if (l->log_weight[k])
            sum += l->log_weight[k][likelihood_value(l, k, point[k])];
    }
    if (!space_has_constraints(l->st->space)) return sum;
    double u[GOFH_MAX_PARAMETERS];
    likelihood_cube(l, point, u);
    return space_holds(l->st->space, u) ? sum : -INFINITY;
}

/* A coordinate that this share of the prior is below. */
static double quantile_of(const likelihood *l, int k, double share)
{
    int p = l->parameter[k], i = 0;
    if (!l->cells[k]) return prior_quantile(&l->prior[p], box_of(l), p, share);
    if (!l->log_weight[k]) return share;
    double left = share * l->cells[k], own = exp(l->log_weight[k][0]);
    while (i + 1 < l->cells[k] && left >= own) {
        left -= own;
        own = exp(l->log_weight[k][++i]);
    }
    return (i + fmin(left / own, 0.999)) / l->cells[k];
}

void likelihood_draw_prior(const likelihood *l, random_stream *stream, double *point)
{
    for (int i = 0; i < TRIES; i++) {
        for (int k = 0; k < l->d; k++) point[k] = quantile_of(l, k, random_uniform(stream));
        if (isfinite(likelihood_log_prior(l, point))) break;
    }
    for (int k = l->d; k < l->dimension; k++) point[k] = random_uniform(stream);
}

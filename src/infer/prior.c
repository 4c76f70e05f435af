#include "infer/prior.h"

#include "base/normal.h"

#include <math.h>

/* A parameter's value x at coordinate u, and dx/du. */
static double value_at(const domain *box, int k, double u, double *slope)
{
    domain one = {.d = 1, .lower = box->lower + k, .upper = box->upper + k, .scale = box->scale + k};
    double x;
    domain_to_user(&one, &u, &x);
    domain_slope(&one, &x, slope);
    return x;
}

static double coordinate_of(const domain *box, int k, double x)
{
    domain one = {.d = 1, .lower = box->lower + k, .upper = box->upper + k, .scale = box->scale + k};
    double u;
    domain_to_unit(&one, &x, &u);
    return u;
}

/* How many deviations a value is above the centre. */
static double standardise(const infer_prior *prior, double x)
{
    if (prior->kind == GOFH_PRIOR_NORMAL) return (x - prior->location) / prior->spread;
    return x > 0.0 ? (log(x) - log(prior->location)) / prior->spread : -INFINITY;
}

/* P(low < Z < high) of a normal, by the tail in which nothing cancels. */
static double mass_between(double low, double high)
{
    return low > 0.0 ? normal_cdf(-low) - normal_cdf(-high) : normal_cdf(high) - normal_cdf(low);
}

double prior_mass(const infer_prior *prior, const domain *box, int k)
{
    if (prior->kind == GOFH_PRIOR_UNIFORM) return 1.0;
    return mass_between(standardise(prior, box->lower[k]), standardise(prior, box->upper[k]));
}

double prior_log_density(const infer_prior *prior, const domain *box, int k, double u)
{
    if (prior->kind == GOFH_PRIOR_UNIFORM) return 0.0;
    double slope, x = value_at(box, k, u, &slope), z = standardise(prior, x);
    if (!isfinite(z)) return -INFINITY;
    double per_unit = prior->kind == GOFH_PRIOR_NORMAL ? slope : slope / x; /* of what is normal */
    return -0.5 * z * z - 0.5 * log(2.0 * 3.14159265358979323846) + log(per_unit / prior->spread) -
           log(prior_mass(prior, box, k));
}

double prior_slope(const infer_prior *prior, const domain *box, int k, double u)
{
    if (prior->kind == GOFH_PRIOR_UNIFORM) return 0.0;
    double slope, x = value_at(box, k, u, &slope), z = standardise(prior, x);
    int is_log = box->scale[k] == GOFH_SCALE_LOG;
    if (!isfinite(z)) return 0.0;
    if (prior->kind == GOFH_PRIOR_NORMAL) return -z * slope / prior->spread + (is_log ? slope / x : 0.0);
    return -z * slope / x / prior->spread - (is_log ? 0.0 : slope / x);
}

double prior_log_weight(const infer_prior *prior, double x)
{
    if (prior->kind == GOFH_PRIOR_UNIFORM) return 0.0;
    if (prior->kind == GOFH_PRIOR_NORMAL) return -0.5 * pow((x - prior->location) / prior->spread, 2.0);
    if (!(x > 0.0)) return -INFINITY;
    return -0.5 * pow(log(x / prior->location) / prior->spread, 2.0) - log(x);
}

double prior_quantile(const infer_prior *prior, const domain *box, int k, double p)
{
    if (prior->kind == GOFH_PRIOR_UNIFORM) return p;
    double low = standardise(prior, box->lower[k]), high = standardise(prior, box->upper[k]), z;
    if (low > 0.0)
        z = -normal_quantile(normal_cdf(-high) + (1.0 - p) * mass_between(low, high));
    else
        z = normal_quantile(normal_cdf(low) + p * mass_between(low, high));
    double x = prior->location + prior->spread * z;
    if (prior->kind == GOFH_PRIOR_LOGNORMAL) x = prior->location * exp(prior->spread * z);
    return coordinate_of(box, k, x);
}

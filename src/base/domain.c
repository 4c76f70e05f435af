#include "base/domain.h"

#include <math.h>
#include <stddef.h>

/* The coordinates of more than two choices: any two of them are at a distance of 1. */
static const double CHOSEN = 0.5 + 0.35355339059327376, NOT_CHOSEN = 0.5 - 0.35355339059327376;
/* Relative to the step to the next value, or to the number: what rounding may do to a value. */
static const double ROUNDING = 1e-9;

/* log(a / b), also where the ratio is beyond the range of doubles. */
static double log_ratio(double a, double b)
{
    double ratio = a / b;
    return ratio > 0.0 && isfinite(ratio) ? log(ratio) : log(a) - log(b);
}

int domain_parameters(const domain *box)
{
    return box->kinds ? box->parameters : box->d;
}

domain_parameter domain_kind_of(const domain *box, int p)
{
    return box->kinds ? box->kinds[p] : (domain_parameter){.first = p, .width = 1};
}

int domain_place_coordinates(domain_parameter *kinds, int parameters, unsigned char *is_discrete)
{
    int d = 0;
    for (int p = 0; p < parameters; p++) {
        domain_parameter *kind = &kinds[p];
        kind->first = d;
        kind->width = kind->kind == DOMAIN_FIXED                       ? 0
                      : kind->kind == DOMAIN_CHOICE && kind->count > 2 ? kind->count
                                                                       : 1;
        if (kind->width > GOFH_MAX_PARAMETERS - d) return -1;
        for (int k = 0; k < kind->width; k++) is_discrete[d++] = kind->kind != DOMAIN_INTERVAL;
    }
    return d;
}

static double value_at(const domain *box, int p, double u)
{
    double low = box->lower[p], high = box->upper[p];
    double value = box->scale[p] == GOFH_SCALE_LOG ? exp((1.0 - u) * log(low) + u * log(high))
                                                   : (1.0 - u) * low + u * high;
    if (u <= 0.0) value = low;
    if (u >= 1.0) value = high;
    return fmin(fmax(value, low), high);
}

static double coordinate_of(const domain *box, int p, double x)
{
    double low = box->lower[p], high = box->upper[p];
    double value = box->scale[p] == GOFH_SCALE_LOG ? log_ratio(x, low) / log_ratio(high, low)
                                                   : (x - low) / (high - low);
    return fmin(fmax(value, 0.0), 1.0);
}

/* lower + i step as a decimal number where both are: 3 steps of 0.1 are 0.3, which 3 * 0.1 is not. */
static double grid_value(double lower, double step, int i)
{
    static const double DECIMAL = 1e-15; /* relative: what multiplying by the unit may change */
    for (double unit = 1.0; unit <= 1e12 && i > 0; unit *= 10.0) {
        double first = lower * unit, each = step * unit;
        if (fabs(first) > 1e15 || fabs(each) * i > 1e15) break;
        if (fabs(first - round(first)) > DECIMAL * fabs(first) ||
            fabs(each - round(each)) > DECIMAL * fabs(each))
            continue;
        return (round(first) + i * round(each)) / unit;
    }
    return lower + i * step;
}

int domain_is_case(domain_parameter kind)
{
    enum { ORDERED_FEW = 5 };
    return kind.kind == DOMAIN_CHOICE || (kind.kind == DOMAIN_ORDERED && kind.count <= ORDERED_FEW);
}

double domain_value(const domain *box, int p, int i)
{
    domain_parameter kind = domain_kind_of(box, p);
    if (kind.kind == DOMAIN_FIXED) return box->lower[p];
    if (kind.kind == DOMAIN_CHOICE) return i;
    if (kind.values) return kind.values[i];
    return i == kind.count - 1 ? box->upper[p] : grid_value(box->lower[p], kind.step, i);
}

int domain_nearest(const domain *box, int p, double value)
{
    domain_parameter kind = domain_kind_of(box, p);
    int low = 0, high = kind.count - 1;
    if (high <= 0) return 0;
    if (kind.kind == DOMAIN_CHOICE) return (int)fmin(fmax(round(value), 0.0), high);
    if (!kind.values && kind.step > 0.0) { /* of a grid only those around it */
        double at = (value - box->lower[p]) / kind.step;
        if (at - 2.0 > low) low = at - 2.0 < high - 1 ? (int)(at - 2.0) : high - 1;
        if (at + 2.0 < high) high = at + 2.0 > low + 1 ? (int)(at + 2.0) : low + 1;
    }
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (domain_value(box, p, middle) <= value)
            low = middle;
        else
            high = middle;
    }
    return domain_value(box, p, high) - value < value - domain_value(box, p, low) ? high : low;
}

int domain_allows(const domain *box, int p, double x, double *exact)
{
    domain_parameter kind = domain_kind_of(box, p);
    *exact = x;
    if (kind.kind == DOMAIN_INTERVAL) return x >= box->lower[p] && x <= box->upper[p];
    if (!isfinite(x)) return 0;
    int i = domain_nearest(box, p, x);
    double value = domain_value(box, p, i), step = fabs(value);
    if (kind.count > 1) step = fabs(domain_value(box, p, i > 0 ? i - 1 : 1) - value);
    if (fabs(x - value) > ROUNDING * step) return 0;
    *exact = value;
    return 1;
}

int domain_index(const domain *box, int p, const double *u)
{
    domain_parameter kind = domain_kind_of(box, p);
    const double *own = u + kind.first;
    int chosen = 0;
    if (kind.kind == DOMAIN_ORDERED) return domain_nearest(box, p, value_at(box, p, own[0]));
    if (kind.width == 1) return own[0] > 0.5;
    for (int k = 1; k < kind.width; k++)
        if (own[k] > own[chosen]) chosen = k;
    return chosen;
}

void domain_set(const domain *box, int p, int i, double *u)
{
    domain_parameter kind = domain_kind_of(box, p);
    double *own = u + kind.first;
    if (kind.kind == DOMAIN_ORDERED)
        own[0] = coordinate_of(box, p, domain_value(box, p, i));
    else if (kind.width == 1)
        own[0] = i;
    else
        for (int k = 0; k < kind.width; k++) own[k] = k == i ? CHOSEN : NOT_CHOSEN;
}

void domain_snap(const domain *box, double *u)
{
    for (int p = 0; box->kinds && p < box->parameters; p++)
        if (box->kinds[p].kind == DOMAIN_ORDERED || box->kinds[p].kind == DOMAIN_CHOICE)
            domain_set(box, p, domain_index(box, p, u), u);
}

int domain_is_log_grid(const domain *box, int p)
{
    domain_parameter kind = domain_kind_of(box, p);
    return kind.kind == DOMAIN_ORDERED && !kind.values && kind.count > 1 && box->scale[p] == GOFH_SCALE_LOG;
}

/* Of a grid on a log scale: a value has what is nearest to it in the logarithm, the first and the last
 * as much beyond the bounds as within them. */
static int draw_log(const domain *box, int p, int count, double u)
{
    double below = 0.5 * log_ratio(domain_value(box, p, 1), domain_value(box, p, 0));
    double above = 0.5 * log_ratio(domain_value(box, p, count - 1), domain_value(box, p, count - 2));
    double width = log_ratio(box->upper[p], box->lower[p]);
    double value = value_at(box, p, (u * (below + width + above) - below) / width);
    int i = domain_nearest(box, p, value);
    if (i + 1 < count && domain_value(box, p, i) < value &&
        log_ratio(domain_value(box, p, i + 1), value) < log_ratio(value, domain_value(box, p, i)))
        i++;
    return i;
}

int domain_draw(const domain *box, int p, double u)
{
    int count = domain_kind_of(box, p).count;
    if (domain_is_log_grid(box, p)) return draw_log(box, p, count, u);
    int i = (int)(u * count);
    return i < count ? i : count - 1;
}

void domain_scatter(const domain *box, double *u)
{
    for (int p = 0; box->kinds && p < box->parameters; p++) {
        const domain_parameter *kind = &box->kinds[p];
        if (kind->kind == DOMAIN_ORDERED || kind->kind == DOMAIN_CHOICE)
            domain_set(box, p, domain_draw(box, p, u[kind->first]), u);
    }
}

double domain_size(const domain *box)
{
    double size = 1.0;
    for (int p = 0; p < domain_parameters(box); p++) {
        domain_parameter kind = domain_kind_of(box, p);
        if (kind.kind == DOMAIN_INTERVAL) return INFINITY;
        if (kind.kind != DOMAIN_FIXED) size *= kind.count;
    }
    return size;
}

void domain_to_user(const domain *box, const double *u, double *x)
{
    for (int p = 0; p < domain_parameters(box); p++) {
        domain_parameter kind = domain_kind_of(box, p);
        x[p] = kind.kind == DOMAIN_INTERVAL ? value_at(box, p, u[kind.first])
               : kind.kind == DOMAIN_FIXED  ? box->lower[p]
                                            : domain_value(box, p, domain_index(box, p, u));
    }
}

void domain_to_unit(const domain *box, const double *x, double *u)
{
    for (int p = 0; p < domain_parameters(box); p++) {
        domain_parameter kind = domain_kind_of(box, p);
        if (kind.kind == DOMAIN_INTERVAL)
            u[kind.first] = coordinate_of(box, p, x[p]);
        else if (kind.kind != DOMAIN_FIXED)
            domain_set(box, p, domain_nearest(box, p, x[p]), u);
    }
}

void domain_slope(const domain *box, const double *x, double *slope)
{
    for (int p = 0; p < domain_parameters(box); p++) {
        domain_parameter kind = domain_kind_of(box, p);
        double low = box->lower[p], high = box->upper[p];
        for (int k = 0; kind.kind != DOMAIN_INTERVAL && k < kind.width; k++) slope[kind.first + k] = 0.0;
        if (kind.kind != DOMAIN_INTERVAL) continue;
        slope[kind.first] = box->scale[p] == GOFH_SCALE_LOG ? x[p] * log_ratio(high, low) : high - low;
    }
}

void domain_relax(const domain *box, const double *u, double *x, double *slope)
{
    domain_to_user(box, u, x);
    for (int k = 0; k < box->d; k++) slope[k] = 0.0;
    for (int p = 0; p < domain_parameters(box); p++) {
        domain_parameter kind = domain_kind_of(box, p);
        if (kind.kind != DOMAIN_INTERVAL && kind.kind != DOMAIN_ORDERED) continue;
        double low = box->lower[p], high = box->upper[p];
        x[p] = value_at(box, p, u[kind.first]);
        slope[kind.first] = box->scale[p] == GOFH_SCALE_LOG ? x[p] * log_ratio(high, low) : high - low;
    }
}

const double *domain_spread(const domain *box, const double *values, double *room)
{
    if (!box->kinds) return values;
    for (int k = 0; k < box->d; k++) room[k] = 0.0;
    for (int p = 0; p < box->parameters; p++)
        if (box->kinds[p].kind == DOMAIN_INTERVAL) room[box->kinds[p].first] = values[p];
    return room;
}

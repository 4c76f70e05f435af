#include "outer/outer.h"

#include "base/instruction_sets.h"

#include <float.h>
#include <math.h>
#include <string.h>

size_t outer_work(const outer *g, int count)
{
    size_t m = (size_t)g->outputs, d = (size_t)g->parameters, rows = (size_t)count;
    size_t differences = rows * ((m > d ? m : d) + 3);
    size_t feasibility = OUTER_BLOCK * (size_t)g->margins * (1 + m + d);
    return differences > feasibility ? differences : feasibility;
}

/* Turns what the user returned into what the library works with: signed, and infinite only
 * downwards. */
FOR_EACH_INSTRUCTION_SET
static void clean_values(double sign, int count, double *value)
{
    for (int s = 0; s < count; s++) {
        double v = sign * value[s], finite = v < DBL_MAX ? v : DBL_MAX;
        value[s] = v == v ? finite : -INFINITY;
    }
}

static gofh_status evaluate_linear(const outer *g, const double *y, int count, double *value, double *dy,
                                   double *dx)
{
    int m = g->outputs;
    for (int s = 0; s < count; s++) {
        const double *row = y + (size_t)s * (size_t)m;
        double sum = g->constant;
        for (int j = 0; j < m; j++) sum += g->weights[j] * row[j];
        value[s] = sum;
        if (!dy) continue;
        for (int j = 0; j < m; j++) dy[(size_t)s * (size_t)m + (size_t)j] = g->sign * g->weights[j];
    }
    if (dx) memset(dx, 0, (size_t)count * (size_t)g->parameters * sizeof *dx);
    clean_values(g->sign, count, value);
    return GOFH_OK;
}

static gofh_status call(const outer *g, const double *y, const double *x, int count, double *value,
                        double *dy, double *dx)
{
    if (dx) memset(dx, 0, (size_t)count * (size_t)g->parameters * sizeof *dx);
    if (g->function(y, x, count, value, dy, dx, g->context) != 0) return GOFH_ERROR_OUTER;
    clean_values(g->sign, count, value);
    return GOFH_OK;
}

/* A central difference; a one-sided one where g is not finite on one side; 0 where it is on
 * neither. */
static double difference(double below, double here, double above, double step)
{
    if (isfinite(below) && isfinite(above)) return (above - below) / (2.0 * step);
    if (isfinite(above)) return (above - here) / step;
    if (isfinite(below)) return (here - below) / step;
    return 0.0;
}

/* What the steps in column j are made from: its mean size and its mean absolute deviation over the
 * rows. */
static void measure(const double *rows, int count, int width, int j, double *size, double *deviation)
{
    double centre = 0.0;
    *size = *deviation = 0.0;
    for (int s = 0; s < count; s++) {
        double v = rows[(size_t)s * (size_t)width + (size_t)j];
        *size += fabs(v) / count;
        centre += v / count;
    }
    for (int s = 0; s < count; s++)
        *deviation += fabs(rows[(size_t)s * (size_t)width + (size_t)j] - centre) / count;
}

/* A step for a number of this size in a column that varies by `deviation`: it follows the size, so
 * that outputs of any scale are suited, but is shorter where they vary little around something
 * large, for g may well look only at how they vary. */
static double step_length(double size, double deviation)
{
    const double least_deviation = 1e-9; /* as a part of the size */
    if (!(size > 0.0)) return cbrt(DBL_EPSILON);
    double part = deviation > 0.0 ? fmin(fmax(deviation / size, least_deviation), 1.0) : 1.0;
    return cbrt(DBL_EPSILON) * size * sqrt(part);
}

/* Gradients of all rows in one block of columns (y or x) by differences, a column at a time. */
static gofh_status differentiate(const outer *g, const double *y, const double *x, int count, int in_y,
                                 int width, const double *value, double *gradient, double *work)
{
    const double *original = in_y ? y : x;
    double *moved = work, *step = moved + (size_t)count * (size_t)width, *below = step + count,
           *above = below + count;
    memcpy(moved, original, (size_t)count * (size_t)width * sizeof *moved);
    for (int j = 0; j < width; j++) {
        double size, deviation;
        measure(original, count, width, j, &size, &deviation);
        for (int side = 0; side < 2; side++) {
            for (int s = 0; s < count; s++) {
                size_t at = (size_t)s * (size_t)width + (size_t)j;
                double reach = step_length(0.5 * (size + fabs(original[at])), deviation);
                moved[at] = original[at] + (side ? reach : -reach);
                step[s] = fabs(moved[at] - original[at]);
            }
            gofh_status status = call(g, in_y ? moved : y, in_y ? x : moved, count, side ? above : below,
                                      NULL, NULL);
            if (status) return status;
        }
        for (int s = 0; s < count; s++) {
            size_t at = (size_t)s * (size_t)width + (size_t)j;
            gradient[at] = difference(below[s], value[s], above[s], step[s]);
            moved[at] = original[at];
        }
    }
    return GOFH_OK;
}

/* Signs the user's gradients, and makes them 0 where there is none. */
static void clean_gradients(const double *value, int count, int width, double sign, double *gradient)
{
    for (int s = 0; s < count; s++) {
        double *row = gradient + (size_t)s * (size_t)width;
        for (int j = 0; j < width; j++) {
            double v = sign * row[j];
            row[j] = isfinite(value[s]) && isfinite(v) ? v : 0.0;
        }
    }
}

gofh_status outer_objective(const outer *g, const double *y, const double *x, int count, double *value,
                            double *dy, double *dx, double *work)
{
    if (!g->function) return evaluate_linear(g, y, count, value, dy, dx);
    int given = g->gradient == GOFH_GRADIENT_GIVEN;
    gofh_status status = call(g, y, x, count, value, given ? dy : NULL, given ? dx : NULL);
    if (status || !dy || !work) return status;
    if (!given) {
        status = differentiate(g, y, x, count, 1, g->outputs, value, dy, work);
        if (!status) status = differentiate(g, y, x, count, 0, g->parameters, value, dx, work);
        if (status) return status;
    }
    clean_gradients(value, count, g->outputs, given ? g->sign : 1.0, dy);
    clean_gradients(value, count, g->parameters, given ? g->sign : 1.0, dx);
    return GOFH_OK;
}

gofh_status outer_margins(const outer *g, const double *y, const double *x, int count, double *margin)
{
    return gofh_constraints_evaluate(g->constraints, y, x, count, margin);
}

gofh_status outer_value(const outer *g, const double *y, const double *x, double *value, double *margin)
{
    gofh_status status = outer_objective(g, y, x, 1, value, NULL, NULL, NULL);
    if (!status && g->margins) status = outer_margins(g, y, x, 1, margin);
    for (int i = 0; !status && i < g->margins; i++)
        if (!(margin[i] >= 0.0)) *value = -INFINITY;
    return status;
}

/* s(t): 1/2 at 0, C1, from 0 to 1 with tails that fall like 1/t^2; and the derivative of its
 * logarithm. */
static double fat_sigmoid(double t, double *log_slope)
{
    double rest = 1.0 / (1.0 + fabs(t)), half = 0.5 * rest * rest;
    double value = t < 0.0 ? half : 1.0 - half;
    *log_slope = rest * rest * rest / value;
    return value;
}

/* The margins of up to OUTER_BLOCK rows, and where `gradient` their gradients, in a workspace. */
typedef struct {
    double *value, *dy, *dx;
} margins;

static gofh_status find_margins(const outer *g, const double *y, const double *x, int rows, int gradient,
                                double *work, margins *found)
{
    size_t k = (size_t)g->margins;
    found->value = work;
    found->dy = work + OUTER_BLOCK * k;
    found->dx = found->dy + OUTER_BLOCK * k * (size_t)g->outputs;
    return gofh_constraints_differentiate(g->constraints, y, x, rows, found->value,
                                          gradient ? found->dy : NULL, gradient ? found->dx : NULL);
}

/* How many of `count` rows are in the block that starts at one of them. */
static size_t rows_of_block(int count, size_t start)
{
    size_t left = (size_t)count - start;
    return left < OUTER_BLOCK ? left : OUTER_BLOCK;
}

/* to[width] += factor * from[width] */
static void add_scaled(size_t width, double factor, const double *from, double *to)
{
    for (size_t j = 0; j < width; j++) to[j] += factor * from[j];
}

double outer_feasibility(const outer *g, const double *margin, const double *width, double *slope)
{
    double product = 1.0;
    for (int i = 0; i < g->margins; i++) {
        double t = margin[i] / width[i], log_slope = 0.0;
        product *= isfinite(t) ? fat_sigmoid(t, &log_slope) : t > 0.0;
        slope[i] = log_slope / width[i];
    }
    return product;
}

gofh_status outer_adjoint(const outer *g, const double *y, const double *x, int count, const double *weight,
                          double *dy, double *dx, double *work)
{
    size_t m = (size_t)g->outputs, d = (size_t)g->parameters, k = (size_t)g->margins;
    for (size_t start = 0; start < (size_t)count; start += OUTER_BLOCK) {
        size_t rows = rows_of_block(count, start);
        margins found;
        gofh_status status = find_margins(g, y + start * m, x + start * d, (int)rows, 1, work, &found);
        if (status) return status;
        for (size_t i = 0; i < rows * k; i++) {
            size_t row = start + i / k;
            add_scaled(m, weight[start * k + i], found.dy + i * m, dy + row * m);
            add_scaled(d, weight[start * k + i], found.dx + i * d, dx + row * d);
        }
    }
    return GOFH_OK;
}

gofh_status outer_penalise(const outer *g, const double *y, const double *x, int count,
                           const double *multiplier, double *value, double *dy, double *dx, double *work)
{
    size_t m = (size_t)g->outputs, d = (size_t)g->parameters, k = (size_t)g->margins;
    for (size_t start = 0; k && start < (size_t)count; start += OUTER_BLOCK) {
        size_t rows = rows_of_block(count, start);
        margins found;
        gofh_status status = find_margins(g, y + start * m, x + start * d, (int)rows, dy != NULL, work,
                                          &found);
        if (status) return status;
        for (size_t row = 0; row < rows; row++)
            for (size_t i = row * k; i < (row + 1) * k; i++) {
                double weight = multiplier[i - row * k];
                if (found.value[i] >= 0.0) continue;
                value[start + row] += weight * found.value[i];
                if (!dy) continue;
                add_scaled(m, weight, found.dy + i * m, dy + (start + row) * m);
                add_scaled(d, weight, found.dx + i * d, dx + (start + row) * d);
            }
    }
    return GOFH_OK;
}

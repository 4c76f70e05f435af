#include "model/correlation.h"

#include "base/memory.h"
#include "linalg/eigen.h"
#include "linalg/linalg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Eigenvalues below this part of the largest are rounding. */
static const double RANK_TOLERANCE = 1e-10;
/* The weights of the prior that are compared, in rows of errors: from this one on, each a factor of
 * WEIGHT_STEP larger. */
static const double WEIGHT_FIRST = 0.03125, WEIGHT_STEP = 2.0;
enum { WEIGHTS = 20 };

/* The log evidence, up to a constant, of `count` normal rows whose covariance has an inverse Wishart
 * prior with mean I that weighs as much as `weight` rows (eq. 5b). value: the eigenvalues of the sum of
 * the rows' outer products, those that are not 0. */
static double log_evidence(int count, int outputs, const double *value, int rank, double weight)
{
    double freedom = weight + outputs + 1.0, sum = 0.0;
    int differing = outputs < count ? outputs : count; /* all other terms cancel */
    for (int i = 0; i < rank; i++) sum -= 0.5 * (freedom + count) * log1p(value[i] / weight);
    sum -= 0.5 * count * outputs * log(weight);
    for (int j = 0; j < differing; j++)
        sum += lgamma(0.5 * (freedom + count - j)) - lgamma(0.5 * (freedom - (outputs - differing) - j));
    return sum;
}

static double best_weight(int count, int outputs, const double *value, int rank)
{
    double best = INFINITY, most = -INFINITY, weight = WEIGHT_FIRST;
    for (int i = 0; i < WEIGHTS; i++, weight *= WEIGHT_STEP) {
        double evidence = log_evidence(count, outputs, value, rank, weight);
        if (!(evidence > most)) continue;
        most = evidence;
        best = weight;
    }
    return best;
}

/* Each output's errors with a mean square of 1: R is a correlation. An output without errors has no
 * deviation either, so that its row of R does not matter. */
static void normalise(int count, int outputs, double *errors)
{
    for (int j = 0; j < outputs; j++) {
        double squares = 0.0;
        for (int i = 0; i < count; i++) squares += errors[i * outputs + j] * errors[i * outputs + j] / count;
        for (int i = 0; i < count; i++) errors[i * outputs + j] *= squares > 0.0 ? 1.0 / sqrt(squares) : 0.0;
    }
}

/* The same of coordinates of `all` outputs, together. */
static void normalise_together(int count, int outputs, int all, double *errors)
{
    double squares = 0.0;
    int values = count * outputs;
    for (int i = 0; i < values; i++) squares += errors[i] * errors[i] / count / all;
    for (int i = 0; i < values; i++) errors[i] *= squares > 0.0 ? 1.0 / sqrt(squares) : 0.0;
}

/* The eigenvectors and eigenvalues of errors' errors: of that itself where there are fewer outputs
 * than rows, else by those of errors errors'. Returns how many are not 0. vectors: outputs x rank. */
static int decompose(int count, int outputs, const double *errors, double *matrix, double *value,
                     double *vectors, double *work)
{
    int by_rows = count < outputs, size = by_rows ? count : outputs, rank = 0;
    for (int a = 0; a < size; a++)
        for (int b = 0; b <= a; b++) {
            double sum = 0.0;
            for (int i = 0; !by_rows && i < count; i++)
                sum += errors[i * outputs + a] * errors[i * outputs + b];
            if (by_rows) sum = dot_product(outputs, errors + a * outputs, errors + b * outputs);
            matrix[a * size + b] = sum; /* its upper triangle, by columns */
        }
    if (eigen_symmetric(size, matrix, value, work)) return 0;
    for (int i = 0; i < size; i++) {
        if (!(value[i] > RANK_TOLERANCE * value[size - 1])) continue;
        double *to = vectors + (size_t)rank * (size_t)outputs;
        const double *own = matrix + (size_t)i * (size_t)size;
        memset(to, 0, (size_t)outputs * sizeof *to);
        if (!by_rows) memcpy(to, own, (size_t)outputs * sizeof *to);
        for (int a = 0; by_rows && a < count; a++)
            for (int j = 0; j < outputs; j++) to[j] += own[a] / sqrt(value[i]) * errors[a * outputs + j];
        value[rank++] = value[i];
    }
    return rank;
}

/* From errors that are normalised. */
static int estimate(output_correlation *r, int count, int outputs, int all, const double *errors)
{
    size_t m = (size_t)outputs, size = (size_t)(count < outputs ? count : outputs);
    double *block = memory_doubles(size * (m + 1));
    double *matrix = memory_doubles(size * size + eigen_symmetric_work((int)size));
    if (!block || !matrix) {
        free(block);
        free(matrix);
        return -1;
    }
    output_correlation found = {.outputs = outputs, .value = block, .vectors = block + size, .block = block};
    found.rank = decompose(count, outputs, errors, matrix, found.value, found.vectors, matrix + size * size);
    double weight = best_weight(count, all, found.value, found.rank);
    found.rest = found.rank ? weight / (weight + count) : 1.0;
    for (int i = 0; i < found.rank; i++) found.value[i] /= weight + count;
    free(matrix);
    correlation_free(r);
    *r = found;
    return 0;
}

int correlation_estimate(output_correlation *r, int count, int outputs, double *errors)
{
    normalise(count, outputs, errors);
    return estimate(r, count, outputs, outputs, errors);
}

int correlation_estimate_part(output_correlation *r, int count, int outputs, int all, double *errors)
{
    normalise_together(count, outputs, all, errors);
    return estimate(r, count, outputs, all, errors);
}

void correlation_free(output_correlation *r)
{
    free(r->block);
    *r = (output_correlation){.rest = 1.0};
}

void correlation_mix(const output_correlation *r, int count, double *z)
{
    int m = r->outputs;
    double root = sqrt(r->rest);
    for (int s = 0; r->rank && s < count; s++, z += m) {
        double part[CORRELATION_ROWS];
        for (int i = 0; i < r->rank; i++)
            part[i] = (sqrt(r->rest + r->value[i]) - root) *
                      dot_product(m, r->vectors + (size_t)i * (size_t)m, z);
        for (int j = 0; j < m; j++) z[j] *= root;
        for (int i = 0; i < r->rank; i++) {
            const double *vector = r->vectors + (size_t)i * (size_t)m;
            for (int j = 0; j < m; j++) z[j] += part[i] * vector[j];
        }
    }
}

double correlation_between(const output_correlation *r, int j, int l)
{
    double sum = j == l ? r->rest : 0.0;
    for (int i = 0; i < r->rank; i++) {
        const double *vector = r->vectors + (size_t)i * (size_t)r->outputs;
        sum += r->value[i] * vector[j] * vector[l];
    }
    return sum;
}

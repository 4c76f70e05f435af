/* How much slower a g written as an expression is than the same g as a C loop compiled with the
 * same flags: value and gradient of 10,000 samples, each ratio the median of many interleaved
 * pairs. */
#include "base/number.h"
#include "gofh_expression.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SAMPLES = 10000, OUTPUTS = 12, PAIRS = 201 };

static double y[SAMPLES * OUTPUTS], value[2][SAMPLES], dy[2][SAMPLES * OUTPUTS];
static double observed[OUTPUTS], weight[OUTPUTS];
static const double langermann_c[] = {1, 2, 5, 2, 3};
static const double PI = 3.14159265358979323846;

typedef void (*hand_written)(const double *restrict h, int count, int m, double *restrict f,
                             double *restrict df);

static void least_squares(const double *restrict h, int count, int m, double *restrict f, double *restrict df)
{
    for (int i = 0; i < count; i++) {
        double sum = 0.0;
        for (int j = 0; j < m; j++) {
            double r = h[i * m + j] - observed[j];
            sum -= r * r;
            df[i * m + j] = -2.0 * r;
        }
        f[i] = sum;
    }
}

static void weighted_least_squares(const double *restrict h, int count, int m, double *restrict f,
                                   double *restrict df)
{
    for (int i = 0; i < count; i++) {
        double sum = 0.0;
        for (int j = 0; j < m; j++) {
            double r = (h[i * m + j] - observed[j]) / weight[j];
            sum -= r * r;
            df[i * m + j] = -2.0 * r / weight[j];
        }
        f[i] = sum;
    }
}

static void langermann(const double *restrict h, int count, int m, double *restrict f, double *restrict df)
{
    for (int i = 0; i < count; i++) {
        double sum = 0.0;
        for (int j = 0; j < m; j++) {
            double t = h[i * m + j], decay = langermann_c[j] * exp(-t / PI), wave = cos(PI * t);
            sum -= decay * wave;
            df[i * m + j] = decay * (wave / PI + PI * sin(PI * t));
        }
        f[i] = sum;
    }
}

static void exponentials(const double *restrict h, int count, int m, double *restrict f, double *restrict df)
{
    for (int i = 0; i < count; i++) {
        double sum = 0.0;
        for (int j = 0; j < m; j++) {
            double e = exp(h[i * m + j]);
            sum -= e;
            df[i * m + j] = -e;
        }
        f[i] = sum;
    }
}

/* Linear in the outputs, evaluated by the tape: what the walk along it costs by itself. */
static void weighted_mean(const double *restrict h, int count, int m, double *restrict f, double *restrict df)
{
    for (int i = 0; i < count; i++) {
        double sum = 0.0;
        for (int j = 0; j < m; j++) {
            sum += weight[j] * h[i * m + j];
            df[i * m + j] = weight[j];
        }
        f[i] = sum;
    }
}

static void distance(const double *restrict h, int count, int m, double *restrict f, double *restrict df)
{
    for (int i = 0; i < count; i++) {
        double sum = 0.0;
        for (int j = 0; j < m; j++) {
            double r = h[i * m + j] - observed[j];
            sum += r * r;
            df[i * m + j] = r;
        }
        f[i] = sqrt(sum);
        for (int j = 0; j < m; j++) df[i * m + j] /= f[i];
    }
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, z = *(const double *)b;
    return (x > z) - (x < z);
}

static bool agree(int m)
{
    for (int i = 0; i < SAMPLES; i++)
        if (!(fabs(value[0][i] - value[1][i]) <= 1e-9 * (1.0 + fabs(value[0][i])))) return false;
    for (int i = 0; i < SAMPLES * m; i++)
        if (!(fabs(dy[0][i] - dy[1][i]) <= 1e-9 * (1.0 + fabs(dy[0][i])))) return false;
    return true;
}

static int compare(const char *name, const char *text, int m, hand_written by_hand)
{
    gofh_symbols *symbols = gofh_symbols_create();
    gofh_expression *expression = NULL;
    gofh_error error = {.status = GOFH_OK};
    if (symbols && gofh_symbols_add_output(symbols, "y", m, &error) == GOFH_OK &&
        gofh_symbols_add_data(symbols, "o", observed, m, &error) == GOFH_OK &&
        gofh_symbols_add_data(symbols, "w", weight, m, &error) == GOFH_OK)
        gofh_expression_compile(&expression, text, symbols, GOFH_MAXIMIZE, &error);
    gofh_symbols_free(symbols);
    if (!expression) {
        fprintf(stderr, "%s: %s\n", name, error.message);
        return 1;
    }
    double ratio[PAIRS], hand[PAIRS];
    for (int i = 0; i < PAIRS; i++) {
        double start = seconds();
        by_hand(y, SAMPLES, m, value[0], dy[0]);
        double middle = seconds();
        gofh_expression_differentiate(expression, y, NULL, SAMPLES, value[1], dy[1], NULL);
        double end = seconds();
        ratio[i] = (end - middle) / (middle - start);
        hand[i] = middle - start;
    }
    gofh_expression_free(expression);
    if (!agree(m)) {
        fprintf(stderr, "%s: the two do not agree\n", name);
        return 1;
    }
    qsort(ratio, PAIRS, sizeof *ratio, ascending);
    qsort(hand, PAIRS, sizeof *hand, ascending);
    number_print(stdout, "%s, m = %d: %.1fx (by hand %.1f ns a sample)\n", name, m, ratio[PAIRS / 2],
                 hand[PAIRS / 2] / SAMPLES * 1e9);
    return 0;
}

int main(void)
{
    for (int i = 0; i < SAMPLES * OUTPUTS; i++) y[i] = 3.0 * sin(0.37 * i) + 0.1 * (i % 7);
    for (int j = 0; j < OUTPUTS; j++) {
        observed[j] = 0.3 * j - 1.0;
        weight[j] = 0.5 + 0.1 * j;
    }
    int failures = 0;
    failures += compare("least squares", "-sum((y - o)^2)", 12, least_squares);
    failures += compare("least squares by norm", "-norm(y - o)^2", 12, least_squares);
    failures += compare("weighted least squares", "-sum(((y - o)/w)^2)", 12, weighted_least_squares);
    failures += compare("Langermann", "-sum([1, 2, 5, 2, 3]*exp(-y/pi)*cos(pi*y))", 5, langermann);
    failures += compare("exponentials", "-sum(exp(y))", 4, exponentials);
    failures += compare("weighted sum", "dot(w, y)", 12, weighted_mean);
    failures += compare("distance", "norm(y - o)", 12, distance);
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}

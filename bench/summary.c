#include "bench/summary.h"

#include "base/number.h"
#include "bench/replication.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int same_series(const bench_row *a, const bench_row *b)
{
    return strcmp(a->problem, b->problem) == 0 && strcmp(a->method, b->method) == 0;
}

/* Results files have six decimals. */
static int at_floor(double log_regret)
{
    return log_regret <= log10(BENCH_REGRET_MIN) + 1e-6;
}

/* The mean, and the variance around it in a second pass: means of -15 with deviations of 1e-6 are
 * nothing unusual. */
static void take_moments(bench_series *series, const bench_row *rows, size_t count, int recommended)
{
    for (size_t i = 0; i < count; i++) {
        double value = recommended ? rows[i].recommended : rows[i].observed;
        if (isnan(value) || rows[i].evaluation < 0) continue;
        series->count[rows[i].evaluation]++;
        series->floored[rows[i].evaluation] += at_floor(value);
        series->mean[rows[i].evaluation] += value;
    }
    for (int e = 0; e < series->length; e++) series->mean[e] /= series->count[e];
    for (size_t i = 0; i < count; i++) {
        double value = recommended ? rows[i].recommended : rows[i].observed;
        if (isnan(value) || rows[i].evaluation < 0) continue;
        double error = value - series->mean[rows[i].evaluation];
        series->half_width[rows[i].evaluation] += error * error;
    }
    for (int e = 0; e < series->length; e++) {
        double n = series->count[e];
        series->half_width[e] = n > 1.0 ? 1.96 * sqrt(series->half_width[e] / (n - 1.0) / n) : NAN;
    }
    series->reps = series->count[0];
}

static gofh_status summarise(bench_series *series, const bench_row *rows, size_t count, int recommended)
{
    *series = (bench_series){.problem = rows->problem, .method = rows->method};
    for (size_t i = 0; i < count; i++)
        if (rows[i].evaluation >= series->length) series->length = rows[i].evaluation + 1;
    series->count = calloc((size_t)series->length, sizeof *series->count);
    series->mean = calloc((size_t)series->length, sizeof *series->mean);
    series->half_width = calloc((size_t)series->length, sizeof *series->half_width);
    series->floored = calloc((size_t)series->length, sizeof *series->floored);
    if (!series->count || !series->mean || !series->half_width || !series->floored) return GOFH_ERROR_MEMORY;
    take_moments(series, rows, count, recommended);
    return GOFH_OK;
}

gofh_status bench_summarise(bench_summary *summary, const bench_results *results, int recommended)
{
    size_t most = 0;
    for (size_t i = 0; i < results->count; i++)
        most += i == 0 || !same_series(&results->rows[i - 1], &results->rows[i]);
    *summary = (bench_summary){.series = calloc(most ? most : 1, sizeof *summary->series)};
    if (!summary->series) return GOFH_ERROR_MEMORY;
    gofh_status status = GOFH_OK;
    for (size_t first = 0, end; first < results->count && !status; first = end) {
        for (end = first; end < results->count && same_series(&results->rows[first], &results->rows[end]);)
            end++;
        status = summarise(&summary->series[summary->count++], results->rows + first, end - first,
                           recommended);
    }
    if (status) bench_summary_free(summary);
    return status;
}

void bench_summary_free(bench_summary *summary)
{
    for (int i = 0; i < summary->count; i++) {
        free(summary->series[i].count);
        free(summary->series[i].mean);
        free(summary->series[i].half_width);
        free(summary->series[i].floored);
    }
    free(summary->series);
    *summary = (bench_summary){0};
}

/* ---- The table ---- */

enum { COLUMNS = 6 };
static const int AT[COLUMNS] = {0, 10, 20, 30, 50, 100};

static void print_cell(FILE *file, const bench_series *series, int n)
{
    if (n >= series->length || series->count[n] == 0) {
        fputs(" – |", file);
        return;
    }
    int count = series->count[n], floored = series->floored[n];
    number_print(file, " %.2f", series->mean[n]);
    if (isfinite(series->half_width[n]) && floored < count)
        number_print(file, " ± %.2f", series->half_width[n]);
    if (floored)
        fprintf(file, " (%d of %d runs)", floored, count);
    else if (count != series->reps)
        fprintf(file, " (%d)", count);
    fputs(" |", file);
}

void bench_print_table(FILE *file, const bench_summary *summary)
{
    int longest = 1;
    for (int i = 0; i < summary->count; i++)
        if (summary->series[i].length > longest) longest = summary->series[i].length;
    fputs("| problem | method | replications |", file);
    for (int c = 0; c < COLUMNS && AT[c] < longest; c++) fprintf(file, " n = %d |", AT[c]);
    fputs("\n|---|---|---|", file);
    for (int c = 0; c < COLUMNS && AT[c] < longest; c++) fputs("---|", file);
    fputc('\n', file);
    for (int i = 0; i < summary->count; i++) {
        const bench_series *series = &summary->series[i];
        fprintf(file, "| %s | %s | %d |", series->problem, series->method, series->reps);
        for (int c = 0; c < COLUMNS && AT[c] < longest; c++) print_cell(file, series, AT[c]);
        fputc('\n', file);
    }
}

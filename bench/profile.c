#include "bench/profile.h"
#include "base/memory.h"

#include "base/number.h"
#include "bench/picture.h"
#include "bench/problems.h"
#include "report/plot.h"
#include "report/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const double BENCH_TAU[BENCH_TAUS] = {1e-1, 1e-3, 1e-5, 1e-7};

/* Results files have six decimals. */
static const double ROUNDING = 5e-7;

/* ---- Which runs solve what, and when ---- */

static int same_group(const bench_row *a, const bench_row *b)
{
    return strcmp(a->problem, b->problem) == 0 && strcmp(a->method, b->method) == 0;
}

static bench_profile *profile_of(bench_profiles *profiles, const char *method)
{
    for (int i = 0; i < profiles->count; i++)
        if (strcmp(profiles->profiles[i].method, method) == 0) return &profiles->profiles[i];
    bench_profile *fresh = &profiles->profiles[profiles->count++];
    *fresh = (bench_profile){.method = method, .gradients = INFINITY};
    return fresh;
}

/* Room for `runs` more. */
static gofh_status grow(bench_profile *profile, int runs)
{
    size_t size = (size_t)(profile->runs + runs) * sizeof(double);
    double *share = realloc(profile->share, size);
    if (!share) return GOFH_ERROR_MEMORY;
    profile->share = share;
    for (int t = 0; t < BENCH_TAUS; t++) {
        double *solved = realloc(profile->solved[t], size);
        if (!solved) return GOFH_ERROR_MEMORY;
        profile->solved[t] = solved;
    }
    return GOFH_OK;
}

/* One replication, `count` evaluations in all. scale: f(x0) - f*. */
static void add_run(bench_profile *profile, const bench_row *rows, int count, int d, double scale,
                    double share)
{
    int run = profile->runs++;
    profile->share[run] = share;
    profile->gradients = fmin(profile->gradients, (double)count / (d + 1));
    for (int t = 0; t < BENCH_TAUS; t++) {
        double target = log10(BENCH_TAU[t] * scale) + ROUNDING;
        int evaluation = 0;
        while (evaluation < count && rows[evaluation].observed > target) evaluation++;
        profile->solved[t][run] = evaluation < count ? (evaluation + 1.0) / (d + 1) : INFINITY;
    }
}

/* The replications of one method on one problem. */
static gofh_status add_group(bench_profile *profile, const bench_row *rows, size_t count,
                             const bench_problem *problem)
{
    int runs = 0;
    for (size_t i = 0; i < count; i++) runs += i == 0 || rows[i].rep != rows[i - 1].rep;
    bench_instance *instance = bench_problem_open(problem, 0);
    gofh_status status = instance ? grow(profile, runs) : GOFH_ERROR_MEMORY;
    for (size_t first = 0, end; first < count && !status; first = end) {
        for (end = first; end < count && rows[end].rep == rows[first].rep;) end++;
        add_run(profile, rows + first, (int)(end - first), problem->d, bench_regret(instance, problem->start),
                1.0 / runs);
    }
    profile->problems++;
    bench_problem_close(instance);
    return status;
}

static int index_of(const char *name)
{
    for (int i = 0; bench_problem_at(i); i++)
        if (strcmp(bench_problem_at(i)->name, name) == 0) return i;
    return -1;
}

static int belongs(const char *problem, const char *set)
{
    int index = index_of(problem);
    return strcmp(problem, set) == 0 || (index >= 0 && bench_problem_in_set(index, set) == 1);
}

gofh_status bench_profiles_make(bench_profiles *profiles, const bench_results *results, const char *set,
                                gofh_error *error)
{
    const bench_row *rows = results->rows;
    gofh_status status = GOFH_OK;
    *profiles = (bench_profiles){.profiles = calloc(results->count + 1, sizeof *profiles->profiles)};
    if (!profiles->profiles) return GOFH_ERROR_MEMORY;
    for (size_t first = 0, end; first < results->count && !status; first = end) {
        for (end = first; end < results->count && same_group(&rows[first], &rows[end]);) end++;
        if (!belongs(rows[first].problem, set)) continue;
        const bench_problem *problem = bench_problem_find(rows[first].problem);
        if (problem && problem->start)
            status = add_group(profile_of(profiles, rows[first].method), rows + first, end - first, problem);
        else
            status = bench_fail(error, GOFH_ERROR_ARGUMENT,
                                "there is no data profile of %s: it has no start, by which the accuracy of "
                                "profiles is measured",
                                rows[first].problem);
    }
    if (!status && profiles->count == 0)
        status = bench_fail(error, GOFH_ERROR_ARGUMENT, "there are no results of %s in these files", set);
    if (status) bench_profiles_free(profiles);
    return status;
}

void bench_profiles_free(bench_profiles *profiles)
{
    for (int i = 0; i < profiles->count; i++) {
        free(profiles->profiles[i].share);
        for (int t = 0; t < BENCH_TAUS; t++) free(profiles->profiles[i].solved[t]);
    }
    free(profiles->profiles);
    *profiles = (bench_profiles){0};
}

double bench_profile_solved(const bench_profile *profile, int tau, double k)
{
    double sum = 0;
    for (int run = 0; run < profile->runs; run++)
        if (profile->solved[tau][run] <= k) sum += profile->share[run];
    return sum;
}

/* ---- The table ---- */

enum { COLUMNS = 3 };
static const int AT[COLUMNS] = {3, 5, 10};

static void print_cell(FILE *file, const bench_profile *profile, int tau, int k)
{
    if (k > profile->gradients) {
        fputs(" – |", file);
        return;
    }
    double solved = bench_profile_solved(profile, tau, k);
    number_print(file, profile->runs == profile->problems ? " %.0f" : " %.1f", solved);
    number_print(file, " (%.0f %%) |", 100 * solved / profile->problems);
}

void bench_print_profiles(FILE *file, const bench_profiles *profiles)
{
    fputs("| tau | method | problems |", file);
    for (int c = 0; c < COLUMNS; c++) fprintf(file, " k = %d |", AT[c]);
    fputs("\n|---|---|---|", file);
    for (int c = 0; c < COLUMNS; c++) fputs("---|", file);
    fputc('\n', file);
    for (int t = 0; t < BENCH_TAUS; t++) {
        for (int i = 0; i < profiles->count; i++) {
            const bench_profile *profile = &profiles->profiles[i];
            number_print(file, "| %.0e | %s | %d |", BENCH_TAU[t], profile->method, profile->problems);
            for (int c = 0; c < COLUMNS; c++) print_cell(file, profile, t, AT[c]);
            fputc('\n', file);
        }
    }
}

/* ---- The figure ---- */

enum { PER_GRADIENT = 10, GRADIENTS_MAX = 100 };

static int points_of(const bench_profile *profile)
{
    return (int)(PER_GRADIENT * fmin(profile->gradients, GRADIENTS_MAX)) + 1;
}

static gofh_status draw_frame(FILE *file, const bench_profiles *profiles, int tau, plot_box box)
{
    int total = 1;
    for (int i = 0; i < profiles->count; i++) total += points_of(&profiles->profiles[i]);
    plot_curve *curves = memory_new((size_t)profiles->count, sizeof *curves);
    double *values = malloc(2 * (size_t)total * sizeof *values), *next = values;
    gofh_status status = curves && values ? GOFH_OK : GOFH_ERROR_MEMORY;
    for (int i = 0; i < profiles->count && !status; i++) {
        const bench_profile *profile = &profiles->profiles[i];
        int points = points_of(profile);
        double *x = next, *y = x + points;
        next = y + points;
        for (int p = 0; p < points; p++) {
            x[p] = (double)p / PER_GRADIENT;
            y[p] = 100 * bench_profile_solved(profile, tau, x[p]) / profile->problems;
        }
        curves[i] = (plot_curve){
            .label = profile->method, .kind = PLOT_MARKED, .style = i, .count = points, .x = x, .y = y};
    }
    char title[64];
    number_format(title, sizeof title, "solved to %.0e", BENCH_TAU[tau]);
    plot p = {.title = title,
              .x_label = "evaluations / (d + 1)",
              .y_label = "% of problems",
              .curves = curves,
              .count = profiles->count,
              .legend = 1};
    if (!status && plot_draw(file, &p, box) != 0) status = GOFH_ERROR_MEMORY;
    free(curves);
    free(values);
    return status;
}

gofh_status bench_plot_profiles(const bench_profiles *profiles, const char *set, const char *folder,
                                gofh_error *error)
{
    const double width = 520.0, height = 340.0;
    bench_picture picture;
    gofh_status status = bench_picture_open(&picture, folder, set, error);
    if (status) return status;
    svg_begin(picture.file, 2 * width, 2 * height, "Data profiles");
    for (int t = 0; t < BENCH_TAUS && !status; t++) {
        plot_box box = {t % 2 ? width : 0.0, t >= 2 ? height : 0.0, width, height};
        status = draw_frame(picture.file, profiles, t, box);
    }
    svg_end(picture.file);
    return bench_picture_close(&picture, status, error);
}

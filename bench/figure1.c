/* Figure 1 of the paper: expected improvement with a model of h and with one of f, on f = h^2, to
 * be minimised.
 *
 * The paper does not give its h. This one has what its text says: zeros in [-2, -1] and in [2.5,
 * 3.5], and four evaluations that show the first and suggest the second. */
#include "bench/figures.h"
#include "bench/picture.h"
#include "report/plot.h"
#include "report/svg.h"

#include <math.h>
#include <stdlib.h>

enum { GRID = 401, EVALUATED = 4 };
static const double LOWER = -5.0, UPPER = 5.0;
static const double AT[EVALUATED] = {-4.4, -2.2, -0.4, 1.9};

static double inner(double x)
{
    return 1.5 * cos(3.14159265358979323846 * (x - 0.75) / 4.5);
}

static int square(const double *y, const double *x, int count, double *value, double *dy, double *dx,
                  void *context)
{
    (void)x, (void)dx, (void)context;
    for (int i = 0; i < count; i++) {
        value[i] = y[i] * y[i];
        if (dy) dy[i] = 2.0 * y[i];
    }
    return 0;
}

/* What one approach predicts on the grid. */
typedef struct {
    double mean[GRID], low[GRID], high[GRID];       /* of what it models: h, or f */
    double f_mean[GRID], f_low[GRID], f_high[GRID]; /* of f, with a model of h */
    double improvement[GRID];
} prediction;

static gofh_status create_study(gofh_study **study, const char *method, double variance, gofh_error *error)
{
    const double lengthscale = 0.25;
    gofh_problem *problem = gofh_problem_create();
    if (!problem) return GOFH_ERROR_MEMORY;
    gofh_problem_add_parameter(problem, "x", LOWER, UPPER, GOFH_SCALE_LINEAR);
    gofh_problem_set_outputs(problem, 1);
    gofh_problem_minimize_function(problem, square, GOFH_GRADIENT_GIVEN, NULL);
    gofh_settings settings;
    gofh_settings_defaults(&settings);
    settings.stop = GOFH_STOPPING_NEVER;
    settings.method = method;
    settings.hyper = GOFH_HYPER_FIXED;
    settings.budget = 0;
    gofh_status status = gofh_study_create(study, problem, &settings, error);
    gofh_problem_free(problem);
    if (status) return status;
    status = gofh_study_set_hyperparameters(
        *study, 0,
        &(gofh_hyperparameters){
            .lengthscale = &lengthscale, .variance = variance, .noise = 0.0, .mean = NAN});
    for (int i = 0; i < EVALUATED && !status; i++) {
        double y = inner(AT[i]);
        status = gofh_study_import(*study, &AT[i], &y, NULL);
    }
    return status;
}

/* The quantile p of h^2 for normal h: where P(|h| <= root) is p, by bisection. */
static double square_quantile(double mean, double deviation, double p)
{
    const double scale = deviation * sqrt(2.0);
    double low = 0.0, high = fabs(mean) + 10.0 * deviation;
    for (int i = 0; i < 100; i++) {
        double root = 0.5 * (low + high);
        double below = 0.5 * (erfc((mean - root) / scale) - erfc((mean + root) / scale));
        if (below < p)
            low = root;
        else
            high = root;
    }
    return low * low;
}

static gofh_status predict(prediction *b, const double *x, const char *method, double variance,
                           gofh_error *error)
{
    const double quantile = 1.959963984540054;
    int of_h = method[2] == '-'; /* ei-cf */
    double uncertainty[GRID] = {0};
    gofh_study *study = NULL;
    gofh_status status = create_study(&study, method, variance, error);
    if (!status)
        status = of_h ? gofh_study_predict(study, x, GRID, b->mean, uncertainty, b->f_mean, NULL)
                      : gofh_study_predict(study, x, GRID, NULL, NULL, b->mean, uncertainty);
    if (!status) status = gofh_study_acquisition(study, x, GRID, b->improvement);
    for (int i = 0; i < GRID && !status; i++) {
        double deviation = of_h ? sqrt(uncertainty[i]) : uncertainty[i];
        b->low[i] = b->mean[i] - quantile * deviation;
        b->high[i] = b->mean[i] + quantile * deviation;
        b->f_low[i] = square_quantile(b->mean[i], deviation, 0.025);
        b->f_high[i] = square_quantile(b->mean[i], deviation, 0.975);
    }
    if (status && study) bench_fail(error, status, "%s", gofh_study_message(study));
    gofh_study_free(study);
    return status;
}

/* ---- Panels ---- */

enum { TRUTH = 5, MEAN = 0, POINTS = 6, IMPROVEMENT = 1 }; /* styles */
enum { WIDTH = 450, HEIGHT = 250, TOP = 6 };

typedef struct {
    const double *x, *mean, *low, *high, *truth, *points;
} posterior;

static plot_box box_at(int column, int row)
{
    return (plot_box){column * (double)WIDTH, TOP + row * (double)HEIGHT, WIDTH, HEIGHT};
}

static int draw_posterior(FILE *file, plot_box box, const char *title, const char *y_label,
                          const posterior *p)
{
    const plot_curve curves[] = {
        {NULL, PLOT_POINTS, POINTS, EVALUATED, AT, p->points, NULL, NULL},
        {NULL, PLOT_LINE, MEAN, GRID, p->x, p->mean, p->low, p->high},
        {NULL, PLOT_LINE, TRUTH, GRID, p->x, p->truth, NULL, NULL},
    };
    const plot panel = {.title = title, .x_label = "x", .y_label = y_label, .curves = curves, .count = 3};
    return plot_draw(file, &panel, box);
}

static int draw_improvement(FILE *file, plot_box box, const char *title, const char *y_label, const double *x,
                            const double *improvement)
{
    int best = 0;
    for (int i = 1; i < GRID; i++)
        if (improvement[i] > improvement[best]) best = i;
    const plot_curve curves[] = {
        {NULL, PLOT_POINTS, IMPROVEMENT, 1, &x[best], &improvement[best], NULL, NULL},
        {NULL, PLOT_LINE, IMPROVEMENT, GRID, x, improvement, NULL, NULL},
    };
    const plot panel = {.title = title, .x_label = "x", .y_label = y_label, .curves = curves, .count = 2};
    return plot_draw(file, &panel, box);
}

static void draw_key(FILE *file, plot_box box)
{
    double x = box.x + 100.0, y = box.y + 60.0;
    svg_text(file, "label", x, y, "start", 0.0, "minimise f(x) = h(x)^2");
    plot_sample(file, POINTS, PLOT_POINTS, 0, x, y + 28.0, "evaluations");
    plot_sample(file, TRUTH, PLOT_LINE, 0, x, y + 52.0, "the true function");
    plot_sample(file, MEAN, PLOT_LINE, 1, x, y + 76.0, "posterior mean, 95 % interval");
    plot_sample(file, IMPROVEMENT, PLOT_MARKED, 0, x, y + 100.0, "acquisition and its maximum");
}

static int draw_panels(FILE *file, const double *x, const prediction *composite, const prediction *classical)
{
    double h[GRID], f[GRID], h_points[EVALUATED], f_points[EVALUATED];
    for (int i = 0; i < GRID; i++) {
        h[i] = inner(x[i]);
        f[i] = h[i] * h[i];
    }
    for (int i = 0; i < EVALUATED; i++) {
        h_points[i] = inner(AT[i]);
        f_points[i] = h_points[i] * h_points[i];
    }
    const posterior on_h = {x, composite->mean, composite->low, composite->high, h, h_points};
    const posterior implied = {x, composite->f_mean, composite->f_low, composite->f_high, f, f_points};
    const posterior on_f = {x, classical->mean, classical->low, classical->high, f, f_points};
    draw_key(file, box_at(1, 0));
    return draw_posterior(file, box_at(0, 0), "(a) posterior on h, used by EI-CF", "h(x)", &on_h) |
           draw_posterior(file, box_at(0, 1), "(b) implied posterior on f, used by EI-CF", "f(x)", &implied) |
           draw_posterior(file, box_at(1, 1), "(c) posterior on f, used by classical EI", "f(x)", &on_f) |
           draw_improvement(file, box_at(0, 2), "(d) EI-CF", "EI-CF(x)", x, composite->improvement) |
           draw_improvement(file, box_at(1, 2), "(e) classical EI", "EI(x)", x, classical->improvement);
}

gofh_status bench_plot_figure1(const char *folder, gofh_error *error)
{
    double x[GRID];
    prediction *predictions = calloc(2, sizeof *predictions);
    bench_picture picture;
    if (!predictions) return GOFH_ERROR_MEMORY;
    for (int i = 0; i < GRID; i++) x[i] = LOWER + (UPPER - LOWER) * i / (GRID - 1);
    gofh_status status = predict(&predictions[0], x, "ei-cf", 1.5, error);
    if (!status) status = predict(&predictions[1], x, "ei", 1.0, error);
    if (!status) status = bench_picture_open(&picture, folder, "figure1", error);
    if (!status) {
        svg_begin(picture.file, 2.0 * WIDTH, TOP + 3.0 * HEIGHT,
                  "Expected improvement with and without composition");
        if (draw_panels(picture.file, x, &predictions[0], &predictions[1]) != 0) status = GOFH_ERROR_MEMORY;
        svg_end(picture.file);
        status = bench_picture_close(&picture, status, error);
    }
    free(predictions);
    return status;
}

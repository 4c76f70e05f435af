/* Which parameters matter over the whole box: Sobol' indices and main effects, from the emulator. */
#include "report/figures.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "report/chart_files.h"
#include "report/sobol.h"
#include "report/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 256, SAMPLES_MIN = 64, LEVELS = 13, SEED = 1 };
/* Multiplications that predictions may take: about a minute of one core. */
static const double EFFORT = 3e10;
/* Values of predictions that are kept at a time. */
static const double VALUES = 4e6;

typedef struct {
    int n, points; /* samples of the indices, and points that they take */
    double *u, *x; /* points x d: in the unit cube, and in the user's units */
    double *value, *deviation;
    double *mean, *variance; /* points x m; NULL: without the outputs */
    double *length;          /* d: of the emulator's errors */
    double *effect, *error;  /* LEVELS: the main effect at hand */
    sobol_index *index;      /* d */
} sensitivity;

static double to_user(const report_parameter *p, double u)
{
    if (p->count > 0) return p->values[(int)fmin(floor(u * p->count), p->count - 1)];
    double value = p->scale == GOFH_SCALE_LOG ? p->lower * pow(p->upper / p->lower, u)
                                              : p->lower + u * (p->upper - p->lower);
    return fmin(fmax(value, p->lower), p->upper);
}

/* As many samples as predictions can be made of in reasonable time; 0: too few. */
static int choose_samples(const report *r)
{
    double each = (double)r->done * r->done * (r->models_outputs ? r->m : 1);
    for (int n = SAMPLES; n >= SAMPLES_MIN; n /= 2)
        if (each * sobol_points(n, r->d) < EFFORT && (double)sobol_points(n, r->d) * r->m < VALUES) return n;
    return 0;
}

/* The lengthscales of an output, or where it is -1 the geometric means of all outputs'. */
static void find_lengths(const report *r, const sensitivity *s, int output)
{
    int from = output < 0 ? 0 : output, to = output < 0 ? (r->models_outputs ? r->m : 1) : output + 1,
        known = 0;
    for (int k = 0; k < r->d; k++) s->length[k] = 0.0;
    for (int j = from; j < to; j++) {
        gofh_hyperparameters hyper;
        if (gofh_study_hyperparameters(r->study, 0, j, &hyper)) continue;
        for (int k = 0; k < r->d; k++) s->length[k] += log(hyper.lengthscale[k]);
        known++;
    }
    for (int k = 0; k < r->d; k++) s->length[k] = known ? exp(s->length[k] / known) : 0.5;
}

static gofh_status find_indices(const report *r, const sensitivity *s, int output)
{
    find_lengths(r, s, output);
    if (output >= 0)
        for (int i = 0; i < s->points; i++) {
            size_t at = (size_t)i * (size_t)r->m + (size_t)output;
            s->value[i] = s->mean[at];
            s->deviation[i] = sqrt(s->variance[at]);
        }
    int failed = sobol_indices(SEED, s->n, r->d, s->u, s->value, s->deviation, s->length, s->index);
    return failed ? error_memory(r->error) : GOFH_OK;
}

/* ---- The indices ---- */

/* Standard errors that a bar has to each side. */
static const double BAR = 2.0;

enum { INDEX_ITEMS = 3 };
static const chart_item INDICES[INDEX_ITEMS] = {
    {"column", "alone (first order)", CHART_AREA},
    {"column rest", "with its interactions (total)", CHART_AREA},
    {"bars error", "two standard errors to each side", CHART_STROKE}};

/* A line of the CSV: the parameter, its index, and the ends of the bar. */
static void record_index(chart *c, const char *series, int k, double index, double error)
{
    c->series = series;
    chart_record(c, "", k + 1.0, index, index - BAR * error, index + BAR * error);
}

static void draw_indices(const report *r, const sensitivity *s)
{
    chart c = report_chart(r, 360.0, 250.0);
    const char *names[GOFH_MAX_PARAMETERS];
    char text[400] = "Sobol' indices of f, first order and total:";
    const double one = 1.0, zero = 0.0;
    c.x = (chart_axis){.low = 0.4, .high = r->d + 0.6, .words = names, .word_count = r->d, .first = 1.0};
    c.y = CHART_EMPTY;
    chart_include(&c.y, &one, 1);
    chart_include(&c.y, &zero, 1);
    for (int k = 0; k < r->d; k++) {
        size_t used = strlen(text);
        double high = fmin(s->index[k].total + BAR * s->index[k].total_error, 1.5);
        chart_include(&c.y, &high, 1);
        names[k] = r->input->parameters[k].name;
        number_format(text + used, sizeof text - used, " %.40s %.2f and %.2f,", names[k], s->index[k].first,
                      s->index[k].total);
    }
    text[strlen(text) - 1] = '.';
    c.items = INDICES;
    c.item_count = INDEX_ITEMS;
    fputs("<figure>", r->file);
    chart_name(&c, "sensitivity", NULL, NULL);
    chart_begin(&c, text, "parameter", "share of variance");
    for (int k = 0; k < r->d; k++) {
        record_index(&c, "first order", k, s->index[k].first, s->index[k].first_error);
        record_index(&c, "total", k, s->index[k].total, s->index[k].total_error);
    }
    c.unrecorded = 1;
    for (int k = 0; k < r->d; k++) {
        chart_column(&c, "column", k + 0.65, k + 0.98, s->index[k].first);
        chart_column(&c, "column rest", k + 1.02, k + 1.35, s->index[k].total);
    }
    chart_bars(&c, "error");
    for (int k = 0; k < r->d; k++) {
        const sobol_index *i = &s->index[k];
        chart_bar(&c, k + 0.815, i->first - BAR * i->first_error, i->first + BAR * i->first_error);
        chart_bar(&c, k + 1.185, i->total - BAR * i->total_error, i->total + BAR * i->total_error);
    }
    chart_marks_end(&c);
    chart_end(&c);
    report_legend(r, INDICES, INDEX_ITEMS);
    fputs("</figure>\n", r->file);
}

/* Shares are within 0 and 1: with such an error one says nothing. */
static const double ERROR_MAX = 1.0;

static void write_index(const report *r, double value, double error)
{
    fputs("<td>", r->file);
    if (isnan(value))
        fputs("–", r->file);
    else if (!(error <= ERROR_MAX))
        fputs("<small>not known</small>", r->file);
    else
        number_print(r->file, "%.2f <small>± %.2f</small>", fmax(value, 0.0), error);
    fputs("</td>", r->file);
}

static void write_name(const report *r, const char *name)
{
    fputs("<td class=\"t\"><code>", r->file);
    svg_escape(r->file, name);
    fputs("</code></td>", r->file);
}

static void write_table(const report *r, const sensitivity *s)
{
    fputs("<div class=\"scroll\"><table><thead><tr><th class=\"t\">parameter</th><th>first "
          "order</th><th>total</th></tr></thead><tbody>\n",
          r->file);
    for (int k = 0; k < r->d; k++) {
        fputs("<tr>", r->file);
        write_name(r, r->input->parameters[k].name);
        write_index(r, s->index[k].first, s->index[k].first_error);
        write_index(r, s->index[k].total, s->index[k].total_error);
        fputs("</tr>\n", r->file);
    }
    fputs("</tbody></table><p class=\"note\">± one standard error</p></div>\n", r->file);
}

/* The total indices of each output, one row each. */
static gofh_status write_outputs(const report *r, const sensitivity *s)
{
    int shown = report_shown_outputs(r);
    fputs("<details><summary>Outputs <small>total indices ± one standard error</small></summary>\n"
          "<div class=\"scroll\"><table><thead><tr><th class=\"t\">output</th>",
          r->file);
    for (int k = 0; k < r->d; k++) {
        fputs("<th>", r->file);
        svg_escape(r->file, r->input->parameters[k].name);
        fputs("</th>", r->file);
    }
    fputs("</tr></thead><tbody>\n", r->file);
    gofh_status status = GOFH_OK;
    for (int j = 0; j < shown && !status; j++) {
        char name[REPORT_NAME];
        status = find_indices(r, s, j);
        report_element_name(r, j, name);
        fputs("<tr>", r->file);
        write_name(r, name);
        for (int k = 0; k < r->d; k++) write_index(r, s->index[k].total, s->index[k].total_error);
        fputs("</tr>\n", r->file);
    }
    fputs("</tbody></table></div>", r->file);
    if (shown < r->m) fprintf(r->file, "<p class=\"note\">The first %d of %d outputs.</p>", shown, r->m);
    fputs("</details>\n", r->file);
    return status;
}

/* ---- Main effects ---- */

/* The mean of f over all other parameters, at LEVELS values of parameter k; and the mean of its
 * deviations there, which that of the mean is not above. */
static gofh_status find_effect(const report *r, const sensitivity *s, int k, double *at)
{
    int others = s->points / LEVELS < SAMPLES_MIN ? s->points / LEVELS : SAMPLES_MIN;
    size_t d = (size_t)r->d;
    for (int level = 0; level < LEVELS; level++) {
        at[level] = to_user(&r->input->parameters[k], (double)level / (LEVELS - 1));
        for (int i = 0; i < others; i++) {
            double *x = s->x + (size_t)(level * others + i) * d;
            for (size_t l = 0; l < d; l++) x[l] = to_user(&r->input->parameters[l], s->u[(size_t)i * d + l]);
            x[k] = at[level];
        }
    }
    gofh_status status = gofh_study_predict_objective(r->study, s->x, LEVELS * others, s->value, s->deviation,
                                                      NULL);
    if (status) return report_failure(r, status);
    for (int level = 0; level < LEVELS; level++) {
        s->effect[level] = s->error[level] = 0.0;
        for (int i = 0; i < others; i++) {
            s->effect[level] += s->value[level * others + i] / others;
            s->error[level] += s->deviation[level * others + i] / others;
        }
    }
    return GOFH_OK;
}

/* All on one scale: what is flat beside the others matters less. */
static void draw_effect(const report *r, int k, const double *at, const double *effect, const double *low,
                        const double *high, chart_axis axis)
{
    if (r->input->parameters[k].count == 1) return; /* it is fixed */
    const char *name = r->input->parameters[k].name;
    chart c = report_chart(r, 250.0, 170.0);
    char text[400], ends[2][48];
    chart_number(effect[0], 0, ends[0], sizeof ends[0]);
    chart_number(effect[LEVELS - 1], 0, ends[1], sizeof ends[1]);
    snprintf(text, sizeof text, "Main effect of %.60s: the mean of f over all others goes from %s to %s.",
             name, ends[0], ends[1]);
    c.x = report_parameter_axis(r, k);
    c.y = axis;
    static const chart_item ITEMS[] = {{"model", "mean of f over the other parameters", CHART_STROKE},
                                       {"band model", "95 % band", CHART_AREA}};
    c.items = ITEMS;
    c.item_count = 2;
    fputs("<figure>", r->file);
    chart_name(&c, "effect", name, NULL);
    chart_begin(&c, text, name, "mean of f");
    if (r->input->parameters[k].count == 0) {
        c.series = "95 % band";
        chart_band(&c, "model", at, low, high, LEVELS);
        c.series = "mean of f over the other parameters";
        chart_line(&c, "model", at, effect, LEVELS);
    } else {
        c.series = "mean of f over the other parameters";
        report_draw_values(&c, at, low, effect, high, LEVELS);
    }
    chart_end(&c);
    fputs("</figure>\n", r->file);
}

static gofh_status draw_effects(const report *r, const sensitivity *s)
{
    size_t d = (size_t)r->d;
    double *block = memory_doubles(4 * d * LEVELS);
    if (!block) return error_memory(r->error);
    chart_axis axis = CHART_EMPTY;
    gofh_status status = GOFH_OK;
    for (size_t k = 0; k < d && !status; k++) {
        double *at = block + 4 * k * LEVELS, *effect = at + LEVELS, *low = effect + LEVELS,
               *high = low + LEVELS;
        status = find_effect(r, s, (int)k, at);
        for (int i = 0; i < LEVELS && !status; i++) {
            effect[i] = s->effect[i];
            low[i] = effect[i] - 1.96 * s->error[i];
            high[i] = effect[i] + 1.96 * s->error[i];
        }
        chart_include(&axis, low, LEVELS);
        chart_include(&axis, high, LEVELS);
    }
    chart_pad(&axis);
    if (!status) {
        fputs("<h3>Main effects <small>the mean of f over all other parameters, with its 95 % band; all on "
              "one scale</small></h3>\n<div class=\"charts\">\n",
              r->file);
        for (int k = 0; k < r->d; k++) {
            const double *at = block + 4 * (size_t)k * LEVELS;
            draw_effect(r, k, at, at + LEVELS, at + 2 * LEVELS, at + 3 * LEVELS, axis);
        }
        fputs("</div>\n", r->file);
    }
    free(block);
    return status;
}

/* ---- All of it ---- */

static gofh_status predict(const report *r, const sensitivity *s)
{
    for (int i = 0; i < s->points; i++)
        for (int k = 0; k < r->d; k++) {
            size_t at = (size_t)i * (size_t)r->d + (size_t)k;
            s->x[at] = to_user(&r->input->parameters[k], s->u[at]);
        }
    gofh_status status = gofh_study_predict_objective(r->study, s->x, s->points, s->value, s->deviation,
                                                      NULL);
    if (!status && s->mean)
        status = gofh_study_predict(r->study, s->x, s->points, s->mean, s->variance, NULL, NULL);
    return status ? report_failure(r, status) : GOFH_OK;
}

static int are_unknown(const report *r, const sensitivity *s)
{
    int unknown = 0;
    for (int k = 0; k < r->d; k++) unknown |= !(s->index[k].total_error <= ERROR_MAX);
    return unknown;
}

static gofh_status write_unknown(const report *r, const sensitivity *s)
{
    fprintf(r->file,
            "<p class=\"note\">The emulator does not know f well enough far from the best point: what the "
            "Sobol' indices of f would be is not known.%s</p>\n",
            s->mean ? " Those of the outputs may be." : "");
    gofh_status status = s->mean ? write_outputs(r, s) : GOFH_OK;
    fputs("</section>\n", r->file);
    return status;
}

static gofh_status write_sensitivity(const report *r, const sensitivity *s)
{
    gofh_status status = predict(r, s);
    if (!status) status = find_indices(r, s, -1);
    if (status) return status;
    fputs("<section id=\"sensitivity\"><h2>Sensitivities</h2>\n", r->file);
    if (isnan(s->index[0].total)) {
        fputs("<p class=\"note\">By the emulator f does not change over the box.</p></section>\n", r->file);
        return GOFH_OK;
    }
    if (are_unknown(r, s)) return write_unknown(r, s);
    fputs("<p class=\"note\">Which share of the variance of f, over the whole box and by the emulator, is "
          "due to each "
          "parameter: Sobol' indices. Constraints are left aside.</p>\n<div class=\"charts pair\">\n",
          r->file);
    draw_indices(r, s);
    write_table(r, s);
    fputs("</div>\n", r->file);
    if (s->mean) status = write_outputs(r, s);
    if (!status) status = draw_effects(r, s);
    fputs("</section>\n", r->file);
    return status;
}

gofh_status figure_sensitivity(const report *r)
{
    if (r->best < 0 || !r->models_f || r->done < 2) return GOFH_OK;
    sensitivity s = {.n = choose_samples(r)};
    if (s.n == 0) {
        fputs("<section id=\"sensitivity\"><h2>Sensitivities</h2>\n<p class=\"note\">Not computed: with so "
              "many trials, "
              "parameters and outputs they would take too long.</p></section>\n",
              r->file);
        return GOFH_OK;
    }
    s.points = sobol_points(s.n, r->d);
    size_t points = (size_t)s.points, d = (size_t)r->d,
           values = r->models_outputs ? points * (size_t)r->m : 0;
    double *block = memory_doubles(points * (2 * d + 2) + 2 * values + d + 2 * (size_t)LEVELS);
    s.index = memory_new(d, sizeof *s.index);
    if (!block || !s.index) {
        free(block);
        free(s.index);
        return error_memory(r->error);
    }
    s.u = block;
    s.x = s.u + points * d;
    s.value = s.x + points * d;
    s.deviation = s.value + points;
    s.length = s.deviation + points;
    s.effect = s.length + d;
    s.error = s.effect + LEVELS;
    s.mean = values ? s.error + LEVELS : NULL;
    s.variance = values ? s.mean + values : NULL;
    gofh_status status = sobol_sample(SEED, s.n, r->d, s.u) ? error_memory(r->error) : GOFH_OK;
    if (!status) status = write_sensitivity(r, &s);
    free(block);
    free(s.index);
    return status;
}

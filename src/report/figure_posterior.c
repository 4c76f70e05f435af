/* The posterior of the parameters: what it says in words and numbers, and each parameter before and after the
 * data. */
#include "report/figure_posterior.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "report/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* SAMPLES: as many as `gofh posterior` takes, so that both say the same. */
enum { SAMPLES = 0, BINS = 32, CURVE = 161, POINTS = 4 * REPORT_VALUES_MAX + 2 };

typedef struct {
    double x[POINTS], y[POINTS];
    int count;
} curve;

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

chart_axis posterior_axis(const posterior_figure *f, int k)
{
    const report_parameter *p = &f->r->input->parameters[k];
    int n = f->found.samples, d = f->found.parameters;
    if (p->words) return report_parameter_axis(f->r, k);
    chart_axis axis = report_parameter_axis(f->r, k);
    for (int i = 0; i < n; i++) f->work[i] = f->x[i * d + k];
    qsort(f->work, (size_t)n, sizeof *f->work, ascending);
    double low = f->work[n / 500], high = f->work[n - 1 - n / 500];
    double room = axis.log ? pow(high / low, 0.12) : 0.12 * (high - low);
    axis.low = axis.log ? low / room : low - room;
    axis.high = axis.log ? high * room : high + room;
    if (p->count == 0) { /* values on their own keep the room, for the bars of the first and the last */
        axis.low = fmax(p->lower, axis.low);
        axis.high = fmin(p->upper, axis.high);
    }
    return axis.low < axis.high ? axis : report_parameter_axis(f->r, k);
}

int posterior_has_values(const posterior_figure *f, int k)
{
    const report_parameter *p = &f->r->input->parameters[k];
    return p->count > 0 && p->count < REPORT_VALUES_MAX; /* with so many the list may be cut */
}

double posterior_axis_place(const chart_axis *axis, double value)
{
    return axis->log ? log(value / axis->low) / log(axis->high / axis->low)
                     : (value - axis->low) / (axis->high - axis->low);
}

double posterior_axis_value(const chart_axis *axis, double share)
{
    return axis->log ? axis->low * pow(axis->high / axis->low, share)
                     : axis->low + share * (axis->high - axis->low);
}

int posterior_bin(const chart_axis *axis, double value, int bins)
{
    double at = posterior_axis_place(axis, value);
    return at >= 0.0 && at <= 1.0 ? (int)fmin(at * bins, bins - 1.0) : -1;
}

static void histogram(const posterior_figure *f, int k, const chart_axis *axis, int bins, double *share)
{
    int n = f->found.samples, d = f->found.parameters;
    memset(share, 0, (size_t)bins * sizeof *share);
    for (int i = 0; i < n; i++) {
        int b = posterior_bin(axis, f->x[i * d + k], bins);
        if (b >= 0) share[b] += 1.0 / n;
    }
}

/* The prior's density per part of the axis, as the histogram's. */
static void prior_curve(const posterior_figure *f, int k, const chart_axis *axis, double *x, double *y)
{
    for (int i = 0; i < CURVE; i++) x[i] = posterior_axis_value(axis, i / (CURVE - 1.0));
    gofh_posterior_prior(f->posterior, k, x, CURVE, y);
    for (int i = 0; i < CURVE; i++) {
        double width = axis->log ? x[i] * log(axis->high / axis->low) : axis->high - axis->low;
        y[i] *= width / BINS;
    }
}

int posterior_value(const posterior_figure *f, int k, double x)
{
    const report_parameter *p = &f->r->input->parameters[k];
    int nearest = 0;
    for (int v = 1; v < p->count; v++)
        if (fabs(p->values[v] - x) < fabs(p->values[nearest] - x)) nearest = v;
    return nearest;
}

/* The share of the samples that has each value. */
static void value_shares(const posterior_figure *f, int k, double *share)
{
    const report_parameter *p = &f->r->input->parameters[k];
    int n = f->found.samples, d = f->found.parameters;
    memset(share, 0, (size_t)p->count * sizeof *share);
    for (int i = 0; i < n; i++) share[posterior_value(f, k, f->x[i * d + k])] += 1.0 / n;
}

/* The prior's probability of each value: the sampler takes them as proportional to the density over the
 * scaled parameter. */
static void value_priors(const posterior_figure *f, int k, double *share)
{
    const report_parameter *p = &f->r->input->parameters[k];
    double total = 0.0;
    gofh_posterior_prior(f->posterior, k, p->values, p->count, share);
    for (int i = 0; i < p->count; i++) {
        if (p->scale == GOFH_SCALE_LOG) share[i] *= p->values[i];
        total += share[i];
    }
    for (int i = 0; i < p->count; i++) share[i] = total > 0.0 ? share[i] / total : 0.0;
}

double posterior_half_bar(const posterior_figure *f, int k, const chart_axis *axis)
{
    const report_parameter *p = &f->r->input->parameters[k];
    double half = 0.03;
    for (int i = 1; i < p->count; i++)
        half = fmin(half, 0.35 * (posterior_axis_place(axis, p->values[i]) -
                                  posterior_axis_place(axis, p->values[i - 1])));
    return half;
}

/* The outline of bars around the values that the axis has, at 0 between them. Returns its points. */
static int outline_values(const posterior_figure *f, int k, const chart_axis *axis, const double *share,
                          double *x, double *y)
{
    const report_parameter *p = &f->r->input->parameters[k];
    double half = posterior_half_bar(f, k, axis), from = 0.0;
    int count = 0;
    for (int i = 0; i <= p->count; i++) {
        double at = i < p->count ? posterior_axis_place(axis, p->values[i]) : 1.0;
        if (!(at >= 0.0 && at <= 1.0)) continue;
        const double ends[3] = {from, i < p->count ? fmax(at - half, 0.0) : 1.0, fmin(at + half, 1.0)};
        for (int e = 0; e < (i < p->count ? 4 : 2); e++) {
            x[count] = posterior_axis_value(axis, ends[(e + 1) / 2]);
            y[count++] = e < 2 ? 0.0 : share[i];
        }
        from = ends[2];
    }
    return count;
}

/* The outline of the bars of a histogram. Returns its points. */
static int outline_bins(const chart_axis *axis, const double *share, double *x, double *y)
{
    for (int i = 0; i < 2 * BINS; i++) {
        int bar = i / 2, edge = bar + i % 2;
        x[i] = posterior_axis_value(axis, edge / (double)BINS);
        y[i] = share[bar];
    }
    return 2 * BINS;
}

/* The shares of the samples, and the prior in the same units, as lines; each count has its points. */
static void make_curves(const posterior_figure *f, int k, const chart_axis *axis, curve *after, curve *before)
{
    double share[BINS + REPORT_VALUES_MAX];
    if (posterior_has_values(f, k)) {
        value_shares(f, k, share);
        after->count = outline_values(f, k, axis, share, after->x, after->y);
        value_priors(f, k, share);
        before->count = outline_values(f, k, axis, share, before->x, before->y);
    } else {
        histogram(f, k, axis, BINS, share);
        after->count = outline_bins(axis, share, after->x, after->y);
        prior_curve(f, k, axis, before->x, before->y);
        before->count = CURVE;
    }
}

static const chart_item MARGINAL[3] = {{"model", "posterior", CHART_STROKE},
                                       {"reference", "prior", CHART_STROKE},
                                       {"best", "best trial", CHART_STROKE}};

static void draw_marginal(const posterior_figure *f, int k)
{
    const report *r = f->r;
    curve after, before;
    char text[256];
    chart_axis axis = posterior_axis(f, k), top = {.low = 0.0, .high = 0.0};
    make_curves(f, k, &axis, &after, &before);
    chart_include(&top, after.y, after.count);
    chart_include(&top, before.y, before.count);
    top.high *= 1.08;
    chart c = report_chart(r, 290.0, 190.0);
    c.x = axis;
    c.y = top;
    fputs("<figure><figcaption><b>", r->file);
    svg_escape(r->file, r->input->parameters[k].name);
    fputs("</b></figcaption>", r->file);
    c.items = MARGINAL;
    c.item_count = 3;
    chart_name(&c, "posterior", r->input->parameters[k].name, NULL);
    if (axis.words)
        snprintf(text, sizeof text, "Prior and posterior of %.60s: the probability of each choice.",
                 r->input->parameters[k].name);
    else
        number_format(
            text, sizeof text,
            "Prior and posterior of %.60s: 95 %% of the posterior between %.4g and %.4g, its median %.4g.",
            r->input->parameters[k].name, f->found.lower[k], f->found.upper[k], f->found.median[k]);
    chart_begin(&c, text, r->input->parameters[k].name, "share of samples");
    static const double zero[POINTS] = {0.0};
    c.series = "posterior";
    chart_band(&c, "model", after.x, zero, after.y, after.count);
    chart_line(&c, "model", after.x, after.y, after.count);
    c.series = "prior";
    chart_line(&c, "reference", before.x, before.y, before.count);
    c.series = "best trial";
    if (f->found.best) {
        const double at[2] = {f->found.best[k], f->found.best[k]}, ends[2] = {0.0, top.high};
        if (at[0] >= axis.low && at[0] <= axis.high) chart_line(&c, "best", at, ends, 2);
    }
    chart_end(&c);
    fputs("</figure>\n", r->file);
}

static void draw_marginals(const posterior_figure *f)
{
    fputs("<h3>Before and after the data</h3>\n", f->r->file);
    report_legend(f->r, MARGINAL, 3);
    fputs("<div class=\"charts wide\">\n", f->r->file);
    for (int i = 0; i < f->frees; i++) draw_marginal(f, f->free[i]);
    fputs("</div>\n", f->r->file);
}

/* With the digits that tell the ends of a narrow interval apart. */
static void write_number(const report *r, double value, double deviation)
{
    number_print(r->file, "<td>%.*g</td>", number_digits(value, deviation), value);
}

static void write_numbers(const posterior_figure *f, int k)
{
    const gofh_posterior_results *p = &f->found;
    const double numbers[5] = {p->best[k], p->mean[k], p->deviation[k], p->lower[k], p->upper[k]};
    for (int i = 0; i < 5; i++) write_number(f->r, numbers[i], p->deviation[k]);
    double share = 100.0 * p->emulator[k];
    number_print(f->r->file, "<td>%.0f %%</td><td>%.0f %%</td>", 100.0 - share, share);
}

/* A choice has no mean, and what is fixed no more than its value. */
static void write_best(const posterior_figure *f, int k)
{
    char text[REPORT_NAME];
    report_value(f->r, k, f->found.best[k], text);
    fputs("<td>", f->r->file);
    svg_escape(f->r->file, text);
    fputs("</td>", f->r->file);
    for (int i = 0; i < 6; i++) fputs("<td>–</td>", f->r->file);
}

static void write_table(const posterior_figure *f)
{
    const report *r = f->r;
    const gofh_posterior_results *p = &f->found;
    fputs("<div class=\"scroll\"><table class=\"posterior\"><thead><tr>"
          "<th class=\"t\">parameter</th><th>best</th><th>mean</th>"
          "<th>sd</th><th>2.5 %</th><th>97.5 %</th><th>from noise</th>"
          "<th>from emulator</th></tr></thead><tbody>\n",
          r->file);
    for (int k = 0; k < p->parameters; k++) {
        fputs("<tr><td class=\"t\"><code>", r->file);
        svg_escape(r->file, r->input->parameters[k].name);
        fputs("</code></td>", r->file);
        if (r->input->parameters[k].words || r->input->parameters[k].count == 1)
            write_best(f, k);
        else
            write_numbers(f, k);
        fputs("</tr>\n", r->file);
    }
    fputs("</tbody></table></div>\n", r->file);
}

/* What the data tell and what not, an item each. */
static void write_words(const posterior_figure *f)
{
    FILE *file = f->r->file;
    const char *at = f->found.message;
    if (!*at) return;
    fputs("<ul>", file);
    while (*at) {
        const char *end = strstr(at, "; ");
        char reason[512];
        snprintf(reason, sizeof reason, "%.*s", (int)(end ? end - at : (long)strlen(at)), at);
        fputs("<li>", file);
        svg_escape(file, reason);
        fputs("</li>", file);
        at = end ? end + 2 : at + strlen(at);
    }
    fputs("</ul>\n", file);
}

static gofh_status write_section(posterior_figure *f)
{
    FILE *file = f->r->file;
    fputs("<section id=\"posterior\"><h2>Posterior of the parameters</h2>\n<p class=\"note\">Parameters that "
          "fit the data, given the noise; the emulator's uncertainty is included. Intervals hold 95 %. The "
          "last two columns are shares of the variance: from the noise of the data, and from the "
          "emulator.</p>\n",
          file);
    write_words(f);
    write_table(f);
    draw_marginals(f);
    posterior_corner(f);
    posterior_directions(f);
    gofh_status status = posterior_bands(f);
    fputs("</section>\n", file);
    return status;
}

gofh_status figure_posterior(const report *r)
{
    gofh_posterior *posterior;
    if (!r->models_outputs || r->best < 0) return GOFH_OK;
    gofh_status status = gofh_posterior_create(&posterior, r->study, SAMPLES);
    /* No fit, or not enough of one. */
    if (status == GOFH_ERROR_PROBLEM || status == GOFH_ERROR_EMPTY || status == GOFH_ERROR_ARGUMENT)
        return GOFH_OK;
    if (status) return report_failure(r, status);
    posterior_figure f = {.r = r, .posterior = posterior};
    gofh_posterior_summary(posterior, &f.found);
    f.free = memory_new((size_t)f.found.parameters, sizeof *f.free);
    for (int k = 0; f.free && k < f.found.parameters; k++)
        if (r->input->parameters[k].count != 1) f.free[f.frees++] = k;
    size_t n = (size_t)f.found.samples;
    f.x = memory_doubles(n * (size_t)(f.found.parameters + f.found.sigmas + 1));
    if (f.x && f.free) {
        f.sigma = f.x + n * (size_t)f.found.parameters;
        f.work = f.sigma + n * (size_t)f.found.sigmas;
        gofh_posterior_sample(posterior, f.x, f.sigma);
        status = write_section(&f);
    } else {
        status = error_memory(r->error);
    }
    free(f.x);
    free(f.free);
    gofh_posterior_free(posterior);
    return status;
}

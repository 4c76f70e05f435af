/* What is expected next, and where. */
#include "base/number.h"
#include "report/figures.h"
#include "report/svg.h"
#include "report/tables.h"
#include "serve/view.h"

#include <math.h>
#include <string.h>

static void write_gain(const report *r, double gain)
{
    char text[NUMBER_TEXT] = "–";
    if (isfinite(gain)) number_write_short(gain, 3, text);
    fprintf(r->file, "<td>%s</td>", text);
}

static void write_probability(const report *r, double probability)
{
    char text[NUMBER_TEXT] = "–";
    if (isfinite(probability)) number_format(text, sizeof text, "%.2f", probability);
    fprintf(r->file, "<td>%s</td>", text);
}

static void write_f(const report *r, const forecast_point *p)
{
    char f[NUMBER_TEXT] = "–", low[NUMBER_TEXT], high[NUMBER_TEXT];
    if (isfinite(p->f)) number_write_short(p->f, 4, f);
    fprintf(r->file, "<td>%s", f);
    if (isfinite(p->f) && isfinite(p->low) && isfinite(p->high)) {
        number_write_short(p->low, 4, low);
        number_write_short(p->high, 4, high);
        fprintf(r->file, " <small>(%s to %s)</small>", low, high);
    }
    fputs("</td>", r->file);
}

/* The trial that a point is under way as, which a point that was next may be by now; 0: it is not. */
static long long trial_of(const report *r, const forecast_point *p)
{
    for (int i = 0; i < r->count; i++)
        if (r->state[i] == GOFH_TRIAL_OPEN &&
            (p->trial ? p->trial == i + 1
                      : memcmp(p->x, r->x + (size_t)i * (size_t)r->d, (size_t)r->d * sizeof *p->x) == 0))
            return i + 1;
    return 0;
}

static void write_row(const report *r, const forecast_point *p, int has_model)
{
    long long trial = trial_of(r, p);
    if (p->trial && !trial) return; /* it is over */
    if (trial)
        fprintf(r->file,
                "<tr><td class=\"t\"><a href=\"#\" data-trial=\"%lld\">trial %lld</a>, under way</td>", trial,
                trial);
    else
        fputs("<tr><td class=\"t\"><b>next</b></td>", r->file);
    fputs("<td class=\"t\">", r->file);
    svg_escape(r->file, p->origin);
    fputs("</td>", r->file);
    write_gain(r, p->gain);
    if (has_model) write_f(r, p);
    if (r->input->constraint_count) write_probability(r, p->feasible);
    for (int k = 0; k < r->d; k++) table_value(r, k, p->x[k]);
    fputs("</tr>\n", r->file);
}

static void write_points(const report *r, const forecast *f)
{
    int has_model = 0;
    for (int i = 0; i < f->count; i++) has_model |= isfinite(f->points[i].f);
    fprintf(r->file,
            "<div class=\"scroll\"><table class=\"expected\"><thead><tr><th class=\"t\"></th><th "
            "class=\"t\">chosen by</th><th>expected gain</th>%s%s",
            has_model ? "<th>f by the model (95 %)</th>" : "",
            r->input->constraint_count ? "<th>feasible</th>" : "");
    for (int k = 0; k < r->d; k++) {
        fputs("<th>", r->file);
        svg_escape(r->file, r->input->parameters[k].name);
        fputs("</th>", r->file);
    }
    fputs("</tr></thead><tbody>\n", r->file);
    for (int i = 0; i < f->count; i++) write_row(r, &f->points[i], has_model);
    fputs("</tbody></table></div>\n", r->file);
}

int view_is_over(const report *r, const forecast *f)
{
    return f->known && f->stops && r->open == 0 && f->results == r->done + r->failed;
}

/* The word of the stop rule. */
static void write_stop(const report *r, const forecast *f, int ended)
{
    static const char GO_ON[] = "<code>stop: never</code> or <code>gofh run --all</code> goes on.";
    if (view_is_over(r, f))
        fprintf(r->file, "<p><b>Ended</b>: %s.%s%s</p>\n", gofh_status_text((gofh_status)f->stops),
                f->stops == GOFH_STOP_IMPROVEMENT ? " " : "", f->stops == GOFH_STOP_IMPROVEMENT ? GO_ON : "");
    else if (ended)
        fputs("<p>The run has <b>ended</b>.</p>\n", r->file);
    else if (f->stops == GOFH_STOP_IMPROVEMENT)
        fprintf(r->file,
                "<p class=\"active\">Nothing more is expected%s: the stop rule ends the study here. %s</p>\n",
                r->open ? ", unless a run under way changes that" : "", GO_ON);
    else if (f->stops)
        fprintf(r->file, "<p>No further point: %s.</p>\n", gofh_status_text((gofh_status)f->stops));
}

static void write_forecast(const report *r, const forecast *f, int ended)
{
    int results = r->done + r->failed, over = view_is_over(r, f);
    if (ended && f->results != results) {
        fputs("<p>How sure the study is of its best trial: <code>gofh report</code>.</p>\n", r->file);
        return;
    }
    if (f->count && !ended) write_points(r, f);
    if (f->assessed && (ended || over)) {
        fprintf(r->file, "<p><b>%s</b> of its best trial:</p>\n", f->success ? "Sure" : "Not sure");
        table_reasons(r, f->message);
    } else if (f->assessed) {
        fprintf(r->file, "<p>If it ended now, the study would be <b>%s</b> of its best trial:</p>\n",
                f->success ? "sure" : "not sure");
        table_reasons(r, f->message);
    } else if (*f->message) {
        fputs("<p class=\"note\">", r->file);
        svg_escape(r->file, f->message);
        fputs("</p>\n", r->file);
    }
    if (f->results > REPORT_MODELLED_MAX) return;
    if (f->results == results)
        fprintf(r->file, "<p class=\"note\">By the model of all %d results.</p>\n", results);
    else
        fprintf(r->file, "<p class=\"note\">By the model of the first %d results; there are %d now.</p>\n",
                f->results, results);
}

static void write_failure(const report *r, const char *before, const char *failure, const char *after)
{
    fprintf(r->file, "<p class=\"broken\">%s: ", before);
    svg_escape(r->file, failure);
    fprintf(r->file, ". %s</p>\n", after);
}

gofh_status view_next(const report *r, const forecast *f, int ended, const char *gone)
{
    double next[FORECAST_NEXT_MAX * GOFH_MAX_PARAMETERS];
    report with = *r;
    with.next = next;
    with.next_count = 0;
    for (int i = 0; f->known && !ended && i < f->count; i++)
        if (!f->points[i].trial && !trial_of(r, &f->points[i]) && with.next_count < FORECAST_NEXT_MAX)
            memcpy(next + (size_t)(with.next_count++) * (size_t)r->d, f->points[i].x,
                   (size_t)r->d * sizeof *next);
    fprintf(r->file, "<section><h2>%s</h2>\n", ended || view_is_over(r, f) ? "The end" : "Expected next");
    write_stop(r, f, ended);
    if (*gone && !ended)
        write_failure(r, "There are no more forecasts", gone,
                      "A new <code>gofh serve</code> makes them again.");
    else if (*f->failure && !ended)
        write_failure(r, "The forecast could not be made", f->failure, "It is tried again.");
    else if (!f->known && !ended)
        fputs("<p class=\"note\">The model is being fitted.</p>\n", r->file);
    if (f->known) write_forecast(r, f, ended);
    fputs("</section>\n", r->file);
    return figure_scatter(&with);
}

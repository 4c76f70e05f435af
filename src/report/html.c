#include "report/html.h"

#include "base/error.h"
#include "base/number.h"
#include "report/figures.h"
#include "report/page_style.h"
#include "report/svg.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static void number(FILE *file, double value)
{
    char text[48];
    chart_number(value, 0, text, sizeof text);
    fputs(text, file);
}

static void write_head(const report *r)
{
    const report_input *in = r->input;
    const char *title = in->title ? in->title : "Study";
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
          "'unsafe-inline'; "
          "img-src data:\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<link rel=\"icon\" href=\"data:,\">\n<title>",
          r->file);
    svg_escape(r->file, title);
    fprintf(r->file, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<main>\n<h1>", PAGE_STYLE);
    svg_escape(r->file, title);
    fputs("</h1>\n<p class=\"by\">", r->file);
    if (in->made) {
        svg_escape(r->file, in->made);
        fputs(" · ", r->file);
    }
    fprintf(r->file, "gofh %s</p>\n", gofh_version());
}

static void tile_number(const report *r, int value, const char *label)
{
    fprintf(r->file, "<div><b>%d</b><span>%s</span></div>\n", value, label);
}

static void write_tiles(const report *r)
{
    fputs("<div class=\"figures\">\n", r->file);
    fputs("<div><b>", r->file);
    number(r->file, r->best >= 0 ? r->f[r->best] : NAN);
    fprintf(r->file, "</b><span>best f%s</span></div>\n",
            r->best >= 0 && isinf(r->f[r->best]) ? ", nothing feasible was seen" : "");
    if (r->best >= 0) tile_number(r, r->best + 1, "best trial");
    int runs = r->count - r->imported;
    fprintf(r->file, "<div><b>%d", runs);
    if (r->input->budget > 0) fprintf(r->file, " of %d", r->input->budget);
    fputs("</b><span>runs</span></div>\n", r->file);
    tile_number(r, r->failed, "failed");
    if (r->imported) tile_number(r, r->imported, "imported");
    if (r->open) tile_number(r, r->open, "running");
    fputs("</div>\n", r->file);
}

static void write_problem(const report *r)
{
    const report_input *in = r->input;
    fprintf(r->file, "<dl><dt>%s</dt><dd><code>", in->sense == GOFH_MAXIMIZE ? "maximise" : "minimise");
    svg_escape(r->file, in->objective ? in->objective : "a function of the program");
    fputs("</code></dd>\n", r->file);
    for (int i = 0; i < in->constraint_count; i++) {
        fprintf(r->file, "<dt>%s</dt><dd><code>", i == 0 ? "subject to" : "and");
        svg_escape(r->file, in->constraints[i]);
        fputs("</code></dd>\n", r->file);
    }
    fprintf(r->file, "<dt>outputs</dt><dd>");
    for (int i = 0; i < in->output_count; i++) {
        if (i) fputs(", ", r->file);
        fputs("<code>", r->file);
        svg_escape(r->file, in->outputs[i].name);
        fputs("</code>", r->file);
        if (in->outputs[i].size > 1) fprintf(r->file, " (%d)", in->outputs[i].size);
    }
    fputs("</dd></dl>\n", r->file);
}

/* Where a value is between its bounds, from 0 to 100. */
static double percent(const report_parameter *p, double value)
{
    if (!(p->upper > p->lower)) return 50.0; /* it is fixed */
    double share = p->scale == GOFH_SCALE_LOG ? log(value / p->lower) / log(p->upper / p->lower)
                                              : (value - p->lower) / (p->upper - p->lower);
    return 100.0 * fmin(fmax(share, 0.0), 1.0);
}

static void write_track(const report *r, const char *class, double at)
{
    number_print(r->file, "<span class=\"track %s\"><i style=\"left:%.1f%%\"></i></span>", class, at);
}

/* A choice by its text. */
static void write_value(const report *r, const report_parameter *p, double value)
{
    int i = (int)value;
    if (p->words && i >= 0 && i < p->count)
        svg_escape(r->file, p->words[i]);
    else
        number(r->file, value);
}

static void write_parameters(const report *r)
{
    const double *x = r->best >= 0 ? r->x + (size_t)r->best * (size_t)r->d : NULL;
    fprintf(r->file,
            "<div class=\"scroll\"><table class=\"parameters\"><thead><tr><th "
            "class=\"t\">parameter</th>%s<th>lower</th>%s<th>upper</th>"
            "<th class=\"t broad\">scale</th></tr></thead><tbody>\n",
            x ? "<th>best</th>" : "", x ? "<th class=\"broad\"></th>" : "");
    for (int k = 0; k < r->d; k++) {
        const report_parameter *p = &r->input->parameters[k];
        fputs("<tr><td class=\"t\"><code>", r->file);
        svg_escape(r->file, p->name);
        fputs("</code>", r->file);
        if (x) write_track(r, "slim", percent(p, x[k]));
        fputs("</td>", r->file);
        if (x) {
            fputs("<td><b>", r->file);
            write_value(r, p, x[k]);
            fputs("</b></td>", r->file);
        }
        fputs("<td>", r->file);
        write_value(r, p, p->lower);
        fputs("</td>", r->file);
        if (x) {
            fputs("<td class=\"broad\">", r->file);
            write_track(r, "", percent(p, x[k]));
            fputs("</td>", r->file);
        }
        fputs("<td>", r->file);
        write_value(r, p, p->upper);
        fprintf(r->file, "</td><td class=\"t broad\">%s</td></tr>\n",
                p->words                     ? "choices"
                : p->count == 1              ? "fixed"
                : p->scale == GOFH_SCALE_LOG ? "logarithmic"
                                             : "linear");
    }
    fputs("</tbody></table></div>\n", r->file);
}

static void write_trial(const report *r, const gofh_trial *trial, int best)
{
    static const char *const states[] = {"running", "done", "failed"};
    static const char *const classes[] = {"open", "done", "failed"};
    fprintf(r->file, "<tr class=\"%s%s\"><td>%lld</td><td class=\"t\">%s</td><td class=\"t\">",
            classes[trial->state], best ? " best" : "", (long long)trial->trial, states[trial->state]);
    svg_escape(r->file, trial->origin);
    fputs("</td><td>", r->file);
    char text[48];
    chart_number(trial->expected, 0, text, sizeof text);
    if (isfinite(trial->expected)) number_format(text, sizeof text, "%.3g", trial->expected);
    fprintf(r->file, "%s</td><td>", text);
    number(r->file, trial->f);
    fputs("</td>", r->file);
    for (int k = 0; k < r->d; k++) {
        fputs("<td>", r->file);
        write_value(r, &r->input->parameters[k], trial->x[k]);
        fputs("</td>", r->file);
    }
    if (r->failed) {
        fputs("<td class=\"r\">", r->file);
        svg_escape(r->file, trial->reason);
        fputs("</td>", r->file);
    }
    fputs("</tr>\n", r->file);
}

static gofh_status write_trials(const report *r)
{
    if (r->count == 0) {
        fputs("<section id=\"trials\"><h2>Trials</h2><p class=\"note\">There are none yet.</p></section>\n",
              r->file);
        return GOFH_OK;
    }
    fputs("<section id=\"trials\"><h2>Trials</h2>\n<div class=\"scroll\"><table><thead><tr><th>trial</th>"
          "<th class=\"t\">status</th><th class=\"t\">origin</th><th>expected gain</th><th>f</th>",
          r->file);
    for (int k = 0; k < r->d; k++) {
        fputs("<th>", r->file);
        svg_escape(r->file, r->input->parameters[k].name);
        fputs("</th>", r->file);
    }
    fprintf(r->file, "%s</tr></thead><tbody>\n", r->failed ? "<th class=\"t\">reason</th>" : "");
    for (int i = 0; i < r->count; i++) {
        gofh_trial trial;
        gofh_status status = gofh_study_trial(r->study, i + 1, &trial);
        if (status) return report_failure(r, status);
        write_trial(r, &trial, i == r->best);
    }
    fputs("</tbody></table></div></section>\n", r->file);
    return GOFH_OK;
}

static gofh_status write_log(const report *r)
{
    const char *line = gofh_study_log(r->study, 0);
    if (!line) return GOFH_OK;
    fputs("<section id=\"log\"><h2>Log</h2>\n<pre>", r->file);
    for (int i = 0; (line = gofh_study_log(r->study, i)); i++) {
        svg_escape(r->file, line);
        fputc('\n', r->file);
    }
    fputs("</pre></section>\n", r->file);
    return GOFH_OK;
}

/* How sure the study is of its best evaluation: the reasons, an item each. */
static gofh_status write_assessment(const report *r)
{
    gofh_assessment a;
    if (r->best < 0) return GOFH_OK;
    gofh_status status = gofh_study_assess(r->study, &a);
    if (status) return report_failure(r, status);
    fprintf(r->file, "<section id=\"assessment\"><h2>%s</h2>\n<ul>",
            a.success ? "Sure of it" : "Not sure of it");
    for (const char *at = a.message; *at;) {
        const char *end = strstr(at, "; ");
        char reason[256];
        snprintf(reason, sizeof reason, "%.*s", (int)(end ? end - at : (long)strlen(at)), at);
        fputs("<li>", r->file);
        svg_escape(r->file, reason);
        fputs("</li>", r->file);
        at = end ? end + 2 : at + strlen(at);
    }
    fputs("</ul></section>\n", r->file);
    return GOFH_OK;
}

static gofh_status write_page(const report *r)
{
    static gofh_status (*const parts[])(const report *) = {
        write_assessment, figure_convergence, figure_fit,   figure_slices,
        figure_scatter,   figure_left_out,    write_trials, write_log};
    write_head(r);
    write_tiles(r);
    write_problem(r);
    write_parameters(r);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        gofh_status status = parts[i](r);
        if (status) return status;
    }
    fprintf(r->file, "<footer>Made by gofh %s.</footer>\n</main>\n</body>\n</html>\n", gofh_version());
    return GOFH_OK;
}

gofh_status report_html(FILE *file, const report_input *input, gofh_error *error)
{
    report r;
    gofh_status status = report_gather(&r, file, input, error);
    if (!status) status = write_page(&r);
    report_release(&r);
    if (status) return status;
    errno = 0;
    if (fflush(file) || ferror(file))
        return error_set(error, GOFH_ERROR_SYSTEM, "the report can't be written: %s", strerror(errno));
    return GOFH_OK;
}

#include "report/tables.h"

#include "base/error.h"
#include "base/number.h"
#include "report/svg.h"

#include <math.h>
#include <string.h>

/* Within this part of its range a parameter is at its bound. */
static const double AT_BOUND = 1e-3;
/* A constraint is active where its margin is within this part of its limit, or of what the margins were
 * where it has no limit but 0. */
static const double ACTIVE = 0.01;

static int violates(const report *r, const gofh_trial *trial)
{
    return report_violation(r, (int)trial->trial - 1) != 0.0;
}

/* ---- The summary ---- */

static void tile_number(const report *r, int value, const char *label)
{
    fprintf(r->file, "<div><b>%d</b><span>%s</span></div>\n", value, label);
}

/* Why the best f is none, or "". */
static const char *why_no_best(const report *r)
{
    gofh_trial best;
    if (r->best < 0) return ": no trial has one yet";
    if (!isinf(r->f[r->best])) return "";
    return gofh_study_trial(r->study, r->best + 1, &best) || violates(r, &best)
               ? ", nothing feasible was seen"
               : ", none is finite";
}

void table_tiles(const report *r)
{
    fputs("<div class=\"figures\">\n", r->file);
    fputs("<div><b>", r->file);
    report_number(r, r->best >= 0 ? r->f[r->best] : NAN);
    fprintf(r->file, "</b><span>best f%s</span></div>\n", why_no_best(r));
    if (r->best >= 0) tile_number(r, r->best + 1, "best trial");
    fprintf(r->file, "<div><b>%d", r->count - r->imported - r->checked - r->open);
    if (r->input->budget > 0) fprintf(r->file, " of %d", r->input->budget);
    fputs("</b><span>runs finished</span></div>\n", r->file);
    tile_number(r, r->failed, "failed");
    if (r->imported) tile_number(r, r->imported, "imported");
    if (r->checked) tile_number(r, r->checked, "by gofh check");
    if (r->open) tile_number(r, r->open, "open");
    fputs("</div>\n", r->file);
}

/* ---- The problem ---- */

void table_problem(const report *r)
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

/* ---- Parameters ---- */

/* Where a value is between its bounds, from 0 to 1. */
static double share_of(const report_parameter *p, double value)
{
    if (!(p->upper > p->lower)) return 0.5; /* it is fixed */
    double share = p->scale == GOFH_SCALE_LOG ? log(value / p->lower) / log(p->upper / p->lower)
                                              : (value - p->lower) / (p->upper - p->lower);
    return fmin(fmax(share, 0.0), 1.0);
}

static void write_track(const report *r, const char *class, double share)
{
    number_print(r->file, "<span class=\"track %s\"><i style=\"left:%.1f%%\"></i></span>", class,
                 100.0 * share);
}

static void write_cell(const report *r, double value)
{
    fputs("<td>", r->file);
    report_number(r, value);
    fputs("</td>", r->file);
}

void table_text(const report *r, int k, double value)
{
    const report_parameter *p = &r->input->parameters[k];
    int i = (int)value;
    if (p->words && i >= 0 && i < p->count)
        svg_escape(r->file, p->words[i]);
    else
        report_number(r, value);
}

void table_value(const report *r, int k, double value)
{
    fputs(r->input->parameters[k].words ? "<td class=\"w\">" : "<td>", r->file);
    table_text(r, k, value);
    fputs("</td>", r->file);
}

static void write_bounds(const report *r, const double *x)
{
    int written = 0;
    for (int k = 0; k < r->d; k++) {
        const report_parameter *p = &r->input->parameters[k];
        double share = share_of(p, x[k]);
        if (p->words || (share > AT_BOUND && share < 1.0 - AT_BOUND)) continue;
        fputs(written++ ? "; <code>" : "<p class=\"active\"><code>", r->file);
        svg_escape(r->file, p->name);
        fprintf(r->file, "</code> is at its %s bound ", share > 0.5 ? "upper" : "lower");
        report_number(r, share > 0.5 ? p->upper : p->lower);
    }
    if (written) fprintf(r->file, ": the optimum may lie beyond %s.</p>\n", written > 1 ? "them" : "it");
}

/* The cells from the lower bound to the upper one, between which the best is, if there is one. */
static void write_interval(const report *r, int k, const double *x)
{
    const report_parameter *p = &r->input->parameters[k];
    table_value(r, k, p->lower);
    if (x) {
        fputs("<td class=\"broad\">", r->file);
        write_track(r, "", share_of(p, x[k]));
        fputs("</td>", r->file);
    }
    table_value(r, k, p->upper);
}

/* Instead of them: choices have no bounds. */
static void write_words(const report *r, const report_parameter *p, int is_best)
{
    fprintf(r->file, "<td class=\"t w\" colspan=\"%d\">of ", is_best ? 3 : 2);
    for (int i = 0; i < p->count; i++) {
        if (i) fputs(" · ", r->file);
        svg_escape(r->file, p->words[i]);
    }
    fputs("</td>", r->file);
}

void table_parameters(const report *r)
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
        if (x && !p->words) write_track(r, "slim", share_of(p, x[k]));
        fputs("</td>", r->file);
        if (x) {
            fputs("<td><b>", r->file);
            table_text(r, k, x[k]);
            fputs("</b></td>", r->file);
        }
        if (p->words)
            write_words(r, p, x != NULL);
        else
            write_interval(r, k, x);
        fprintf(r->file, "<td class=\"t broad\">%s</td></tr>\n",
                p->words                     ? "choices"
                : p->count == 1              ? "fixed"
                : p->scale == GOFH_SCALE_LOG ? "logarithmic"
                                             : "linear");
    }
    fputs("</tbody></table></div>\n", r->file);
    if (x) write_bounds(r, x);
}

/* ---- Constraints ---- */

/* The limit of "expression <= number" and ">=", and the sign with which a margin is taken from it. 0:
 * it is of another form. */
static int find_limit(const char *constraint, double *limit, double *sign)
{
    const char *at = strpbrk(constraint, "<>");
    if (!at) return 0;
    const char *right = at + 1 + (at[1] == '=');
    char *end;
    *limit = number_scan(right, &end);
    if (end == right || strspn(end, " \t\n") != strlen(end)) return 0;
    *sign = *at == '<' ? -1.0 : 1.0;
    return 1;
}

/* The margin at the best trial, what the margins were, and in how many trials it was violated. */
typedef struct {
    double best, low, high;
    int violated;
} margins;

static gofh_status find_margins(const report *r, int number, margins *m)
{
    *m = (margins){.best = NAN, .low = INFINITY, .high = -INFINITY};
    for (int i = 0; i < r->count; i++) {
        double margin;
        if (r->state[i] != GOFH_TRIAL_DONE) continue;
        gofh_status status = gofh_study_margin(r->study, number, r->x + (size_t)i * (size_t)r->d,
                                               r->y + (size_t)i * (size_t)r->m, &margin);
        if (status) return report_failure(r, status);
        if (i == r->best) m->best = margin;
        m->violated += margin < 0.0;
        if (!isfinite(margin)) continue;
        m->low = fmin(m->low, margin);
        m->high = fmax(m->high, margin);
    }
    return GOFH_OK;
}

gofh_status table_constraints(const report *r)
{
    const report_input *in = r->input;
    if (in->constraint_count == 0 || r->best < 0) return GOFH_OK;
    fputs(
        "<section id=\"constraints\"><h2>Constraints at the best trial</h2>\n<div "
        "class=\"scroll\"><table class=\"constraints\"><thead><tr>"
        "<th class=\"t\">constraint</th><th>value</th><th>limit</th><th>margin</th><th class=\"t\">state</th>"
        "<th>trials that violate it</th></tr></thead><tbody>\n",
        r->file);
    for (int i = 0; i < in->constraint_count; i++) {
        margins m;
        double limit = NAN, sign = NAN;
        gofh_status status = find_margins(r, i, &m);
        if (status) return status;
        int known = find_limit(in->constraints[i], &limit, &sign);
        double scale = known && limit != 0.0 ? fmin(fabs(limit), m.high - m.low) : m.high - m.low;
        int active = m.best >= 0.0 && m.best <= ACTIVE * scale;
        fputs("<tr><td class=\"r\"><code>", r->file);
        svg_escape(r->file, in->constraints[i]);
        fputs("</code></td>", r->file);
        write_cell(r, known ? limit + sign * m.best : NAN);
        write_cell(r, known ? limit : NAN);
        write_cell(r, m.best);
        fprintf(r->file, "<td class=\"t\">%s</td><td>%d of %d</td></tr>\n",
                m.best < 0.0 ? "<b class=\"broken\">violated</b>"
                : active     ? "<b class=\"active\">active</b>"
                             : "holds",
                m.violated, r->done);
    }
    fputs("</tbody></table></div></section>\n", r->file);
    return GOFH_OK;
}

/* ---- How sure ---- */

void table_reasons(const report *r, const char *reasons)
{
    fputs("<ul>", r->file);
    for (const char *at = reasons; *at;) {
        const char *end = strstr(at, "; ");
        char reason[256];
        snprintf(reason, sizeof reason, "%.*s", (int)(end ? end - at : (long)strlen(at)), at);
        fputs("<li>", r->file);
        svg_escape(r->file, reason);
        fputs("</li>", r->file);
        at = end ? end + 2 : at + strlen(at);
    }
    fputs("</ul>\n", r->file);
}

/* ---- Trials ---- */

const char *table_state(const report *r, const gofh_trial *trial)
{
    return trial->state == GOFH_TRIAL_OPEN        ? "open"
           : trial->state == GOFH_TRIAL_FAILED    ? "failed"
           : trial->state == GOFH_TRIAL_FORGOTTEN ? "forgotten"
           : isnan(trial->f)                      ? "no f"
           : !isinf(trial->f)                     ? "done"
           : violates(r, trial)                   ? "not feasible"
                                                  : "f is not finite";
}

/* No gain was expected of what is tried for another reason. */
static double gain_of(const gofh_trial *trial)
{
    int other = strcmp(trial->origin, "restart") == 0 || strcmp(trial->origin, "geometry") == 0;
    return other && trial->expected == 0.0 ? NAN : trial->expected;
}

static void write_trial(const report *r, const gofh_trial *trial, int best)
{
    static const char *const classes[] = {"open", "done", "failed", "forgotten"};
    const report_run *run = r->input->runs ? &r->input->runs[trial->trial - 1] : NULL;
    long long number = trial->trial;
    fprintf(r->file, "<tr id=\"trial-%lld\" class=\"%s%s\"><td>", number, classes[trial->state],
            best ? " best" : "");
    if (run && run->folder) {
        fputs("<a href=\"", r->file);
        svg_escape(r->file, run->folder);
        fprintf(r->file, "\">%lld</a></td>", number);
    } else {
        fprintf(r->file, "%lld</td>", number);
    }
    write_cell(r, trial->f);
    fprintf(r->file, "<td class=\"r\">%s", table_state(r, trial));
    if (*trial->reason) fputs(": ", r->file);
    svg_escape(r->file, trial->reason);
    fputs("</td>", r->file);
    if (r->input->constraint_count) {
        double violation = trial->state == GOFH_TRIAL_DONE ? report_violation(r, (int)number - 1) : NAN;
        write_cell(r, violation != 0.0 ? violation : NAN);
    }
    for (int k = 0; k < r->d; k++) table_value(r, k, trial->x[k]);
    fprintf(r->file, "<td class=\"t\">");
    svg_escape(r->file, report_origin(r, trial));
    char text[48];
    double gain = gain_of(trial);
    chart_number(gain, 0, text, sizeof text);
    if (isfinite(gain)) number_write_short(gain, 3, text);
    fprintf(r->file, "</td><td>%s</td>", text);
    if (run) {
        chart_number(run->seconds, 0, text, sizeof text);
        if (isfinite(run->seconds)) number_write_short(run->seconds, 3, text);
        fprintf(r->file, "<td>%s</td>", text);
    }
    fputs("</tr>\n", r->file);
}

gofh_status table_rows(const report *r, const int *index, int count)
{
    fputs("<thead><tr><th data-key=\"trial\">trial</th><th data-key=\"f\">f</th><th class=\"t\">state</th>",
          r->file);
    if (r->input->constraint_count) fputs("<th>violated by</th>", r->file);
    for (int k = 0; k < r->d; k++) {
        fprintf(r->file, "<th data-key=\"%d\">", k);
        svg_escape(r->file, r->input->parameters[k].name);
        fputs("</th>", r->file);
    }
    fprintf(r->file, "<th class=\"t\">chosen by</th><th>expected gain</th>%s</tr></thead><tbody>\n",
            r->input->runs ? "<th data-key=\"seconds\">seconds</th>" : "");
    for (int i = 0; i < count; i++) {
        gofh_trial trial;
        int at = index ? index[i] : i;
        gofh_status status = gofh_study_trial(r->study, at + 1, &trial);
        if (status) return report_failure(r, status);
        write_trial(r, &trial, at == r->best);
    }
    fputs("</tbody>", r->file);
    return GOFH_OK;
}

gofh_status table_trials(const report *r)
{
    enum { LONG = 500 };
    if (r->count == 0) {
        fputs("<section id=\"trials\"><h2>Trials</h2><p class=\"note\">There are none yet.</p></section>\n",
              r->file);
        return GOFH_OK;
    }
    fputs("<section id=\"trials\"><h2>Trials</h2>\n", r->file);
    int linked = 0;
    for (int i = 0; i < r->count && r->input->runs; i++) linked |= r->input->runs[i].folder != NULL;
    if (linked) fputs("<p class=\"note\">A number leads to the folder of the run.</p>\n", r->file);
    int columns = r->d + 5 + (r->input->constraint_count > 0) + (r->input->runs != NULL);
    fprintf(r->file,
            "<div class=\"scroll trials%s\" tabindex=\"0\"><table class=\"sortable\" style=\"--columns:%d\">",
            r->count > LONG ? " long" : "", columns);
    gofh_status status = table_rows(r, NULL, r->count);
    fputs("</table></div></section>\n", r->file);
    return status;
}

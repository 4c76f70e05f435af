#include "serve/view.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "report/figures.h"
#include "report/progress.h"
#include "report/svg.h"
#include "report/tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void view_page(FILE *file, const view_study *studies, int count, const char *token)
{
    fprintf(
        file,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<noscript><meta http-equiv=\"refresh\" content=\"10\"></noscript>\n"
        "<link rel=\"icon\" href=\"data:,\">\n<link rel=\"stylesheet\" href=\"style.css?token=%s\">\n<title>",
        token);
    svg_escape(file, count == 1 ? studies[0].title : "gofh: studies");
    fprintf(file,
            "</title>\n</head>\n<body class=\"live\">\n<p id=\"link\" role=\"status\"></p>\n"
            "<div class=\"studies%s\">\n",
            count > 1 ? " several" : "");
    for (int i = 0; i < count; i++) {
        fprintf(file, "<main data-study=\"%d\">\n<h1>", i);
        svg_escape(file, studies[i].title);
        fprintf(
            file,
            "</h1>\n<div data-part=\"summary\">%s</div>\n<div data-part=\"running\">%s</div>\n<div "
            "data-part=\"next\">%s</div>\n<div data-part=\"state\">%s</div>\n"
            "<section class=\"scripted\" hidden><h2>Trials</h2><p class=\"tools\"><label>show only <input "
            "type=\"search\" placeholder=\"failed, or f &lt; 0.1\"></label><button type=\"button\" "
            "data-move=\"-1\" hidden>previous page</button><button type=\"button\" data-move=\"1\" "
            "hidden>next page</button><span "
            "class=\"note\" data-count></span></p><div class=\"scroll trials\" tabindex=\"0\" "
            "data-part=\"trials\"></div></section>\n</main>\n",
            studies[i].summary ? studies[i].summary : "", studies[i].running ? studies[i].running : "",
            studies[i].next ? studies[i].next : "", studies[i].state ? studies[i].state : "");
    }
    fprintf(file,
            "</div>\n<dialog id=\"trial\" aria-label=\"a trial\"></dialog>\n"
            "<script src=\"script.js?token=%s\"></script>\n<script src=\"live.js?token=%s\"></script>\n"
            "</body>\n</html>\n",
            token, token);
}

gofh_status view_summary(const report *r)
{
    table_tiles(r);
    table_problem(r);
    table_parameters(r);
    return figure_convergence(r);
}

gofh_status view_state(const report *r)
{
    static gofh_status (*const parts[])(const report *) = {figure_fit, figure_residuals, table_constraints,
                                                           figure_times};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        gofh_status status = parts[i](r);
        if (status) return status;
    }
    return GOFH_OK;
}

/* ---- What is under way ---- */

static void write_values(const report *r, const double *x)
{
    for (int k = 0; k < r->d; k++) {
        fprintf(r->file, "<span><code>");
        svg_escape(r->file, r->input->parameters[k].name);
        fputs("</code> ", r->file);
        table_text(r, k, x[k]);
        fputs("</span> ", r->file);
    }
}

static void write_run(const report *r, const gofh_trial *trial, const view_run *run)
{
    fprintf(r->file, "<div class=\"run\"><p><b><a href=\"#\" data-trial=\"%lld\">trial %lld</a></b>",
            (long long)trial->trial, (long long)trial->trial);
    if (run && isfinite(run->since))
        number_print(r->file, " · <time data-since=\"%.0f\"></time>", run->since);
    else
        fputs(" · open", r->file);
    if (run && *run->where) {
        fputs(" · ", r->file);
        svg_escape(r->file, run->where);
    }
    fputs(" · chosen by ", r->file);
    svg_escape(r->file, report_origin(r, trial));
    if (isfinite(trial->expected) && trial->expected != 0.0) {
        char gain[NUMBER_TEXT];
        number_write_short(trial->expected, 3, gain);
        fprintf(r->file, " · expected gain %s", gain);
    }
    if (isfinite(trial->feasible))
        number_print(r->file, " · feasible with probability %.2f", trial->feasible);
    fputs("</p><p class=\"values\">", r->file);
    write_values(r, trial->x);
    fputs("</p>", r->file);
    if (run && *run->output) {
        fputs("<pre>", r->file);
        svg_escape(r->file, run->output);
        fputs("</pre>", r->file);
    }
    fputs("</div>\n", r->file);
}

static gofh_status write_failures(const report *r)
{
    enum { SHOWN = 10 };
    int shown = 0;
    for (int i = r->count - 1; i >= 0 && shown < SHOWN; i--) {
        gofh_trial trial;
        if (r->state[i] != GOFH_TRIAL_FAILED) continue;
        gofh_status status = gofh_study_trial(r->study, i + 1, &trial);
        if (status) return report_failure(r, status);
        if (shown++ == 0) fputs("<section><h2>Failures</h2>\n<ul class=\"failures\">", r->file);
        fprintf(r->file, "<li><a href=\"#\" data-trial=\"%d\">trial %d</a>: ", i + 1, i + 1);
        svg_escape(r->file, trial.reason);
        fputs("</li>\n", r->file);
    }
    if (shown) fputs("</ul>", r->file);
    if (shown && r->failed > shown)
        fprintf(r->file, "<p class=\"note\">The last %d of %d.</p>", shown, r->failed);
    if (shown) fputs("</section>\n", r->file);
    return GOFH_OK;
}

/* The script counts them. */
static void write_times(const report *r, const view_times *t)
{
    if (isfinite(t->began))
        number_print(r->file, "<p class=\"note\">The first run began <time data-began=\"%.0f\"></time> ago%s",
                     t->began, isfinite(t->low) ? "; " : ".");
    if (isfinite(t->low))
        number_print(r->file, "<b><time data-low=\"%.0f\" data-high=\"%.0f\"></time></b> left.", t->low,
                     t->high);
    if (isfinite(t->began)) fputs("</p>\n", r->file);
}

gofh_status view_running(const report *r, const view_run *runs, int count, const view_times *times,
                         long long queued)
{
    enum { SHOWN = 20 };
    int shown = 0;
    fputs("<section><h2>Under way</h2>\n", r->file);
    write_times(r, times);
    for (int i = 0; i < r->count && shown < SHOWN; i++) {
        gofh_trial trial;
        const view_run *run = NULL;
        if (r->state[i] != GOFH_TRIAL_OPEN) continue;
        gofh_status status = gofh_study_trial(r->study, i + 1, &trial);
        if (status) return report_failure(r, status);
        for (int k = 0; k < count && !run; k++)
            if (runs[k].trial == i + 1) run = &runs[k];
        write_run(r, &trial, run);
        shown++;
    }
    if (r->open > shown) fprintf(r->file, "<p class=\"note\">And %d more.</p>", r->open - shown);
    if (r->open == 0) fputs("<p class=\"note\">No trial is open.</p>", r->file);
    if (queued)
        fprintf(r->file, "<p class=\"note\">%lld start point%s to come.</p>", queued, queued == 1 ? "" : "s");
    fputs("</section>\n", r->file);
    return write_failures(r);
}

/* ---- The table ---- */

/* Trials with the value that they are ordered by. */
typedef struct {
    double key;
    int index;
} entry;

static int compare_entries(const void *first, const void *second)
{
    const entry *a = first, *b = second;
    if (isnan(a->key) || isnan(b->key)) {
        if (isnan(a->key) != isnan(b->key)) return isnan(a->key) ? 1 : -1;
    } else if (a->key != b->key) {
        return a->key < b->key ? -1 : 1;
    }
    return (a->index > b->index) - (a->index < b->index);
}

/* The value of a column; NaN: there is none. */
static double value_of(const report *r, const char *column, int i)
{
    if (strcmp(column, "f") == 0) return r->f[i];
    if (strcmp(column, "trial") == 0) return i + 1;
    if (strcmp(column, "seconds") == 0) return r->input->runs ? r->input->runs[i].seconds : NAN;
    char *end;
    long k = strtol(column, &end, 10);
    if (end != column && !*end && k >= 0 && k < r->d) return r->x[(size_t)i * (size_t)r->d + (size_t)k];
    for (k = 0; k < r->d; k++)
        if (strcmp(column, r->input->parameters[k].name) == 0)
            return r->x[(size_t)i * (size_t)r->d + (size_t)k];
    return NAN;
}

/* A filter: "name < number", or words. */
typedef struct {
    char column[128];
    char comparison; /* '<', '>', '='; 0: it is words */
    int or_equal;
    double limit;
    const char *words;
} filter;

static filter read_filter(const char *text)
{
    filter f = {.words = text};
    const char *at = strpbrk(text, "<>=");
    if (!at) return f;
    const char *begin = text + strspn(text, " "), *end = at;
    while (end > begin && end[-1] == ' ') end--;
    const char *right = at + 1 + (at[1] == '=');
    char *after;
    double limit = number_scan(right, &after);
    if (after == right || *after || end == begin || (size_t)(end - begin) >= sizeof f.column) return f;
    memcpy(f.column, begin, (size_t)(end - begin));
    f.comparison = *at;
    f.or_equal = at[1] == '=' && *at != '=';
    f.limit = limit;
    return f;
}

static int matches(const report *r, const filter *f, const gofh_trial *trial)
{
    if (f->comparison) {
        double value = value_of(r, f->column, (int)trial->trial - 1);
        if (f->or_equal && value == f->limit) return 1;
        return f->comparison == '<'   ? value < f->limit
               : f->comparison == '>' ? value > f->limit
                                      : value == f->limit;
    }
    return strstr(table_state(r, trial), f->words) || strstr(trial->reason, f->words) ||
           strstr(report_origin(r, trial), f->words);
}

/* The trials that match, with their keys. Fills *count. */
static gofh_status find_entries(const report *r, const view_query *query, entry *entries, int *count)
{
    filter f = read_filter(query->filter ? query->filter : "");
    for (int i = 0; i < r->count; i++) {
        gofh_trial trial;
        gofh_status status = gofh_study_trial(r->study, i + 1, &trial);
        if (status) return report_failure(r, status);
        if (!matches(r, &f, &trial)) continue;
        double key = query->sort ? value_of(r, query->sort, i) : -(double)i;
        entries[(*count)++] = (entry){query->sort && query->descending ? -key : key, i};
    }
    return GOFH_OK;
}

gofh_status view_trials(const report *r, const view_query *query)
{
    entry *entries = memory_new((size_t)r->count, sizeof *entries);
    int count = 0, index[VIEW_ROWS], shown = 0;
    if (!entries) return error_memory(r->error);
    gofh_status status = find_entries(r, query, entries, &count);
    if (!status) {
        qsort(entries, (size_t)count, sizeof *entries, compare_entries);
        for (int i = query->from; i < count && shown < VIEW_ROWS; i++) index[shown++] = entries[i].index;
        fprintf(r->file, "<table data-from=\"%d\" data-shown=\"%d\" data-all=\"%d\">", query->from, shown,
                count);
        status = table_rows(r, index, shown);
        fputs("</table>\n", r->file);
    }
    free(entries);
    return status;
}

/* ---- One trial ---- */

static void write_output(const report *r, const char *title, const char *text)
{
    if (!*text) return;
    fprintf(r->file, "<h3>%s <small>its end</small></h3><pre>", title);
    svg_escape(r->file, text);
    fputs("</pre>\n", r->file);
}

static void write_outputs(const report *r, const double *y)
{
    enum { SHOWN = 200 };
    char name[REPORT_NAME];
    fputs("<h3>Outputs</h3><p class=\"values\">", r->file);
    for (int j = 0; j < r->m && j < SHOWN; j++) {
        report_element_name(r, j, name);
        fputs("<span><code>", r->file);
        svg_escape(r->file, name);
        fputs("</code> ", r->file);
        report_number(r, y[j]);
        fputs("</span> ", r->file);
    }
    fputs("</p>\n", r->file);
    if (r->m > SHOWN) fprintf(r->file, "<p class=\"note\">The first %d of %d.</p>\n", SHOWN, r->m);
}

static gofh_status write_margins(const report *r, const gofh_trial *trial)
{
    if (r->input->constraint_count == 0) return GOFH_OK;
    fputs("<h3>Constraints</h3><ul>", r->file);
    for (int i = 0; i < r->input->constraint_count; i++) {
        double margin;
        gofh_status status = gofh_study_margin(r->study, i, trial->x, trial->y, &margin);
        if (status) return report_failure(r, status);
        fputs("<li><code>", r->file);
        svg_escape(r->file, r->input->constraints[i]);
        fprintf(r->file, "</code>: %s by ", margin < 0.0 ? "violated" : "met");
        report_number(r, fabs(margin));
        fputs("</li>", r->file);
    }
    fputs("</ul>\n", r->file);
    return GOFH_OK;
}

gofh_status view_trial(const report *r, long long number, const char *folder, const char *standard_output,
                       const char *standard_error)
{
    gofh_trial trial;
    if (number < 1 || number > r->count) return GOFH_ERROR_TRIAL;
    gofh_status status = gofh_study_trial(r->study, number, &trial);
    if (status) return report_failure(r, status);
    fprintf(r->file, "<h2>Trial %lld</h2>\n<dl><dt>state</dt><dd>%s", number, table_state(r, &trial));
    if (*trial.reason) fputs(": ", r->file);
    svg_escape(r->file, trial.reason);
    fputs("</dd><dt>f</dt><dd>", r->file);
    report_number(r, trial.f);
    fputs("</dd><dt>chosen by</dt><dd>", r->file);
    svg_escape(r->file, report_origin(r, &trial));
    fputs("</dd>", r->file);
    if (r->input->runs && isfinite(r->input->runs[number - 1].seconds)) {
        char text[48];
        progress_duration(r->input->runs[number - 1].seconds, text, sizeof text);
        fprintf(r->file, "<dt>run time</dt><dd>%s</dd>", text);
    }
    if (*folder) {
        fputs("<dt>folder</dt><dd><code>", r->file);
        svg_escape(r->file, folder);
        fputs("</code></dd>", r->file);
    }
    fputs("</dl>\n<h3>Parameters</h3><p class=\"values\">", r->file);
    write_values(r, trial.x);
    fputs("</p>\n", r->file);
    if (trial.y) write_outputs(r, trial.y);
    if (trial.y) status = write_margins(r, &trial);
    write_output(r, "Standard error", standard_error);
    write_output(r, "Standard output", standard_output);
    return status;
}

#include "report/gather.h"

#include "base/error.h"
#include "base/memory.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const double REPORT_DECADES = 100.0;

static size_t at(int row, int columns)
{
    return (size_t)row * (size_t)columns;
}

gofh_status report_failure(const report *r, gofh_status status)
{
    const char *message = gofh_study_message(r->study);
    return error_set(r->error, status, "the study can't be reported: %s",
                     *message ? message : gofh_status_text(status));
}

gofh_status report_finish(FILE *file, const char *what, gofh_error *error)
{
    int failed = ferror(file);
    clearerr(file);
    errno = 0;
    /* What failed before says again why. */
    if (failed) fputc('\n', file);
    if (fflush(file) || failed)
        return error_set(error, GOFH_ERROR_SYSTEM, "the %s can't be written: %s", what, strerror(errno));
    return GOFH_OK;
}

static gofh_status check_input(const report_input *input, gofh_error *error)
{
    if (!input->study) return error_set(error, GOFH_ERROR_ARGUMENT, "there is no study to report");
    if (input->parameter_count < 1 || input->output_count < 1)
        return error_set(error, GOFH_ERROR_ARGUMENT, "a report needs the parameters and the outputs");
    return GOFH_OK;
}

static gofh_status collect_trials(report *r)
{
    gofh_trial trial;
    for (int i = 0; i < r->count; i++) {
        gofh_status status = gofh_study_trial(r->study, i + 1, &trial);
        if (status) return report_failure(r, status);
        memcpy(r->x + at(i, r->d), trial.x, (size_t)r->d * sizeof *r->x);
        for (int j = 0; j < r->m; j++) r->y[at(i, r->m) + (size_t)j] = trial.y ? trial.y[j] : NAN;
        r->f[i] = trial.f;
        r->state[i] = (int)trial.state;
        r->done += trial.state == GOFH_TRIAL_DONE;
        r->failed += trial.state == GOFH_TRIAL_FAILED;
        r->open += trial.state == GOFH_TRIAL_OPEN;
        r->imported += trial.imported && !(r->input->runs && r->input->runs[i].checked);
        r->checked += r->input->runs && r->input->runs[i].checked;
    }
    return GOFH_OK;
}

/* A logarithmic scale for f of one sign that spans decades, and for its distance from the best
 * where it changes sign and the best is next to 0 beside the rest. */
static void choose_scale(report *r)
{
    double least = INFINITY, most = 0.0, low = INFINITY, high = -INFINITY;
    for (int i = 0; i < r->count; i++) {
        if (!isfinite(r->f[i])) continue;
        low = fmin(low, r->f[i]);
        high = fmax(high, r->f[i]);
        if (r->f[i] != 0.0) least = fmin(least, fabs(r->f[i]));
        most = fmax(most, fabs(r->f[i]));
    }
    int larger = r->input->sense == GOFH_MAXIMIZE;
    double best = larger ? high : low;
    r->f_sign = 1.0;
    r->f_name = "f";
    r->f_log = most > REPORT_DECADES * least;
    if (r->f_log && high <= 0.0) {
        r->f_sign = -1.0;
        r->f_name = "−f";
    } else if (r->f_log && low < 0.0) {
        r->f_log = high - low > REPORT_DECADES * fabs(best);
        if (!r->f_log) return;
        r->f_origin = best;
        r->f_sign = larger ? -1.0 : 1.0;
        r->f_name = larger ? "best − f" : "f − best";
    }
}

/* The best finite f as it was seen, for which no model is needed. */
static int find_best(report *r)
{
    double sign = r->input->sense == GOFH_MAXIMIZE ? -1.0 : 1.0;
    for (int i = 0; i < r->count; i++)
        if (isfinite(r->f[i]) && (r->best < 0 || sign * r->f[i] < sign * r->f[r->best])) r->best = i;
    return r->best >= 0;
}

static gofh_status look_at_model(report *r)
{
    gofh_trial best;
    r->best = -1;
    if (r->done == 0) return GOFH_OK;
    if (r->quick && find_best(r)) return GOFH_OK;
    gofh_status status = gofh_study_best(r->study, &best);
    if (status == GOFH_ERROR_EMPTY) return GOFH_OK; /* f of none is known */
    if (status) return report_failure(r, status);
    r->best = (int)best.trial - 1;
    if (r->quick) return GOFH_OK;
    static const double levels[2] = {0.025, 0.975};
    size_t m = (size_t)r->m;
    double *quantiles = memory_doubles(2 * m);
    r->low = memory_doubles(2 * m);
    if (!quantiles || !r->low) {
        free(quantiles);
        return error_memory(r->error);
    }
    const double *x = r->x + at(r->best, r->d);
    double f;
    status = gofh_study_predict_quantiles(r->study, x, 1, levels, 2, NULL, quantiles);
    r->high = r->low + m;
    for (size_t j = 0; j < m && !status; j++) {
        r->low[j] = quantiles[2 * j];
        r->high[j] = quantiles[2 * j + 1];
    }
    free(quantiles);
    if (status == GOFH_ERROR_MEMORY) return report_failure(r, status);
    r->models_outputs = status == GOFH_OK;
    r->models_f = gofh_study_predict(r->study, x, 1, NULL, NULL, &f, NULL) == GOFH_OK;
    return GOFH_OK;
}

gofh_status report_gather(report *r, FILE *file, const report_input *input, gofh_error *error)
{
    *r = (report){.input = input, .file = file, .error = error, .best = -1};
    gofh_status status = check_input(input, error);
    if (status) return status;
    r->study = input->study;
    r->count = (int)gofh_study_count(r->study);
    r->d = input->parameter_count;
    for (int i = 0; i < input->output_count; i++) r->m += input->outputs[i].size;
    r->x = memory_doubles(at(r->count, r->d));
    r->y = memory_doubles(at(r->count, r->m));
    r->f = memory_doubles((size_t)r->count);
    r->state = memory_new((size_t)r->count, sizeof *r->state);
    if (!r->x || !r->y || !r->f || !r->state) return error_memory(error);
    status = collect_trials(r);
    if (status) return status;
    r->quick = input->quick || r->done > REPORT_MODELLED_MAX;
    choose_scale(r);
    return look_at_model(r);
}

void report_release(report *r)
{
    free(r->x);
    free(r->y);
    free(r->f);
    free(r->state);
    free(r->low);
}

void report_element_name(const report *r, int j, char name[REPORT_NAME])
{
    const report_output *output = r->input->outputs;
    for (; j >= output->size; output++) j -= output->size;
    if (output->size == 1)
        snprintf(name, REPORT_NAME, "%.60s", output->name);
    else
        snprintf(name, REPORT_NAME, "%.60s[%d]", output->name, j);
}

int report_shown_outputs(const report *r)
{
    return r->m < REPORT_OUTPUTS_MAX ? r->m : REPORT_OUTPUTS_MAX;
}

double report_drawn_f(const report *r, double f)
{
    return r->f_sign * (f - r->f_origin);
}

double report_violation(const report *r, int i)
{
    double most = 0.0;
    for (int k = 0; k < r->input->constraint_count; k++) {
        double margin;
        if (gofh_study_margin(r->study, k, r->x + at(i, r->d), r->y + at(i, r->m), &margin) || isnan(margin))
            return NAN;
        most = fmax(most, -margin);
    }
    return most;
}

chart report_chart(const report *r, double width, double height)
{
    static const double COLUMN = 360.0;
    double scale = r->files && width < COLUMN ? COLUMN / width : 1.0;
    return (chart){.file = r->file, .files = r->files, .width = scale * width, .height = scale * height};
}

int report_sizes(const report *r)
{
    return r->files ? 1 : 2;
}

chart report_large_chart(const report *r, int size)
{
    int narrow = size == 1 || r->files;
    chart c = report_chart(r, narrow ? 360.0 : 760.0, narrow ? 250.0 : 310.0);
    c.class = narrow ? "slim" : "broad";
    return c;
}

void report_legend(const report *r, const chart_item *items, int count)
{
    fputs("<p class=\"legend\">", r->file);
    for (int i = 0; i < count; i++) chart_legend(r->file, &items[i]);
    fputs("</p>\n", r->file);
}

chart_axis report_parameter_axis(const report *r, int k)
{
    const report_parameter *p = &r->input->parameters[k];
    chart_axis axis = {.low = p->lower, .high = p->upper, .log = p->scale == GOFH_SCALE_LOG};
    if (p->words) {
        axis.words = (const char *const *)p->words;
        axis.word_count = p->count;
    }
    axis.whole = p->count > 0;
    for (int i = 0; i < p->count; i++) axis.whole &= p->values[i] == floor(p->values[i]);
    /* Values on their own have room beside their ends. */
    if (p->count > 0 && axis.log) {
        double room = pow(p->upper / p->lower, 0.06);
        axis.low /= room;
        axis.high *= room;
    } else if (p->count > 0) {
        double room = p->words ? 0.5 : 0.06 * (p->upper - p->lower);
        axis.low -= room;
        axis.high += room;
    }
    return axis;
}

void report_value(const report *r, int k, double value, char text[REPORT_NAME])
{
    const report_parameter *p = &r->input->parameters[k];
    int i = (int)value;
    if (p->words && i >= 0 && i < p->count)
        snprintf(text, REPORT_NAME, "%.90s", p->words[i]);
    else
        chart_number(value, 0, text, REPORT_NAME);
}

void report_number(const report *r, double value)
{
    char text[48];
    chart_number(value, 0, text, sizeof text);
    fputs(text, r->file);
}

const char *report_origin(const report *r, const gofh_trial *trial)
{
    int checked = r->input->runs && r->input->runs[trial->trial - 1].checked;
    return checked ? "check" : trial->origin;
}

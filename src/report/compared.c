#include "report/compared.h"

#include "base/error.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

gofh_status compared_gather(const report *r, compared *c)
{
    *c = (compared){.count = 0};
    gofh_status status = gofh_study_comparisons(r->study, NULL, 0, &c->list_count);
    if (status) return report_failure(r, status);
    c->list = memory_new((size_t)c->list_count, sizeof *c->list);
    c->of = memory_new((size_t)c->list_count, sizeof *c->of);
    if (!c->list || !c->of) return error_memory(r->error);
    status = gofh_study_comparisons(r->study, c->list, c->list_count, &c->list_count);
    return status ? report_failure(r, status) : GOFH_OK;
}

void compared_free(compared *c)
{
    free(c->list);
    free(c->of);
}

int compared_take(compared *c, const report_output *output, int first)
{
    c->count = 0;
    for (int i = 0; i < c->list_count; i++)
        if (c->list[i].output >= first && c->list[i].output < first + output->size) c->of[c->count++] = i;
    return c->count;
}

const gofh_comparison *compared_at(const compared *c, int i)
{
    return &c->list[c->of[i]];
}

const report_data *compared_data(const report *r, const compared *c, const report_output *output)
{
    const char *name = NULL;
    for (int i = 0; i < c->count; i++) {
        const gofh_comparison *one = compared_at(c, i);
        if (!one->data || (name && strcmp(one->data, name) != 0)) return NULL;
        name = one->data;
    }
    for (int i = 0; name && i < r->input->data_count; i++) {
        const report_data *data = &r->input->data[i];
        if (strcmp(data->name, name) == 0) return data->size == output->size ? data : NULL;
    }
    return NULL;
}

double compared_place(const report_data *data, int j)
{
    return data && data->at ? data->at[j] : j;
}

const char *compared_place_title(const report_data *data)
{
    return !data || !data->at ? "element" : data->at_name ? data->at_name : "at";
}

const char *compared_value_title(const report_data *data, const report_output *output,
                                 char title[REPORT_NAME])
{
    if (!data || (!data->label && !data->unit))
        snprintf(title, REPORT_NAME, "%.60s", output->name);
    else if (data->label && data->unit)
        snprintf(title, REPORT_NAME, "%.60s (%.20s)", data->label, data->unit);
    else
        snprintf(title, REPORT_NAME, "%.60s", data->label ? data->label : data->unit);
    return title;
}

chart_axis compared_axis(const report_data *data, int size)
{
    chart_axis axis = {.low = -0.5, .high = size - 0.5, .whole = 1};
    if (!data || !data->at) return axis;
    axis = CHART_EMPTY;
    chart_include(&axis, data->at, size);
    chart_pad(&axis);
    return axis;
}

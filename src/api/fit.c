/* Fits: an objective that is told as pairs of outputs and data, and becomes an expression. */
#include "api/problem.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Huber's: 95 % as efficient as least squares where the noise is normal. */
static const double THRESHOLD = 1.345;

static const char SUFFIX[] = "_sigma";

static char *sigma_name(const char *data)
{
    size_t length = strlen(data);
    char *name = memory_new(length + sizeof SUFFIX, 1);
    if (!name) return NULL;
    memcpy(name, data, length);
    memcpy(name + length, SUFFIX, sizeof SUFFIX);
    return name;
}

/* The standard deviation of each value of the data; NULL with the error set. */
static double *check_sigma(gofh_problem *problem, const problem_symbol *data, const double *sigma, int count)
{
    double *checked = memory_doubles((size_t)count);
    if (!checked) {
        error_memory(&problem->error);
        return NULL;
    }
    for (int i = 0; i < count; i++) {
        int used = count == 1 || !isnan(data->values[i]);
        checked[i] = used ? sigma[i] : 1.0;
        if (!used || (sigma[i] > 0.0 && isfinite(sigma[i]))) continue;
        error_set(&problem->error, GOFH_ERROR_ARGUMENT, "sigma %d of data \"%s\" is %g: it must be above 0",
                  i, data->name, sigma[i]);
        free(checked);
        return NULL;
    }
    return checked;
}

gofh_status gofh_problem_set_sigma(gofh_problem *problem, const char *name, const double *sigma, int count)
{
    if (!problem) return GOFH_ERROR_ARGUMENT;
    gofh_error *error = &problem->error;
    problem_symbol *data = name ? problem_find_symbol(&problem->data, name) : NULL;
    if (!data)
        return error_set(error, GOFH_ERROR_ARGUMENT, "sigma of \"%.60s\": there are no such data",
                         name ? name : "");
    if (!sigma || (count != 1 && count != data->size))
        return error_set(error, GOFH_ERROR_ARGUMENT, "data \"%s\" have %d values, but %d sigmas", name,
                         data->size, sigma ? count : 0);
    double *checked = check_sigma(problem, data, sigma, count);
    if (!checked) return error->status;
    char *own = sigma_name(name);
    gofh_status status = own ? gofh_problem_set_data(problem, own, checked, count) : error_memory(error);
    if (!status) problem_find_symbol(&problem->data, name)->has_sigma = 1;
    free(own);
    free(checked);
    return status;
}

gofh_status gofh_problem_set_discrepancy(gofh_problem *problem, const char *name, const double *at, int count)
{
    if (!problem) return GOFH_ERROR_ARGUMENT;
    gofh_error *error = &problem->error;
    problem_symbol *data = name ? problem_find_symbol(&problem->data, name) : NULL;
    if (!data)
        return error_set(error, GOFH_ERROR_ARGUMENT, "the discrepancy of \"%.60s\": there are no such data",
                         name ? name : "");
    if (!at || count != data->size)
        return error_set(error, GOFH_ERROR_ARGUMENT, "data \"%s\" have %d values, but %d places", name,
                         data->size, at ? count : 0);
    for (int i = 0; i < count; i++)
        if (!isfinite(at[i]))
            return error_set(error, GOFH_ERROR_ARGUMENT, "place %d of data \"%s\" is %g", i, name, at[i]);
    double *copy = memory_doubles((size_t)count);
    if (!copy) return error_memory(error);
    memcpy(copy, at, (size_t)count * sizeof *copy);
    free(data->at);
    data->at = copy;
    return GOFH_OK;
}

/* The output and the data of a fit, which have the same size. */
static gofh_status find_pair(gofh_problem *problem, const char *output, const char *data, problem_fit *fit)
{
    gofh_error *error = &problem->error;
    const problem_symbol *out = problem_find_symbol(&problem->outputs, output),
                         *of = problem_find_symbol(&problem->data, data);
    int unnamed = problem->outputs.count == 0 && problem->m > 0 && strcmp(output, "y") == 0;
    if (!out && !unnamed)
        return error_set(error, GOFH_ERROR_PROBLEM, "\"%.60s\" is fitted to data, but is no output", output);
    if (!of)
        return error_set(error, GOFH_ERROR_PROBLEM, "\"%.60s\" is fitted to \"%.60s\", which are no data",
                         output, data);
    int size = out ? out->size : problem->m;
    if (of->size != size)
        return error_set(error, GOFH_ERROR_PROBLEM, "output \"%s\" has %d value%s, data \"%s\" have %d",
                         output, size, size == 1 ? "" : "s", data, of->size);
    fit->output = out ? (size_t)(out - problem->outputs.items) : 0;
    fit->data = (size_t)(of - problem->data.items);
    for (size_t i = 0; i < problem->fit_count; i++)
        if (problem->fit[i].output == fit->output && problem->fit[i].data == fit->data)
            return error_set(error, GOFH_ERROR_PROBLEM, "\"%s\" is fitted to \"%s\" twice", output, data);
    return GOFH_OK;
}

/* Whether the data can be fitted in this way. */
static gofh_status check_data(gofh_problem *problem, const problem_fit *fit)
{
    gofh_error *error = &problem->error;
    const problem_symbol *data = &problem->data.items[fit->data];
    int known = 0;
    for (int i = 0; i < data->size; i++) {
        double value = data->values[i];
        if (isnan(value)) continue;
        known++;
        if (fit->residual == GOFH_RESIDUAL_RELATIVE && value == 0.0)
            return error_set(error, GOFH_ERROR_PROBLEM,
                             "value %d of data \"%s\" is 0: it has no relative residual", i, data->name);
        if (fit->residual == GOFH_RESIDUAL_LOG && !(value > 0.0))
            return error_set(error, GOFH_ERROR_PROBLEM, "value %d of data \"%s\" is %g: it has no logarithm",
                             i, data->name, value);
    }
    if (known == 0)
        return error_set(error, GOFH_ERROR_PROBLEM, "all values of data \"%s\" are missing", data->name);
    if (fit->residual == GOFH_RESIDUAL_RELATIVE && data->has_sigma)
        return error_set(error, GOFH_ERROR_PROBLEM,
                         "data \"%s\" have a sigma, which says what a residual weighs: leave that or "
                         "\"relative\" out",
                         data->name);
    if (fit->loss == GOFH_LOSS_HUBER && isnan(fit->threshold))
        return error_set(error, GOFH_ERROR_PROBLEM,
                         "Huber's loss of data \"%s\" needs their sigma, or a threshold of the residuals",
                         data->name);
    return GOFH_OK;
}

/* A text that grows. */
typedef struct {
    char *bytes;
    size_t length, room;
    int failed;
} text;

static void add(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(text *t, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int more = number_format_list(NULL, 0, format, arguments);
    t->failed |= more < 0 || memory_grow((void **)&t->bytes, &t->room, t->length + (size_t)more + 1, 1);
    if (!t->failed) {
        number_format_list(t->bytes + t->length, (size_t)more + 1, format, again);
        t->length += (size_t)more;
    }
    va_end(again);
    va_end(arguments);
}

/* What is left of a vector without the elements that the data miss. */
static void add_known(text *t, const char *name, int size, const problem_symbol *data)
{
    int missing = 0;
    for (int i = 0; i < data->size; i++) missing |= isnan(data->values[i]) != 0;
    if (!missing || size == 1)
        add(t, "%s", name);
    else if (strcmp(name, data->name) == 0)
        add(t, "known(%s)", name);
    else
        add(t, "known(%s, %s)", name, data->name);
}

static void add_residual(text *t, const gofh_problem *problem, const problem_fit *fit)
{
    const problem_symbol *data = &problem->data.items[fit->data];
    const char *output = problem->outputs.count ? problem->outputs.items[fit->output].name : "y";
    char *sigma = data->has_sigma ? sigma_name(data->name) : NULL;
    int is_log = fit->residual == GOFH_RESIDUAL_LOG, is_relative = fit->residual == GOFH_RESIDUAL_RELATIVE;
    t->failed |= data->has_sigma && !sigma;
    add(t, sigma || is_relative ? "((" : "(");
    if (is_log) add(t, "log(");
    add_known(t, output, data->size, data);
    add(t, is_log ? ") - log(" : " - ");
    add_known(t, data->name, data->size, data);
    add(t, is_log ? "))" : ")");
    if (sigma) {
        const problem_symbol *own = problem_find_symbol((problem_symbols *)&problem->data, sigma);
        add(t, is_log ? "/(" : "/");
        add_known(t, sigma, own->size, data);
    }
    if ((is_log && sigma) || is_relative) {
        add(t, "/");
        add_known(t, data->name, data->size, data);
    }
    if (is_log && sigma) add(t, ")");
    if (sigma || is_relative) add(t, ")");
    free(sigma);
}

/* The sum of all fits as an expression, to be freed; NULL when there is no memory. */
static char *make_objective(const gofh_problem *problem)
{
    text t = {.bytes = NULL};
    for (size_t i = 0; i < problem->fit_count; i++) {
        const problem_fit *fit = &problem->fit[i];
        int huber = fit->loss == GOFH_LOSS_HUBER;
        char threshold[32];
        add(&t, i ? " + sum(%s" : "sum(%s", huber ? "huber(" : "");
        add_residual(&t, problem, fit);
        t.failed |= number_format(threshold, sizeof threshold, "%.15g", fit->threshold) < 0;
        if (huber)
            add(&t, ", %s))", threshold);
        else
            add(&t, "^2)");
    }
    if (!t.failed) return t.bytes;
    free(t.bytes);
    return NULL;
}

gofh_status gofh_problem_fit(gofh_problem *problem, const char *output, const char *data,
                             gofh_residual residual, gofh_loss loss, double threshold)
{
    if (!problem) return GOFH_ERROR_ARGUMENT;
    gofh_error *error = &problem->error;
    if (!output || !data) return error_set(error, GOFH_ERROR_ARGUMENT, "a fit needs an output and data");
    if (residual < GOFH_RESIDUAL_DIFFERENCE || residual > GOFH_RESIDUAL_LOG || loss < GOFH_LOSS_SQUARE ||
        loss > GOFH_LOSS_HUBER)
        return error_set(error, GOFH_ERROR_ARGUMENT, "unknown residual %d or loss %d of the fit of \"%s\"",
                         (int)residual, (int)loss, output);
    if (!(threshold >= 0.0) || !isfinite(threshold))
        return error_set(error, GOFH_ERROR_ARGUMENT, "threshold %g of the fit of \"%s\" is not above 0",
                         threshold, output);
    problem_fit fit = {.residual = residual, .loss = loss};
    gofh_status status = find_pair(problem, output, data, &fit);
    if (status) return status;
    int scaled = problem->data.items[fit.data].has_sigma;
    fit.threshold = threshold > 0.0 ? threshold : scaled ? THRESHOLD : NAN;
    status = check_data(problem, &fit);
    if (status) return status;
    if (memory_grow((void **)&problem->fit, &problem->fit_room, problem->fit_count + 1, sizeof *problem->fit))
        return error_memory(error);
    problem->fit[problem->fit_count++] = fit;
    char *objective = make_objective(problem);
    if (!objective) {
        problem->fit_count--;
        return error_memory(error);
    }
    size_t count = problem->fit_count;
    status = gofh_problem_minimize(problem, objective);
    problem->fit_count = status ? count - 1 : count;
    free(objective);
    return status;
}

/* The first element of an output among all. */
static int first_of(const gofh_problem *problem, size_t output)
{
    int first = 0;
    for (size_t i = 0; i < output; i++) first += problem->outputs.items[i].size;
    return first;
}

/* The standard deviations of data, one or as many as they are; NULL: none are known. */
static const problem_symbol *find_sigma(const gofh_problem *problem, const problem_symbol *data,
                                        gofh_status *status)
{
    if (!data->has_sigma) return NULL;
    char *name = sigma_name(data->name);
    if (!name) *status = GOFH_ERROR_MEMORY;
    const problem_symbol *sigma = name ? problem_find_symbol((problem_symbols *)&problem->data, name) : NULL;
    free(name);
    return sigma;
}

/* The number, from 1, of the discrepancy of data; 0: they have none. */
static int field_of(const gofh_problem *problem, size_t data)
{
    int number = 0;
    for (size_t i = 0; i <= data; i++) number += problem->data.items[i].at != NULL;
    return problem->data.items[data].at ? number : 0;
}

gofh_status problem_fitted(const gofh_problem *problem, comparisons *list)
{
    gofh_status status = GOFH_OK;
    for (size_t k = 0; k < problem->fit_count && !status; k++) {
        const problem_fit *fit = &problem->fit[k];
        const problem_symbol *data = &problem->data.items[fit->data];
        const problem_symbol *sigma = find_sigma(problem, data, &status);
        if (status || memory_grow((void **)&list->items, &list->capacity, list->count + (size_t)data->size,
                                  sizeof *list->items))
            return GOFH_ERROR_MEMORY;
        for (int i = 0; i < data->size; i++)
            if (!isnan(data->values[i]))
                list->items[list->count++] = (comparison){
                    .output = first_of(problem, fit->output) + i,
                    .data = (int)fit->data,
                    .value = data->values[i],
                    .relative = fit->residual == GOFH_RESIDUAL_RELATIVE,
                    .logarithm = fit->residual == GOFH_RESIDUAL_LOG,
                    .field = field_of(problem, fit->data),
                    .at = data->at ? data->at[i] : 0.0,
                    .deviation = sigma ? sigma->values[sigma->size > 1 ? i : 0] : NAN};
    }
    return GOFH_OK;
}

/* The parameters of a problem: intervals, whole numbers, grids, catalogues, choices, fixed values. */
#include "api/problem.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/printable.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_MAX = 100 };

/* Room for one more parameter in each of the arrays. */
static int make_room(gofh_problem *problem)
{
    size_t count = (size_t)problem->d + 1, room[4];
    for (int i = 0; i < 4; i++) room[i] = problem->parameter_room;
    if (memory_grow((void **)&problem->name, &room[0], count, sizeof *problem->name) ||
        memory_grow((void **)&problem->lower, &room[1], count, sizeof *problem->lower) ||
        memory_grow((void **)&problem->upper, &room[2], count, sizeof *problem->upper) ||
        memory_grow((void **)&problem->scale, &room[3], count, sizeof *problem->scale) ||
        memory_grow((void **)&problem->kind, &problem->kind_room, count, sizeof *problem->kind) ||
        memory_grow((void **)&problem->prior, &problem->prior_room, count, sizeof *problem->prior))
        return -1;
    problem->parameter_room = room[0];
    return 0;
}

static int find_parameter(const gofh_problem *problem, const char *name)
{
    for (int k = 0; name && k < problem->d; k++)
        if (strcmp(problem->name[k], name) == 0) return k;
    return -1;
}

static gofh_status check_name(gofh_problem *problem, const char *name)
{
    gofh_error *error = &problem->error;
    if (!name || !*name) return error_set(error, GOFH_ERROR_ARGUMENT, "a parameter needs a name");
    if (find_parameter(problem, name) >= 0)
        return error_set(error, GOFH_ERROR_ARGUMENT, "there are two parameters \"%s\"", name);
    if (problem->d == GOFH_MAX_PARAMETERS)
        return error_set(error, GOFH_ERROR_ARGUMENT, "more than %d parameters: \"%s\" is one too many",
                         GOFH_MAX_PARAMETERS, name);
    return GOFH_OK;
}

static gofh_status check_bounds(gofh_problem *problem, const char *name, double lower, double upper,
                                gofh_scale scale)
{
    gofh_error *error = &problem->error;
    if (!isfinite(lower) || !isfinite(upper))
        return error_set(error, GOFH_ERROR_ARGUMENT,
                         "the bounds %g and %g of parameter \"%s\" are not both finite", lower, upper, name);
    if (!(upper > lower))
        return error_set(error, GOFH_ERROR_ARGUMENT,
                         "upper bound %g of parameter \"%s\" is not above its lower bound %g", upper, name,
                         lower);
    if (!isfinite(upper - lower))
        return error_set(error, GOFH_ERROR_ARGUMENT, "the range %g to %g of parameter \"%s\" is too wide",
                         lower, upper, name);
    if (scale != GOFH_SCALE_LINEAR && scale != GOFH_SCALE_LOG)
        return error_set(error, GOFH_ERROR_ARGUMENT, "unknown scale %d of parameter \"%s\"", (int)scale,
                         name);
    if (scale == GOFH_SCALE_LOG && !(lower > 0.0))
        return error_set(error, GOFH_ERROR_ARGUMENT,
                         "lower bound %g of parameter \"%s\" is not above 0, as a log scale needs", lower,
                         name);
    if (scale == GOFH_SCALE_LOG && !isfinite(upper / lower))
        return error_set(error, GOFH_ERROR_ARGUMENT, "the range %g to %g of parameter \"%s\" is too wide",
                         lower, upper, name);
    return GOFH_OK;
}

void parameters_free_kind(problem_kind *kind)
{
    for (int i = 0; kind->word && i < kind->domain.count; i++) free(kind->word[i]);
    free(kind->word);
    free((double *)kind->domain.values);
    *kind = (problem_kind){.word = NULL};
}

/* Takes the kind over. */
static gofh_status add(gofh_problem *problem, const char *name, double lower, double upper, gofh_scale scale,
                       problem_kind kind)
{
    char *copy = memory_copy_text(name);
    if (!copy || make_room(problem)) {
        free(copy);
        parameters_free_kind(&kind);
        return error_memory(&problem->error);
    }
    problem->name[problem->d] = copy;
    problem->lower[problem->d] = lower;
    problem->upper[problem->d] = upper;
    problem->scale[problem->d] = scale;
    problem->kind[problem->d] = kind;
    problem->d++;
    return GOFH_OK;
}

gofh_status gofh_problem_add_parameter(gofh_problem *problem, const char *name, double lower, double upper,
                                       gofh_scale scale)
{
    if (!problem) return GOFH_ERROR_ARGUMENT;
    gofh_status status = check_name(problem, name);
    if (!status) status = check_bounds(problem, name, lower, upper, scale);
    return status ? status : add(problem, name, lower, upper, scale, (problem_kind){.word = NULL});
}

gofh_status gofh_problem_add_grid(gofh_problem *problem, const char *name, double lower, double upper,
                                  double step, gofh_scale scale)
{
    if (!problem) return GOFH_ERROR_ARGUMENT;
    gofh_error *error = &problem->error;
    gofh_status status = check_name(problem, name);
    if (!status) status = check_bounds(problem, name, lower, upper, scale);
    if (status) return status;
    if (!(step > 0.0) || !isfinite(step))
        return error_set(error, GOFH_ERROR_ARGUMENT, "step %g of parameter \"%s\" is not above 0", step,
                         name);
    double steps = floor((upper - lower) / step * (1.0 + 1e-12) + 1e-9);
    if (steps < 1.0)
        return error_set(error, GOFH_ERROR_ARGUMENT,
                         "step %g of parameter \"%s\" is longer than its range %g to %g", step, name, lower,
                         upper);
    if (steps >= INT_MAX)
        return error_set(error, GOFH_ERROR_ARGUMENT,
                         "parameter \"%s\" has more than %d values: make it an interval", name, INT_MAX);
    problem_kind kind = {.domain = {.kind = DOMAIN_ORDERED, .count = (int)steps + 1, .step = step}};
    /* The last value as a decimal number, where it is one. */
    domain_parameter open = {.kind = DOMAIN_ORDERED, .count = kind.domain.count + 1, .step = step};
    domain one = {.d = 1, .lower = &lower, .upper = &upper, .scale = &scale, .parameters = 1, .kinds = &open};
    double last = domain_value(&one, 0, kind.domain.count - 1);
    return add(problem, name, lower, fabs(last - upper) <= 1e-9 * step ? upper : last, scale, kind);
}

gofh_status gofh_problem_add_integer(gofh_problem *problem, const char *name, int lower, int upper,
                                     gofh_scale scale)
{
    return gofh_problem_add_grid(problem, name, lower, upper, 1.0, scale);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

gofh_status gofh_problem_add_values(gofh_problem *problem, const char *name, const double *values, int count,
                                    gofh_scale scale)
{
    if (!problem) return GOFH_ERROR_ARGUMENT;
    gofh_error *error = &problem->error;
    gofh_status status = check_name(problem, name);
    if (status) return status;
    if (!values || count < 2)
        return error_set(error, GOFH_ERROR_ARGUMENT,
                         "parameter \"%s\" has %d value%s: at least 2 are needed, or fix it", name,
                         values ? count : 0, values && count == 1 ? "" : "s");
    double *copy = memory_doubles((size_t)count);
    if (!copy) return error_memory(error);
    memcpy(copy, values, (size_t)count * sizeof *copy);
    for (int i = 0; i < count && !status; i++)
        if (!isfinite(copy[i]))
            status = error_set(error, GOFH_ERROR_ARGUMENT, "value %g of parameter \"%s\" is not finite",
                               copy[i], name);
    qsort(copy, (size_t)count, sizeof *copy, ascending);
    for (int i = 1; i < count && !status; i++)
        if (copy[i] == copy[i - 1])
            status = error_set(error, GOFH_ERROR_ARGUMENT, "parameter \"%s\" has the value %g twice", name,
                               copy[i]);
    if (!status) status = check_bounds(problem, name, copy[0], copy[count - 1], scale);
    problem_kind kind = {.domain = {.kind = DOMAIN_ORDERED, .count = count, .values = copy}};
    if (status) {
        parameters_free_kind(&kind);
        return status;
    }
    return add(problem, name, copy[0], copy[count - 1], scale, kind);
}

static gofh_status check_words(gofh_problem *problem, const char *name, const char *const *choices, int count)
{
    gofh_error *error = &problem->error;
    for (int i = 0; i < count; i++) {
        const char *word = choices[i];
        if (!word || !*word || strlen(word) > WORD_MAX)
            return error_set(error, GOFH_ERROR_ARGUMENT,
                             "choice %d of parameter \"%s\" is not a text of 1 to %d bytes", i + 1, name,
                             WORD_MAX);
        for (const char *at = word; *at; at++)
            if (printable_control(at))
                return error_set(error, GOFH_ERROR_ARGUMENT,
                                 "choice %d of parameter \"%s\" has a control character in it", i + 1, name);
        for (int k = 0; k < i; k++)
            if (strcmp(choices[k], word) == 0)
                return error_set(error, GOFH_ERROR_ARGUMENT, "parameter \"%s\" has the choice %s twice", name,
                                 word);
    }
    return GOFH_OK;
}

gofh_status gofh_problem_add_choices(gofh_problem *problem, const char *name, const char *const *choices,
                                     int count, gofh_order order)
{
    if (!problem) return GOFH_ERROR_ARGUMENT;
    gofh_error *error = &problem->error;
    gofh_status status = check_name(problem, name);
    if (status) return status;
    if (!choices || count < 2)
        return error_set(error, GOFH_ERROR_ARGUMENT,
                         "parameter \"%s\" has %d choice%s: at least 2 are needed", name, choices ? count : 0,
                         choices && count == 1 ? "" : "s");
    if (order != GOFH_ORDER_NONE && order != GOFH_ORDER_GIVEN)
        return error_set(error, GOFH_ERROR_ARGUMENT, "unknown order %d of the choices of parameter \"%s\"",
                         (int)order, name);
    status = check_words(problem, name, choices, count);
    if (status) return status;
    problem_kind kind = {.domain = {.kind = order == GOFH_ORDER_GIVEN ? DOMAIN_ORDERED : DOMAIN_CHOICE,
                                    .count = count,
                                    .step = 1.0}};
    kind.word = memory_new((size_t)count, sizeof *kind.word);
    int failed = !kind.word;
    for (int i = 0; i < count && !failed; i++) failed = !(kind.word[i] = memory_copy_text(choices[i]));
    if (failed) {
        parameters_free_kind(&kind);
        return error_memory(error);
    }
    return add(problem, name, 0.0, count - 1, GOFH_SCALE_LINEAR, kind);
}

/* Whether a parameter with numbers may have this one; of one that is fixed the bounds are not known. */
static gofh_status check_fixed(gofh_problem *problem, int k, double *value)
{
    domain_parameter kind = problem->kind[k].domain;
    kind.width = 1;
    domain one = {.d = 1,
                  .lower = &problem->lower[k],
                  .upper = &problem->upper[k],
                  .scale = &problem->scale[k],
                  .parameters = 1,
                  .kinds = &kind};
    double given = *value, bound = given < *one.lower ? *one.lower : *one.upper;
    if (kind.kind == DOMAIN_FIXED || domain_allows(&one, 0, given, value)) return GOFH_OK;
    enum { DIGITS = 10 };
    int digits = number_digits_apart(given, bound, DIGITS);
    if (given >= *one.lower && given <= *one.upper)
        return error_set(&problem->error, GOFH_ERROR_ARGUMENT,
                         "parameter \"%s\" can't be fixed at %.*g: it is not one of its values",
                         problem->name[k], digits, given);
    return error_set(&problem->error, GOFH_ERROR_ARGUMENT,
                     "parameter \"%s\" can't be fixed at %.*g: its bounds are %.*g and %.*g",
                     problem->name[k], digits, given, digits, *one.lower, digits, *one.upper);
}

gofh_status gofh_problem_fix(gofh_problem *problem, const char *name, double value)
{
    if (!problem) return GOFH_ERROR_ARGUMENT;
    int k = find_parameter(problem, name);
    gofh_status status = k < 0 ? check_name(problem, name) : GOFH_OK;
    if (!status && !isfinite(value))
        status = error_set(&problem->error, GOFH_ERROR_ARGUMENT, "parameter \"%s\" can't be fixed at %g",
                           name, value);
    if (status) return status;
    if (k < 0)
        return add(problem, name, value, value, GOFH_SCALE_LINEAR,
                   (problem_kind){.domain = {.kind = DOMAIN_FIXED, .count = 1}});
    problem_kind *kind = &problem->kind[k];
    if (kind->word && (value != floor(value) || value < 0.0 || value >= kind->domain.count))
        return error_set(&problem->error, GOFH_ERROR_ARGUMENT,
                         "parameter \"%s\" can't be fixed at choice %g: it has %d, from 0", name, value,
                         kind->domain.count);
    if (!kind->word && (status = check_fixed(problem, k, &value))) return status;
    kind->domain.kind = DOMAIN_FIXED; /* its words keep their places */
    problem->lower[k] = problem->upper[k] = value;
    problem->scale[k] = GOFH_SCALE_LINEAR;
    return GOFH_OK;
}

double gofh_problem_upper(const gofh_problem *problem, const char *name)
{
    int k = problem ? find_parameter(problem, name) : -1;
    return k < 0 ? NAN : problem->upper[k];
}

int gofh_problem_choices(const gofh_problem *problem, const char *name)
{
    int k = problem ? find_parameter(problem, name) : -1;
    return k >= 0 && problem->kind[k].word ? problem->kind[k].domain.count : 0;
}

const char *gofh_problem_choice(const gofh_problem *problem, const char *name, int choice)
{
    int k = problem ? find_parameter(problem, name) : -1;
    if (k < 0 || !problem->kind[k].word || choice < 0 || choice >= problem->kind[k].domain.count) return NULL;
    return problem->kind[k].word[choice];
}

/* ---- Of a compiled problem ---- */

static int copy_kind(const problem_kind *from, problem_kind *to)
{
    *to = (problem_kind){.domain = from->domain};
    to->domain.values = NULL;
    size_t count = (size_t)from->domain.count;
    if (from->domain.values) {
        double *values = memory_doubles(count);
        if (!values) return -1;
        memcpy(values, from->domain.values, count * sizeof *values);
        to->domain.values = values;
    }
    if (!from->word) return 0;
    to->word = memory_new(count, sizeof *to->word);
    for (size_t i = 0; to->word && i < count; i++)
        if (!(to->word[i] = memory_copy_text(from->word[i]))) return -1;
    return to->word ? 0 : -1;
}

static int all_intervals(const gofh_problem *problem)
{
    for (int k = 0; k < problem->d; k++)
        if (problem->kind[k].domain.kind != DOMAIN_INTERVAL) return 0;
    return 1;
}

gofh_status parameters_copy(const gofh_problem *problem, compiled_problem *c, gofh_error *error)
{
    size_t d = (size_t)problem->d;
    c->box.parameters = problem->d;
    c->name = memory_new(d, sizeof *c->name);
    c->kind = memory_new(d, sizeof *c->kind);
    if (!c->name || !c->kind) return GOFH_ERROR_MEMORY;
    for (size_t k = 0; k < d; k++)
        if (!(c->name[k] = memory_copy_text(problem->name[k])) || copy_kind(&problem->kind[k], &c->kind[k]))
            return GOFH_ERROR_MEMORY;
    if (all_intervals(problem)) return GOFH_OK;
    unsigned char *is_discrete = memory_new(GOFH_MAX_PARAMETERS, 1);
    c->box.is_discrete = is_discrete;
    c->kinds = memory_new(d, sizeof *c->kinds);
    if (!is_discrete || !c->kinds) return GOFH_ERROR_MEMORY;
    for (size_t k = 0; k < d; k++) c->kinds[k] = c->kind[k].domain;
    c->box.kinds = c->kinds;
    c->box.d = domain_place_coordinates(c->kinds, problem->d, is_discrete);
    if (c->box.d == 0)
        return error_set(error, GOFH_ERROR_PROBLEM, "all parameters are fixed: there is nothing to search");
    if (c->box.d < 0)
        return error_set(error, GOFH_ERROR_PROBLEM,
                         "there are too many choices: those of all parameters, and the other parameters, are "
                         "more than %d",
                         GOFH_MAX_PARAMETERS);
    return GOFH_OK;
}

void parameters_release(compiled_problem *c)
{
    for (int k = 0; k < c->box.parameters; k++) {
        if (c->name) free(c->name[k]);
        if (c->kind) parameters_free_kind(&c->kind[k]);
    }
    free(c->name);
    free(c->kind);
    free(c->kinds);
    free((unsigned char *)c->box.is_discrete);
}

gofh_status parameters_check(const compiled_problem *c, int p, const char *what, double *x, gofh_error *error)
{
    const domain *box = &c->box;
    domain_parameter kind = domain_kind_of(box, p);
    double given = *x;
    if (domain_allows(box, p, given, x)) return GOFH_OK;
    const char *name = c->name[p];
    enum { DIGITS = 10 };
    double bound = given < box->lower[p] ? box->lower[p] : box->upper[p];
    int digits = number_digits_apart(given, bound, DIGITS);
    if (kind.kind == DOMAIN_INTERVAL || (kind.kind == DOMAIN_ORDERED && !c->kind[p].word &&
                                         !(given >= box->lower[p] && given <= box->upper[p])))
        return error_set(error, GOFH_ERROR_ARGUMENT,
                         "%s %.*g of parameter \"%s\" is outside its bounds %.*g to %.*g", what, digits,
                         given, name, digits, box->lower[p], digits, box->upper[p]);
    if (kind.kind == DOMAIN_FIXED)
        return error_set(error, GOFH_ERROR_ARGUMENT,
                         "%s %.*g of parameter \"%s\" is not its fixed value %.*g", what, digits, given, name,
                         digits, box->lower[p]);
    if (c->kind[p].word)
        return error_set(error, GOFH_ERROR_ARGUMENT,
                         "%s %.10g of parameter \"%s\" is not the number of one of its %d choices, from 0",
                         what, given, name, kind.count);
    double nearest = domain_value(box, p, domain_nearest(box, p, given));
    digits = number_digits_apart(given, nearest, DIGITS);
    return error_set(error, GOFH_ERROR_ARGUMENT,
                     "%s %.*g of parameter \"%s\" is not one of its values: the nearest is %.*g", what,
                     digits, given, name, digits, nearest);
}

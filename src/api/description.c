#include "api/description.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FACTS_MAX = 32, CHOICES_MAX = 1000 };

/* Takes a block over, to be freed with the description; NULL if there is no memory for that, or was
 * none for it. */
static void *own(description *d, void *block)
{
    if (!block) return NULL;
    if (memory_grow((void **)&d->blocks, &d->block_room, d->block_count + 1, sizeof *d->blocks)) {
        free(block);
        return NULL;
    }
    return d->blocks[d->block_count++] = block;
}

static char *own_text(description *d, const char *text)
{
    return own(d, memory_copy_text(text));
}

static double *own_numbers(description *d, const double *values, int count)
{
    double *copy = own(d, memory_doubles((size_t)count));
    if (copy) memcpy(copy, values, (size_t)count * sizeof *copy);
    return copy;
}

/* The choices in one text, a line each. */
static char *join_words(description *d, const problem_kind *kind)
{
    size_t room = 1, at = 0;
    for (int i = 0; i < kind->domain.count; i++) room += strlen(kind->word[i]) + 1;
    char *joined = own(d, memory_new(room, 1));
    for (int i = 0; joined && i < kind->domain.count; i++)
        at += (size_t)snprintf(joined + at, room - at, "%s%s", i ? "\n" : "", kind->word[i]);
    return joined;
}

static int add_parameters(description *d, const gofh_problem *problem)
{
    store_parameter *parameters = own(d, memory_new((size_t)problem->d, sizeof *parameters));
    if (!parameters) return -1;
    d->problem.parameters = parameters;
    d->problem.d = problem->d;
    for (int k = 0; k < problem->d; k++) {
        parameters[k] = (store_parameter){.name = own_text(d, problem->name[k]),
                                          .lower = problem->lower[k],
                                          .upper = problem->upper[k],
                                          .scale = problem->scale[k],
                                          .is_list = problem->kind[k].domain.values != NULL,
                                          .has_choices = problem->kind[k].word != NULL};
        if (!parameters[k].name) return -1;
        if (!problem->kind[k].word) continue;
        /* Choices may be added, and their places change: what they are is a fact. */
        parameters[k].lower = 0.0;
        parameters[k].upper = CHOICES_MAX;
    }
    return 0;
}

/* Outputs without names are the vector y. */
static int add_outputs(description *d, const gofh_problem *problem)
{
    size_t count = problem->outputs.count ? problem->outputs.count : 1;
    store_output *outputs = own(d, memory_new(count, sizeof *outputs));
    if (!outputs) return -1;
    d->problem.outputs = outputs;
    d->problem.output_count = (int)count;
    d->problem.m = problem->m;
    unsigned char *missing = own(d, memory_new((size_t)problem->m, 1));
    if (!missing) return -1;
    memcpy(missing, problem->missing, (size_t)problem->m);
    d->problem.missing = missing;
    outputs[0] = (store_output){.name = "y", .size = problem->m};
    for (size_t i = 0; i < problem->outputs.count; i++) {
        const problem_symbol *output = &problem->outputs.items[i];
        outputs[i] = (store_output){.name = own_text(d, output->name), .size = output->size};
        if (!outputs[i].name) return -1;
    }
    return 0;
}

static int add_list(description *d, store_numbers *list, const char *kind, const char *name,
                    const double *values, int count)
{
    *list = (store_numbers){.kind = kind, .name = own_text(d, name), .count = count};
    list->values = own_numbers(d, values, count);
    d->problem.number_count++;
    return list->name && list->values ? 0 : -1;
}

/* How many data there are, where some are missing: a file keeps those that are not. */
static int add_size(description *d, store_numbers *list, const problem_symbol *data)
{
    int missing = 0;
    for (int i = 0; i < data->size; i++) missing |= isnan(data->values[i]) != 0;
    double size = data->size;
    return missing ? add_list(d, list, "size", data->name, &size, 1) : 0;
}

/* Which outputs may be missing: 1 for each. */
static int add_missing(description *d, store_numbers *list, const gofh_problem *problem)
{
    if (!memchr(problem->missing, 1, (size_t)problem->m)) return 0;
    double *flags = memory_doubles((size_t)problem->m);
    for (int j = 0; flags && j < problem->m; j++) flags[j] = problem->missing[j] ? 1.0 : NAN;
    int failed = !flags || add_list(d, list, "missing", "outputs", flags, problem->m);
    free(flags);
    return failed ? -1 : 0;
}

static int add_numbers(description *d, const gofh_problem *problem)
{
    store_numbers *lists = own(d, memory_new(2 * problem->data.count + 3, sizeof *lists));
    if (!lists) return -1;
    d->problem.numbers = lists;
    for (size_t i = 0; i < problem->data.count; i++) {
        const problem_symbol *data = &problem->data.items[i];
        if (add_list(d, &lists[d->problem.number_count], "data", data->name, data->values, data->size))
            return -1;
    }
    for (size_t i = 0; i < problem->data.count; i++)
        if (add_size(d, &lists[d->problem.number_count], &problem->data.items[i])) return -1;
    if (add_list(d, &lists[d->problem.number_count], "noise", "outputs", problem->noise, problem->m))
        return -1;
    if (add_missing(d, &lists[d->problem.number_count], problem)) return -1;
    return problem->g.weights ? add_list(d, &lists[d->problem.number_count], "weights", "outputs",
                                         problem->g.weights, problem->m)
                              : 0;
}

static int add_text(description *d, store_fact *facts, const char *name, const char *value, int noted)
{
    facts[d->problem.fact_count] = (store_fact){.name = name, .value = own_text(d, value), .noted = noted};
    return facts[d->problem.fact_count++].value ? 0 : -1;
}

static int add_number(description *d, store_fact *facts, const char *name, double value, int noted)
{
    char text[32];
    if (number_format(text, sizeof text, "%.17g", value) < 0) return -1;
    return add_text(d, facts, name, text, noted);
}

/* What values a parameter has: "step 0.5", "values 6 8 10", "choices", "ordered" or "fixed 7850". */
static int add_kind(description *d, store_fact *facts, const gofh_problem *problem, int k)
{
    const problem_kind *kind = &problem->kind[k];
    const domain_parameter *of = &kind->domain;
    size_t room = 64 + (of->values ? 26 * (size_t)of->count : 0), at = 0;
    char name[CHOICES_NAME], *text = memory_new(room, 1);
    if (!text) return -1;
    snprintf(name, sizeof name, "kind of %s", problem->name[k]);
    if (of->kind == DOMAIN_FIXED)
        number_format(text, room, "fixed %.17g", problem->lower[k]);
    else if (kind->word)
        snprintf(text, room, "%s", of->kind == DOMAIN_CHOICE ? "choices" : "ordered");
    else if (!of->values)
        number_format(text, room, "step %.17g", of->step);
    else
        at = (size_t)snprintf(text, room, "values");
    for (int i = 0; at > 0 && i < of->count; i++)
        at += (size_t)number_format(text + at, room - at, " %.17g", of->values[i]);
    const char *fact = own_text(d, name);
    int failed = !fact || add_text(d, facts, fact, text, 1);
    free(text);
    return failed ? -1 : 0;
}

/* The kinds of parameters that are no intervals, and the choices of those that have some. */
static int add_choices(description *d, store_fact *facts, const gofh_problem *problem)
{
    for (int k = 0; k < problem->d; k++) {
        if (problem->kind[k].domain.kind != DOMAIN_INTERVAL && add_kind(d, facts, problem, k)) return -1;
    }
    for (int k = 0; k < problem->d; k++) {
        char name[CHOICES_NAME];
        if (!problem->kind[k].word) continue;
        description_choices_name(problem->name[k], name);
        const char *fact = own_text(d, name), *words = join_words(d, &problem->kind[k]);
        if (!fact || !words || add_text(d, facts, fact, words, 0)) return -1;
    }
    return 0;
}

void description_choices_name(const char *parameter, char name[CHOICES_NAME])
{
    snprintf(name, CHOICES_NAME, "choices of %s", parameter);
}

/* The constraints in one text, to be freed. */
static char *join_constraints(const gofh_problem *problem)
{
    size_t room = 1, at = 0;
    for (size_t i = 0; i < problem->constraint_count; i++) room += strlen(problem->constraint[i]) + 2;
    char *joined = memory_new(room, 1);
    for (size_t i = 0; joined && i < problem->constraint_count; i++)
        at += (size_t)snprintf(joined + at, room - at, "%s%s", i ? "; " : "", problem->constraint[i]);
    return joined;
}

static int add_objective(description *d, store_fact *facts, const gofh_problem *problem)
{
    const char *what = problem->objective   ? problem->objective
                       : problem->g.weights ? "(weights . y)"
                                            : "(a function)";
    size_t room = strlen(what) + 16;
    char *constraints = join_constraints(problem), *whole = memory_new(room, 1);
    int failed = !constraints || !whole;
    if (whole) snprintf(whole, room, "%s %s", problem->g.sign > 0.0 ? "maximize" : "minimize", what);
    if (!failed)
        failed = add_text(d, facts, "objective", whole, 1) ||
                 add_text(d, facts, "constraints", constraints, 1);
    free(constraints);
    free(whole);
    return failed ? -1 : 0;
}

/* What suggestions depend on is noted when it changes; what may change at will is not. */
static int add_facts(description *d, const gofh_problem *problem, const gofh_settings *settings)
{
    char seed[32];
    store_fact *facts = own(d, memory_new(FACTS_MAX + 2 * (size_t)problem->d, sizeof *facts));
    if (!facts) return -1;
    d->problem.facts = facts;
    if (add_choices(d, facts, problem)) return -1;
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)settings->seed);
    return add_objective(d, facts, problem) || add_text(d, facts, "method", settings->method, 1) ||
                   add_text(d, facts, "seed", seed, 1) ||
                   add_number(d, facts, "initial", settings->initial < 0 ? -1 : settings->initial, 1) ||
                   add_number(d, facts, "design", settings->design, 1) ||
                   add_number(d, facts, "kernel", settings->kernel, 1) ||
                   add_number(d, facts, "hyper", settings->hyper, 1) ||
                   add_number(d, facts, "hyper_samples", settings->hyper_samples, 1) ||
                   add_number(d, facts, "noise", settings->noise, 1) ||
                   add_number(d, facts, "lengthscale_median", settings->lengthscale_median, 1) ||
                   add_number(d, facts, "lengthscale_spread", settings->lengthscale_spread, 1) ||
                   add_number(d, facts, "variance_scale", settings->variance_scale, 1) ||
                   add_number(d, facts, "variance_weight", settings->variance_weight, 1) ||
                   add_number(d, facts, "noise_median", settings->noise_median, 1) ||
                   add_number(d, facts, "noise_spread", settings->noise_spread, 1) ||
                   add_number(d, facts, "memory_limit", settings->memory_limit, 1) ||
                   add_number(d, facts, "budget", settings->budget, 0) ||
                   add_number(d, facts, "target", settings->target, 0) ||
                   add_number(d, facts, "tolerance", settings->tolerance, 1) ||
                   add_number(d, facts, "patience", settings->patience, 1) ||
                   add_number(d, facts, "stop", settings->stop, 0) ||
                   add_number(d, facts, "goal", settings->goal, 0) ||
                   add_text(d, facts, "written by", gofh_version(), 0)
               ? -1
               : 0;
}

gofh_status description_make(description *d, const gofh_problem *problem, const gofh_settings *settings,
                             gofh_error *error)
{
    *d = (description){.blocks = NULL};
    if (add_parameters(d, problem) || add_outputs(d, problem) || add_numbers(d, problem) ||
        add_facts(d, problem, settings))
        return error_memory(error);
    return GOFH_OK;
}

void description_release(description *d)
{
    for (size_t i = 0; i < d->block_count; i++) free(d->blocks[i]);
    free(d->blocks);
    *d = (description){.blocks = NULL};
}

#include "api/problem.h"

#include "base/error.h"
#include "base/memory.h"
#include "outer/expression.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

gofh_problem *gofh_problem_create(void)
{
    return memory_new(1, sizeof(gofh_problem));
}

static void free_symbols(problem_symbols *symbols)
{
    for (size_t i = 0; i < symbols->count; i++) {
        free(symbols->items[i].name);
        free(symbols->items[i].values);
        free(symbols->items[i].at);
    }
    free(symbols->items);
}

void gofh_problem_free(gofh_problem *problem)
{
    if (!problem) return;
    for (int k = 0; k < problem->d; k++) {
        free(problem->name[k]);
        parameters_free_kind(&problem->kind[k]);
    }
    free(problem->kind);
    for (size_t i = 0; i < problem->constraint_count; i++) free(problem->constraint[i]);
    free_symbols(&problem->outputs);
    free_symbols(&problem->data);
    free(problem->name);
    free(problem->lower);
    free(problem->upper);
    free(problem->scale);
    free(problem->prior);
    free(problem->objective);
    free(problem->constraint);
    free((double *)problem->g.weights);
    free(problem->noise);
    free(problem->missing);
    free(problem->fit);
    free(problem);
}

const char *gofh_problem_message(const gofh_problem *problem)
{
    return problem ? problem->error.message : "there is no problem: the pointer is NULL";
}

enum { OUTPUTS_MAX = 1000000 };

/* Makes it `outputs` outputs, the new ones without known noise. */
static int resize_outputs(gofh_problem *problem, int outputs)
{
    if (memory_grow((void **)&problem->noise, &problem->noise_room, (size_t)outputs, sizeof *problem->noise))
        return -1;
    if (memory_grow((void **)&problem->missing, &problem->missing_room, (size_t)outputs,
                    sizeof *problem->missing))
        return -1;
    for (int j = problem->m; j < outputs; j++) {
        problem->noise[j] = NAN;
        problem->missing[j] = 0;
    }
    problem->m = outputs;
    return 0;
}

gofh_status gofh_problem_set_outputs(gofh_problem *problem, int outputs)
{
    if (!problem) return GOFH_ERROR_ARGUMENT;
    if (outputs < 1 || outputs > OUTPUTS_MAX)
        return error_set(&problem->error, GOFH_ERROR_ARGUMENT, "%d outputs: there must be 1 to %d", outputs,
                         OUTPUTS_MAX);
    if (problem->outputs.count > 0)
        return error_set(&problem->error, GOFH_ERROR_ARGUMENT, "%d outputs without names, but \"%s\" has one",
                         outputs, problem->outputs.items[0].name);
    problem->m = 0; /* what was set before does not count */
    return resize_outputs(problem, outputs) ? error_memory(&problem->error) : GOFH_OK;
}

problem_symbol *problem_find_symbol(problem_symbols *symbols, const char *name)
{
    for (size_t i = 0; i < symbols->count; i++)
        if (strcmp(symbols->items[i].name, name) == 0) return &symbols->items[i];
    return NULL;
}

/* A new symbol at the end, or NULL when there is no memory. */
static problem_symbol *add_symbol(problem_symbols *symbols, const char *name, int size)
{
    if (memory_grow((void **)&symbols->items, &symbols->room, symbols->count + 1, sizeof *symbols->items))
        return NULL;
    char *copy = memory_copy_text(name);
    if (!copy) return NULL;
    problem_symbol *symbol = &symbols->items[symbols->count++];
    *symbol = (problem_symbol){.name = copy, .size = size};
    return symbol;
}

gofh_status gofh_problem_add_output(gofh_problem *problem, const char *name, int size)
{
    if (!problem) return GOFH_ERROR_ARGUMENT;
    gofh_error *error = &problem->error;
    if (!name || !*name) return error_set(error, GOFH_ERROR_ARGUMENT, "an output needs a name");
    if (size < 1 || size > OUTPUTS_MAX - problem->m)
        return error_set(error, GOFH_ERROR_ARGUMENT,
                         "size %d of output \"%s\": it must be 1 or more, and %d in all at most", size, name,
                         OUTPUTS_MAX);
    if (problem->m > 0 && problem->outputs.count == 0)
        return error_set(error, GOFH_ERROR_ARGUMENT,
                         "output \"%s\" has a name, but %d outputs without names were set", name, problem->m);
    if (problem_find_symbol(&problem->outputs, name))
        return error_set(error, GOFH_ERROR_ARGUMENT, "there are two outputs \"%s\"", name);
    if (!add_symbol(&problem->outputs, name, size)) return error_memory(error);
    if (resize_outputs(problem, problem->m + size) == 0) return GOFH_OK;
    free(problem->outputs.items[--problem->outputs.count].name);
    return error_memory(error);
}

gofh_status gofh_problem_set_data(gofh_problem *problem, const char *name, const double *values, int count)
{
    if (!problem) return GOFH_ERROR_ARGUMENT;
    gofh_error *error = &problem->error;
    if (!name || !*name) return error_set(error, GOFH_ERROR_ARGUMENT, "data need a name");
    if (!values || count < 1)
        return error_set(error, GOFH_ERROR_ARGUMENT, "data \"%s\" have %d values: at least 1 is needed", name,
                         values ? count : 0);
    for (int i = 0; i < count; i++)
        if (isinf(values[i]))
            return error_set(error, GOFH_ERROR_ARGUMENT,
                             "value %d of data \"%s\" is %g: it must be finite, or NaN where it is missing",
                             i, name, values[i]);
    double *copy = memory_doubles((size_t)count);
    problem_symbol *symbol = problem_find_symbol(&problem->data, name);
    if (copy && !symbol) symbol = add_symbol(&problem->data, name, count);
    if (!copy || !symbol) {
        free(copy);
        return error_memory(error);
    }
    memcpy(copy, values, (size_t)count * sizeof *copy);
    free(symbol->values);
    symbol->values = copy;
    symbol->size = count;
    symbol->has_sigma = 0;
    free(symbol->at);
    symbol->at = NULL;
    return GOFH_OK;
}

/* What is set last counts. */
static void set_outer(gofh_problem *problem, outer g, char *objective)
{
    free((double *)problem->g.weights);
    free(problem->objective);
    problem->g = g;
    problem->objective = objective;
    problem->has_g = 1;
    problem->fit_count = 0;
    problem->is_log_likelihood = 0;
}

const char *gofh_problem_objective(const gofh_problem *problem)
{
    return problem ? problem->objective : NULL;
}

static gofh_status set_expression(gofh_problem *problem, double sign, const char *expression)
{
    if (!problem) return GOFH_ERROR_ARGUMENT;
    if (!expression) return error_set(&problem->error, GOFH_ERROR_ARGUMENT, "the expression is NULL");
    char *copy = memory_copy_text(expression);
    if (!copy) return error_memory(&problem->error);
    set_outer(problem, (outer){.sign = sign}, copy);
    return GOFH_OK;
}

gofh_status gofh_problem_minimize(gofh_problem *problem, const char *expression)
{
    return set_expression(problem, -1.0, expression);
}

gofh_status gofh_problem_maximize(gofh_problem *problem, const char *expression)
{
    return set_expression(problem, 1.0, expression);
}

gofh_status gofh_problem_log_likelihood(gofh_problem *problem, const char *expression)
{
    gofh_status status = set_expression(problem, 1.0, expression);
    if (!status) problem->is_log_likelihood = 1;
    return status;
}

gofh_status gofh_problem_add_constraint(gofh_problem *problem, const char *expression)
{
    if (!problem) return GOFH_ERROR_ARGUMENT;
    if (!expression) return error_set(&problem->error, GOFH_ERROR_ARGUMENT, "the constraint is NULL");
    char *copy = memory_copy_text(expression);
    if (!copy || memory_grow((void **)&problem->constraint, &problem->constraint_room,
                             problem->constraint_count + 1, sizeof *problem->constraint)) {
        free(copy);
        return error_memory(&problem->error);
    }
    problem->constraint[problem->constraint_count++] = copy;
    return GOFH_OK;
}

static gofh_status set_function(gofh_problem *problem, double sign, gofh_outer g, gofh_gradient gradient,
                                void *context)
{
    if (!problem) return GOFH_ERROR_ARGUMENT;
    if (!g) return error_set(&problem->error, GOFH_ERROR_ARGUMENT, "g is NULL");
    if (gradient != GOFH_GRADIENT_NONE && gradient != GOFH_GRADIENT_GIVEN)
        return error_set(&problem->error, GOFH_ERROR_ARGUMENT, "unknown kind of gradient %d of g",
                         (int)gradient);
    set_outer(problem, (outer){.sign = sign, .function = g, .gradient = gradient, .context = context}, NULL);
    return GOFH_OK;
}

gofh_status gofh_problem_minimize_function(gofh_problem *problem, gofh_outer g, gofh_gradient gradient,
                                           void *context)
{
    return set_function(problem, -1.0, g, gradient, context);
}

gofh_status gofh_problem_maximize_function(gofh_problem *problem, gofh_outer g, gofh_gradient gradient,
                                           void *context)
{
    return set_function(problem, 1.0, g, gradient, context);
}

static gofh_status set_linear(gofh_problem *problem, double sign, const double *weights, int count)
{
    if (!problem) return GOFH_ERROR_ARGUMENT;
    if (!weights) return error_set(&problem->error, GOFH_ERROR_ARGUMENT, "the weights are NULL");
    if (problem->m == 0)
        return error_set(&problem->error, GOFH_ERROR_PROBLEM,
                         "the outputs are to be set before a linear objective");
    if (count != problem->m)
        return error_set(&problem->error, GOFH_ERROR_ARGUMENT, "%d weights for %d outputs", count,
                         problem->m);
    for (int j = 0; j < count; j++)
        if (!isfinite(weights[j]))
            return error_set(&problem->error, GOFH_ERROR_ARGUMENT, "weight %g of output %d is not finite",
                             weights[j], j);
    double *copy = memory_doubles((size_t)count);
    if (!copy) return error_memory(&problem->error);
    memcpy(copy, weights, (size_t)count * sizeof *copy);
    set_outer(problem, (outer){.sign = sign, .weights = copy, .outputs = count}, NULL);
    return GOFH_OK;
}

gofh_status gofh_problem_minimize_linear(gofh_problem *problem, const double *weights, int count)
{
    return set_linear(problem, -1.0, weights, count);
}

gofh_status gofh_problem_maximize_linear(gofh_problem *problem, const double *weights, int count)
{
    return set_linear(problem, 1.0, weights, count);
}

gofh_status gofh_problem_set_noise(gofh_problem *problem, int output, double variance)
{
    if (!problem) return GOFH_ERROR_ARGUMENT;
    if (output < 0 || output >= problem->m)
        return error_set(&problem->error, GOFH_ERROR_ARGUMENT, "there is no output %d: there are %d, from 0",
                         output, problem->m);
    if (!(variance >= 0.0) || !isfinite(variance))
        return error_set(&problem->error, GOFH_ERROR_ARGUMENT,
                         "noise variance %g of output %d is not 0 or above", variance, output);
    problem->noise[output] = variance;
    return GOFH_OK;
}

gofh_status gofh_problem_allow_missing(gofh_problem *problem, int output)
{
    if (!problem) return GOFH_ERROR_ARGUMENT;
    if (output < 0 || output >= problem->m)
        return error_set(&problem->error, GOFH_ERROR_ARGUMENT, "there is no output %d: there are %d, from 0",
                         output, problem->m);
    problem->missing[output] = 1;
    return GOFH_OK;
}

static gofh_status check(const gofh_problem *problem, gofh_error *error)
{
    if (!problem) return error_set(error, GOFH_ERROR_ARGUMENT, "the problem is NULL");
    if (problem->error.status) return error_set(error, problem->error.status, "%s", problem->error.message);
    if (problem->d == 0) return error_set(error, GOFH_ERROR_PROBLEM, "the problem has no parameters");
    if (problem->m == 0) return error_set(error, GOFH_ERROR_PROBLEM, "the problem has no outputs");
    if (!problem->has_g)
        return error_set(error, GOFH_ERROR_PROBLEM, "the problem has nothing to minimise or maximise");
    if (problem->g.weights && problem->g.outputs != problem->m)
        return error_set(error, GOFH_ERROR_PROBLEM, "%d weights for %d outputs", problem->g.outputs,
                         problem->m);
    return GOFH_OK;
}

/* Outputs without names are the vector y. */
static gofh_status add_nameless(gofh_symbols *symbols, const gofh_problem *problem, gofh_error *error)
{
    const char *owner = NULL;
    for (int k = 0; k < problem->d; k++)
        if (strcmp(problem->name[k], "y") == 0) owner = "a parameter";
    for (size_t i = 0; i < problem->data.count; i++)
        if (strcmp(problem->data.items[i].name, "y") == 0) owner = "data";
    if (owner)
        return error_set(error, GOFH_ERROR_ARGUMENT,
                         "\"y\" is the name of %s, but in expressions y is the vector of all outputs, which "
                         "have no names: call one of them otherwise",
                         owner);
    return gofh_symbols_add_output(symbols, "y", problem->m, error);
}

/* The names that expressions may use; NULL and a message on failure. */
static gofh_symbols *collect_symbols(const gofh_problem *problem, gofh_error *error)
{
    gofh_symbols *symbols = gofh_symbols_create();
    if (!symbols) {
        error_memory(error);
        return NULL;
    }
    gofh_status status = GOFH_OK;
    if (problem->outputs.count == 0) status = add_nameless(symbols, problem, error);
    for (size_t i = 0; i < problem->outputs.count && !status; i++)
        status = gofh_symbols_add_output(symbols, problem->outputs.items[i].name,
                                         problem->outputs.items[i].size, error);
    for (int k = 0; k < problem->d && !status; k++)
        status = gofh_symbols_add_parameter(symbols, problem->name[k], error);
    for (size_t i = 0; i < problem->data.count && !status; i++) {
        const problem_symbol *data = &problem->data.items[i];
        status = gofh_symbols_add_data(symbols, data->name, data->values, data->size, error);
    }
    if (!status) return symbols;
    gofh_symbols_free(symbols);
    return NULL;
}

/* What the expression turned out to be decides how the library works with it. */
static void use_expression(compiled_problem *c)
{
    const analysis *found = expression_analysis(c->expression);
    if (found->kind == GOFH_EXPRESSION_LINEAR) {
        c->g.weights = found->weights;
        c->g.constant = found->constant;
        return;
    }
    c->g.function = gofh_expression_outer;
    c->g.gradient = GOFH_GRADIENT_GIVEN;
    c->g.context = c->expression;
    if (found->kind == GOFH_EXPRESSION_LEAST_SQUARES) c->g.squares = found;
}

static gofh_status compile_expressions(const gofh_problem *problem, compiled_problem *c, gofh_error *error)
{
    if (!problem->objective && problem->constraint_count == 0) return GOFH_OK;
    gofh_symbols *symbols = collect_symbols(problem, error);
    if (!symbols) return error->status;
    gofh_status status = GOFH_OK;
    if (problem->objective)
        status = gofh_expression_compile(&c->expression, problem->objective, symbols,
                                         problem->g.sign > 0.0 ? GOFH_MAXIMIZE : GOFH_MINIMIZE, error);
    if (!status) status = problem_compile_constraints(problem, c, symbols, error);
    gofh_symbols_free(symbols);
    if (status) return status;
    if (c->expression) {
        use_expression(c);
        double best;
        if (expression_best(c->expression, problem->lower, problem->upper, &best)) return error_memory(error);
        c->g.bounded = isfinite(best);
        c->g.best = c->g.sign * best;
    }
    c->g.margins = gofh_constraints_margins(c->g.constraints);
    return GOFH_OK;
}

/* Copies of the arrays: bounds, weights and noise in one block that box.lower points to. */
static gofh_status copy_arrays(const gofh_problem *problem, compiled_problem *c)
{
    size_t d = (size_t)problem->d, m = (size_t)problem->m;
    double *block = memory_doubles(2 * d + 2 * m);
    gofh_scale *scale = memory_new(d, sizeof *scale);
    c->prior = memory_new(d, sizeof *c->prior);
    c->box = (domain){.d = problem->d, .lower = block, .upper = block ? block + d : NULL, .scale = scale};
    if (!block || !scale || !c->prior) return GOFH_ERROR_MEMORY;
    memcpy(c->prior, problem->prior, d * sizeof *c->prior);
    memcpy(block, problem->lower, d * sizeof *block);
    memcpy(block + d, problem->upper, d * sizeof *block);
    memcpy(scale, problem->scale, d * sizeof *scale);
    c->noise = block + 2 * d;
    memcpy(c->noise, problem->noise, m * sizeof *block);
    if (problem->g.weights) {
        memcpy(c->noise + m, problem->g.weights, m * sizeof *block);
        c->g.weights = c->noise + m;
    }
    return GOFH_OK;
}

/* Which outputs may be missing, and which of all f needs. */
static gofh_status copy_missing(const gofh_problem *problem, compiled_problem *c)
{
    size_t m = (size_t)problem->m;
    if (!memchr(problem->missing, 1, m)) return GOFH_OK;
    c->missing = memory_new(2 * m, 1);
    if (!c->missing) return GOFH_ERROR_MEMORY;
    memcpy(c->missing, problem->missing, m);
    c->used = c->missing + m;
    for (size_t j = 0; j < m; j++)
        c->used[j] = !c->expression && (!problem->g.weights || problem->g.weights[j] != 0.0);
    expression_mark_outputs(c->expression, c->used);
    constraints_mark_outputs(c->g.constraints, c->used);
    return GOFH_OK;
}

gofh_status problem_compile(const gofh_problem *problem, compiled_problem *compiled, gofh_error *error)
{
    *compiled = (compiled_problem){.expression = NULL};
    gofh_status status = check(problem, error);
    if (status) return status;
    compiled->g = problem->g;
    compiled->g.outputs = problem->m;
    compiled->g.parameters = problem->d;
    status = copy_arrays(problem, compiled);
    if (!status) status = parameters_copy(problem, compiled, error);
    if (status == GOFH_ERROR_PROBLEM) {
        problem_release(compiled);
        return status;
    }
    compiled->is_fit = problem->fit_count > 0;
    if (!status) status = problem_fitted(problem, &compiled->fitted);
    compiled->no_likelihood = problem_no_likelihood(problem);
    compiled->likelihood_factor = problem_likelihood_factor(problem);
    if (status)
        error_memory(error);
    else
        status = compile_expressions(problem, compiled, error);
    if (!status && (status = copy_missing(problem, compiled))) error_memory(error);
    if (status) problem_release(compiled);
    return status;
}

void problem_release(compiled_problem *compiled)
{
    parameters_release(compiled);
    free((double *)compiled->box.lower);
    free((gofh_scale *)compiled->box.scale);
    free(compiled->missing);
    free(compiled->prior);
    comparisons_clear(&compiled->fitted);
    gofh_expression_free(compiled->expression);
    gofh_constraints_free(compiled->g.constraints);
    constraints_release(compiled);
    *compiled = (compiled_problem){.expression = NULL};
}

#include "api/problem.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

gofh_problem *gofh_problem_create(void)
{
    return memory_new(1, sizeof(gofh_problem));
}

void gofh_problem_free(gofh_problem *problem)
{
    if (!problem) return;
    for (int k = 0; k < problem->d; k++) free(problem->name[k]);
    free(problem->name);
    free(problem->lower);
    free(problem->upper);
    free(problem->scale);
    free((double *)problem->g.weights);
    free(problem->noise);
    free(problem);
}

const char *gofh_problem_message(const gofh_problem *problem)
{
    return problem ? problem->error.message : "there is no problem: the pointer is NULL";
}

/* Room for one more parameter in each of the four arrays. */
static int make_room(gofh_problem *problem)
{
    size_t count = (size_t)problem->d + 1, room[4];
    for (int i = 0; i < 4; i++) room[i] = problem->parameter_room;
    if (memory_grow((void **)&problem->name, &room[0], count, sizeof *problem->name) ||
        memory_grow((void **)&problem->lower, &room[1], count, sizeof *problem->lower) ||
        memory_grow((void **)&problem->upper, &room[2], count, sizeof *problem->upper) ||
        memory_grow((void **)&problem->scale, &room[3], count, sizeof *problem->scale))
        return -1;
    problem->parameter_room = room[0];
    return 0;
}

static gofh_status check_parameter(gofh_problem *problem, const char *name, double lower, double upper,
                                   gofh_scale scale)
{
    gofh_error *error = &problem->error;
    if (!name || !*name) return error_set(error, GOFH_ERROR_ARGUMENT, "a parameter needs a name");
    for (int k = 0; k < problem->d; k++)
        if (strcmp(problem->name[k], name) == 0)
            return error_set(error, GOFH_ERROR_ARGUMENT, "there are two parameters \"%s\"", name);
    if (problem->d == GOFH_MOST_PARAMETERS)
        return error_set(error, GOFH_ERROR_ARGUMENT, "more than %d parameters: \"%s\" is one too many",
                         GOFH_MOST_PARAMETERS, name);
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

gofh_status gofh_problem_add_parameter(gofh_problem *problem, const char *name, double lower, double upper,
                                       gofh_scale scale)
{
    if (!problem) return GOFH_ERROR_ARGUMENT;
    gofh_status status = check_parameter(problem, name, lower, upper, scale);
    if (status) return status;
    char *copy = memory_copy_text(name);
    if (!copy || make_room(problem)) {
        free(copy);
        return error_memory(&problem->error);
    }
    problem->name[problem->d] = copy;
    problem->lower[problem->d] = lower;
    problem->upper[problem->d] = upper;
    problem->scale[problem->d] = scale;
    problem->d++;
    return GOFH_OK;
}

gofh_status gofh_problem_set_outputs(gofh_problem *problem, int outputs)
{
    if (!problem) return GOFH_ERROR_ARGUMENT;
    if (outputs < 1)
        return error_set(&problem->error, GOFH_ERROR_ARGUMENT, "%d outputs: at least 1 is needed", outputs);
    double *noise = memory_doubles((size_t)outputs);
    if (!noise) return error_memory(&problem->error);
    for (int j = 0; j < outputs; j++) noise[j] = NAN;
    free(problem->noise);
    problem->noise = noise;
    problem->m = outputs;
    return GOFH_OK;
}

static void set_outer(gofh_problem *problem, outer g)
{
    free((double *)problem->g.weights);
    problem->g = g;
    problem->has_g = 1;
}

static gofh_status set_function(gofh_problem *problem, double sign, gofh_outer g, gofh_gradient gradient,
                                void *context)
{
    if (!problem) return GOFH_ERROR_ARGUMENT;
    if (!g) return error_set(&problem->error, GOFH_ERROR_ARGUMENT, "g is NULL");
    if (gradient != GOFH_GRADIENT_NONE && gradient != GOFH_GRADIENT_GIVEN)
        return error_set(&problem->error, GOFH_ERROR_ARGUMENT, "unknown kind of gradient %d of g",
                         (int)gradient);
    set_outer(problem, (outer){.sign = sign, .function = g, .gradient = gradient, .context = context});
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
    set_outer(problem, (outer){.sign = sign, .weights = copy, .outputs = count});
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

gofh_status problem_check(const gofh_problem *problem, gofh_error *error)
{
    if (!problem) return error_set(error, GOFH_ERROR_ARGUMENT, "the problem is NULL");
    if (problem->error.status) return error_set(error, problem->error.status, "%s", problem->error.message);
    if (problem->d == 0) return error_set(error, GOFH_ERROR_PROBLEM, "the problem has no parameters");
    if (problem->m == 0) return error_set(error, GOFH_ERROR_PROBLEM, "the problem has no outputs");
    if (!problem->has_g)
        return error_set(error, GOFH_ERROR_PROBLEM, "the problem has nothing to minimise or maximise");
    if (problem->g.weights && problem->g.outputs && problem->g.outputs != problem->m)
        return error_set(error, GOFH_ERROR_PROBLEM, "%d weights for %d outputs", problem->g.outputs,
                         problem->m);
    return GOFH_OK;
}

gofh_problem *problem_copy(const gofh_problem *problem)
{
    gofh_problem *copy = gofh_problem_create();
    if (!copy) return NULL;
    for (int k = 0; k < problem->d; k++)
        if (gofh_problem_add_parameter(copy, problem->name[k], problem->lower[k], problem->upper[k],
                                       problem->scale[k])) {
            gofh_problem_free(copy);
            return NULL;
        }
    size_t m = (size_t)problem->m;
    double *weights = problem->g.weights ? memory_doubles(m) : NULL;
    if (gofh_problem_set_outputs(copy, problem->m) || (problem->g.weights && !weights)) {
        free(weights);
        gofh_problem_free(copy);
        return NULL;
    }
    memcpy(copy->noise, problem->noise, m * sizeof *copy->noise);
    if (weights) memcpy(weights, problem->g.weights, m * sizeof *weights);
    outer g = problem->g;
    g.weights = weights;
    g.outputs = problem->m;
    g.parameters = problem->d;
    set_outer(copy, g);
    return copy;
}

domain problem_domain(const gofh_problem *problem)
{
    return (domain){
        .d = problem->d, .lower = problem->lower, .upper = problem->upper, .scale = problem->scale};
}

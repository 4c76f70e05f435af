#include "outer/expression.h"

#include "base/error.h"
#include "base/instruction_sets.h"
#include "base/memory.h"
#include "base/number.h"
#include "outer/comparisons.h"
#include "outer/forms.h"
#include "outer/parser.h"
#include "outer/program.h"
#include "outer/range.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct gofh_expression {
    program program;
    analysis analysis;
    gofh_sense sense;
    /* A linear form or a separable sum of squares of all outputs needs no tape. With some outputs
     * left out it does, for those may hold anything. */
    bool direct;
    double *target, *weight; /* of the squares, in the order of the outputs */
    int64_t domain_errors;
    char text[160];
};

static bool is_truth(tape_op op)
{
    return op == TAPE_NOT || (op >= TAPE_LESS && op <= TAPE_OR);
}

static gofh_status read_tape(tape *t, int *root, const char *text, const gofh_symbols *symbols,
                             gofh_error *error)
{
    tape_init(t, symbols->outputs, symbols->parameters, error);
    *root = parser_read(t, text, symbols, error);
    if (*root < 0) return error->status;
    if (tape_size(t, *root) != 1)
        return error_set(
            error, GOFH_ERROR_ARGUMENT,
            "the expression is a vector of size %d where one number is needed: sum(...), mean(...), "
            "max(...) or an element",
            tape_size(t, *root));
    if (is_truth(t->nodes[*root].op))
        return error_set(
            error, GOFH_ERROR_ARGUMENT,
            "the expression is a comparison where a number is needed: where(condition, a, b) makes one");
    return GOFH_OK;
}

static gofh_status prepare_direct(gofh_expression *e)
{
    const analysis *a = &e->analysis;
    int m = e->program.tape.outputs;
    if (a->kind == GOFH_EXPRESSION_LINEAR) {
        e->direct = true;
        for (int j = 0; j < m; j++) e->direct = e->direct && a->weights[j] != 0.0;
    }
    if (a->kind != GOFH_EXPRESSION_LEAST_SQUARES || !a->separable || a->residuals != m) return GOFH_OK;
    e->target = memory_doubles((size_t)m);
    e->weight = memory_doubles((size_t)m);
    if (!e->target || !e->weight) return GOFH_ERROR_MEMORY;
    for (int i = 0; i < m; i++) {
        int column = a->column[a->start[i]];
        e->target[column] = a->target[i];
        e->weight[column] = a->weight[i];
    }
    e->direct = true;
    return GOFH_OK;
}

static void run_direct(const gofh_expression *e, const double *y, int count, double *value, double *dy,
                       double *dx)
{
    const analysis *a = &e->analysis;
    int m = e->program.tape.outputs;
    if (a->kind == GOFH_EXPRESSION_LINEAR)
        form_linear(y, count, m, a->weights, a->constant, value, dy);
    else
        form_least_squares(y, count, m, e->target, e->weight, a->constant, value, dy);
    if (dx) memset(dx, 0, (size_t)count * (size_t)e->program.tape.parameters * sizeof *dx);
}

static void write_description(gofh_expression *e)
{
    const analysis *a = &e->analysis;
    int used = 0;
    switch (a->kind) {
    case GOFH_EXPRESSION_LINEAR:
        for (int j = 0; j < e->program.tape.outputs; j++) used += a->weights[j] != 0.0;
        number_format(e->text, sizeof e->text, "linear in %d output%s, constant %g", used,
                      used == 1 ? "" : "s", a->constant);
        break;
    case GOFH_EXPRESSION_LEAST_SQUARES:
        number_format(e->text, sizeof e->text, "%s sum of squares of %d residual%s%s, %s %g",
                      a->weight[0] > 0.0 ? "a weighted" : "minus a weighted", a->residuals,
                      a->residuals == 1 ? "" : "s",
                      a->separable ? ", each an output minus its target" : " linear in the outputs",
                      a->weight[0] > 0.0 ? "at least" : "at most", a->constant);
        break;
    case GOFH_EXPRESSION_GENERAL:
        snprintf(e->text, sizeof e->text, "general: %d operations on outputs%s", (int)e->program.tape.count,
                 program_uses_parameters(&e->program) ? " and parameters" : "");
        break;
    }
}

static gofh_status compile(gofh_expression *e, const char *text, const gofh_symbols *symbols,
                           gofh_error *error)
{
    tape t;
    int root;
    gofh_status status = read_tape(&t, &root, text, symbols, error);
    if (status == GOFH_OK && analysis_find(&e->analysis, &t, root) != GOFH_OK) status = error_memory(error);
    if (status == GOFH_OK)
        status = program_build(&e->program, &t, root, error);
    else
        tape_clear(&t);
    if (status == GOFH_OK && prepare_direct(e) != GOFH_OK) status = error_memory(error);
    if (status == GOFH_OK) write_description(e);
    return status;
}

gofh_status gofh_expression_compile(gofh_expression **expression, const char *text,
                                    const gofh_symbols *symbols, gofh_sense sense, gofh_error *error)
{
    if (!expression) return error_set(error, GOFH_ERROR_ARGUMENT, "no place for the compiled expression");
    *expression = NULL;
    if (!text || !symbols) return error_set(error, GOFH_ERROR_ARGUMENT, "no text or no symbols to compile");
    if (sense != GOFH_MAXIMIZE && sense != GOFH_MINIMIZE)
        return error_set(error, GOFH_ERROR_ARGUMENT, "the sense %d is neither to maximise nor to minimise",
                         (int)sense);
    gofh_expression *e = memory_new(1, sizeof *e);
    if (!e) return error_memory(error);
    e->sense = sense;
    gofh_error found = {.status = GOFH_OK};
    gofh_status status = compile(e, text, symbols, &found);
    if (status == GOFH_OK) {
        *expression = e;
        return GOFH_OK;
    }
    gofh_expression_free(e);
    if (error && error->status == GOFH_OK) *error = found;
    return status;
}

void gofh_expression_free(gofh_expression *expression)
{
    if (!expression) return;
    program_clear(&expression->program);
    analysis_clear(&expression->analysis);
    free(expression->target);
    free(expression->weight);
    free(expression);
}

FOR_EACH_INSTRUCTION_SET
static int all_finite(const double *value, int count)
{
    int others = 0;
    for (int i = 0; i < count; i++) others |= !(fabs(value[i]) <= DBL_MAX);
    return !others;
}

/* Nothing but finite values leaves: the others become the worst one, with no gradient. */
static void replace_domain_errors(gofh_expression *e, int count, double *value, double *dy, double *dx)
{
    size_t m = (size_t)e->program.tape.outputs, d = (size_t)e->program.tape.parameters;
    double worst = e->sense == GOFH_MAXIMIZE ? -INFINITY : INFINITY;
    if (all_finite(value, count)) return;
    for (int i = 0; i < count; i++) {
        if (isfinite(value[i])) continue;
        value[i] = worst;
        e->domain_errors++;
        if (dy) memset(dy + (size_t)i * m, 0, m * sizeof *dy);
        if (dx) memset(dx + (size_t)i * d, 0, d * sizeof *dx);
    }
}

static void run(gofh_expression *e, const double *y, const double *x, int count, double *value, double *dy,
                double *dx)
{
    program *p = &e->program;
    size_t m = (size_t)p->tape.outputs, d = (size_t)p->tape.parameters;
    for (int done = 0; done < count; done += p->block) {
        int n = count - done < p->block ? count - done : p->block;
        size_t row = (size_t)done;
        program_forward(p, y + row * m, x ? x + row * d : NULL, n);
        memcpy(value + row, program_value(p, 0), (size_t)n * sizeof *value);
        if (dy || dx) program_backward(p, 0, n, dy ? dy + row * m : NULL, m, dx ? dx + row * d : NULL, d);
    }
}

gofh_status gofh_expression_differentiate(gofh_expression *expression, const double *y, const double *x,
                                          int count, double *value, double *dy, double *dx)
{
    gofh_expression *e = expression;
    if (!e || count < 0 || (count > 0 && (!value || (!y && e->program.tape.outputs > 0))))
        return GOFH_ERROR_ARGUMENT;
    if (count > 0 && !x && program_uses_parameters(&e->program)) return GOFH_ERROR_ARGUMENT;
    if (e->direct)
        run_direct(e, y, count, value, dy, dx);
    else
        run(e, y, x, count, value, dy, dx);
    replace_domain_errors(e, count, value, dy, dx);
    return GOFH_OK;
}

gofh_status gofh_expression_evaluate(gofh_expression *expression, const double *y, const double *x, int count,
                                     double *value)
{
    return gofh_expression_differentiate(expression, y, x, count, value, NULL, NULL);
}

int gofh_expression_outer(const double *y, const double *x, int count, double *value, double *dy, double *dx,
                          void *context)
{
    return gofh_expression_differentiate(context, y, x, count, value, dy, dx) == GOFH_OK ? 0 : 1;
}

gofh_expression_kind gofh_expression_describe(const gofh_expression *expression, const char **text)
{
    if (text) *text = expression ? expression->text : "";
    return expression ? expression->analysis.kind : GOFH_EXPRESSION_GENERAL;
}

int64_t gofh_expression_domain_errors(const gofh_expression *expression)
{
    return expression ? expression->domain_errors : 0;
}

void gofh_expression_reset_domain_errors(gofh_expression *expression)
{
    if (expression) expression->domain_errors = 0;
}

const analysis *expression_analysis(const gofh_expression *expression)
{
    return &expression->analysis;
}

bool expression_uses_parameters(const gofh_expression *expression)
{
    return program_uses_parameters(&expression->program);
}

gofh_status expression_best(const gofh_expression *expression, const double *lower, const double *upper,
                            double *best)
{
    range found;
    const program *p = &expression->program;
    gofh_status status = range_find(&p->tape, p->root, lower, upper, &found);
    if (!status) *best = expression->sense == GOFH_MINIMIZE ? found.low : found.high;
    return status;
}

void expression_mark_outputs(const gofh_expression *expression, unsigned char *used)
{
    if (expression) tape_mark_outputs(&expression->program.tape, used);
}

gofh_status expression_comparisons(const gofh_expression *expression, comparisons *list)
{
    return expression ? comparisons_find(list, &expression->program.tape) : GOFH_OK;
}

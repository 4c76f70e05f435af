/* The constraints of a problem: of outputs, which are learned, and of parameters alone, which are known
 * before anything runs. */
#include "api/problem.h"

#include "base/error.h"
#include "base/memory.h"
#include "outer/expression.h"
#include "study/space.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The names that known constraints may use: the parameters, as outputs, and data. */
static gofh_symbols *known_symbols(const gofh_problem *problem, gofh_error *error)
{
    gofh_symbols *symbols = gofh_symbols_create();
    gofh_status status = symbols ? GOFH_OK : error_memory(error);
    for (int k = 0; k < problem->d && !status; k++)
        status = gofh_symbols_add_output(symbols, problem->name[k], 1, error);
    for (size_t i = 0; i < problem->data.count && !status; i++) {
        const problem_symbol *data = &problem->data.items[i];
        status = gofh_symbols_add_data(symbols, data->name, data->values, data->size, error);
    }
    if (!status) return symbols;
    gofh_symbols_free(symbols);
    return NULL;
}

static void name_the_constraint(gofh_error *error, const gofh_error *found, size_t number)
{
    static const char first[] = "constraint 1: "; /* as it says which was compiled by itself */
    const char *text = found->message;
    if (error->status) return;
    if (strncmp(text, first, sizeof first - 1) == 0) text += sizeof first - 1;
    error_set(error, found->status, "constraint %zu: %s", number, text);
    error->line = found->line;
    error->column = found->column;
}

/* Which constraints are known: `place` of each. */
static gofh_status sort_constraints(const gofh_problem *problem, compiled_problem *c,
                                    const gofh_symbols *symbols, int *learned, int *known, gofh_error *error)
{
    for (size_t i = 0; i < problem->constraint_count; i++) {
        gofh_error found = {.status = GOFH_OK};
        int named;
        gofh_status status = constraints_name_outputs(problem->constraint[i], symbols, &named, &found);
        if (status) {
            name_the_constraint(error, &found, i + 1);
            return status;
        }
        c->place[i] = named ? (*learned)++ : -1 - (*known)++;
    }
    return GOFH_OK;
}

/* Compiles those that are known, or those that are not. texts: room for all. An error names the
 * constraint by its place among all. */
static gofh_status compile_some(const gofh_problem *problem, const compiled_problem *c, int known,
                                const gofh_symbols *symbols, const char **texts, gofh_constraints **result,
                                gofh_error *error)
{
    int count = 0;
    for (size_t i = 0; i < problem->constraint_count; i++) {
        if ((c->place[i] < 0) != known) continue;
        gofh_error found = {.status = GOFH_OK};
        gofh_constraints *one = NULL;
        texts[count] = c->constraint[i];
        gofh_status status = known
                                 ? constraints_compile_known(&one, texts + count, 1, symbols, &c->box, &found)
                                 : gofh_constraints_compile(&one, texts + count, 1, symbols, &found);
        gofh_constraints_free(one);
        if (status) {
            name_the_constraint(error, &found, i + 1);
            return status;
        }
        count++;
    }
    if (count == 0) return GOFH_OK;
    return known ? constraints_compile_known(result, texts, count, symbols, &c->box, error)
                 : gofh_constraints_compile(result, texts, count, symbols, error);
}

/* Whether each constraint of outputs can be met, as far as that can be known before there are any. */
static gofh_status check_learned(const gofh_problem *problem, const compiled_problem *c, gofh_error *error)
{
    for (int i = 0; i < c->constraint_count; i++) {
        double best;
        if (c->place[i] < 0) continue;
        if (constraints_best_margin(c->g.constraints, c->place[i], problem->lower, problem->upper, &best))
            return error_memory(error);
        if (best < 0.0)
            return error_set(
                error, GOFH_ERROR_PROBLEM,
                "no point can meet the constraint %.80s: within the bounds of the parameters it is "
                "violated by %.4g at least",
                c->constraint[i], -best);
    }
    return GOFH_OK;
}

void constraints_list_known(const compiled_problem *c, size_t size, char *list)
{
    size_t at = 0;
    list[0] = '\0';
    for (int i = 0; i < c->constraint_count; i++)
        if (c->place[i] < 0 && at < size - 1)
            at += (size_t)snprintf(list + at, size - at, "%s%s", at ? "; " : "", c->constraint[i]);
}

/* Whether the known ones leave anything to search. */
static gofh_status check_known(const compiled_problem *c, gofh_error *error)
{
    space *allowed = space_create(&c->box, c->known);
    if (!allowed) return error_memory(error);
    int proved, empty = space_is_empty(allowed, &proved);
    space_free(allowed);
    if (!empty) return GOFH_OK;
    char list[200];
    constraints_list_known(c, sizeof list, list);
    return error_set(error, GOFH_ERROR_PROBLEM,
                     proved ? "no point meets the known constraints: %.150s"
                            : "no point was found that meets the known constraints: %.150s",
                     list);
}

gofh_status problem_compile_constraints(const gofh_problem *problem, compiled_problem *c,
                                        const gofh_symbols *symbols, gofh_error *error)
{
    size_t count = problem->constraint_count;
    int learned = 0, known = 0;
    if (count == 0) return GOFH_OK;
    c->place = memory_new(count, sizeof *c->place);
    c->constraint = memory_new(count, sizeof *c->constraint);
    c->known_text = memory_new(2 * count, sizeof *c->known_text);
    if (!c->place || !c->constraint || !c->known_text) return error_memory(error);
    c->constraint_count = (int)count;
    for (size_t i = 0; i < count; i++)
        if (!(c->constraint[i] = memory_copy_text(problem->constraint[i]))) return error_memory(error);
    gofh_status status = sort_constraints(problem, c, symbols, &learned, &known, error);
    const char **texts = c->known_text + count;
    if (!status) status = compile_some(problem, c, 0, symbols, texts, &c->g.constraints, error);
    if (!status) status = check_learned(problem, c, error);
    if (status || known == 0) return status;
    gofh_symbols *names = known_symbols(problem, error);
    if (!names) return error->status;
    status = compile_some(problem, c, 1, names, c->known_text, &c->known, error);
    gofh_symbols_free(names);
    return status ? status : check_known(c, error);
}

gofh_status gofh_problem_share(const gofh_problem *problem, double *share, int *equalities, gofh_error *error)
{
    gofh_error ignored = {.status = GOFH_OK};
    compiled_problem c;
    if (!error) error = &ignored;
    if (!share || !equalities) return error_set(error, GOFH_ERROR_ARGUMENT, "no place for the share");
    gofh_status status = problem_compile(problem, &c, error);
    if (status) return status;
    space *allowed = space_create(&c.box, c.known);
    if (allowed) {
        *share = space_share(allowed);
        *equalities = space_equalities(allowed);
    }
    if (!allowed || isnan(*share)) status = error_memory(error);
    space_free(allowed);
    problem_release(&c);
    return status;
}

void constraints_release(compiled_problem *c)
{
    for (int i = 0; i < c->constraint_count; i++) free(c->constraint[i]);
    free(c->constraint);
    free(c->known_text);
    free(c->place);
    gofh_constraints_free(c->known);
}

/* What is wanted: the objective and the constraints, expressions of all names. */
#include "base/memory.h"
#include "problem/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Leaves out " at column 12", which counts within the expression: the error has its own place. */
static void drop_column(char *message)
{
    static const char words[] = " at column ";
    char *at = strstr(message, words);
    if (!at) return;
    const char *after = at + sizeof words - 1;
    after += strspn(after, "0123456789");
    memmove(at, after, strlen(after) + 1);
}

static bool is_unbalanced(const char *text)
{
    int open = 0;
    for (; *text; text++) open += (*text == '(') - (*text == ')');
    return open != 0;
}

/* Where the name that is not known is one of a parameter's choices, says so. */
static void hint_choice(reader *r, const char *message)
{
    static const char unknown[] = "unknown name \"";
    if (strncmp(message, unknown, sizeof unknown - 1) != 0) return;
    const char *name = message + sizeof unknown - 1;
    size_t length = strcspn(name, "\"");
    for (int i = 0; i < r->file->parameter_count; i++) {
        const problem_parameter *p = &r->file->parameters[i];
        for (int k = 0; p->words && k < p->count; k++)
            if (strlen(p->words[k]) == length && memcmp(p->words[k], name, length) == 0) {
                reader_hint(r, "in expressions a choice is its number, and %s of %s is %d", p->words[k],
                            p->name, k);
                return;
            }
    }
}

/* An error of the library, moved from the expression to the file. */
static gofh_status fail_in(reader *r, const yaml_node *node, gofh_error *found)
{
    static const char numbered[] = "constraint 1: ";
    if (found->status == GOFH_ERROR_MEMORY) return reader_memory(r);
    char *message = found->message;
    if (strncmp(message, numbered, sizeof numbered - 1) == 0) message += sizeof numbered - 1;
    drop_column(message);
    size_t at = found->line > 0 ? yaml_place_in(&r->tree, node, found->line, found->column) : node->at;
    gofh_status status = text_fail(&r->tree.text, at, r->error, "%s", message);
    hint_choice(r, message);
    return status;
}

/* What kind of expression the objective is. */
static gofh_status classify(reader *r, gofh_error *found)
{
    problem_file *file = r->file;
    gofh_expression *expression;
    gofh_status status = gofh_expression_compile(&expression, file->objective, r->symbols, file->sense,
                                                 found);
    if (status) return status;
    file->kind = gofh_expression_describe(expression, NULL);
    gofh_expression_free(expression);
    return GOFH_OK;
}

/* The names without those of outputs. */
static gofh_status add_known_names(const problem_file *file, gofh_symbols *symbols)
{
    gofh_status status = GOFH_OK;
    for (int k = 0; k < file->parameter_count && !status; k++)
        status = gofh_symbols_add_parameter(symbols, file->parameters[k].name, NULL);
    for (int i = 0; i < file->data_count && !status; i++)
        status = gofh_symbols_add_data(symbols, file->data[i].name, file->data[i].values, file->data[i].size,
                                       NULL);
    return status;
}

/* Whether the objective, which can be compiled, can be without outputs too. */
static gofh_status find_outputs(problem_file *file)
{
    gofh_expression *expression = NULL;
    gofh_symbols *symbols = gofh_symbols_create();
    gofh_status status = symbols ? add_known_names(file, symbols) : GOFH_ERROR_MEMORY;
    if (!status) {
        status = gofh_expression_compile(&expression, file->objective, symbols, file->sense, NULL);
        file->ignores_outputs = !status;
    }
    gofh_expression_free(expression);
    gofh_symbols_free(symbols);
    return status == GOFH_ERROR_MEMORY ? status : GOFH_OK;
}

static gofh_status compile_objective(reader *r, const yaml_node *node)
{
    problem_file *file = r->file;
    gofh_error found = {.status = GOFH_OK};
    gofh_status status = classify(r, &found);
    if (status) return fail_in(r, node, &found);
    if (find_outputs(file)) return reader_memory(r);
    status = file->sense == GOFH_MINIMIZE ? gofh_problem_minimize(file->problem, file->objective)
                                          : gofh_problem_maximize(file->problem, file->objective);
    return status ? reader_memory(r) : GOFH_OK;
}

/* The expression that the pairs of a fit make. */
static gofh_status compile_fit(reader *r, const yaml_node *node)
{
    gofh_error found = {.status = GOFH_OK};
    gofh_status status = read_fit(r, node);
    if (status) return status;
    r->file->sense = GOFH_MINIMIZE;
    r->file->objective = memory_copy_text(gofh_problem_objective(r->file->problem));
    if (!r->file->objective) return reader_memory(r);
    status = classify(r, &found);
    if (status == GOFH_ERROR_MEMORY) return reader_memory(r);
    return status ? reader_fail(r, node, "%s", found.message) : GOFH_OK;
}

gofh_status read_objective(reader *r, const yaml_node *section)
{
    static const char *const keys[] = {"minimize", "maximize", "fit", "log_likelihood", NULL};
    gofh_status status = reader_mapping(r, section, "objective", keys);
    if (status) return status;
    const yaml_node *minimize = yaml_get(section, "minimize"), *maximize = yaml_get(section, "maximize");
    if (minimize && maximize)
        return reader_fail(r, section->keys[1], "objective has both minimize and maximize: leave one out");
    const yaml_node *fit = yaml_get(section, "fit"), *likelihood = yaml_get(section, "log_likelihood");
    if (likelihood && (minimize || maximize || fit))
        return reader_fail(r, section->keys[1], "objective has a log_likelihood and another: leave one out");
    if (fit && (minimize || maximize))
        return reader_fail(r, section->keys[1], "objective has a fit and an expression: leave one out");
    if (fit) return compile_fit(r, fit);
    const yaml_node *node = minimize ? minimize : likelihood ? likelihood : maximize;
    if (!node) {
        reader_fail(r, section->count ? section->keys[0] : section, "objective is empty");
        return reader_hint(r, "write minimize: or maximize: and an expression, or fit: {output: data}");
    }
    r->file->sense = minimize ? GOFH_MINIMIZE : GOFH_MAXIMIZE;
    status = reader_text(r, node,
                         minimize     ? "minimize"
                         : likelihood ? "log_likelihood"
                                      : "maximize",
                         &r->file->objective);
    if (!status) status = compile_objective(r, node);
    if (status || !likelihood) return status;
    r->file->log_likelihood = 1;
    return gofh_problem_log_likelihood(r->file->problem, r->file->objective) ? reader_memory(r) : GOFH_OK;
}

static gofh_status read_constraint(reader *r, const yaml_node *node)
{
    problem_file *file = r->file;
    char **text = &file->constraints[file->constraint_count];
    gofh_status status = reader_text(r, node, "a constraint", text);
    if (*text) file->constraint_count++;
    if (status) return status;
    gofh_error found = {.status = GOFH_OK};
    int known = 0;
    status = gofh_constraint_check(*text, r->symbols, &known, &found);
    if (status) {
        fail_in(r, node, &found);
        if (node->style == YAML_PLAIN && is_unbalanced(*text))
            reader_hint(r, "inside [ ] a comma ends a text that is not in quotes");
        return r->error->status;
    }
    file->known[file->constraint_count - 1] = (unsigned char)known;
    problem_place *at = &file->constraint_at[file->constraint_count - 1];
    text_place(&r->tree.text, node->at, &at->line, &at->column);
    return gofh_problem_add_constraint(file->problem, *text) ? reader_memory(r) : GOFH_OK;
}

/* Each one is fine; together they may still be too many. */
static gofh_status compile_together(reader *r, const yaml_node *section)
{
    gofh_error found = {.status = GOFH_OK};
    gofh_constraints *compiled = NULL;
    const char **learned = memory_new((size_t)r->file->constraint_count, sizeof *learned);
    if (!learned) return reader_memory(r);
    int count = 0;
    for (int i = 0; i < r->file->constraint_count; i++)
        if (!r->file->known[i]) learned[count++] = r->file->constraints[i];
    gofh_status status = gofh_constraints_compile(&compiled, learned, count, r->symbols, &found);
    gofh_constraints_free(compiled);
    free(learned);
    if (!status) return GOFH_OK;
    return status == GOFH_ERROR_MEMORY ? reader_memory(r) : reader_fail(r, section, "%s", found.message);
}

gofh_status read_constraints(reader *r, const yaml_node *section)
{
    if (section->kind != YAML_LIST) {
        reader_fail(r, section, "constraints must be a list, not %s", reader_kind(section));
        return reader_hint(r, "such as [\"max(stress) <= 250\"], or lines that start with \"- \"");
    }
    r->file->constraints = memory_new(section->count, sizeof *r->file->constraints);
    r->file->known = memory_new(section->count, 1);
    r->file->constraint_at = memory_new(section->count, sizeof *r->file->constraint_at);
    if (!r->file->constraints || !r->file->known || !r->file->constraint_at) return reader_memory(r);
    gofh_status status = GOFH_OK;
    for (size_t i = 0; i < section->count && !status; i++) status = read_constraint(r, section->items[i]);
    return status ? status : compile_together(r, section);
}

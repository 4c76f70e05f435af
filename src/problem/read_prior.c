/* prior: {loss: lognormal(1e-3, 1), heater: normal(90, 5)}: what is known of parameters before the data. */
#include "base/memory.h"
#include "problem/reader.h"
#include "problem/scalar.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const KINDS[] = {"uniform", "normal", "lognormal", NULL};

typedef struct {
    int kind; /* gofh_prior */
    double location, spread;
} prior_words;

/* "name(a, b)" or "name", in a copy of the text that is cut up. Returns -1 where it is neither. */
static int parse(char *text, prior_words *words)
{
    char *open = strchr(text, '('), *comma = open ? strchr(open, ',') : NULL,
         *close = comma ? strchr(comma, ')') : NULL;
    if (open && (!close || close[1])) return -1;
    if (open) *open = *comma = *close = '\0';
    size_t length = strlen(text);
    while (length && text[length - 1] == ' ') text[--length] = '\0';
    words->kind = 0;
    while (KINDS[words->kind] && strcmp(KINDS[words->kind], text) != 0) words->kind++;
    if (!KINDS[words->kind] || (words->kind == GOFH_PRIOR_UNIFORM) != !open) return -1;
    if (!open) return 0;
    double *value[2] = {&words->location, &words->spread};
    char *part[2] = {open + 1, comma + 1};
    for (int i = 0; i < 2; i++) {
        while (*part[i] == ' ') part[i]++;
        for (size_t end = strlen(part[i]); end && part[i][end - 1] == ' '; end--) part[i][end - 1] = '\0';
        if (!scalar_number(part[i], value[i])) return -1;
    }
    return 0;
}

/* NULL: there is none of this name. */
static problem_parameter *find_parameter(const problem_file *file, const char *name)
{
    for (int k = 0; k < file->parameter_count; k++)
        if (strcmp(file->parameters[k].name, name) == 0) return &file->parameters[k];
    return NULL;
}

static gofh_status fail_unknown(reader *r, const yaml_node *key)
{
    const char *names[GOFH_MAX_PARAMETERS + 1] = {NULL};
    for (int k = 0; k < r->file->parameter_count; k++) names[k] = r->file->parameters[k].name;
    reader_fail(r, key, "a prior of \"%.60s\", which is not a parameter", key->text);
    return reader_hint_word(r, key->text, names);
}

/* Within braces YAML cuts "normal(90, 5)" at its comma, and takes the rest for a key of nothing. */
static int is_cut(const yaml_node *section, size_t i)
{
    const yaml_node *value = section->items[i], *next = i + 1 < section->count ? section->keys[i + 1] : NULL;
    return next && value->kind == YAML_SCALAR && value->style == YAML_PLAIN && strchr(value->text, '(') &&
           !strchr(value->text, ')') && section->items[i + 1]->kind == YAML_NOTHING &&
           strchr(next->text, ')');
}

/* A copy of the text, put together where it was cut; NULL without memory. */
static char *copy_text(const yaml_node *section, size_t i)
{
    const char *text = section->items[i]->text,
               *rest = is_cut(section, i) ? section->keys[i + 1]->text : NULL;
    size_t size = strlen(text) + (rest ? strlen(rest) : 0) + 3;
    char *copy = memory_new(size, 1);
    if (copy) snprintf(copy, size, "%s%s%s", text, rest ? ", " : "", rest ? rest : "");
    return copy;
}

static gofh_status read_one(reader *r, const yaml_node *section, size_t i)
{
    const yaml_node *key = section->keys[i], *value = section->items[i];
    prior_words words = {0};
    problem_parameter *parameter = find_parameter(r->file, key->text);
    if (!parameter) return fail_unknown(r, key);
    char *text = value->kind == YAML_SCALAR ? copy_text(section, i) : NULL;
    if (value->kind == YAML_SCALAR && !text) return reader_memory(r);
    int failed = !text || parse(text, &words);
    free(text);
    if (failed) {
        reader_fail(r, value->kind == YAML_NOTHING ? key : value,
                    "the prior of parameter \"%.60s\" is none of uniform, normal(mean, deviation) and "
                    "lognormal(median, deviation of the logarithm)",
                    key->text);
        return reader_hint(r, "such as %.60s: normal(90, 5)", key->text);
    }
    parameter->prior = (gofh_prior)words.kind;
    parameter->location = words.location;
    parameter->spread = words.spread;
    gofh_status status = gofh_problem_set_prior(r->file->problem, key->text, parameter->prior, words.location,
                                                words.spread);
    return status ? reader_fail(r, value, "%s", gofh_problem_message(r->file->problem)) : GOFH_OK;
}

gofh_status read_prior(reader *r, const yaml_node *section)
{
    if (section->kind != YAML_MAPPING || section->count == 0) {
        reader_fail(r, section, "prior must be a mapping of parameters to priors");
        return reader_hint(r, "such as {%s: normal(90, 5)}", r->file->parameters[0].name);
    }
    gofh_status status = GOFH_OK;
    for (size_t i = 0; i < section->count && !status; i += is_cut(section, i) ? 2 : 1)
        status = read_one(r, section, i);
    return status;
}

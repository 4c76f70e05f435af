/* objective: {fit: {V: measured}}: which outputs are fitted to which data, and how. */
#include "base/memory.h"
#include "problem/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const yaml_node *data;
    int residual, loss; /* gofh_residual, gofh_loss */
    double threshold;   /* 0: the usual one */
} fit_words;

static gofh_status read_threshold(reader *r, const yaml_node *node, fit_words *words)
{
    gofh_status status = reader_number(r, node, "threshold", &words->threshold);
    if (!status && !(words->threshold > 0.0))
        status = reader_fail(r, node, "threshold must be above 0, not %.60s", node->text);
    if (!status && words->loss != GOFH_LOSS_HUBER)
        status = reader_fail(r, node, "a threshold is for loss: huber");
    return status;
}

/* The name of the data alone, or {data: ..., residual: ..., loss: ..., threshold: ...}. */
static gofh_status read_words(reader *r, const yaml_node *key, const yaml_node *value, fit_words *words)
{
    static const char *const keys[] = {"data", "residual", "loss", "threshold", NULL};
    static const char *const residuals[] = {"difference", "relative", "log", NULL};
    static const char *const losses[] = {"square", "huber", NULL};
    *words = (fit_words){.data = value};
    if (value->kind == YAML_SCALAR) return GOFH_OK;
    char where[100];
    snprintf(where, sizeof where, "the fit of \"%.60s\"", key->text);
    gofh_status status = reader_mapping(r, value, where, keys);
    if (status) return status;
    words->data = yaml_get(value, "data");
    if (!words->data || words->data->kind != YAML_SCALAR) {
        reader_fail(r, words->data ? words->data : key, "%s has no data", where);
        return reader_hint(r, "write the name of data: %.60s: measured", key->text);
    }
    const yaml_node *residual = yaml_get(value, "residual"), *loss = yaml_get(value, "loss"),
                    *threshold = yaml_get(value, "threshold");
    if (residual) status = reader_choice(r, residual, "residual", residuals, &words->residual);
    if (!status && loss) status = reader_choice(r, loss, "loss", losses, &words->loss);
    return !status && threshold ? read_threshold(r, threshold, words) : status;
}

static int find_output(const problem_file *file, const char *name)
{
    for (int i = 0; i < file->output_count; i++)
        if (strcmp(file->outputs[i].name, name) == 0) return i;
    return -1;
}

static int find_data(const problem_file *file, const char *name)
{
    for (int i = 0; i < file->data_count; i++)
        if (strcmp(file->data[i].name, name) == 0) return i;
    return -1;
}

/* An error at a name that is none of `count`, which name_of lists. */
static gofh_status fail_unknown(reader *r, const yaml_node *node, const char *what, int count,
                                const char *(*name_of)(const problem_file *file, int i))
{
    const char **names = memory_new((size_t)count + 1, sizeof *names);
    if (!names) return reader_memory(r);
    for (int i = 0; i < count; i++) names[i] = name_of(r->file, i);
    reader_fail(r, node, "\"%.60s\" is not the name of %s", node->text, what);
    reader_hint_word(r, node->text, names);
    free(names);
    return r->error->status;
}

static const char *output_name(const problem_file *file, int i)
{
    return file->outputs[i].name;
}

static const char *data_name(const problem_file *file, int i)
{
    return file->data[i].name;
}

static gofh_status read_pair(reader *r, const yaml_node *key, const yaml_node *value)
{
    problem_file *file = r->file;
    fit_words words;
    gofh_status status = read_words(r, key, value, &words);
    if (status) return status;
    problem_pair pair = {.output = find_output(file, key->text),
                         .residual = (gofh_residual)words.residual,
                         .loss = (gofh_loss)words.loss,
                         .threshold = words.threshold};
    if (pair.output < 0) return fail_unknown(r, key, "an output", file->output_count, output_name);
    pair.data = find_data(file, words.data->text);
    if (pair.data < 0) return fail_unknown(r, words.data, "data", file->data_count, data_name);
    file->fits[file->fit_count++] = pair;
    status = gofh_problem_fit(file->problem, key->text, words.data->text, pair.residual, pair.loss,
                              pair.threshold);
    if (status == GOFH_ERROR_MEMORY) return reader_memory(r);
    return status ? reader_fail(r, words.data, "%s", gofh_problem_message(file->problem)) : GOFH_OK;
}

gofh_status read_fit(reader *r, const yaml_node *node)
{
    if (node->kind != YAML_MAPPING || node->count == 0) {
        reader_fail(r, node, "fit must be a mapping of outputs to data");
        return reader_hint(r, "such as {c: observed}");
    }
    r->file->fits = memory_new(node->count, sizeof *r->file->fits);
    if (!r->file->fits) return reader_memory(r);
    gofh_status status = GOFH_OK;
    for (size_t i = 0; i < node->count && !status; i++) status = read_pair(r, node->keys[i], node->items[i]);
    return status;
}

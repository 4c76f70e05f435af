/* realpath is of POSIX, but of its extension XSI. */
#define _XOPEN_SOURCE 700

#include "problem/problem_file.h"

#include "base/memory.h"
#include "problem/reader.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 16 << 20 };

static void free_list(simulator_list *list)
{
    for (int i = 0; i < list->count; i++) free(list->items[i]);
    free(list->items);
}

static void free_queue(simulator_queue *q)
{
    free_list(&q->extra);
    free(q->partition);
    free(q->memory);
    free(q->submit);
    free(q->status);
    free(q->cancel);
}

static void free_simulator(simulator *s)
{
    free_list(&s->setup);
    free_queue(&s->queue);
    for (int i = 0; i < s->template_count; i++) {
        free(s->templates[i].from);
        free(s->templates[i].to);
    }
    for (int i = 0; i < s->file_count; i++) {
        free(s->files[i].from);
        free(s->files[i].to);
    }
    for (int i = 0; i < s->instruction_count; i++) {
        free(s->instructions[i].instruction);
        free(s->instructions[i].file);
    }
    free(s->templates);
    free(s->files);
    free(s->instructions);
    free(s->directory);
    free(s->command);
    free(s->params_file);
    free(s->results_file);
    free(s->column);
    free(s->parameter_names);
    free(s->output_names);
    free(s->output_sizes);
    free(s->output_missing);
    free(s->output_curves);
}

void problem_file_free(problem_file *file)
{
    if (!file) return;
    free_simulator(&file->simulator);
    for (int i = 0; i < file->parameter_count; i++) parameter_clear(&file->parameters[i]);
    for (int i = 0; i < file->output_count; i++) {
        free(file->outputs[i].name);
        free(file->outputs[i].at_name);
    }
    for (int i = 0; i < file->data_count; i++) {
        free(file->data[i].name);
        free(file->data[i].path);
        free(file->data[i].values);
        free(file->data[i].sigma);
        free(file->data[i].at);
        free(file->data[i].at_name);
        free(file->data[i].unit);
        free(file->data[i].label);
    }
    for (int i = 0; i < file->constraint_count; i++) free(file->constraints[i]);
    free(file->parameters);
    free(file->starts);
    free(file->start_at);
    free(file->outputs);
    free(file->data);
    free(file->known);
    free(file->constraint_at);
    free(file->constraints);
    free(file->fits);
    free(file->objective);
    free(file->path);
    gofh_problem_free(file->problem);
    *file = (problem_file){.path = NULL};
}

/* The folder of the problem file, absolute. */
static gofh_status find_directory(reader *r)
{
    char *folder = reader_join(r, ".");
    if (!folder) return reader_memory(r);
    char absolute[PATH_MAX];
    const char *found = realpath(folder, absolute);
    free(folder);
    if (found) {
        r->file->simulator.directory = memory_copy_text(found);
        return r->file->simulator.directory ? GOFH_OK : reader_memory(r);
    }
    return problem_error_set(r->error, GOFH_ERROR_SYSTEM, r->file->path, 0, 0,
                             "its folder can't be found: %s", strerror(errno));
}

/* What the simulator exchanges; the names stay those of the problem file. */
static gofh_status name_exchange(reader *r)
{
    problem_file *file = r->file;
    simulator *s = &file->simulator;
    s->parameter_names = memory_new((size_t)file->parameter_count, sizeof *s->parameter_names);
    s->parameters = file->parameters;
    s->output_names = memory_new((size_t)file->output_count, sizeof *s->output_names);
    s->output_sizes = memory_new((size_t)file->output_count, sizeof *s->output_sizes);
    s->output_missing = memory_new((size_t)file->output_count, sizeof *s->output_missing);
    s->output_curves = memory_new((size_t)file->output_count, sizeof *s->output_curves);
    if (!s->parameter_names || !s->output_names || !s->output_sizes || !s->output_missing ||
        !s->output_curves)
        return reader_memory(r);
    s->parameter_count = file->parameter_count;
    s->output_count = file->output_count;
    for (int i = 0; i < file->parameter_count; i++) s->parameter_names[i] = file->parameters[i].name;
    for (int i = 0; i < file->output_count; i++) {
        s->output_names[i] = file->outputs[i].name;
        s->output_sizes[i] = file->outputs[i].size;
        s->output_missing[i] = file->outputs[i].missing;
        if (!file->outputs[i].at_name) continue;
        s->output_curves[i] = (simulator_curve){.at_name = file->outputs[i].at_name,
                                                .at = file->data[file->outputs[i].data].at,
                                                .extend = file->outputs[i].extend};
    }
    return GOFH_OK;
}

typedef struct {
    const char *name;
    gofh_status (*read)(reader *r, const yaml_node *section);
    bool required;
    const char *example;
} section;

/* In the order in which they need each other. */
static const section SECTIONS[] = {
    {"study", read_study, false, NULL},
    {"parameters", read_parameters, true, "parameters: {D: {lower: 0.02, upper: 0.12}}"},
    {"prior", read_prior, false, NULL},
    {"start", read_start, false, NULL},
    {"outputs", read_outputs, true, "outputs: {c: 12}"},
    {"data", read_data, false, NULL},
    {"noise", read_noise, false, NULL},
    {"objective", read_objective, true, "objective: {minimize: \"sum(c^2)\"}"},
    {"constraints", read_constraints, false, NULL},
};
enum { SECTION_COUNT = sizeof SECTIONS / sizeof *SECTIONS };

static gofh_status read_section(reader *r, const section *wanted)
{
    const yaml_node *root = r->tree.root, *node = yaml_get(root, wanted->name);
    if (node) return wanted->read(r, node);
    if (!wanted->required) return GOFH_OK;
    const yaml_node *key = yaml_key(root, wanted->name);
    reader_fail(r, key ? key : root, key ? "section \"%s\" is empty" : "section \"%s\" is missing",
                wanted->name);
    return reader_hint(r, "write %s", wanted->example);
}

static gofh_status read_sections(reader *r)
{
    static const char *const keys[] = {"study", "parameters", "prior",       "start", "simulator", "outputs",
                                       "data",  "objective",  "constraints", "noise", NULL};
    gofh_status status = reader_mapping(r, r->tree.root, "the problem", keys);
    for (int i = 0; i < SECTION_COUNT && !status; i++) {
        status = read_section(r, &SECTIONS[i]);
        /* A curve has as many values as its data. */
        if (!status && SECTIONS[i].read == read_data) status = define_outputs(r);
    }
    if (!status) status = name_exchange(r);
    const yaml_node *node = status ? NULL : yaml_get(r->tree.root, "simulator");
    return node ? read_simulator(r, node) : status;
}

static gofh_status read_all(reader *r)
{
    problem_file *file = r->file;
    gofh_settings_defaults(&file->settings);
    file->simulator.parallel = 1;
    file->problem = gofh_problem_create();
    r->symbols = gofh_symbols_create();
    gofh_status status = file->problem && r->symbols ? find_directory(r) : reader_memory(r);
    if (!status) status = read_sections(r);
    gofh_symbols_free(r->symbols);
    return status;
}

/* Takes over the text. */
static gofh_status read_text(problem_file *file, const char *path, text_file *text, problem_error *error)
{
    reader r = {.file = file, .error = error};
    gofh_status status = yaml_read(&r.tree, text, error);
    if (status) return status;
    file->path = memory_copy_text(path);
    status = file->path ? read_all(&r) : problem_error_memory(error, path);
    yaml_free(&r.tree);
    if (status) problem_file_free(file);
    return status;
}

gofh_status problem_file_read(problem_file *file, const char *path, problem_error *error)
{
    *file = (problem_file){.path = NULL};
    text_file text;
    gofh_status status = text_read(&text, path, path, LARGEST, error);
    return status ? status : read_text(file, path, &text, error);
}

gofh_status problem_file_parse(problem_file *file, const char *path, const char *bytes, size_t length,
                               problem_error *error)
{
    *file = (problem_file){.path = NULL};
    text_file text;
    gofh_status status = text_take(&text, path, bytes, length, error);
    return status ? status : read_text(file, path, &text, error);
}

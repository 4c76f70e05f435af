#include "base/memory.h"
#include "problem/reader.h"
#include "problem/scalar.h"
#include "problem/simulator_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A format by itself, or {format: ..., file: ...}: the choice, the name of the file, and the
 * mapping if it is one. */
static gofh_status read_format(reader *r, const yaml_node *node, const char *what, const char *const *formats,
                               const char *const *keys, int *format, char **file)
{
    const yaml_node *word = node, *name = NULL;
    if (node->kind == YAML_MAPPING) {
        gofh_status status = reader_mapping(r, node, what, keys);
        if (status) return status;
        word = yaml_get(node, "format");
        name = yaml_get(node, "file");
    }
    char described[64];
    snprintf(described, sizeof described, "format of %s", what);
    gofh_status status = word ? reader_choice(r, word, described, formats, format) : GOFH_OK;
    if (!status && name) status = simulator_name(r, name, what, file);
    return status;
}

static gofh_status set_default(reader *r, char **file, const char *name)
{
    if (*file || !name) return GOFH_OK;
    *file = memory_copy_text(name);
    return *file ? GOFH_OK : reader_memory(r);
}

static gofh_status read_params(reader *r, const yaml_node *node)
{
    static const char *const formats[] = {"json", "plain", "dakota", "aprepro", "template", NULL};
    static const char *const keys[] = {"format", "file", NULL};
    static const char *const names[] = {"params.json", "params.txt", "params.in", "params.in", NULL};
    simulator *s = &r->file->simulator;
    int format = 0;
    gofh_status status = node ? read_format(r, node, "params", formats, keys, &format, &s->params_file)
                              : GOFH_OK;
    if (status) return status;
    s->params = (params_format)format;
    if (s->params != PARAMS_TEMPLATE) return set_default(r, &s->params_file, names[format]);
    if (s->template_count == 0) {
        reader_fail(r, node, "params: template needs templates");
        return reader_hint(r, "add templates: [{from: model.tpl, to: model.inp}]");
    }
    return set_default(r, &s->params_file, s->templates[0].to);
}

static gofh_status read_column(reader *r, const yaml_node *node)
{
    simulator *s = &r->file->simulator;
    const yaml_node *column = node->kind == YAML_MAPPING ? yaml_get(node, "column") : NULL;
    if (!column) return GOFH_OK;
    if (s->results != RESULTS_CSV)
        return reader_fail(r, column, "a column is chosen of csv results only: write format: csv");
    if (s->output_count != 1) {
        reader_fail(r, column, "one column is chosen, but there are %d outputs", s->output_count);
        return reader_hint(r, "without column, columns named like the outputs are read");
    }
    return reader_text(r, column, "column", &s->column);
}

static gofh_status read_results(reader *r, const yaml_node *node)
{
    static const char *const formats[] = {"json",        "plain", "csv", "dakota", "stdout",
                                          "instruction", "npy",   "raw", NULL};
    static const char *const keys[] = {"format", "file", "column", NULL};
    static const char *const names[] = {"results.json", "results.txt", "results.csv", "results.out",
                                        NULL,           NULL,          "results.npy", "results.raw"};
    simulator *s = &r->file->simulator;
    int format = 0;
    gofh_status status = node ? read_format(r, node, "results", formats, keys, &format, &s->results_file)
                              : GOFH_OK;
    if (status) return status;
    s->results = (results_format)format;
    if (s->results_file && !names[format])
        return reader_fail(r, node, "results of format %s have no file of their own: leave file out",
                           formats[format]);
    if (s->results == RESULTS_INSTRUCTION && s->instruction_count == 0) {
        reader_fail(r, node, "results: instruction needs instructions");
        return reader_hint(r, "add instructions: [{instruction: out.ins, file: out.txt}]");
    }
    status = set_default(r, &s->results_file, names[format]);
    return status || !node ? status : read_column(r, node);
}

/* "retry: 2" or "retry 2". */
static bool read_retries(const char *text, double *times)
{
    if (strncmp(text, "retry", 5) != 0) return false;
    text += 5 + (text[5] == ':');
    if (*text != ' ' || !scalar_number(text + strspn(text, " "), times)) return false;
    return *times >= 1.0 && *times <= 100.0 && *times == (int)*times;
}

static gofh_status read_failure(reader *r, const yaml_node *node)
{
    static const char *const words[] = {"learn", "abort", "retry: N", NULL};
    static const char *const keys[] = {"retry", NULL};
    simulator *s = &r->file->simulator;
    if (node->kind == YAML_MAPPING) {
        gofh_status status = reader_mapping(r, node, "on_failure", keys);
        const yaml_node *retry = status ? NULL : yaml_get(node, "retry");
        if (!status && !retry) status = reader_fail(r, node, "on_failure is empty: write {retry: 2}");
        s->on_failure = FAILURE_RETRY;
        return status ? status : reader_integer(r, retry, "retry", 1, 100, &s->retries);
    }
    double times;
    if (node->kind == YAML_SCALAR && read_retries(node->text, &times)) {
        s->on_failure = FAILURE_RETRY;
        s->retries = (int)times;
        return GOFH_OK;
    }
    if (node->kind == YAML_SCALAR && strncmp(node->text, "retry", 5) == 0) {
        reader_fail(r, node, "on_failure \"%.60s\" does not say how often", node->text);
        return reader_hint(r, "write {retry: 2}, up to 100");
    }
    int chosen = 0;
    gofh_status status = reader_choice(r, node, "on_failure", words, &chosen);
    s->on_failure = chosen ? FAILURE_ABORT : FAILURE_LEARN;
    return status;
}

static bool is_parameter(const simulator *s, const char *name, size_t length)
{
    for (int i = 0; i < s->parameter_count; i++)
        if (strlen(s->parameter_names[i]) == length && memcmp(s->parameter_names[i], name, length) == 0)
            return true;
    return false;
}

static bool is_word(const char *word, const char *name, size_t length)
{
    return strlen(word) == length && memcmp(word, name, length) == 0;
}

/* The column of a byte of the command: where the error points. */
static gofh_status fail_placeholder(reader *r, const yaml_node *node, const char *at, int length,
                                    bool results)
{
    int line = 1, column = 1;
    for (const char *c = r->file->simulator.command; c < at; c++) {
        if (*c == '\n') {
            line++;
            column = 1;
        } else if (((unsigned char)*c & 0xc0) != 0x80) {
            column++;
        }
    }
    size_t place = yaml_place_in(&r->tree, node, line, column);
    if (results)
        return text_fail(&r->tree.text, place, r->error,
                         "{results} is no file here: results are read from %s",
                         r->file->simulator.results == RESULTS_STDOUT ? "standard output"
                                                                      : "the files of the instructions");
    text_fail(&r->tree.text, place, r->error, "unknown {%.*s} in the command", length < 60 ? length : 60,
              at + 1);
    return reader_hint(
        r, "it may be {params}, {results}, {trial} or a parameter in { }; the shell's own is ${%.*s}",
        length < 60 ? length : 60, at + 1);
}

/* {word} is ours; ${word}, {a,b} and { list; } are the shell's. */
static gofh_status check_placeholders(reader *r, const yaml_node *node)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    const simulator *s = &r->file->simulator;
    for (const char *at = s->command; (at = strchr(at, '{')); at++) {
        size_t length = strspn(at + 1, letters);
        const char *name = at + 1;
        if (length == 0 || name[length] != '}' || (at > s->command && at[-1] == '$')) continue;
        bool results = is_word("results", name, length);
        if (results && !s->results_file) return fail_placeholder(r, node, at, (int)length, true);
        if (!results && !is_word("params", name, length) && !is_word("trial", name, length) &&
            !is_parameter(s, name, length))
            return fail_placeholder(r, node, at, (int)length, false);
    }
    return GOFH_OK;
}

static gofh_status read_limits(reader *r, const yaml_node *section)
{
    simulator *s = &r->file->simulator;
    const yaml_node *timeout = yaml_get(section, "timeout"), *parallel = yaml_get(section, "parallel"),
                    *failure = yaml_get(section, "on_failure");
    gofh_status status = GOFH_OK;
    if (timeout) status = reader_seconds(r, timeout, "timeout", &s->timeout);
    if (!status && parallel) status = reader_integer(r, parallel, "parallel", 1, 1000, &s->parallel);
    if (!status && failure) status = read_failure(r, failure);
    return status;
}

/* Curves come with names, which only some formats have. */
static gofh_status check_curves(reader *r, const yaml_node *section)
{
    const problem_file *file = r->file;
    const yaml_node *results = yaml_get(section, "results");
    int named = file->simulator.results == RESULTS_JSON ||
                (file->simulator.results == RESULTS_CSV && !file->simulator.column);
    for (int i = 0; i < file->output_count; i++)
        if (file->outputs[i].at_name && !named)
            return reader_fail(r, results ? results : section,
                               "output \"%s\" is a curve: its places are read by name, from results: json or "
                               "csv, without column",
                               file->outputs[i].name);
    return GOFH_OK;
}

gofh_status read_simulator(reader *r, const yaml_node *section)
{
    static const char *const keys[] = {"command",      "params",  "results",  "templates",  "files",
                                       "instructions", "timeout", "parallel", "on_failure", "executor",
                                       "setup",        "slurm",   "queue",    NULL};
    simulator *s = &r->file->simulator;
    gofh_status status = reader_mapping(r, section, "simulator", keys);
    if (status) return status;
    const yaml_node *command = yaml_get(section, "command"), *results = yaml_get(section, "results");
    if (!command) {
        const yaml_node *key = yaml_key(section, "command");
        reader_fail(r, key ? key : section, "simulator has no command");
        return reader_hint(r, "write command: ./program {params} {results}");
    }
    status = reader_text(r, command, "command", &s->command);
    if (!status) status = read_simulator_files(r, section);
    if (!status) status = read_params(r, yaml_get(section, "params"));
    if (!status) status = read_results(r, results);
    if (!status && s->instruction_count > 0 && s->results != RESULTS_INSTRUCTION)
        status = reader_fail(r, yaml_key(section, "instructions"),
                             "instructions are for results: instruction only");
    if (!status) status = check_curves(r, section);
    if (!status) status = check_placeholders(r, command);
    if (!status) status = read_limits(r, section);
    return status ? status : read_executor(r, section);
}

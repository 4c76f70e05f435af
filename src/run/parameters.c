#include "run/parameters.h"

#include "base/number.h"

#include <stdio.h>

static void write_json_text(buffer *file, const char *text)
{
    buffer_text(file, "\"");
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            buffer_format(file, "\\%c", *text);
        else if ((unsigned char)*text < ' ')
            buffer_format(file, "\\u%04x", (unsigned)*text);
        else
            buffer_add(file, text, 1);
    }
    buffer_text(file, "\"");
}

const char *parameters_word(const simulator *sim, int i, double value)
{
    const problem_parameter *p = sim->parameters ? &sim->parameters[i] : NULL;
    int place = (int)value;
    return p && p->words && place >= 0 && place < p->count ? p->words[place] : NULL;
}

void parameters_text(const simulator *sim, int i, double value, char text[PARAMETER_TEXT])
{
    const char *word = parameters_word(sim, i, value);
    if (word)
        snprintf(text, PARAMETER_TEXT, "%s", word);
    else
        number_write(value, text);
}

static void write_json(const simulator *sim, const double *x, buffer *file)
{
    char number[NUMBER_TEXT];
    buffer_text(file, "{");
    for (int i = 0; i < sim->parameter_count; i++) {
        const char *word = parameters_word(sim, i, x[i]);
        number_write(x[i], number);
        buffer_text(file, i > 0 ? ",\n  " : "\n  ");
        write_json_text(file, sim->parameter_names[i]);
        buffer_text(file, ": ");
        if (word)
            write_json_text(file, word);
        else
            buffer_text(file, number);
    }
    buffer_text(file, "\n}\n");
}

static void write_plain(const simulator *sim, const double *x, buffer *file)
{
    char text[PARAMETER_TEXT];
    for (int i = 0; i < sim->parameter_count; i++) {
        parameters_text(sim, i, x[i], text);
        buffer_format(file, "%s\n", text);
    }
}

/* The two formats of Dakota hold the same list: a count with its heading, a value with its name. */
typedef struct {
    void (*count)(buffer *file, long long count, const char *standard, const char *aprepro);
    void (*value)(buffer *file, double value, const char *name);
    void (*word)(buffer *file, const char *word, const char *name);
} dakota_format;

static void standard_count(buffer *file, long long count, const char *standard, const char *aprepro)
{
    (void)aprepro;
    buffer_format(file, "%43lld %s\n", count, standard);
}

static void standard_value(buffer *file, double value, const char *name)
{
    buffer_format(file, "%43.15e %s\n", value, name);
}

static void standard_word(buffer *file, const char *word, const char *name)
{
    buffer_format(file, "%43s %s\n", word, name);
}

static void aprepro_word(buffer *file, const char *word, const char *name)
{
    buffer_format(file, "%20s{ %-15s = \"%s\" }\n", "", name, word);
}

static void aprepro_count(buffer *file, long long count, const char *standard, const char *aprepro)
{
    buffer_format(file, "%20s{ %-15s = %22lld }\n", "", aprepro ? aprepro : standard, count);
}

static void aprepro_value(buffer *file, double value, const char *name)
{
    buffer_format(file, "%20s{ %-15s = %22.15e }\n", "", name, value);
}

static const dakota_format STANDARD = {standard_count, standard_value, standard_word};
static const dakota_format APREPRO = {aprepro_count, aprepro_value, aprepro_word};

/* "ASV_3:c_2": the third function, which is the second element of the output c. */
static void write_request(const dakota_format *format, buffer *file, int number, const char *name,
                          int element)
{
    buffer tag = {0};
    buffer_format(&tag, "ASV_%d:%s", number, name);
    if (element > 0) buffer_format(&tag, "_%d", element);
    if (!tag.failed) format->count(file, 1, tag.bytes, NULL);
    file->failed |= tag.failed;
    buffer_free(&tag);
}

static void write_requests(const dakota_format *format, const simulator *sim, buffer *file)
{
    int count = 0, number = 0;
    for (int i = 0; i < sim->output_count; i++) count += sim->output_sizes[i];
    format->count(file, count, "functions", "DAKOTA_FNS");
    for (int i = 0; i < sim->output_count; i++)
        for (int k = 1; k <= sim->output_sizes[i]; k++)
            write_request(format, file, ++number, sim->output_names[i], sim->output_sizes[i] > 1 ? k : 0);
}

static void write_derivatives(const dakota_format *format, const simulator *sim, buffer *file)
{
    format->count(file, sim->parameter_count, "derivative_variables", "DAKOTA_DER_VARS");
    for (int i = 0; i < sim->parameter_count; i++) {
        buffer tag = {0};
        buffer_format(&tag, "DVV_%d:%s", i + 1, sim->parameter_names[i]);
        if (!tag.failed) format->count(file, i + 1, tag.bytes, NULL);
        file->failed |= tag.failed;
        buffer_free(&tag);
    }
}

static void write_dakota(const dakota_format *format, const simulator *sim, long long trial, const double *x,
                         buffer *file)
{
    format->count(file, sim->parameter_count, "variables", "DAKOTA_VARS");
    for (int i = 0; i < sim->parameter_count; i++) {
        const char *word = parameters_word(sim, i, x[i]);
        if (word)
            format->word(file, word, sim->parameter_names[i]);
        else
            format->value(file, x[i], sim->parameter_names[i]);
    }
    write_requests(format, sim, file);
    write_derivatives(format, sim, file);
    format->count(file, 0, "analysis_components", "DAKOTA_AN_COMPS");
    format->count(file, trial, "eval_id", "DAKOTA_EVAL_ID");
}

void parameters_write(const simulator *sim, long long trial, const double *x, buffer *file)
{
    switch (sim->params) {
    case PARAMS_JSON:
        write_json(sim, x, file);
        break;
    case PARAMS_PLAIN:
        write_plain(sim, x, file);
        break;
    case PARAMS_DAKOTA:
        write_dakota(&STANDARD, sim, trial, x, file);
        break;
    case PARAMS_APREPRO:
        write_dakota(&APREPRO, sim, trial, x, file);
        break;
    case PARAMS_TEMPLATE:
        break;
    }
}

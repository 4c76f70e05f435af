#include "bench/list.h"

#include "base/number.h"
#include "bench/problems.h"

#include <string.h>

enum { WIDTH = 100, MARGIN = 36 };

/* Goes on in `column`; breaks lines at spaces so that they fit WIDTH. */
static void print_words(FILE *file, int column, const char *text)
{
    while (*text) {
        int length = (int)strcspn(text, " ");
        if (column + length >= WIDTH) column = fprintf(file, "\n%*s", MARGIN + 3, "") - 1;
        column += fprintf(file, " %.*s", length, text);
        text += length + (text[length] == ' ');
    }
    fputc('\n', file);
}

static void print_line(FILE *file, const char *word, const char *text)
{
    print_words(file, fprintf(file, "%*s%s", MARGIN, "", word), text);
}

/* What discrete values there are: "" for an interval. */
static void describe_values(const bench_problem *problem, int k, char *text, size_t size)
{
    const bench_parameter *p = &problem->parameters[k];
    const bench_values *values = problem->values ? &problem->values[k] : NULL;
    text[0] = '\0';
    if (values && values->choices) {
        size_t length = 0;
        for (int i = 0; i < values->count && length < size; i++)
            length += (size_t)snprintf(text + length, size - length, "%s%s", i ? ", " : "{",
                                       values->choices[i]);
        if (length < size) snprintf(text + length, size - length, "}");
    } else if (values && values->list) {
        number_format(text, size, "{%g ... %g: %d values}", p->lower, p->upper, values->count);
    } else if (values && values->step > 0) {
        number_format(text, size, "{%g, %g, ... %g}", p->lower, p->lower + values->step, p->upper);
    }
}

/* Equal neighbouring intervals come as a power; logarithmic scales are marked. */
static void print_domain(FILE *file, const bench_problem *problem)
{
    char text[1024] = "";
    size_t length = 0;
    for (int k = 0, same; k < problem->d; k += same) {
        const bench_parameter *p = &problem->parameters[k];
        char power[16] = "", values[200];
        describe_values(problem, k, values, sizeof values);
        for (same = 1; k + same < problem->d && !problem->values; same++) {
            const bench_parameter *next = &problem->parameters[k + same];
            if (next->lower != p->lower || next->upper != p->upper || next->scale != p->scale) break;
        }
        if (same > 1) snprintf(power, sizeof power, "^%d", same);
        if (values[0])
            snprintf(text + length, sizeof text - length, "%s%s", k ? " x " : "", values);
        else
            number_format(text + length, sizeof text - length, "%s%s[%g,%g]%s", k ? " x " : "",
                          p->scale == GOFH_SCALE_LOG ? "log" : "", p->lower, p->upper, power);
        length = strlen(text);
    }
    print_line(file, "on", text);
}

static void print_entry(FILE *file, const bench_problem *problem, double optimum)
{
    int column = number_print(file, "%-13s %3d %3d  %-13.7g %s", problem->name, problem->d, problem->m,
                              optimum, problem->maximise ? "max" : "min");
    print_words(file, column, problem->objective);
    if (problem->start) print_line(file, "is", problem->description);
    for (int i = 0; problem->constraints && problem->constraints[i]; i++)
        print_line(file, "with", problem->constraints[i]);
    print_domain(file, problem);
    if (problem->noise > 0.0)
        number_print(file, "%*snoise on each output: standard deviation %g\n", MARGIN, "", problem->noise);
}

gofh_status bench_list(FILE *file)
{
    fprintf(file, "%-13s %3s %3s  %-13s %s\n", "problem", "d", "m", "optimum", "g of the outputs y, domain");
    for (int i = 0; bench_problem_at(i); i++) {
        bench_instance *instance = bench_problem_open(bench_problem_at(i), 0);
        if (!instance) return GOFH_ERROR_MEMORY;
        print_entry(file, bench_problem_at(i), instance->optimum);
        bench_problem_close(instance);
    }
    return GOFH_OK;
}

/* ---- JSON ---- */

static void print_string(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') fputc('\\', file);
        fputc(*text, file);
    }
    fputc('"', file);
}

static void print_member(FILE *file, const char *name, const char *text)
{
    fprintf(file, ", \"%s\": ", name);
    print_string(file, text);
}

static void print_values(FILE *file, const bench_values *values)
{
    if (!values) return;
    if (values->step > 0) number_print(file, ", \"step\": %.17g", values->step);
    if (values->count > 0) fprintf(file, ", \"%s\": [", values->choices ? "choices" : "values");
    for (int i = 0; i < values->count; i++) {
        if (i) fputs(", ", file);
        if (values->choices)
            print_string(file, values->choices[i]);
        else
            number_print(file, "%.17g", values->list[i]);
    }
    if (values->count > 0) fputc(']', file);
}

static void print_object(FILE *file, const bench_instance *instance)
{
    const bench_problem *problem = instance->problem;
    fputs("  {\"name\": ", file);
    print_string(file, problem->name);
    print_member(file, "description", problem->description);
    fprintf(file, ", \"d\": %d, \"m\": %d", problem->d, problem->m);
    print_member(file, problem->maximise ? "maximize" : "minimize", problem->objective);
    fputs(", \"constraints\": [", file);
    for (int i = 0; problem->constraints && problem->constraints[i]; i++) {
        if (i) fputs(", ", file);
        print_string(file, problem->constraints[i]);
    }
    fputs("], \"parameters\": [", file);
    for (int k = 0; k < problem->d; k++) {
        const bench_parameter *p = &problem->parameters[k];
        fputs(k ? ", {\"name\": " : "{\"name\": ", file);
        print_string(file, p->name);
        number_print(file, ", \"lower\": %.17g, \"upper\": %.17g, \"scale\": \"%s\"", p->lower, p->upper,
                     p->scale == GOFH_SCALE_LOG ? "log" : "linear");
        print_values(file, problem->values ? &problem->values[k] : NULL);
        fputc('}', file);
    }
    fputc(']', file);
    for (int k = 0; problem->start && k < problem->d; k++)
        number_print(file, "%s%.17g", k ? ", " : ", \"start\": [", problem->start[k]);
    if (problem->start) fputc(']', file);
    number_print(file, ", \"drawn\": %s, \"noise\": %.17g, \"optimum\": %.17g}",
                 problem->drawn ? "true" : "false", problem->noise, instance->optimum);
}

gofh_status bench_list_json(FILE *file)
{
    fputs("[\n", file);
    for (int i = 0; bench_problem_at(i); i++) {
        bench_instance *instance = bench_problem_open(bench_problem_at(i), 0);
        if (!instance) return GOFH_ERROR_MEMORY;
        if (i) fputs(",\n", file);
        print_object(file, instance);
        bench_problem_close(instance);
    }
    fputs("\n]\n", file);
    return GOFH_OK;
}

/* gofh init: writes a problem file that runs. */
#include "base/number.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/draft.h"
#include "cli/message.h"
#include "problem/csv.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char USAGE[] =
    "usage: gofh init [problem.yaml] [OPTIONS]\n"
    "\n"
    "Writes a problem file that runs, with comments on what it guessed, and where\n"
    "there is no simulator yet one to be filled in; then checks it as \"gofh check\"\n"
    "does. Asks for what no option says; an empty answer takes what is in brackets.\n"
    "  --parameters LIST  \"a 0 1, rate 1e-3 10 log\": names, bounds, and log for those\n"
    "                     that span decades\n"
    "  --outputs LIST     \"T 24, peak\": names, and sizes of those that are vectors\n"
    "  --goal GOAL        \"fit measured.csv\", \"minimize max(T)\" or \"maximize peak\"\n"
    "  --command COMMAND  what runs the simulator; or sh or python: a script to be\n"
    "                     filled in\n"
    "  --budget N         runs in all\n"
    "  --from FILE        takes variables, bounds and observations from an input of\n"
    "                     Dakota (.in) or a control file of PEST (.pst), or the\n"
    "                     numbers in a simulator's input in YAML or JSON\n"
    "  --yes              ask nothing, and say what is assumed, as without a terminal\n"
    "  --no-check         do not run it\n"
    "Files that exist are never overwritten.\n";

enum { ANSWER = 2000, OUTPUTS_MAX = 32 };

typedef struct {
    char name[DRAFT_NAME];
    int size;
    int given; /* the size was */
} output;

typedef struct {
    draft d;
    int asks;
    const char *parameters, *outputs, *goal, *command, *budget, *from;
    char answer[5][ANSWER];
    int assumed[5]; /* whether nobody gave the answer */
    output output[OUTPUTS_MAX];
    int output_count;
    const char *made_up; /* the file of data that nobody measured; NULL: there is none */
} init;

/* ---- Questions ---- */

/* What is meant where there is no answer: it is said afterwards. */
static const char *assume(init *in, int number, const char *usual)
{
    in->assumed[number - 1] = 1;
    snprintf(in->answer[number - 1], ANSWER, "%s", usual);
    return usual;
}

/* The option, an answer, or what is meant where there is none. */
static const char *ask(init *in, int number, const char *option, const char *question, const char *usual)
{
    char *answer = in->answer[number - 1];
    if (option) return option;
    if (!in->asks) return assume(in, number, usual);
    message_print(stdout, "%d of 5  %s\n", number, question);
    printf("        [%s]: ", usual);
    fflush(stdout);
    if (!fgets(answer, ANSWER, stdin)) {
        putchar('\n');
        in->asks = 0;
        return assume(in, number, usual);
    }
    if (!isatty(STDIN_FILENO)) putchar('\n');
    answer[strcspn(answer, "\r\n")] = '\0';
    char *begin = answer + strspn(answer, " \t");
    return *begin ? begin : usual;
}

/* The next part up to a comma, in place; NULL at the end. */
static char *next_part(char **rest)
{
    if (!*rest) return NULL;
    char *part = *rest, *comma = strchr(part, ',');
    if (comma) *comma = '\0';
    *rest = comma ? comma + 1 : NULL;
    return part + strspn(part, " \t");
}

static int is_number(const char *text, double *value)
{
    return number_read(text, strlen(text), value) == NUMBER_FINE;
}

static int read_parameters(init *in, const char *list)
{
    char copy[ANSWER], *rest = copy, *part;
    snprintf(copy, sizeof copy, "%s", list);
    in->d.count = 0;
    while ((part = next_part(&rest))) {
        draft_words words;
        double low = 0.0, high = 0.0;
        int count = draft_split(part, words), log = count == 4 && strcmp(words[3], "log") == 0;
        int known = count == 3 || log || (count == 4 && strcmp(words[3], "linear") == 0);
        if (!known || !is_number(words[1], &low) || !is_number(words[2], &high))
            return draft_fail(&in->d,
                              "a parameter is \"NAME LOWER UPPER\", and \"log\" if it spans decades, not "
                              "\"%.80s\"",
                              part);
        int decades = count == 3 && low > 0.0 && high / low >= 100.0;
        if (log && low <= 0.0)
            return draft_fail(&in->d, "parameter %.60s: a log scale needs bounds above 0", words[0]);
        if (draft_add(&in->d, words[0], low, high, log || decades, NAN,
                      decades ? "a guess: it spans decades" : NULL))
            return -1;
    }
    return 0;
}

static int read_outputs(init *in, const char *list)
{
    char copy[ANSWER], *rest = copy, *part;
    snprintf(copy, sizeof copy, "%s", list);
    in->output_count = 0;
    while ((part = next_part(&rest))) {
        draft_words words;
        char *end = NULL;
        int count = draft_split(part, words);
        long values = count == 2 ? strtol(words[1], &end, 10) : 1;
        if (count < 1 || count > 2 || (end && *end) || values < 1 || values > 1000000)
            return draft_fail(&in->d, "an output is \"NAME\" or \"NAME SIZE\", not \"%.80s\"", part);
        if (!draft_is_name(words[0]))
            return draft_fail(&in->d, "\"%.60s\" can't be the name of an output", words[0]);
        if (in->output_count == OUTPUTS_MAX)
            return draft_fail(&in->d, "more than %d outputs: write the others into the file", OUTPUTS_MAX);
        output *o = &in->output[in->output_count++];
        *o = (output){.size = (int)values, .given = count == 2};
        snprintf(o->name, sizeof o->name, "%.60s", words[0]);
    }
    return 0;
}

/* ---- The simulator that is to be filled in ---- */

/* Where a parameter is between its bounds, from 0 to 1, as an expression of awk and of Python. */
static void scaled(const draft_parameter *p, const char *name, buffer *text)
{
    buffer_text(text, p->log ? "log(" : "(");
    buffer_format(text, p->log ? "%s / " : "%s - ", name);
    draft_number(text, p->lower);
    buffer_text(text, p->log ? ") / log(" : ") / ");
    draft_number(text, p->log ? p->upper / p->lower : p->upper - p->lower);
    if (p->log) buffer_text(text, ")");
}

/* The placeholder's value j of n: a polynomial in t whose coefficients are the scaled parameters. */
static double placeholder(int parameters, const double *u, int j, int n)
{
    double t = (double)(j + 1) / n, sum = 0.0, power = 1.0;
    for (int k = 0; k < parameters; k++, power *= t) sum += u[k] * power;
    return sum;
}

static void write_python(init *in, buffer *text)
{
    buffer_text(text,
                "#!/usr/bin/env python3\n"
                "\"\"\"The simulator, to be filled in: called as simulate.py PARAMETERS RESULTS.\"\"\"\n"
                "import json\nimport sys\nfrom math import log  # noqa: F401\n\n"
                "with open(sys.argv[1]) as file:\n"
                "    p = json.load(file)  # {name: value}\n\n"
                "# In place of these lines: run your model with p[...] and take what it computes.\n"
                "u = [\n");
    for (int k = 0; k < in->d.count; k++) {
        char name[DRAFT_NAME + 8];
        snprintf(name, sizeof name, "p[\"%s\"]", in->d.parameters[k].name);
        buffer_text(text, "    ");
        scaled(&in->d.parameters[k], name, text);
        buffer_text(text, ",\n");
    }
    buffer_text(text, "]\n\n\ndef curve(n):\n"
                      "    times = [(j + 1) / n for j in range(n)]\n"
                      "    return [sum(u[k] * t**k for k in range(len(u))) for t in times]\n\n\n"
                      "results = {\n");
    for (int i = 0; i < in->output_count; i++)
        buffer_format(text, "    \"%s\": curve(%d)%s,\n", in->output[i].name, in->output[i].size,
                      in->output[i].size == 1 ? "[0]" : "");
    buffer_text(text, "}\n\nwith open(sys.argv[2], \"w\") as file:\n    json.dump(results, file)\n");
}

static void write_shell(init *in, buffer *text)
{
    buffer_text(text, "#!/bin/sh\n# The simulator, to be filled in: called as simulate.sh");
    for (int k = 0; k < in->d.count; k++) buffer_format(text, " %s", in->d.parameters[k].name);
    buffer_text(text, " RESULTS\n# It writes its outputs to the file RESULTS, a number a line: ");
    for (int i = 0; i < in->output_count; i++)
        buffer_format(text, "%s%d of %s", i ? ", " : "", in->output[i].size, in->output[i].name);
    buffer_text(text, ".\n# In place of this line: run your model and take what it computes.\nLC_ALL=C awk");
    for (int k = 0; k < in->d.count; k++) buffer_format(text, " -v p%d=\"${%d}\"", k, k + 1);
    buffer_text(text, " 'BEGIN {\n");
    for (int k = 0; k < in->d.count; k++) {
        char name[16];
        snprintf(name, sizeof name, "p%d", k);
        buffer_format(text, "    u[%d] = ", k);
        scaled(&in->d.parameters[k], name, text);
        buffer_text(text, "\n");
    }
    for (int i = 0; i < in->output_count; i++)
        buffer_format(text,
                      "    for (j = 1; j <= %d; j++) { s = 0; t = 1; for (k = 0; k < %d; k++) { s += u[k]*t; "
                      "t *= j/%d }; printf \"%%.17g\\n\", s }\n",
                      in->output[i].size, in->d.count, in->output[i].size);
    buffer_format(text, "}' > \"${%d}\"\n", in->d.count + 1);
}

static int write_simulator(init *in, const char *command)
{
    buffer *y = &in->d.simulator;
    const char *name = strcmp(command, "python") == 0 ? "simulate.py"
                       : strcmp(command, "sh") == 0   ? "simulate.sh"
                                                      : NULL;
    int python = name && name[9] == 'p';
    buffer *stub = name ? draft_add_file(&in->d, name, 1) : NULL;
    buffer_text(y, "simulator:\n  command: ");
    if (name && !stub) return -1;
    if (python) {
        write_python(in, stub);
        draft_quoted(y, "./simulate.py {params} {results}");
        buffer_text(y, "  # a placeholder: put your model there");
    } else if (name) {
        buffer words = {0};
        write_shell(in, stub);
        buffer_text(&words, "./simulate.sh");
        for (int k = 0; k < in->d.count; k++) buffer_format(&words, " {%s}", in->d.parameters[k].name);
        buffer_text(&words, " {results}");
        draft_quoted(y, words.bytes ? words.bytes : "");
        buffer_free(&words);
        buffer_text(y, "  # a placeholder: put your model there\n  results: plain");
    } else {
        char whole[ANSWER + 32];
        int placed = strchr(command, '{') != NULL;
        snprintf(whole, sizeof whole, "%s%s", command, placed ? "" : " {params} {results}");
        draft_quoted(y, whole);
        if (!placed) buffer_text(y, "  # a guess: it is given the names of two files");
        buffer_text(y, "\n  params: json   # {\"name\": value}; also plain, dakota, aprepro, template"
                       "\n  results: json  # {\"output\": [values]}; also plain, csv, dakota, stdout, npy");
    }
    buffer_text(y, "\n  # timeout: 10m   # a run that takes longer has failed\n"
                   "  parallel: 1      # runs at once\n");
    return 0;
}

/* ---- What is wanted ---- */

/* Data that the placeholder would give at 0.3, 0.4, ... between the bounds. */
static int write_made_up(init *in, const char *name)
{
    double u[DRAFT_PARAMETERS] = {0};
    buffer *text = draft_add_file(&in->d, name, 0);
    if (!text) return -1;
    buffer_text(text, "# Made up by gofh init, from the placeholder, at");
    for (int k = 0; k < in->d.count; k++) {
        const draft_parameter *p = &in->d.parameters[k];
        u[k] = 0.3 + 0.1 * (k % 5);
        double value = p->log ? p->lower * pow(p->upper / p->lower, u[k])
                              : p->lower + u[k] * (p->upper - p->lower);
        char digits[32];
        number_format(digits, sizeof digits, "%.6g", value);
        buffer_format(text, " %s = %s%s", p->name, digits, k + 1 < in->d.count ? "," : "");
    }
    buffer_format(text, ": put your measurements here.\nt,%s\n", in->output[0].name);
    for (int j = 0; j < in->output[0].size; j++) {
        draft_number(text, (double)(j + 1) / in->output[0].size);
        char digits[32];
        number_format(digits, sizeof digits, ",%.6f\n", placeholder(in->d.count, u, j, in->output[0].size));
        buffer_text(text, digits);
    }
    return 0;
}

static int is_word_of(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (draft_alike(text, *words)) return 1;
    return 0;
}

/* The columns of a table of data: which holds the values, and what the others may be. */
static void describe_columns(init *in, const csv_table *table, const char *file)
{
    static const char *const places[] = {"t", "time", "x", "at", "year", "date", "depth", "frequency", NULL};
    static const char *const errors[] = {"sigma", "error", "sd", "std", "stderr", "uncertainty", NULL};
    output *o = &in->output[0];
    buffer *y = &in->d.data;
    int value = table->header ? csv_find(table, o->name) : -1, at = -1, sigma = -1;
    for (int k = 0; table->header && k < table->columns; k++) {
        const char *name = table->header[k].text;
        if (at < 0 && k != value && is_word_of(name, places)) at = k;
        if (sigma < 0 && k != value && is_word_of(name, errors)) sigma = k;
    }
    int guessed = value < 0 && table->columns > 1;
    for (int k = 0; value < 0 && k < table->columns; k++)
        if (k != at && k != sigma && (table->header || k == table->columns - 1)) value = k;
    buffer_text(y, "data:\n  measured: {file: ");
    draft_quoted(y, file);
    if (table->columns > 1 && table->header) {
        buffer_text(y, ", column: ");
        draft_quoted(y, table->header[value < 0 ? 0 : value].text);
    } else if (table->columns > 1) {
        buffer_format(y, ", column: %d", value + 1);
    }
    if (sigma >= 0) {
        buffer_text(y, ", sigma: ");
        draft_quoted(y, table->header[sigma].text);
    }
    if (at >= 0) {
        buffer_text(y, ", at: ");
        draft_quoted(y, table->header[at].text);
    }
    buffer_format(y, "}%s\n", guessed ? "  # a guess which column has the values" : "");
}

static int write_fit(init *in, const char *file)
{
    problem_error error = {0};
    csv_table table;
    buffer *y = &in->d.data;
    int made_up = !*file;
    if (made_up) {
        file = "measured.csv";
        if (!in->output[0].given) in->output[0].size = 12;
        if (write_made_up(in, file)) return -1;
        in->made_up = file;
        buffer_format(y,
                      "data:\n  measured: {file: measured.csv, column: %s, at: t}  # made up: put yours "
                      "there; sigma: is their standard deviation\n",
                      in->output[0].name);
    } else {
        if (csv_read(&table, file, file, &error)) {
            char text[sizeof error + 64];
            problem_error_text(&error, text, sizeof text);
            return draft_fail(&in->d, "%s: a goal of \"fit\" alone makes data up, to be replaced", text);
        }
        if (!in->output[0].given) in->output[0].size = table.rows;
        if (in->output[0].size != table.rows) {
            int rows = table.rows;
            csv_free(&table);
            return draft_fail(&in->d, "%s has %d values, but the output %s has %d", file, rows,
                              in->output[0].name, in->output[0].size);
        }
        describe_columns(in, &table, file);
        csv_free(&table);
    }
    buffer_format(&in->d.objective,
                  "objective:\n  fit: {%s: measured}  # least squares, weighted by sigma if there is one\n",
                  in->output[0].name);
    return 0;
}

static int write_goal(init *in, const char *goal)
{
    const char *rest = goal + strcspn(goal, " \t");
    rest += strspn(rest, " \t");
    size_t word = strcspn(goal, " \t");
    if (word == 3 && strncmp(goal, "fit", 3) == 0) return write_fit(in, rest);
    if (word == 8 && *rest && (strncmp(goal, "minimize", 8) == 0 || strncmp(goal, "maximize", 8) == 0)) {
        buffer_format(&in->d.objective, "objective:\n  %.8s: ", goal);
        draft_quoted(&in->d.objective, rest);
        buffer_text(&in->d.objective, "\n# constraints:\n#   - max(T) <= 250   # what must hold besides\n");
        return 0;
    }
    return draft_fail(&in->d,
                      "a goal is \"fit FILE.csv\", \"minimize EXPRESSION\" or \"maximize EXPRESSION\", not "
                      "\"%.80s\"",
                      goal);
}

static void write_outputs(init *in)
{
    buffer *y = &in->d.outputs;
    buffer_text(y, "outputs: {");
    for (int i = 0; i < in->output_count; i++)
        buffer_format(y, "%s%s: %d", i ? ", " : "", in->output[i].name, in->output[i].size);
    buffer_text(y, "}  # names, and how many values each has\n");
}

static int read_budget(init *in, const char *text, int usual)
{
    long long budget = usual;
    if (text && arguments_number("init", "--budget", text, 1, 1000000, &budget)) return -1;
    in->d.budget = (int)budget;
    return 0;
}

static int take_budget(init *in, const char *text)
{
    return read_budget(in, text, 0);
}

/* Asks until the answer can be read; where nobody sits there, once. */
static int ask_until(init *in, int number, const char *option, const char *question, const char *usual,
                     int (*read)(init *, const char *))
{
    while (read(in, ask(in, number, option, question, usual))) {
        if (!in->asks || option || !isatty(STDIN_FILENO)) return -1;
        if (in->d.error[0]) message_print(stdout, "        %s\n", in->d.error);
        in->d.error[0] = '\0';
    }
    return 0;
}

static int answer_all(init *in)
{
    char usual[24];
    if (ask_until(in, 1, in->parameters, "Parameters: name, lower and upper bound, log if it spans decades",
                  "a 0 1, b 0 1", read_parameters) ||
        ask_until(in, 2, in->outputs, "Outputs of the simulator: names, and sizes of those that are vectors",
                  "y 12", read_outputs) ||
        ask_until(in, 3, in->goal, "What is wanted: fit FILE.csv, minimize EXPRESSION or maximize EXPRESSION",
                  "fit", write_goal) ||
        ask_until(in, 4, in->command,
                  "What runs the simulator: a command; or sh or python, for a script to fill in", "python",
                  write_simulator))
        return -1;
    snprintf(usual, sizeof usual, "%d", 10 * (in->d.count + 1) > 40 ? 10 * (in->d.count + 1) : 40);
    if (ask_until(in, 5, in->budget, "How many runs it may take in all", usual, take_budget)) return -1;
    write_outputs(in);
    buffer_text(&in->d.head,
                "# Written by gofh init; docs/problem.md says what else there is.\n"
                "#   gofh check THIS_FILE   one run: does it work?\n"
                "#   gofh run THIS_FILE     the study; the same command goes on after an interrupt\n");
    return 0;
}

/* ---- Another tool's file ---- */

static char *load(const char *path)
{
    enum { MOST = 16 << 20 };
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    char *bytes = malloc(MOST + 1);
    size_t length = bytes ? fread(bytes, 1, MOST, file) : 0;
    if (bytes) bytes[length] = '\0';
    fclose(file);
    return bytes;
}

static int has_ending(const char *path, const char *ending)
{
    size_t length = strlen(path), part = strlen(ending);
    return length > part && draft_alike(path + length - part, ending);
}

static int take_over(init *in)
{
    char *bytes = load(in->from);
    if (!bytes) return draft_fail(&in->d, "%s can't be read: %s", in->from, strerror(errno));
    int pest = has_ending(in->from, ".pst") || draft_begins(bytes, "pcf");
    int yaml = has_ending(in->from, ".yaml") || has_ending(in->from, ".yml") || has_ending(in->from, ".json");
    int status = pest   ? draft_from_pest(&in->d, bytes, in->from)
                 : yaml ? draft_from_yaml(&in->d, in->from)
                        : draft_from_dakota(&in->d, bytes, in->from);
    free(bytes);
    if (status || !in->budget) return status;
    return read_budget(in, in->budget, 0);
}

static void print_assumed(const init *in)
{
    static const char *const options[] = {"--parameters", "--outputs", "--goal", "--command", "--budget"};
    static const char *const meaning[] = {"", "", ": data are made up, to be replaced",
                                          ": a script to be filled in", ""};
    int any = 0;
    for (int i = 0; i < 5; i++) {
        if (!in->assumed[i]) continue;
        if (!any++) puts("assumed, for there was no answer (the option says otherwise):");
        printf("  %s \"%s\"%s\n", options[i], in->answer[i], meaning[i]);
    }
}

static void print_files(const init *in, const char *path)
{
    printf("written: %s", path);
    for (int i = 0; i < in->d.file_count; i++) printf(", %s", in->d.files[i].name);
    putchar('\n');
}

static void print_next(const char *stub, const char *made_up, const char *path)
{
    putchar('\n');
    if (made_up) message_print(stdout, "the data in %s are made up: put your measurements there\n", made_up);
    if (*stub)
        message_print(stdout, "next: put your model into %s, gofh check %s, then gofh run %s\n", stub, path,
                      path);
    else
        message_print(stdout, "next: gofh run %s\n", path);
}

int command_init(int count, char **arguments)
{
    const char *path = "problem.yaml";
    init in = {.d = {.budget = 60, .seed = 1}};
    int yes = 0, no_check = 0;
    arguments_option options[] = {{"--parameters", NULL, &in.parameters},
                                  {"--outputs", NULL, &in.outputs},
                                  {"--goal", NULL, &in.goal},
                                  {"--command", NULL, &in.command},
                                  {"--budget", NULL, &in.budget},
                                  {"--from", NULL, &in.from},
                                  {"--yes", &yes, NULL},
                                  {"--no-check", &no_check, NULL},
                                  {0}};
    arguments_spec spec = {"init", USAGE, options, &path, 0, 1, 0};
    int status = arguments_read(&spec, count, arguments);
    if (status != ARGUMENTS_GO_ON) return status;
    in.asks = !yes && !in.from;
    if (in.from && (in.parameters || in.outputs || in.goal || in.command))
        return arguments_wrong("init", "--from has its own parameters, outputs, goal and command");
    int failed = draft_refuse(&in.d, path); /* before anything is asked */
    if (!failed) failed = in.from ? take_over(&in) : answer_all(&in);
    if (!failed) failed = draft_write(&in.d, path);
    if (failed && in.d.error[0]) fprintf(stderr, "gofh init: %s\n", in.d.error);
    if (!failed) {
        print_assumed(&in);
        print_files(&in, path);
    }
    char stub[DRAFT_PATH] = "";
    for (int i = 0; i < in.d.file_count; i++)
        if (in.d.files[i].executable) snprintf(stub, sizeof stub, "%s", in.d.files[i].name);
    draft_free(&in.d);
    if (failed) return EXIT_USAGE;
    char *check[] = {(char *)"check", (char *)path, (char *)"--no-run", NULL};
    fflush(stdout);
    status = command_check(no_check ? 3 : 2, check);
    if (status == EXIT_DONE) print_next(stub, in.made_up, path);
    return status;
}

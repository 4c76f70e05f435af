/* An input of Dakota as a problem file: its variables, bounds, driver and responses. */
#include "base/letters.h"
#include "base/number.h"
#include "cli/draft.h"
#include "problem/csv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 20000, LIST = 1000 };

typedef struct {
    draft *d;
    const char *path;
    char **words; /* without "=", commas and comments */
    char *quoted; /* whether each was in quotes */
    int count;
} input;

/* Words in place: a quote and a comment end one. Returns 0, or -1 when there are too many. */
static int split(input *in, char *bytes)
{
    for (char *at = bytes; *at;) {
        at += strspn(at, " \t\r\n=,\\");
        if (*at == '#') {
            at += strcspn(at, "\n");
            continue;
        }
        if (!*at) break;
        if (in->count == WORDS) return -1;
        int quote = *at == '\'' || *at == '"';
        char mark = *at;
        char *word = quote ? at + 1 : at;
        size_t length = quote ? strcspn(word, mark == '"' ? "\"\n" : "'\n") : strcspn(word, " \t\r\n=,#'\"");
        at = word + length;
        char end = *at;
        in->quoted[in->count] = (char)quote;
        in->words[in->count++] = word;
        *at = '\0';
        if (end == '#') {
            at++;
            at += strcspn(at, "\n");
        } else if (end) {
            at++;
        }
    }
    return 0;
}

static int is_number(const input *in, int i)
{
    double value;
    return i < in->count && !in->quoted[i] &&
           number_read(in->words[i], strlen(in->words[i]), &value) == NUMBER_FINE;
}

/* Dakota takes the first letters of its keywords. */
static int is_word(const input *in, int i, const char *word)
{
    size_t length = strlen(in->words[i]);
    return !in->quoted[i] && length >= 4 && length <= strlen(word) &&
           letters_alike(in->words[i], word, length);
}

static int is_block(const input *in, int i)
{
    static const char *const blocks[] = {"environment", "method",    "model", "variables",
                                         "interface",   "responses", NULL};
    for (int k = 0; blocks[k]; k++)
        if (!in->quoted[i] && draft_alike(in->words[i], blocks[k])) return 1;
    return 0;
}

/* From the word after the block's name up to the next block; -1: there is none. */
static int find_block(const input *in, const char *name, int *end)
{
    for (int i = 0; i < in->count; i++) {
        if (in->quoted[i] || !draft_alike(in->words[i], name)) continue;
        for (*end = i + 1; *end < in->count && !is_block(in, *end);) (*end)++;
        return i + 1;
    }
    return -1;
}

static int find_word(const input *in, int from, int end, const char *word)
{
    for (int i = from; i < end; i++)
        if (is_word(in, i, word)) return i;
    return -1;
}

/* The numbers after a keyword between from and end; how many. N*value repeats. */
static int numbers_after(const input *in, int from, int end, const char *word, double *list)
{
    int at = find_word(in, from, end, word), count = 0;
    for (int i = at + 1; at >= 0 && i < end && count < LIST; i++) {
        const char *star = strchr(in->words[i], '*');
        long times = star ? strtol(in->words[i], NULL, 10) : 1;
        const char *text = star ? star + 1 : in->words[i];
        double value;
        if (in->quoted[i] || number_read(text, strlen(text), &value) != NUMBER_FINE) break;
        while (times-- > 0 && count < LIST) list[count++] = value;
    }
    return count;
}

/* A number of things, from a number; 0 for what can't be one. */
static int count_of(double value)
{
    return value >= 1.0 && value <= LIST ? (int)value : 0;
}

/* The quoted texts after a keyword; the first, or -1. */
static int texts_after(const input *in, int from, int end, const char *word, int *count)
{
    int at = find_word(in, from, end, word);
    *count = 0;
    while (at >= 0 && at + 1 + *count < end && in->quoted[at + 1 + *count]) (*count)++;
    return *count ? at + 1 : -1;
}

static double number_after(const input *in, const char *block, const char *word, double usual)
{
    double list[LIST];
    int end, from = find_block(in, block, &end);
    return from >= 0 && numbers_after(in, from, end, word, list) > 0 ? list[0] : usual;
}

/* ---- Variables ---- */

static const struct {
    const char *name;
    int discrete, normal;
} KINDS[] = {
    {"continuous_design", 0, 0},
    {"continuous_state", 0, 0},
    {"uniform_uncertain", 0, 0},
    {"loguniform_uncertain", 0, 0},
    {"continuous_interval_uncertain", 0, 0},
    {"discrete_design_range", 1, 0},
    {"discrete_state_range", 1, 0},
    {"normal_uncertain", 0, 1},
    {"lognormal_uncertain", 0, 1},
};
enum { KIND_COUNT = sizeof KINDS / sizeof KINDS[0] };

static int kind_at(const input *in, int i)
{
    for (int k = 0; k < KIND_COUNT; k++)
        if (!in->quoted[i] && draft_alike(in->words[i], KINDS[k].name)) return k;
    return -1;
}

static int take_kind(const input *in, int kind, int from, int end)
{
    draft *d = in->d;
    double lower[LIST], upper[LIST], start[LIST], mean[LIST], deviation[LIST];
    int count = is_number(in, from) ? (int)strtol(in->words[from], NULL, 10) : 0, names = 0;
    int lowers = numbers_after(in, from, end, "lower_bounds", lower);
    int uppers = numbers_after(in, from, end, "upper_bounds", upper);
    int starts = numbers_after(in, from, end, "initial_point", start);
    int means = numbers_after(in, from, end, "means", mean);
    int deviations = numbers_after(in, from, end, "std_deviations", deviation);
    int first = texts_after(in, from, end, "descriptors", &names);
    int normal = KINDS[kind].normal && means >= count && deviations >= count;
    if (starts == 0) starts = numbers_after(in, from, end, "initial_state", start);
    if (!normal && (lowers < count || uppers < count))
        return draft_fail(d,
                          "%s: %s has %d variables, but %d lower and %d upper bounds: gofh searches between "
                          "bounds, so all are needed",
                          in->path, KINDS[kind].name, count, lowers, uppers);
    for (int i = 0; i < count; i++) {
        char name[DRAFT_NAME], note[DRAFT_NAME] = "";
        if (i < names)
            snprintf(name, sizeof name, "%s", in->words[first + i]);
        else
            snprintf(name, sizeof name, "x%d", d->count + 1);
        if (i < lowers && i < uppers)
            mean[i] = i < means ? mean[i] : NAN;
        else
            snprintf(note, sizeof note, "a guess: the mean and 3 standard deviations");
        if (KINDS[kind].discrete) snprintf(note, sizeof note, "was discrete: here it is continuous");
        double low = i < lowers ? lower[i] : mean[i] - 3.0 * deviation[i];
        double high = i < uppers ? upper[i] : mean[i] + 3.0 * deviation[i];
        if (draft_add(d, name, low, high, draft_begins(KINDS[kind].name, "log"), i < starts ? start[i] : NAN,
                      note))
            return -1;
        if (!normal || draft_begins(KINDS[kind].name, "log")) continue;
        buffer_format(&d->prior, d->prior.length ? "" : "prior:\n");
        buffer_format(&d->prior, "  %s: normal(", name);
        draft_number(&d->prior, mean[i]);
        buffer_text(&d->prior, ", ");
        draft_number(&d->prior, deviation[i]);
        buffer_text(&d->prior, ")\n");
    }
    return 0;
}

static int take_variables(const input *in)
{
    int end, from = find_block(in, "variables", &end);
    if (from < 0) return draft_fail(in->d, "%s has no variables block: is it an input of Dakota?", in->path);
    for (int i = from; i < end; i++) {
        int kind = kind_at(in, i), next = i + 1;
        if (kind < 0) continue;
        while (next < end && kind_at(in, next) < 0) next++;
        if (take_kind(in, kind, i + 1, next)) return -1;
    }
    if (in->d->count > 0) return 0;
    return draft_fail(in->d,
                      "%s has no variables that gofh knows: continuous_design, discrete_design_range, "
                      "continuous_state, uniform_uncertain, normal_uncertain",
                      in->path);
}

/* ---- Interface and responses ---- */

static void take_interface(const input *in)
{
    buffer *y = &in->d->simulator;
    int end, count = 0, from = find_block(in, "interface", &end);
    int driver = from < 0 ? -1 : texts_after(in, from, end, "analysis_drivers", &count);
    buffer_text(y, "simulator:\n  command: ");
    draft_quoted(y, driver < 0 ? "./driver" : in->words[driver]);
    if (driver < 0) buffer_text(y, "  # a guess: the file names no analysis_driver");
    buffer_format(y, "\n  params: %s\n  results: dakota\n",
                  from >= 0 && find_word(in, from, end, "aprepro") >= 0 ? "aprepro" : "dakota");
    double parallel = number_after(in, "interface", "evaluation_concurrency", 1.0);
    buffer_format(y, "  parallel: %d\n", parallel >= 1.0 && parallel <= 1000.0 ? (int)parallel : 1);
}

/* Names for single responses; Dakota's, where they are fit for it. */
static void name_response(const input *in, int names, int first, int i, const char *usual, char *name)
{
    if (i < names && draft_is_name(in->words[first + i]))
        snprintf(name, DRAFT_NAME, "%s", in->words[first + i]);
    else
        snprintf(name, DRAFT_NAME, "%s%d", usual, i + 1);
}

/* Dakota's own layout of data: all terms of an experiment in one row. Returns whether it is that. */
static int take_row(draft *d, const char *path, int terms)
{
    csv_table table;
    problem_error error = {0};
    if (csv_read(&table, path, path, &error)) return 0;
    int known = table.rows == 1 && table.columns == terms && terms > 1;
    buffer row = {0};
    for (int k = 0; k < terms && known; k++) {
        double value;
        known = csv_number(&table, 0, k, &value, &error) == GOFH_OK;
        if (k) buffer_text(&row, ", ");
        if (known) draft_number(&row, value);
    }
    known &= row.bytes != NULL;
    if (known) {
        buffer_text(&d->data, "data:\n  measured: {values: [");
        buffer_text(&d->data, row.bytes);
        buffer_text(&d->data, "]}  # of calibration_data_file\n");
    }
    buffer_free(&row);
    csv_free(&table);
    return known;
}

static void take_terms(const input *in, int terms, int from, int end)
{
    draft *d = in->d;
    int count;
    int file = texts_after(in, from, end, "calibration_data_file", &count);
    buffer_format(&d->outputs, "outputs: {term: %d}  # calibration_terms\n", terms);
    if (file < 0) {
        buffer_text(&d->objective, "objective:\n  minimize: sum(term^2)  # the driver gives residuals\n");
        return;
    }
    if (!take_row(d, in->words[file], terms)) {
        buffer_text(&d->data, "data:\n  measured: {file: ");
        draft_quoted(&d->data, in->words[file]);
        buffer_text(&d->data, "}  # calibration_data_file: one number per term\n");
    }
    buffer_text(&d->objective, "objective:\n  fit: {term: measured}\n");
}

static int take_functions(const input *in, int objectives, int from, int end)
{
    draft *d = in->d;
    double list[LIST], upper[LIST], lower[LIST], target[LIST], weight[LIST];
    int names, first = texts_after(in, from, end, "descriptors", &names), next = 0;
    int less = numbers_after(in, from, end, "nonlinear_inequality_constraints", list) ? count_of(list[0]) : 0;
    int equal = numbers_after(in, from, end, "nonlinear_equality_constraints", list) ? count_of(list[0]) : 0;
    int uppers = numbers_after(in, from, end, "upper_bounds", upper);
    int lowers = numbers_after(in, from, end, "lower_bounds", lower);
    int targets = numbers_after(in, from, end, "targets", target);
    int weights = numbers_after(in, from, end, "weights", weight);
    char name[DRAFT_NAME];
    if (objectives + less + equal > LIST) return draft_fail(d, "%s has too many responses", in->path);
    buffer_text(&d->outputs, "outputs: [");
    buffer_text(&d->objective,
                find_word(in, from, end, "sense") >= 0 ? "# a guess: Dakota's sense is not read\n" : "");
    buffer_text(&d->objective, "objective:\n  minimize: ");
    for (int i = 0; i < objectives; i++, next++) {
        name_response(in, names, first, next, "f", name);
        buffer_format(&d->outputs, "%s%s", next ? ", " : "", name);
        buffer_text(&d->objective, i ? " + " : "");
        if (i < weights) draft_number(&d->objective, weight[i]);
        buffer_format(&d->objective, "%s%s", i < weights ? "*" : "", name);
    }
    buffer_text(&d->objective, objectives > 1 && weights < objectives
                                   ? "  # a guess: gofh has one objective, so they are added up\n"
                                   : "\n");
    if (less + equal > 0) buffer_text(&d->constraints, "constraints:\n");
    for (int i = 0; i < less; i++, next++) {
        name_response(in, names, first, next, "c", name);
        buffer_format(&d->outputs, ", %s", name);
        buffer_format(&d->constraints, "  - %s <= ", name);
        draft_number(&d->constraints, i < uppers ? upper[i] : 0.0);
        buffer_text(&d->constraints, "\n");
        if (i >= lowers || lower[i] < -1e29) continue;
        buffer_format(&d->constraints, "  - %s >= ", name);
        draft_number(&d->constraints, lower[i]);
        buffer_text(&d->constraints, "\n");
    }
    for (int i = 0; i < equal; i++, next++) {
        name_response(in, names, first, next, "e", name);
        buffer_format(&d->outputs, ", %s", name);
        buffer_format(&d->constraints, "  - %s == ", name);
        draft_number(&d->constraints, i < targets ? target[i] : 0.0);
        buffer_text(&d->constraints, " +- 0.001  # a guess: how exactly it is to hold\n");
    }
    buffer_text(&d->outputs, "]\n");
    return 0;
}

static int take_responses(const input *in)
{
    double list[LIST];
    int end, from = find_block(in, "responses", &end);
    if (from < 0) return draft_fail(in->d, "%s has no responses block", in->path);
    if (numbers_after(in, from, end, "calibration_terms", list) ||
        numbers_after(in, from, end, "num_least_squares_terms", list)) {
        take_terms(in, count_of(list[0]), from, end);
        return 0;
    }
    if (numbers_after(in, from, end, "objective_functions", list) ||
        numbers_after(in, from, end, "num_objective_functions", list) ||
        numbers_after(in, from, end, "response_functions", list))
        return take_functions(in, count_of(list[0]), from, end);
    return draft_fail(in->d, "%s has neither calibration_terms nor objective_functions in its responses",
                      in->path);
}

static int take_all(input *in, char *bytes)
{
    if (split(in, bytes)) return draft_fail(in->d, "%s is too long", in->path);
    if (take_variables(in)) return -1;
    take_interface(in);
    return take_responses(in);
}

int draft_from_dakota(draft *d, char *bytes, const char *path)
{
    input in = {.d = d, .path = path};
    in.words = calloc(WORDS, sizeof(char *));
    in.quoted = calloc(WORDS, 1);
    int status = in.words && in.quoted ? take_all(&in, bytes) : draft_fail(d, "out of memory");
    if (!status) {
        double budget = number_after(&in, "method", "max_function_evaluations", 60.0);
        double seed = number_after(&in, "method", "seed", 1.0);
        d->budget = budget >= 1.0 && budget <= 1e6 ? (int)fmin(budget, 200.0) : 60;
        d->seed = seed >= 0.0 && seed < 9e15 ? (long long)seed : 1;
        buffer_format(&d->head, "# Taken from %s, an input of Dakota, by gofh init.\n", path);
        if (budget > 200.0)
            buffer_text(&d->head, "# budget: a guess; gofh needs fewer than max_function_evaluations.\n");
    }
    free(in.words);
    free(in.quoted);
    return status;
}

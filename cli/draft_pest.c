/* A control file of PEST as a problem file: parameters, observations, templates and instructions. */
#include "base/letters.h"
#include "base/number.h"
#include "cli/draft.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    draft *d;
    const char *path;
    char **lines; /* without comments and empty ones */
    int count;
    int templates, instructions; /* files */
    buffer fixed;                /* "name value" a line */
} control;

static void split(control *c, char *bytes)
{
    char *rest = NULL;
    for (char *line = strtok_r(bytes, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        line += strspn(line, " \t\r");
        line[strcspn(line, "\r")] = '\0';
        if (*line && *line != '#') c->lines[c->count++] = line;
    }
}

/* The line after a heading such as "* parameter data"; -1: there is none. */
static int find_section(const control *c, const char *name)
{
    for (int i = 0; i < c->count; i++) {
        const char *line = c->lines[i];
        if (*line != '*') continue;
        line += 1 + strspn(line + 1, " \t");
        if (draft_begins(line, name) && !line[strlen(name) + strspn(line + strlen(name), " \t")])
            return i + 1;
    }
    return -1;
}

static int in_section(const control *c, int i)
{
    return i < c->count && c->lines[i][0] != '*';
}

static int is_number(const char *text, double *value)
{
    return number_read(text, strlen(text), value) == NUMBER_FINE;
}

static int read_control(control *c)
{
    draft_words words;
    int at = find_section(c, "control data");
    if (find_section(c, "parameter data external") >= 0 || find_section(c, "control data keyword") >= 0)
        return draft_fail(c->d,
                          "%s is of PEST++'s second version, with its tables in other files: pestchek or "
                          "pyemu write the first version, which gofh reads",
                          c->path);
    if (at < 0 || at + 2 >= c->count || draft_split(c->lines[at + 2], words) < 2)
        return draft_fail(c->d, "%s has no \"* control data\" as PEST has it: is it a control file?",
                          c->path);
    c->templates = (int)strtol(words[0], NULL, 10);
    c->instructions = (int)strtol(words[1], NULL, 10);
    return 0;
}

/* PARNME PARTRANS PARCHGLIM PARVAL1 PARLBND PARUBND ... */
static int read_parameters(control *c)
{
    int at = find_section(c, "parameter data"), skipped = 0;
    if (at < 0) return draft_fail(c->d, "%s has no \"* parameter data\"", c->path);
    for (; in_section(c, at); at++) {
        draft_words word;
        double start, lower, upper;
        int words = draft_split(c->lines[at], word);
        if (words == 2) continue; /* what a tied parameter is tied to */
        if (words != 6 || !is_number(word[3], &start) || !is_number(word[4], &lower) ||
            !is_number(word[5], &upper))
            return draft_fail(c->d, "%s: \"%.80s\" is not a parameter's line", c->path, c->lines[at]);
        if (draft_alike(word[1], "fixed") || draft_alike(word[1], "tied")) {
            buffer_format(&c->fixed, "%s %s\n", word[0], word[3]);
            skipped++;
            continue;
        }
        if (draft_add(c->d, word[0], lower, upper, draft_alike(word[1], "log"), start, NULL)) return -1;
    }
    if (c->d->count == 0) return draft_fail(c->d, "%s has no parameter that may vary", c->path);
    if (skipped)
        buffer_format(&c->d->head,
                      "# %d fixed or tied parameters keep their values: in copies of the templates.\n",
                      skipped);
    return 0;
}

/* ---- Observations ---- */

/* The number at the end of a name that begins like `stem`: c3 or c_3; 0: none. */
static long number_in(const char *name, size_t *stem)
{
    size_t length = strlen(name), digits = length;
    while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9') digits--;
    *stem = digits;
    if (digits > 1 && name[digits - 1] == '_') --*stem;
    if (digits == length || digits == 0 || name[digits] == '0' || length - digits > 7) return 0;
    return strtol(name + digits, NULL, 10);
}

typedef struct {
    char name[DRAFT_NAME];
    double value, weight;
} observation;

static int read_observation(control *c, int at, observation *o)
{
    draft_words word;
    if (draft_split(c->lines[at], word) < 3 || !is_number(word[1], &o->value) ||
        !is_number(word[2], &o->weight))
        return draft_fail(c->d, "%s: \"%.80s\" is not an observation's line", c->path, c->lines[at]);
    snprintf(o->name, sizeof o->name, "%.62s", word[0]);
    if (!draft_is_name(o->name))
        return draft_fail(c->d,
                          "%s: the observation \"%s\" can't be an output's name, which has letters, digits "
                          "and _: rename it, in the instruction files too",
                          c->path, o->name);
    return 0;
}

/* How many observations from `at` on are elements 1, 2, 3... of one vector, whose name is `stem`. */
static int vector_at(control *c, int at, size_t *stem)
{
    observation first, next;
    size_t length;
    int count = 0;
    if (read_observation(c, at, &first) || number_in(first.name, stem) != 1) return 1;
    while (in_section(c, at + count)) {
        if (read_observation(c, at + count, &next) || number_in(next.name, &length) != count + 1 ||
            length != *stem || !letters_alike(next.name, first.name, length))
            break;
        count++;
    }
    return count > 1 ? count : 1;
}

static void write_list(control *c, int at, int count, int sigma)
{
    observation o = {.value = 0.0};
    buffer *y = &c->d->data;
    buffer_text(y, sigma ? ", sigma: [" : "[");
    for (int i = 0; i < count && !read_observation(c, at + i, &o); i++) {
        buffer_text(y, i ? ", " : "");
        if (o.weight == 0.0)
            buffer_text(y, sigma ? "1" : "NA");
        else
            draft_number(y, sigma ? 1.0 / fabs(o.weight) : o.value);
    }
    buffer_text(y, "]");
}

static int read_observations(control *c)
{
    draft *d = c->d;
    int at = find_section(c, "observation data"), first = 1;
    if (at < 0) return draft_fail(d, "%s has no \"* observation data\"", c->path);
    buffer_text(&d->outputs, "outputs: {");
    buffer_text(&d->data, "data:  # NA: of weight 0; sigma: 1 over the weight\n");
    buffer_text(&d->objective, "objective:\n  fit: {");
    while (in_section(c, at)) {
        size_t stem;
        observation o = {.value = 0.0};
        int count = vector_at(c, at, &stem);
        if (read_observation(c, at, &o)) return -1;
        int length = count > 1 ? (int)stem : (int)strlen(o.name);
        buffer_format(&d->outputs, "%s%.*s: %d", first ? "" : ", ", length, o.name, count);
        buffer_format(&d->data, "  %.*s_measured: {values: ", length, o.name);
        write_list(c, at, count, 0);
        write_list(c, at, count, 1);
        buffer_text(&d->data, "}\n");
        buffer_format(&d->objective, "%s%.*s: %.*s_measured", first ? "" : ", ", length, o.name, length,
                      o.name);
        first = 0;
        at += count;
    }
    if (d->error[0]) return -1;
    if (first) return draft_fail(d, "%s has no observations", c->path);
    buffer_text(&d->outputs, "}\n");
    buffer_text(&d->objective, "}  # PEST's phi, without its regularisation\n");
    return 0;
}

/* ---- Templates, instructions, command ---- */

/* The value of a fixed parameter; NULL: it is none. */
static const char *fixed_value(const control *c, const char *name, draft_words word)
{
    for (const char *at = c->fixed.bytes; at && *at; at += strcspn(at, "\n") + 1)
        if (draft_split(at, word) >= 2 && draft_alike(word[0], name)) return word[1];
    return NULL;
}

/* A copy of a template in which fixed parameters have their values. Returns whether one has. */
static int fill_fixed(const control *c, const char *text, buffer *copy)
{
    char mark = 0;
    int filled = 0;
    size_t line = strcspn(text, "\n");
    for (size_t i = 3; i < line && !mark; i++)
        if (!strchr(" \t\r", text[i])) mark = text[i];
    if (!mark) return 0;
    buffer_add(copy, text, line);
    for (const char *at = text + line; *at;) {
        const char *end = *at == mark ? strchr(at + 1, mark) : NULL;
        draft_words name, value;
        if (end && draft_split(at + 1, name) > 0) {
            name[0][strcspn(name[0], (char[]){mark, '\0'})] = '\0';
            const char *number = fixed_value(c, name[0], value);
            if (number)
                buffer_format(copy, "%*s", (int)(end - at) + 1, number);
            else
                buffer_add(copy, at, (size_t)(end - at) + 1);
            filled |= number != NULL;
            at = end + 1;
        } else {
            buffer_add(copy, at++, 1);
        }
    }
    return filled;
}

/* The template as the problem file names it: a copy, where it has fixed parameters. */
static int take_template(control *c, const char *from, const char *to)
{
    char path[2 * DRAFT_PATH], name[DRAFT_PATH];
    const char *slash = strrchr(c->path, '/');
    buffer copy = {0};
    int status = 0;
    snprintf(path, sizeof path, "%.*s%s", slash ? (int)(slash - c->path) + 1 : 0, c->path, from);
    FILE *file = fopen(path, "rb");
    char *text = file ? calloc(1, (1 << 20) + 1) : NULL;
    if (text && fread(text, 1, 1 << 20, file) > 0 && fill_fixed(c, text, &copy)) {
        snprintf(name, sizeof name, "gofh_%.200s", strrchr(from, '/') ? strrchr(from, '/') + 1 : from);
        buffer *written = draft_add_file(c->d, name, 0);
        if (written) buffer_text(written, copy.bytes ? copy.bytes : "");
        status = written ? 0 : -1;
        from = name;
    }
    if (file) fclose(file);
    free(text);
    buffer_free(&copy);
    buffer_text(&c->d->simulator, "    - {from: ");
    draft_quoted(&c->d->simulator, from);
    buffer_text(&c->d->simulator, ", to: ");
    draft_quoted(&c->d->simulator, to);
    buffer_text(&c->d->simulator, "}\n");
    return status;
}

static int read_model(control *c)
{
    buffer *y = &c->d->simulator;
    int command = find_section(c, "model command line"), files = find_section(c, "model input/output");
    if (command < 0 || !in_section(c, command) || files < 0)
        return draft_fail(c->d, "%s has no \"* model command line\" or no \"* model input/output\"", c->path);
    buffer_text(y, "simulator:\n  command: ");
    draft_quoted(y, c->lines[command]);
    buffer_text(y, "\n  params: template\n  templates:\n");
    for (int i = 0; i < c->templates + c->instructions; i++) {
        draft_words word;
        if (!in_section(c, files + i) || draft_split(c->lines[files + i], word) < 2)
            return draft_fail(c->d, "%s: \"* model input/output\" has fewer than %d pairs of files", c->path,
                              c->templates + c->instructions);
        if (i == c->templates) buffer_text(y, "  results: instruction\n  instructions:\n");
        if (i < c->templates) {
            if (take_template(c, word[0], word[1])) return -1;
            continue;
        }
        buffer_text(y, "    - {instruction: ");
        draft_quoted(y, word[0]);
        buffer_text(y, ", file: ");
        draft_quoted(y, word[1]);
        buffer_text(y, "}\n");
    }
    buffer_text(y, "  # files: [...]   # what else the model reads: each run has a folder of its own\n"
                   "  parallel: 1\n");
    return 0;
}

static int take_all(control *c, char *bytes)
{
    split(c, bytes);
    if (read_control(c) || read_parameters(c) || read_observations(c)) return -1;
    return read_model(c);
}

int draft_from_pest(draft *d, char *bytes, const char *path)
{
    control c = {.d = d, .path = path};
    size_t lines = 1;
    for (const char *b = bytes; *b; b++) lines += *b == '\n';
    c.lines = calloc(lines, sizeof(char *));
    buffer_format(&d->head, "# Taken from %s, a control file of PEST, by gofh init.\n", path);
    int status = c.lines ? take_all(&c, bytes) : draft_fail(d, "out of memory");
    free(c.lines);
    buffer_free(&c.fixed);
    return status;
}

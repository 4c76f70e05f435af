#include "run/instruction.h"

#include "base/error.h"
#include "base/letters.h"
#include "base/memory.h"
#include "base/number.h"
#include "run/buffer.h"
#include "run/results.h"

#include <stdlib.h>
#include <string.h>

enum { DUMMY = -1, COLUMNS_MAX = 1000000, TAB = 8 };

typedef enum { ADVANCE, PRIMARY, SECONDARY, WHITESPACE, COLUMN, FIXED, SEMI_FIXED, NON_FIXED } item_kind;

typedef struct {
    item_kind kind;
    int line;         /* of the instruction file */
    const char *text; /* of a marker */
    size_t length;
    int from, to; /* lines to advance, or columns from 1 */
    int index;    /* of the value, or DUMMY */
} item;

typedef struct {
    const simulator *sim;
    const char *name;
    item *items;
    size_t count, capacity;
    char *seen;
    char delimiter;
    int line;
    gofh_error *error;
} compiler;

static gofh_status wrong(compiler *c, const char *bytes, size_t count, const char *problem)
{
    char excerpt[NUMBER_EXCERPT];
    number_excerpt(bytes, count, excerpt);
    if (c->error && c->error->status == GOFH_OK) c->error->line = c->line;
    return error_set(c->error, GOFH_ERROR_PROBLEM, "%s:%d: \"%s\" %s", c->name, c->line, excerpt, problem);
}

/* ---- Names ---- */

/* The element that "[2]", "_3" or "3" means, from 0: brackets count as in expressions, PEST's own
 * names from 1 on. Below 0: anything else. */
static int element_index(const char *text, size_t length)
{
    int bracket = length > 2 && text[0] == '[' && text[length - 1] == ']';
    if (bracket)
        text++, length -= 2;
    else if (length > 0 && text[0] == '_')
        text++, length--;
    if (length == 0) return -1;
    int number = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9' || number > COLUMNS_MAX) return -1;
        number = 10 * number + text[i] - '0';
    }
    return bracket ? number : number - 1;
}

static int next_unseen(const char *seen, int first, int size)
{
    for (int k = 0; k < size; k++)
        if (!seen[first + k]) return first + k;
    return DUMMY;
}

/* The value that an observation's name means; of several outputs the one with the longest name.
 * DUMMY: none. */
static int find_value(const compiler *c, const char *name, size_t length)
{
    int best = DUMMY, first = 0;
    size_t longest = 0;
    for (int i = 0; i < c->sim->output_count; first += c->sim->output_sizes[i++]) {
        size_t own = strlen(c->sim->output_names[i]);
        if (own > length || own < longest || !letters_alike(name, c->sim->output_names[i], own)) continue;
        int element = own == length ? 0 : element_index(name + own, length - own);
        if (own == length && c->sim->output_sizes[i] > 1)
            best = next_unseen(c->seen, first, c->sim->output_sizes[i]);
        else if (own == length)
            best = first;
        else if (element >= 0 && element < c->sim->output_sizes[i])
            best = first + element;
        else
            continue;
        longest = own;
    }
    return best;
}

static gofh_status add_item(compiler *c, item new_item)
{
    if (memory_grow((void **)&c->items, &c->capacity, c->count + 1, sizeof *c->items) != 0)
        return error_memory(c->error);
    new_item.line = c->line;
    c->items[c->count++] = new_item;
    return GOFH_OK;
}

static gofh_status add_observation(compiler *c, item new_item, const char *name, size_t length)
{
    new_item.index = DUMMY;
    if (length == 3 && letters_alike(name, "dum", 3)) return add_item(c, new_item);
    new_item.index = find_value(c, name, length);
    if (new_item.index == DUMMY) return wrong(c, name, length, "is not an output, nor an element of one");
    if (c->seen[new_item.index]) return wrong(c, name, length, "is read twice");
    c->seen[new_item.index] = 1;
    return add_item(c, new_item);
}

/* ---- Reading the instructions ---- */

static int read_count(const char **at, const char *end)
{
    int number = 0;
    const char *from = *at;
    for (; *at < end && **at >= '0' && **at <= '9'; ++*at) {
        number = 10 * number + **at - '0';
        if (number > COLUMNS_MAX) return 0;
    }
    return *at > from ? number : 0;
}

static gofh_status add_counted(compiler *c, item_kind kind, const char *word, size_t length)
{
    const char *at = word + 1;
    int number = read_count(&at, word + length);
    if (number < 1 || at != word + length)
        return wrong(c, word, length, "needs a number from 1 on, such as l1 or t20");
    return add_item(c, (item){.kind = kind, .from = number});
}

/* [name]3:10 and (name)3:10 */
static gofh_status add_columns(compiler *c, item_kind kind, const char *word, size_t length)
{
    const char *end = word + length, *close = NULL;
    for (const char *at = word; at < end; at++)
        if (*at == (kind == FIXED ? ']' : ')')) close = at;
    item new_item = {.kind = kind};
    const char *at = close ? close + 1 : end;
    new_item.from = read_count(&at, end);
    if (at < end && *at == ':')
        at++;
    else
        new_item.from = 0;
    new_item.to = read_count(&at, end);
    if (new_item.from < 1 || new_item.to < new_item.from || at != end)
        return wrong(c, word, length, "needs two columns in ascending order, such as [name]1:10");
    return add_observation(c, new_item, word + 1, (size_t)(close - word - 1));
}

static gofh_status add_word(compiler *c, const char *word, size_t length)
{
    switch (word[0]) {
    case 'l':
    case 'L':
        return wrong(c, word, length, "may only stand at the beginning of a line");
    case 'w':
    case 'W':
        if (length == 1) return add_item(c, (item){.kind = WHITESPACE});
        break;
    case 't':
    case 'T':
        return add_counted(c, COLUMN, word, length);
    case '[':
        return add_columns(c, FIXED, word, length);
    case '(':
        return add_columns(c, SEMI_FIXED, word, length);
    case '!':
        if (length >= 3 && word[length - 1] == '!')
            return add_observation(c, (item){.kind = NON_FIXED}, word + 1, length - 2);
        break;
    default:
        break;
    }
    return wrong(c, word, length, "is not an instruction");
}

/* One item from `at` on; *next is what follows it. */
static gofh_status read_item(compiler *c, const char *at, const char *end, int first, const char **next)
{
    if (*at == c->delimiter) {
        const char *close = memchr(at + 1, c->delimiter, (size_t)(end - at - 1));
        if (!close || close == at + 1)
            return wrong(c, at, (size_t)(end - at), "is not a marker between two delimiters");
        *next = close + 1;
        return add_item(
            c,
            (item){.kind = first ? PRIMARY : SECONDARY, .text = at + 1, .length = (size_t)(close - at - 1)});
    }
    *next = at;
    while (*next < end && **next != ' ' && **next != '\t') ++*next;
    size_t length = (size_t)(*next - at);
    if (!first) return add_word(c, at, length);
    if (*at == 'l' || *at == 'L') return add_counted(c, ADVANCE, at, length);
    return wrong(c, at, length, "can't begin a line: a marker or a line advance such as l1 must");
}

static gofh_status read_line(compiler *c, const char *at, const char *end)
{
    int first = 1;
    for (;;) {
        while (at < end && (*at == ' ' || *at == '\t' || *at == '\r')) at++;
        if (at == end) return GOFH_OK;
        if (first && *at == '&' && c->count > 0) {
            first = 0;
            at++;
            continue;
        }
        gofh_status status = read_item(c, at, end, first, &at);
        if (status != GOFH_OK) return status;
        first = 0;
    }
}

static int may_delimit(char c)
{
    return !strchr("!:[]()&\t ", c) && !(c >= '0' && c <= '9') && !((c | 32) >= 'a' && (c | 32) <= 'z');
}

static gofh_status read_header(compiler *c, const char *text, size_t length)
{
    while (length > 0 && (text[length - 1] == '\r' || text[length - 1] == ' ')) length--;
    if (length != 5 || !letters_alike(text, "pif ", 4) || !may_delimit(text[4]))
        return wrong(c, text, length, "must be \"pif\", a space and the marker delimiter, such as pif @");
    c->delimiter = text[4];
    return GOFH_OK;
}

static gofh_status compile(compiler *c, const char *text, size_t length)
{
    gofh_status status = GOFH_OK;
    do {
        const char *stop = memchr(text, '\n', length);
        size_t line = stop ? (size_t)(stop - text) : length, used = stop ? line + 1 : line;
        c->line++;
        status = c->line == 1 ? read_header(c, text, line) : read_line(c, text, text + line);
        text += used;
        length -= used;
    } while (status == GOFH_OK && length > 0);
    return status;
}

/* ---- Following them ---- */

typedef struct {
    const simulator *sim;
    const char *name; /* of the file that is read */
    const char *instructions;
    const char *next, *end;
    int line;      /* from 1; 0 before the first */
    buffer text;   /* of the line, tabs expanded */
    size_t cursor; /* the next character to look at */
    gofh_error *error;
} reader;

static int next_line(reader *r)
{
    if (r->next >= r->end) return 0;
    const char *stop = memchr(r->next, '\n', (size_t)(r->end - r->next));
    if (!stop) stop = r->end;
    r->text.length = 0;
    buffer_text(&r->text, "");
    for (const char *at = r->next; at < stop; at++) {
        if (*at == '\t')
            buffer_add(&r->text, "        ", TAB - r->text.length % TAB);
        else if (*at != '\r')
            buffer_add(&r->text, at, 1);
    }
    r->next = stop < r->end ? stop + 1 : r->end;
    r->line++;
    r->cursor = 0;
    return 1;
}

static int separates(char c)
{
    return c == ' ' || c == ',';
}

static gofh_status lost(reader *r, const item *i, const char *problem)
{
    if (r->error && r->error->status == GOFH_OK) r->error->line = r->line;
    return error_set(r->error, GOFH_ERROR_ARGUMENT, "%s:%d: %s (%s:%d)", r->name, r->line, problem,
                     r->instructions, i->line);
}

/* Where the marker begins, from `from` on in the line; SIZE_MAX if it is not there. */
static size_t find_marker(const reader *r, const item *i, size_t from)
{
    for (; from + i->length <= r->text.length; from++)
        if (memcmp(r->text.bytes + from, i->text, i->length) == 0) return from;
    return SIZE_MAX;
}

static gofh_status marker_missing(reader *r, const item *i)
{
    char excerpt[NUMBER_EXCERPT];
    number_excerpt(i->text, i->length, excerpt);
    return error_set(r->error, GOFH_ERROR_ARGUMENT, "%s:%d: \"%s\" was not found (%s:%d)", r->name, r->line,
                     excerpt, r->instructions, i->line);
}

/* Finds a line with the primary marker and all `count` - 1 secondary ones that follow it
 * directly. */
static gofh_status find_markers(reader *r, const item *items, size_t count)
{
    while (next_line(r)) {
        size_t matched = 0;
        for (; matched < count; matched++) {
            size_t at = find_marker(r, &items[matched], r->cursor);
            if (at == SIZE_MAX) break;
            r->cursor = at + items[matched].length;
        }
        if (matched == count) return GOFH_OK;
    }
    return marker_missing(r, items);
}

static gofh_status take(reader *r, const item *i, size_t from, size_t to, double *y)
{
    r->cursor = to;
    if (i->index == DUMMY) return GOFH_OK;
    return results_value(results_may_miss(r->sim, i->index), r->name, r->line, r->text.bytes + from,
                         to - from, &y[i->index], r->error);
}

static gofh_status read_fixed(reader *r, const item *i, double *y)
{
    size_t from = (size_t)i->from - 1, to = (size_t)i->to;
    if (from < r->cursor) return lost(r, i, "these columns have been passed already");
    if (to > r->text.length) to = r->text.length;
    while (from < to && r->text.bytes[from] == ' ') from++;
    while (from < to && r->text.bytes[to - 1] == ' ') to--;
    if (from >= to) return lost(r, i, "these columns are empty, a number was expected");
    return take(r, i, from, to, y);
}

static gofh_status read_semi_fixed(reader *r, const item *i, double *y)
{
    size_t from = (size_t)i->from - 1,
           limit = (size_t)i->to < r->text.length ? (size_t)i->to : r->text.length;
    if (from < r->cursor) return lost(r, i, "these columns have been passed already");
    while (from < limit && separates(r->text.bytes[from])) from++;
    if (from >= limit) return lost(r, i, "these columns are empty, a number was expected");
    size_t to = from;
    while (to < r->text.length && !separates(r->text.bytes[to])) to++;
    while (from > r->cursor && !separates(r->text.bytes[from - 1])) from--;
    return take(r, i, from, to, y);
}

/* `after` is the marker that follows directly, or NULL: a number may touch it. */
static gofh_status read_non_fixed(reader *r, const item *i, const item *after, double *y)
{
    size_t from = r->cursor;
    while (from < r->text.length && separates(r->text.bytes[from])) from++;
    if (from >= r->text.length) return lost(r, i, "the line ends, a number was expected");
    size_t to = from, marker = after ? find_marker(r, after, from) : SIZE_MAX;
    while (to < r->text.length && !separates(r->text.bytes[to]) && to != marker) to++;
    return take(r, i, from, to, y);
}

static gofh_status skip_whitespace(reader *r, const item *i)
{
    while (r->cursor < r->text.length && !separates(r->text.bytes[r->cursor])) r->cursor++;
    size_t blank = r->cursor;
    while (r->cursor < r->text.length && separates(r->text.bytes[r->cursor])) r->cursor++;
    return r->cursor > blank && r->cursor < r->text.length ? GOFH_OK
                                                           : lost(r, i, "no blank with something after it");
}

static gofh_status follow(reader *r, const item *i, const item *after, double *y)
{
    switch (i->kind) {
    case ADVANCE:
        for (int lines = i->from; lines > 0; lines--)
            if (!next_line(r)) return lost(r, i, "the file ends here, a further line was expected");
        return GOFH_OK;
    case SECONDARY: {
        size_t at = find_marker(r, i, r->cursor);
        if (at == SIZE_MAX) return marker_missing(r, i);
        r->cursor = at + i->length;
        return GOFH_OK;
    }
    case WHITESPACE:
        return skip_whitespace(r, i);
    case COLUMN:
        if ((size_t)i->from > r->text.length) return lost(r, i, "the line is shorter than that column");
        if ((size_t)i->from - 1 < r->cursor) return lost(r, i, "this column has been passed already");
        r->cursor = (size_t)i->from - 1;
        return GOFH_OK;
    case FIXED:
        return read_fixed(r, i, y);
    case SEMI_FIXED:
        return read_semi_fixed(r, i, y);
    default:
        return read_non_fixed(r, i, after && after->kind == SECONDARY ? after : NULL, y);
    }
}

static gofh_status follow_all(reader *r, const item *items, size_t count, double *y)
{
    for (size_t i = 0; i < count;) {
        gofh_status status;
        if (items[i].kind == PRIMARY) {
            size_t markers = 1;
            while (i + markers < count && items[i + markers].kind == SECONDARY) markers++;
            status = find_markers(r, &items[i], markers);
            i += markers;
        } else {
            status = follow(r, &items[i], i + 1 < count ? &items[i + 1] : NULL, y);
            i++;
        }
        if (status != GOFH_OK) return status;
    }
    return r->text.failed ? error_memory(r->error) : GOFH_OK;
}

char *instruction_seen(const simulator *sim)
{
    return memory_new((size_t)results_size(sim), 1);
}

gofh_status instruction_check(const simulator *sim, const char *name, const char *text, size_t length,
                              char *seen, gofh_error *error)
{
    compiler c = {.sim = sim, .name = name, .seen = seen, .error = error};
    gofh_status status = compile(&c, text, length);
    free(c.items);
    return status;
}

gofh_status instruction_read(const simulator *sim, const char *name, const char *text, size_t length,
                             const char *output_name, const char *output, size_t output_length, double *y,
                             char *seen, gofh_error *error)
{
    compiler c = {.sim = sim, .name = name, .seen = seen, .error = error};
    reader r = {.sim = sim,
                .name = output_name,
                .instructions = name,
                .next = output,
                .end = output + output_length,
                .error = error};
    buffer_text(&r.text, "");
    gofh_status status = compile(&c, text, length);
    if (status == GOFH_OK) status = follow_all(&r, c.items, c.count, y);
    buffer_free(&r.text);
    free(c.items);
    return status;
}

gofh_status instruction_all_seen(const simulator *sim, const char *seen, gofh_error *error)
{
    for (int i = 0; i < results_size(sim); i++) {
        char label[128];
        results_label(sim, i, label, sizeof label);
        if (!seen[i])
            return error_set(error, GOFH_ERROR_PROBLEM, "no instruction file reads %s, which is an output",
                             label);
    }
    return GOFH_OK;
}

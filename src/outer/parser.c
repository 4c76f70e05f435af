#include "outer/parser.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/similar.h"
#include "outer/functions.h"
#include "outer/lexer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    lexer lexer;
    token now; /* the next token, not yet used */
    tape *tape;
    const gofh_symbols *symbols;
    gofh_error *error;
    int depth;
    int *known;          /* the node of each symbol that was used, plus 1 */
    bool may_be_missing; /* whether the arguments being read are those of known() */
    int *stack;          /* nodes of the calls and vectors being read */
    size_t stack_count, stack_capacity;
} parser;

static int read_expression(parser *p);

#define FAIL(p, where, ...) (lexer_error((p)->error, (where), __VA_ARGS__), -1)

/* For "%.*s": a token's text, cut where it would fill the message. */
static int shown(const token *t)
{
    return t->length < 60 ? t->length : 60;
}

static int advance(parser *p)
{
    return lexer_next(&p->lexer, &p->now, p->error) == GOFH_OK ? 0 : -1;
}

static int fail_at_token(parser *p, const char *expected)
{
    const token *t = &p->now;
    if (t->kind == TOKEN_END)
        return FAIL(p, t, "the expression ends at column %d, %s expected", t->column, expected);
    return FAIL(p, t, "unexpected \"%.*s\" at column %d, %s expected", shown(t), t->text, t->column,
                expected);
}

static int enter(parser *p)
{
    if (++p->depth <= PARSER_DEPTH) return 0;
    return FAIL(p, &p->now, "too many levels of nesting at column %d", p->now.column);
}

static int push(parser *p, int node)
{
    if (memory_grow((void **)&p->stack, &p->stack_capacity, p->stack_count + 1, sizeof *p->stack)) {
        error_memory(p->error);
        return -1;
    }
    p->stack[p->stack_count++] = node;
    return 0;
}

static void quote(const char *text, const char *end, char quoted[NUMBER_EXCERPT])
{
    while (end > text && strchr(" \t\r\n", end[-1])) end--;
    while (text < end && strchr(" \t\r\n", *text)) text++;
    number_excerpt(text, (size_t)(end - text), quoted);
}

/* Whether the operands of `sign` have sizes that fit. The left one begins at `left`, the right one
 * ends before the next token. */
static int check_operands(parser *p, const token *sign, const char *left, int a, int b)
{
    if (a < 0 || b < 0) return -1;
    int a_size = tape_size(p->tape, a), b_size = tape_size(p->tape, b);
    if (a_size == b_size || a_size == 1 || b_size == 1) return 0;
    char one[NUMBER_EXCERPT], other[NUMBER_EXCERPT];
    quote(left, sign->text, one);
    quote(sign->text + sign->length, p->now.text, other);
    return FAIL(p, sign, "sizes do not fit at \"%.*s\": \"%s\" has %d values, \"%s\" has %d", sign->length,
                sign->text, one, a_size, other, b_size);
}

static int combine(parser *p, tape_op op, const token *sign, const char *left, int a, int b)
{
    if (check_operands(p, sign, left, a, b) < 0) return -1;
    return op == TAPE_POWER ? tape_power(p->tape, a, b) : tape_binary(p->tape, op, a, b);
}

/* A function is no help where a value is wanted. */
static const char *closest_name(const parser *p, const token *name, int is_call)
{
    const char *best = NULL;
    size_t length = (size_t)name->length;
    int least = similar_limit(length) + 1;
#define CONSIDER(candidate)                                                                                  \
    do {                                                                                                     \
        int distance = similar_distance(name->text, length, (candidate), strlen(candidate));                 \
        if (distance < least) {                                                                              \
            least = distance;                                                                                \
            best = (candidate);                                                                              \
        }                                                                                                    \
    } while (0)
    for (size_t i = 0; i < p->symbols->count; i++) CONSIDER(p->symbols->items[i].name);
    for (size_t i = 0; is_call && function_at(i); i++) CONSIDER(function_at(i)->name);
    CONSIDER("pi");
#undef CONSIDER
    return best;
}

static int fail_unknown(parser *p, const token *name, int is_call)
{
    const char *close = closest_name(p, name, is_call), *what = is_call ? "function" : "name";
    if (close)
        return FAIL(p, name, "unknown %s \"%.*s\" at column %d (did you mean \"%.60s\"?)", what, shown(name),
                    name->text, name->column, close);
    if (is_call || p->symbols->count == 0)
        return FAIL(p, name, "unknown %s \"%.*s\" at column %d", what, shown(name), name->text, name->column);
    char names[SYMBOLS_LISTED];
    symbols_list(p->symbols, names);
    return FAIL(p, name, "unknown name \"%.*s\" at column %d: there %s %s", shown(name), name->text,
                name->column, p->symbols->count == 1 ? "is" : "are", names);
}

/* After an opening parenthesis or bracket: items with commas between them, up to the closing one,
 * onto the stack. Gives how many. */
static int read_list(parser *p, const token *opening, token_kind closing)
{
    const char *closing_text = closing == TOKEN_CLOSE ? "\",\" or \")\"" : "\",\" or \"]\"";
    for (int count = 1;; count++) {
        int node = read_expression(p);
        if (node < 0 || push(p, node) < 0) return -1;
        if (p->now.kind == closing) return advance(p) < 0 ? -1 : count;
        if (p->now.kind == TOKEN_END)
            return FAIL(p, opening, "\"%.*s\" at column %d is never closed", opening->length, opening->text,
                        opening->column);
        if (p->now.kind != TOKEN_COMMA) return fail_at_token(p, closing_text);
        if (advance(p) < 0) return -1;
    }
}

static int check_arguments(parser *p, const function *f, const token *name, const int *argument, int count)
{
    if (count < f->least || count > f->most)
        return FAIL(p, name, "\"%s\" at column %d takes %d argument%s, not %d", f->name, name->column,
                    f->least, f->least == 1 ? "" : "s", count);
    int size = 1, sized = 0;
    for (int i = 0; i < count; i++) {
        int next = tape_size(p->tape, argument[i]);
        if (next != 1 && size != 1 && next != size)
            return FAIL(p, name, "sizes do not fit at \"%s\": argument %d has %d values, argument %d has %d",
                        f->name, sized, size, i + 1, next);
        if (next == 1) continue;
        size = next;
        sized = i + 1;
    }
    return 0;
}

/* What known() asks for missing values must be data as they are, with some that are not missing. */
static int check_selection(parser *p, const token *name, int node)
{
    const tape_node *data = &p->tape->nodes[node];
    if (data->op != TAPE_CONSTANT || data->data <= 0 || data->derived)
        return FAIL(p, name, "\"known\" at column %d needs data as its last argument, as they are",
                    name->column);
    for (int i = 0; i < data->size; i++)
        if (!isnan(tape_values(p->tape, node)[i])) return 0;
    return FAIL(p, name, "of the data in \"known\" at column %d all values are missing", name->column);
}

static int read_call(parser *p, const token *name)
{
    const function *f = function_find(name->text, (size_t)name->length);
    if (!f && symbols_find(p->symbols, name->text, (size_t)name->length))
        return FAIL(
            p, name,
            "\"%.*s\" at column %d is not a function: write \"*\" to multiply, %.*s[0] for an element",
            shown(name), name->text, name->column, shown(name), name->text);
    if (!f) return fail_unknown(p, name, 1);
    token opening = p->now;
    if (advance(p) < 0) return -1;
    if (p->now.kind == TOKEN_CLOSE)
        return FAIL(p, name, "\"%s\" at column %d takes %d argument%s, not 0", f->name, name->column,
                    f->least, f->least == 1 ? "" : "s");
    size_t base = p->stack_count;
    bool outside = p->may_be_missing;
    p->may_be_missing = function_selects(f);
    int count = read_list(p, &opening, TOKEN_CLOSE);
    p->may_be_missing = outside;
    if (count < 0) return -1;
    p->stack_count = base;
    if (check_arguments(p, f, name, p->stack + base, count) < 0) return -1;
    if (function_selects(f) && check_selection(p, name, p->stack[base + (size_t)count - 1]) < 0) return -1;
    return function_apply(p->tape, f, p->stack + base, count);
}

/* The place of data among those that there are, from 1. */
static int data_number(const parser *p, const symbol *s)
{
    int number = 0;
    for (const symbol *i = p->symbols->items; i <= s; i++) number += i->kind == SYMBOL_DATA;
    return number;
}

/* A symbol is put on the tape once, however often it is used. */
static int read_symbol(parser *p, const symbol *s)
{
    int *known = &p->known[s - p->symbols->items];
    if (*known) return *known - 1;
    int node = s->kind == SYMBOL_OUTPUT      ? tape_output(p->tape, s->column, s->size)
               : s->kind == SYMBOL_PARAMETER ? tape_parameter(p->tape, s->column)
                                             : tape_data(p->tape, s->values, s->size, data_number(p, s));
    *known = node + 1;
    return node;
}

static int read_name(parser *p)
{
    token name = p->now;
    size_t length = (size_t)name.length;
    if (advance(p) < 0) return -1;
    if (p->now.kind == TOKEN_OPEN) return read_call(p, &name);
    const symbol *s = symbols_find(p->symbols, name.text, length);
    if (s && s->missing > 0 && !(p->may_be_missing && p->now.kind == TOKEN_CLOSE))
        return FAIL(p, &name,
                    "%d of %d values of \"%.60s\" at column %d are missing: use fit, or known(y, %.60s) "
                    "and known(%.60s)",
                    s->missing, s->size, s->name, name.column, s->name, s->name);
    if (s) return read_symbol(p, s);
    if (length == 2 && memcmp(name.text, "pi", 2) == 0) return tape_number(p->tape, 3.14159265358979323846);
    const function *f = function_find(name.text, length);
    if (f)
        return FAIL(p, &name, "\"%s\" at column %d is a function: write %s(...)", f->name, name.column,
                    f->name);
    return fail_unknown(p, &name, 0);
}

static int read_vector(parser *p)
{
    token opening = p->now;
    if (advance(p) < 0) return -1;
    if (p->now.kind == TOKEN_CLOSE_BRACKET)
        return FAIL(p, &opening, "the vector at column %d has no elements", opening.column);
    size_t base = p->stack_count;
    int count = read_list(p, &opening, TOKEN_CLOSE_BRACKET);
    if (count < 0) return -1;
    p->stack_count = base;
    return tape_concatenate(p->tape, p->stack + base, count);
}

static int read_primary(parser *p)
{
    token start = p->now;
    int node;
    switch (start.kind) {
    case TOKEN_NUMBER:
        node = tape_number(p->tape, start.number);
        return advance(p) < 0 ? -1 : node;
    case TOKEN_NAME:
        return read_name(p);
    case TOKEN_OPEN_BRACKET:
        return read_vector(p);
    case TOKEN_OPEN:
        if (advance(p) < 0) return -1;
        node = read_expression(p);
        if (node < 0) return -1;
        if (p->now.kind == TOKEN_CLOSE) return advance(p) < 0 ? -1 : node;
        if (p->now.kind == TOKEN_END)
            return FAIL(p, &start, "\"(\" at column %d is never closed", start.column);
        return fail_at_token(p, "an operator or \")\"");
    default:
        return fail_at_token(p, "a number, a name or \"(\"");
    }
}

/* A whole number known now, or `missing` where the next token ends the index. Negative ones count
 * from the end. Both ends of 0 .. size are fine. */
static int read_bound(parser *p, int size, int missing, int *bound)
{
    *bound = missing;
    if (p->now.kind == TOKEN_COLON || p->now.kind == TOKEN_CLOSE_BRACKET) return 0;
    token start = p->now;
    int node = read_expression(p);
    if (node < 0) return -1;
    if (!p->tape->nodes[node].constant || tape_size(p->tape, node) != 1)
        return FAIL(p, &start,
                    "the index at column %d is not known before the outputs are: it must be a number",
                    start.column);
    double value = tape_values(p->tape, node)[0];
    if (value != floor(value))
        return FAIL(p, &start, "the index at column %d is not a whole number", start.column);
    if (value < -size || value > size)
        return FAIL(p, &start, "index %.15g at column %d is outside 0 to %d (or -%d to -1 from the end)",
                    value, start.column, size - 1, size);
    *bound = (int)value < 0 ? (int)value + size : (int)value;
    return 0;
}

static int read_index(parser *p, int node)
{
    token opening = p->now;
    int size = tape_size(p->tape, node), first, end;
    if (advance(p) < 0) return -1;
    token start = p->now;
    if (start.kind == TOKEN_CLOSE_BRACKET)
        return FAIL(p, &start, "the index at column %d is missing: write [3] or [0:4]", start.column);
    if (read_bound(p, size, 0, &first) < 0) return -1;
    if (p->now.kind == TOKEN_COLON) {
        if (advance(p) < 0 || read_bound(p, size, size, &end) < 0) return -1;
        if (first >= end)
            return FAIL(p, &start, "the slice %d:%d at column %d has no elements", first, end, start.column);
    } else {
        end = first + 1;
        if (first >= size)
            return FAIL(p, &start, "index %d at column %d is outside 0 to %d (or -%d to -1 from the end)",
                        first, start.column, size - 1, size);
    }
    if (p->now.kind == TOKEN_END)
        return FAIL(p, &opening, "\"[\" at column %d is never closed", opening.column);
    if (p->now.kind == TOKEN_COLON)
        return FAIL(p, &p->now, "a slice has no step: \":\" at column %d", p->now.column);
    if (p->now.kind != TOKEN_CLOSE_BRACKET) return fail_at_token(p, "\"]\"");
    return advance(p) < 0 ? -1 : tape_slice(p->tape, node, first, end - first);
}

static int read_postfix(parser *p)
{
    int node = read_primary(p);
    while (node >= 0 && p->now.kind == TOKEN_OPEN_BRACKET) node = read_index(p, node);
    return node;
}

static int read_unary(parser *p)
{
    if (enter(p) < 0) return -1;
    int node;
    token sign = p->now;
    if (sign.kind == TOKEN_MINUS || sign.kind == TOKEN_PLUS || sign.kind == TOKEN_PLUS_MINUS) {
        node = advance(p) < 0 ? -1 : read_unary(p);
        if (sign.kind != TOKEN_PLUS) node = tape_unary(p->tape, TAPE_NEGATE, node);
    } else {
        const char *left = p->now.text;
        node = read_postfix(p);
        token power = p->now;
        if (node >= 0 && power.kind == TOKEN_POWER)
            node = advance(p) < 0 ? -1 : combine(p, TAPE_POWER, &power, left, node, read_unary(p));
    }
    p->depth--;
    return node;
}

static int read_product(parser *p)
{
    const char *left = p->now.text;
    int node = read_unary(p);
    while (node >= 0 && (p->now.kind == TOKEN_TIMES || p->now.kind == TOKEN_OVER)) {
        token sign = p->now;
        tape_op op = sign.kind == TOKEN_TIMES ? TAPE_MULTIPLY : TAPE_DIVIDE;
        node = advance(p) < 0 ? -1 : combine(p, op, &sign, left, node, read_unary(p));
    }
    return node;
}

/* With a tolerance to come, "+-" ends the sum; without one it is a plus and a minus. */
static int read_sum(parser *p, bool tolerance)
{
    const char *left = p->now.text;
    int node = read_product(p);
    while (node >= 0 && (p->now.kind == TOKEN_PLUS || p->now.kind == TOKEN_MINUS ||
                         (p->now.kind == TOKEN_PLUS_MINUS && !tolerance))) {
        token sign = p->now;
        if (sign.kind == TOKEN_PLUS_MINUS && memcmp(sign.text, "+-", 2) != 0)
            return FAIL(p, &sign, "a tolerance at column %d without \"==\": write a == b +- 0.01",
                        sign.column);
        tape_op op = sign.kind == TOKEN_PLUS ? TAPE_ADD : TAPE_SUBTRACT;
        node = advance(p) < 0 ? -1 : combine(p, op, &sign, left, node, read_product(p));
    }
    return node;
}

/* a == b +- tolerance: |a - b| <= tolerance. */
static int read_tolerance(parser *p, const token *equal, const char *left, int a, int b)
{
    int difference = tape_unary(p->tape, TAPE_ABS, combine(p, TAPE_SUBTRACT, equal, left, a, b));
    token sign = p->now;
    if (difference < 0 || advance(p) < 0) return -1;
    int tolerance = read_sum(p, true);
    if (tolerance < 0) return -1;
    if (p->tape->nodes[tolerance].constant)
        for (int i = 0; i < tape_size(p->tape, tolerance); i++)
            if (!(tape_values(p->tape, tolerance)[i] > 0.0))
                return FAIL(p, &sign, "the tolerance at column %d is %g, not above 0", sign.column,
                            tape_values(p->tape, tolerance)[i]);
    return combine(p, TAPE_LESS_EQUAL, &sign, left, difference, tolerance);
}

static bool is_comparison(token_kind kind)
{
    return kind >= TOKEN_LESS && kind <= TOKEN_NOT_EQUAL;
}

static int compare(parser *p, const token *sign, const char *left, int a, int b)
{
    if (check_operands(p, sign, left, a, b) < 0) return -1;
    switch (sign->kind) {
    case TOKEN_LESS:
        return combine(p, TAPE_LESS, sign, left, a, b);
    case TOKEN_LESS_EQUAL:
        return combine(p, TAPE_LESS_EQUAL, sign, left, a, b);
    case TOKEN_MORE:
        return combine(p, TAPE_LESS, sign, left, b, a);
    case TOKEN_MORE_EQUAL:
        return combine(p, TAPE_LESS_EQUAL, sign, left, b, a);
    case TOKEN_NOT_EQUAL:
        return combine(p, TAPE_NOT_EQUAL, sign, left, a, b);
    default:
        if (p->now.kind == TOKEN_PLUS_MINUS) return read_tolerance(p, sign, left, a, b);
        return combine(p, TAPE_EQUAL, sign, left, a, b);
    }
}

/* a < b < c is a < b and b < c. */
static int read_comparison(parser *p)
{
    const char *start = p->now.text;
    int left = read_sum(p, false);
    if (left < 0 || !is_comparison(p->now.kind)) return left;
    int result = -1;
    while (is_comparison(p->now.kind)) {
        token sign = p->now;
        if (advance(p) < 0) return -1;
        const char *middle = p->now.text;
        int right = read_sum(p, sign.kind == TOKEN_EQUAL);
        if (right < 0) return -1;
        int one = compare(p, &sign, start, left, right);
        if (one < 0) return -1;
        result = result < 0 ? one : combine(p, TAPE_AND, &sign, start, result, one);
        if (result < 0) return -1;
        left = right;
        start = middle;
    }
    return result;
}

static int read_not(parser *p)
{
    if (p->now.kind != TOKEN_NOT) return read_comparison(p);
    if (enter(p) < 0 || advance(p) < 0) return -1;
    int node = tape_unary(p->tape, TAPE_NOT, read_not(p));
    p->depth--;
    return node;
}

static int read_and(parser *p)
{
    const char *left = p->now.text;
    int node = read_not(p);
    while (node >= 0 && p->now.kind == TOKEN_AND) {
        token sign = p->now;
        node = advance(p) < 0 ? -1 : combine(p, TAPE_AND, &sign, left, node, read_not(p));
    }
    return node;
}

static int read_expression(parser *p)
{
    if (enter(p) < 0) return -1;
    const char *left = p->now.text;
    int node = read_and(p);
    while (node >= 0 && p->now.kind == TOKEN_OR) {
        token sign = p->now;
        node = advance(p) < 0 ? -1 : combine(p, TAPE_OR, &sign, left, node, read_and(p));
    }
    p->depth--;
    return node;
}

static int read_all(parser *p)
{
    if (advance(p) < 0) return -1;
    if (p->now.kind == TOKEN_END) return FAIL(p, &p->now, "the expression is empty");
    int node = read_expression(p);
    if (node < 0 || p->now.kind == TOKEN_END) return node;
    if (p->now.kind == TOKEN_NAME || p->now.kind == TOKEN_NUMBER || p->now.kind == TOKEN_OPEN)
        return FAIL(p, &p->now,
                    "an operator is missing before \"%.*s\" at column %d: write \"*\" to multiply",
                    shown(&p->now), p->now.text, p->now.column);
    return fail_at_token(p, "an operator or the end");
}

int parser_read(tape *t, const char *text, const gofh_symbols *symbols, gofh_error *error)
{
    parser p = {.lexer = lexer_start(text), .tape = t, .symbols = symbols, .error = error};
    if (strlen(text) > PARSER_LENGTH) {
        error_set(error, GOFH_ERROR_ARGUMENT, "the expression has more than %d characters", PARSER_LENGTH);
        return -1;
    }
    p.known = memory_new(symbols->count, sizeof *p.known);
    if (!p.known) {
        error_memory(error);
        return -1;
    }
    int node = read_all(&p);
    free(p.known);
    free(p.stack);
    return node;
}

#include "problem/yaml.h"

#include "base/memory.h"

#include <libfyaml.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 32, KEYS_MAX = 10000, VALUES_MAX = 1000000 };

typedef struct {
    char *name;
    yaml_node *node;
} anchor;

typedef struct {
    yaml_node *node;
    yaml_node *key; /* waiting for its value */
    char *anchor;
} level;

typedef struct {
    yaml_tree *tree;
    problem_error *error;
    level levels[DEEPEST];
    int depth;
    anchor *anchors;
    size_t anchor_count, anchor_capacity;
    size_t at; /* of the last event that had a place */
    int documents;
} builder;

static gofh_status no_memory(builder *b)
{
    return problem_error_memory(b->error, b->tree->text.path);
}

static yaml_node *new_node(builder *b, yaml_kind kind, size_t at)
{
    yaml_tree *tree = b->tree;
    if (memory_grow((void **)&tree->nodes, &tree->capacity, tree->count + 1, sizeof(void *))) return NULL;
    yaml_node *node = memory_new(1, sizeof *node);
    if (!node) return NULL;
    *node = (yaml_node){.kind = kind, .at = at, .weight = 1};
    tree->nodes[tree->count++] = node;
    return node;
}

/* A copy that ends with a zero, or NULL when there is no memory. */
static char *copy_token(struct fy_token *token)
{
    size_t length = 0;
    const char *text = fy_token_get_text(token, &length);
    char *copy = memory_new(length + 1, 1);
    if (copy && text) memcpy(copy, text, length);
    return copy;
}

/* Takes over the name. */
static gofh_status remember(builder *b, char *name, yaml_node *node)
{
    if (!name) return GOFH_OK;
    if (memory_grow((void **)&b->anchors, &b->anchor_capacity, b->anchor_count + 1, sizeof *b->anchors)) {
        free(name);
        return no_memory(b);
    }
    b->anchors[b->anchor_count++] = (anchor){.name = name, .node = node};
    return GOFH_OK;
}

/* {a: normal(1, 5), b: normal(2, 5)}: YAML cuts texts at commas, and the ends of two may be alike. */
static int ends_bracket(const yaml_node *key)
{
    return key->style == YAML_PLAIN && strchr(key->text, ')') && !strchr(key->text, '(');
}

static gofh_status add_key(builder *b, level *top, yaml_node *key)
{
    yaml_node *map = top->node;
    if (key->kind != YAML_SCALAR && key->kind != YAML_NOTHING)
        return yaml_fail(b->tree, key, b->error, "a key must be a word");
    if (!key->text || !*key->text) return yaml_fail(b->tree, key, b->error, "a key is missing before \":\"");
    key->kind = YAML_SCALAR;
    const yaml_node *before = yaml_key(map, key->text);
    if (before && !ends_bracket(key)) {
        int line, column;
        text_place(&b->tree->text, before->at, &line, &column);
        return yaml_fail(b->tree, key, b->error, "\"%.60s\" is here twice, first in line %d", key->text,
                         line);
    }
    if (map->count == KEYS_MAX)
        return yaml_fail(b->tree, key, b->error, "there are more than %d keys", KEYS_MAX);
    top->key = key;
    return GOFH_OK;
}

/* Puts a finished value, or a key, where it belongs. */
static gofh_status place(builder *b, yaml_node *node, size_t at)
{
    if (b->depth == 0) {
        b->tree->root = node;
        return GOFH_OK;
    }
    level *top = &b->levels[b->depth - 1];
    yaml_node *into = top->node;
    if (into->kind == YAML_MAPPING && !top->key) return add_key(b, top, node);
    if (memory_grow((void **)&into->items, &into->capacity, into->count + 1, sizeof(void *)) ||
        memory_grow((void **)&into->keys, &into->key_capacity, into->count + 1, sizeof(void *)))
        return no_memory(b);
    into->keys[into->count] = top->key;
    into->items[into->count++] = node;
    into->weight += node->weight;
    top->key = NULL;
    if (into->weight > VALUES_MAX)
        return text_fail(&b->tree->text, at, b->error, "there are more than %d values%s", VALUES_MAX,
                         b->anchor_count ? ", with all aliases written out" : "");
    return GOFH_OK;
}

static gofh_status refuse_tag(builder *b, const struct fy_token *tag)
{
    if (!tag) return GOFH_OK;
    text_fail(&b->tree->text, b->at, b->error, "tags, such as !!str, mean nothing here");
    return problem_error_hint(b->error, "leave it out; quotes make a text of anything");
}

static gofh_status open_level(builder *b, yaml_kind kind, struct fy_token *name, struct fy_token *tag)
{
    gofh_status status = refuse_tag(b, tag);
    if (status) return status;
    if (b->depth == DEEPEST)
        return text_fail(&b->tree->text, b->at, b->error, "it is nested more than %d levels deep", DEEPEST);
    yaml_node *node = new_node(b, kind, b->at);
    char *copy = name ? copy_token(name) : NULL;
    if (!node || (name && !copy)) {
        free(copy);
        return no_memory(b);
    }
    b->levels[b->depth++] = (level){.node = node, .anchor = copy};
    return GOFH_OK;
}

static gofh_status close_level(builder *b)
{
    level done = b->levels[--b->depth];
    gofh_status status = remember(b, done.anchor, done.node);
    return status ? status : place(b, done.node, b->at);
}

static bool means_nothing(const char *text)
{
    return !*text || strcmp(text, "~") == 0 || strcmp(text, "null") == 0;
}

static yaml_style style_of(struct fy_token *token)
{
    switch (fy_token_scalar_style(token)) {
    case FYSS_SINGLE_QUOTED:
        return YAML_SINGLE_QUOTED;
    case FYSS_DOUBLE_QUOTED:
        return YAML_DOUBLE_QUOTED;
    case FYSS_LITERAL:
    case FYSS_FOLDED:
        return YAML_BLOCK;
    default:
        return YAML_PLAIN;
    }
}

static gofh_status take_scalar(builder *b, struct fy_event *event)
{
    struct fy_token *value = event->scalar.value;
    gofh_status status = refuse_tag(b, event->scalar.tag);
    if (status) return status;
    yaml_node *node = new_node(b, YAML_SCALAR, b->at);
    if (!node || !(node->text = copy_token(value))) return no_memory(b);
    node->style = style_of(value);
    if (node->style == YAML_PLAIN && means_nothing(node->text)) node->kind = YAML_NOTHING;
    if (strlen(node->text) != fy_token_get_text_length(value))
        return yaml_fail(b->tree, node, b->error, "a text may not contain the character \\0");
    if (event->scalar.anchor) {
        char *name = copy_token(event->scalar.anchor);
        if (!name) return no_memory(b);
        status = remember(b, name, node);
    }
    return status ? status : place(b, node, node->at);
}

static gofh_status take_alias(builder *b, struct fy_event *event)
{
    char *name = copy_token(event->alias.anchor);
    if (!name) return no_memory(b);
    yaml_node *found = NULL;
    for (size_t i = b->anchor_count; i > 0 && !found; i--)
        if (strcmp(b->anchors[i - 1].name, name) == 0) found = b->anchors[i - 1].node;
    gofh_status status =
        found ? place(b, found, b->at)
              : text_fail(&b->tree->text, b->at, b->error,
                          "nothing before is called &%.60s; a text that starts with * needs quotes", name);
    free(name);
    return status;
}

static gofh_status take_event(builder *b, struct fy_event *event)
{
    const struct fy_mark *mark = fy_event_start_mark(event);
    if (mark) b->at = mark->input_pos;
    if (mark && event->type == FYET_ALIAS && b->at > 0) b->at--; /* the mark is after the "*" */
    switch (event->type) {
    case FYET_DOCUMENT_START:
        if (b->documents++ == 0) return GOFH_OK;
        return text_fail(&b->tree->text, b->at, b->error, "a second document starts here: there may be one");
    case FYET_SCALAR:
        return take_scalar(b, event);
    case FYET_ALIAS:
        return take_alias(b, event);
    case FYET_SEQUENCE_START:
        return open_level(b, YAML_LIST, event->sequence_start.anchor, event->sequence_start.tag);
    case FYET_MAPPING_START:
        return open_level(b, YAML_MAPPING, event->mapping_start.anchor, event->mapping_start.tag);
    case FYET_SEQUENCE_END:
    case FYET_MAPPING_END:
        return close_level(b);
    default:
        return GOFH_OK;
    }
}

static const char *hint_for(const char *message)
{
    static const struct {
        const char *part, *hint;
    } hints[] = {
        {"missing comma in flow", "a text with { } [ ] or a comma in it needs quotes here"},
        {"nested block mapping on the same line",
         "put the text in quotes, or { } around a mapping such as {retry: 2}"},
        {"cannot start with", "put the text in quotes"},
        {"multiline plain key", "lines of the same mapping start in the same column"},
        {"tab character", "indent with spaces"},
        {"wrongly indented", "lines of the same mapping start in the same column"},
    };
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (strstr(message, hints[i].part)) return hints[i].hint;
    return "";
}

/* The innermost { or [ that is still open, and its line; '\0': there is none. */
static char open_bracket(const builder *b, int *line)
{
    for (int i = b->depth; i > 0; i--) {
        size_t at = b->levels[i - 1].node->at;
        char c = b->tree->text.bytes[at];
        int column;
        if (c != '{' && c != '[') continue;
        text_place(&b->tree->text, at, line, &column);
        return c;
    }
    return '\0';
}

/* Whether a bracket is there where a comma is missed: it is part of a text then, as in ./run {params}. */
static bool is_in_text(const builder *b, const struct fy_diag_error *found)
{
    const text_file *text = &b->tree->text;
    if (!strstr(found->msg, "missing comma")) return false;
    size_t at = text->start;
    for (int line = 1; at < text->length && line < found->line; at++)
        line += text->bytes[at] == '\n' || (text->bytes[at] == '\r' && text->bytes[at + 1] != '\n');
    for (int column = 1; at < text->length && column < found->column; column++) {
        at++;
        while (((unsigned char)text->bytes[at] & 0xc0) == 0x80) at++;
    }
    return text->bytes[at] == '{' || text->bytes[at] == '[';
}

static gofh_status report(builder *b, struct fy_diag *diag)
{
    void *before = NULL;
    const struct fy_diag_error *found = fy_diag_errors_iterate(diag, &before);
    const char *message = found && found->msg ? found->msg : "it can't be understood";
    problem_error_set(b->error, GOFH_ERROR_PROBLEM, b->tree->text.path, found ? found->line : 0,
                      found ? found->column : 0, "this is not YAML: %s", message);
    int line;
    char bracket = open_bracket(b, &line);
    if (bracket && found && found->msg && line < found->line && !is_in_text(b, found))
        return problem_error_hint(b->error, "the \"%c\" of line %d is not closed%s", bracket, line,
                                  strstr(message, "indented") ? ", or the lines within it are not indented"
                                  : strstr(message, "comma")  ? ", or a comma is missing"
                                                              : "");
    return problem_error_hint(b->error, "%s", hint_for(message));
}

static gofh_status parse(builder *b, struct fy_parser *parser, struct fy_diag *diag)
{
    const text_file *text = &b->tree->text;
    if (fy_parser_set_string(parser, text->bytes, text->length)) return no_memory(b);
    struct fy_event *event;
    gofh_status status = GOFH_OK;
    while (!status && (event = fy_parser_parse(parser))) {
        status = take_event(b, event);
        fy_parser_event_free(parser, event);
    }
    if (!status && fy_parser_get_stream_error(parser)) status = report(b, diag);
    if (!status && (!b->tree->root || b->tree->root->kind == YAML_NOTHING))
        status = problem_error_set(b->error, GOFH_ERROR_PROBLEM, text->path, 0, 0,
                                   "there is nothing in the file");
    return status;
}

static gofh_status run_parser(builder *b)
{
    struct fy_diag_cfg diag_settings;
    fy_diag_cfg_default(&diag_settings);
    diag_settings.fp = NULL;
    diag_settings.colorize = false;
    struct fy_diag *diag = fy_diag_create(&diag_settings);
    if (!diag) return no_memory(b);
    fy_diag_set_collect_errors(diag, true);
    struct fy_parse_cfg settings = {
        .flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG | FYPCF_DEFAULT_VERSION_1_2 | FYPCF_JSON_NONE,
        .diag = diag,
    };
    struct fy_parser *parser = fy_parser_create(&settings);
    gofh_status status = parser ? parse(b, parser, diag) : no_memory(b);
    if (parser) fy_parser_destroy(parser);
    fy_diag_destroy(diag);
    return status;
}

gofh_status yaml_read(yaml_tree *tree, text_file *text, problem_error *error)
{
    *tree = (yaml_tree){.text = *text};
    *text = (text_file){.path = NULL};
    builder b = {.tree = tree, .error = error};
    gofh_status status = run_parser(&b);
    for (int i = 0; i < b.depth; i++) free(b.levels[i].anchor);
    for (size_t i = 0; i < b.anchor_count; i++) free(b.anchors[i].name);
    free(b.anchors);
    if (status) yaml_free(tree);
    return status;
}

void yaml_free(yaml_tree *tree)
{
    for (size_t i = 0; i < tree->count; i++) {
        free(tree->nodes[i]->text);
        free(tree->nodes[i]->items);
        free(tree->nodes[i]->keys);
        free(tree->nodes[i]);
    }
    free(tree->nodes);
    text_free(&tree->text);
    *tree = (yaml_tree){.root = NULL};
}

const yaml_node *yaml_key(const yaml_node *mapping, const char *key)
{
    for (size_t i = 0; i < mapping->count; i++)
        if (strcmp(mapping->keys[i]->text, key) == 0) return mapping->keys[i];
    return NULL;
}

const yaml_node *yaml_get(const yaml_node *mapping, const char *key)
{
    for (size_t i = 0; i < mapping->count; i++)
        if (strcmp(mapping->keys[i]->text, key) == 0)
            return mapping->items[i]->kind == YAML_NOTHING ? NULL : mapping->items[i];
    return NULL;
}

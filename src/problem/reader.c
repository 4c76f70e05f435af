#include "problem/reader.h"

#include "base/memory.h"
#include "base/similar.h"
#include "problem/scalar.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

gofh_status reader_memory(reader *r)
{
    return problem_error_memory(r->error, r->file->path);
}

const char *reader_kind(const yaml_node *node)
{
    double ignored;
    if (node->kind == YAML_LIST) return "a list";
    if (node->kind == YAML_MAPPING) return "a mapping";
    if (node->kind == YAML_NOTHING) return "empty";
    return node->style == YAML_PLAIN && scalar_number(node->text, &ignored) ? "a number" : "a text";
}

const char *reader_closest(const char *word, const char *const *names)
{
    const char *best = NULL;
    size_t length = strlen(word);
    int least = similar_limit(length) + 1;
    for (; *names; names++) {
        int distance = similar_distance(word, length, *names, strlen(*names));
        if (distance >= least) continue;
        least = distance;
        best = *names;
    }
    return best;
}

/* "a, b or c"; "a, b, ...": there is no room for more. */
static void list_words(const char *const *words, char *text, size_t size)
{
    static const char more[] = ", ...";
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; words[i]; i++) {
        const char *before = i == 0 ? "" : words[i + 1] ? ", " : " or ";
        if (used + strlen(before) + strlen(words[i]) + sizeof more > size) {
            snprintf(text + used, size - used, "%s", more);
            return;
        }
        used += (size_t)snprintf(text + used, size - used, "%s%s", before, words[i]);
    }
}

gofh_status reader_hint_word(reader *r, const char *word, const char *const *words)
{
    char list[240];
    const char *closest = reader_closest(word, words);
    if (closest) return reader_hint(r, "did you mean \"%s\"?", closest);
    if (!words[0]) return reader_hint(r, "there are none");
    list_words(words, list, sizeof list);
    return reader_hint(r, "it may be %s", list);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool reader_is_fraction(const reader *r, const yaml_node *node)
{
    const char *bytes = r->tree.text.bytes;
    size_t at = node->at;
    return node->kind == YAML_SCALAR && at >= 2 && bytes[at - 1] == ',' && is_digit(bytes[at - 2]) &&
           is_digit(bytes[at]);
}

static bool is_one_of(const char *word, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(word, *words) == 0) return true;
    return false;
}

gofh_status reader_mapping(reader *r, const yaml_node *node, const char *where, const char *const *keys)
{
    if (node->kind != YAML_MAPPING) {
        char list[240];
        list_words(keys, list, sizeof list);
        reader_fail(r, node, "%s must be a mapping, not %s", where, reader_kind(node));
        return reader_hint(r, "its keys are %s", list);
    }
    for (size_t i = 0; i < node->count; i++) {
        const yaml_node *key = node->keys[i];
        if (is_one_of(key->text, keys)) continue;
        reader_fail(r, key, "unknown key \"%.60s\" in %s", key->text, where);
        if (reader_is_fraction(r, key)) return reader_hint(r, "%s", READER_POINT);
        return reader_hint_word(r, key->text, keys);
    }
    return GOFH_OK;
}

/* The text of a scalar without quotes, or NULL with an error. */
static const char *plain_text(reader *r, const yaml_node *node, const char *what, const char *wanted)
{
    if (node->kind == YAML_SCALAR && node->style == YAML_PLAIN) return node->text;
    if (node->kind == YAML_SCALAR) {
        reader_fail(r, node, "%s must be %s, not a text in quotes", what, wanted);
        double ignored;
        if (scalar_number(node->text, &ignored)) reader_hint(r, "write %.60s", node->text);
    } else if (node->kind == YAML_NOTHING) {
        reader_fail(r, node, "%s is empty: it must be %s", what, wanted);
    } else {
        reader_fail(r, node, "%s must be %s, not %s", what, wanted, reader_kind(node));
    }
    return NULL;
}

gofh_status reader_number(reader *r, const yaml_node *node, const char *what, double *value)
{
    const char *text = plain_text(r, node, what, "a number");
    if (!text) return GOFH_ERROR_PROBLEM;
    if (!scalar_number(text, value)) {
        reader_fail(r, node, "%s must be a number, not \"%.60s\"", what, text);
        return reader_hint(r, "%s", scalar_number_hint(text));
    }
    return isfinite(*value) ? GOFH_OK : reader_fail(r, node, "%s is too large: %.60s", what, text);
}

gofh_status reader_integer(reader *r, const yaml_node *node, const char *what, int low, int high, int *value)
{
    double number;
    gofh_status status = reader_number(r, node, what, &number);
    if (status) return status;
    if (number != floor(number) || number < low || number > high)
        return reader_fail(r, node, "%s must be a whole number from %d to %d, not %.60s", what, low, high,
                           node->text);
    *value = (int)number;
    return GOFH_OK;
}

gofh_status reader_seconds(reader *r, const yaml_node *node, const char *what, double *value)
{
    const char *text = plain_text(r, node, what, "a duration such as 30s, 5m or 2h");
    if (!text) return GOFH_ERROR_PROBLEM;
    if (!scalar_duration(text, value)) {
        reader_fail(r, node, "%s must be a duration, not \"%.60s\"", what, text);
        return reader_hint(r, "write seconds, or 30s, 5m, 2h, 1d, 1h30m");
    }
    if (!(*value > 0.0 && *value <= 1e9))
        return reader_fail(r, node, "%s must be above 0 and at most 1e9 seconds, not %.60s", what, text);
    return GOFH_OK;
}

gofh_status reader_choice(reader *r, const yaml_node *node, const char *what, const char *const *words,
                          int *value)
{
    char list[240];
    list_words(words, list, sizeof list);
    if (node->kind != YAML_SCALAR)
        return reader_fail(r, node, "%s must be %s, not %s", what, list, reader_kind(node));
    for (int i = 0; words[i]; i++)
        if (strcmp(node->text, words[i]) == 0) {
            *value = i;
            return GOFH_OK;
        }
    reader_fail(r, node, "unknown %s \"%.60s\"", what, node->text);
    return reader_hint_word(r, node->text, words);
}

gofh_status reader_text(reader *r, const yaml_node *node, const char *what, char **value)
{
    if (node->kind == YAML_LIST || node->kind == YAML_MAPPING)
        return reader_fail(r, node, "%s must be a text, not %s", what, reader_kind(node));
    const char *text = node->text ? node->text : "";
    if (text[strspn(text, " \t\r\n")] == '\0') return reader_fail(r, node, "%s is empty", what);
    *value = memory_copy_text(text);
    return *value ? GOFH_OK : reader_memory(r);
}

char *reader_join(const reader *r, const char *name)
{
    const char *slash = strrchr(r->file->path, '/');
    size_t folder = slash && *name != '/' ? (size_t)(slash - r->file->path) + 1 : 0;
    char *joined = memory_new(folder + strlen(name) + 1, 1);
    if (!joined) return NULL;
    memcpy(joined, r->file->path, folder);
    memcpy(joined + folder, name, strlen(name) + 1);
    return joined;
}

gofh_status reader_path(reader *r, const yaml_node *node, const char *what, char **value)
{
    gofh_status status = reader_text(r, node, what, value);
    if (status || !*value) return status;
    char *path = reader_join(r, *value);
    if (!path) return reader_memory(r);
    if (access(path, R_OK) != 0) {
        int number = errno;
        status = reader_fail(r, node, "%s \"%.200s\" can't be read: %s", what, *value, strerror(number));
        reader_hint(r, "paths are relative to the problem file");
    }
    free(path);
    return status;
}

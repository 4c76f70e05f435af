#include "run/command.h"

#include "run/parameters.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "run/files.h"
#include "run/locate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

#define PLAIN "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./+,:@%=-"

static int is_plain(const char *text)
{
    return text[0] && text[strspn(text, PLAIN)] == '\0';
}

/* ---- Values in places ---- */

/* `text` such that the shell reads it back as it is, in whatever quotes the place stands. */
static void add_quoted(buffer *command, const char *text, quotes state)
{
    if (is_plain(text)) {
        buffer_text(command, text);
        return;
    }
    if (state == QUOTES_NONE) buffer_text(command, "'");
    for (; *text; text++) {
        if (state != QUOTES_DOUBLE && *text == '\'')
            buffer_text(command, "'\\''");
        else if (state == QUOTES_DOUBLE && strchr("$`\"\\", *text))
            buffer_format(command, "\\%c", *text);
        else
            buffer_add(command, text, 1);
    }
    if (state == QUOTES_NONE) buffer_text(command, "'");
}

void command_quote(buffer *command, const char *text)
{
    if (*text)
        add_quoted(command, text, QUOTES_NONE);
    else
        buffer_text(command, "''");
}

/* The value of the place "{name}"; NULL if it is none. */
static const char *place_value(const simulator *sim, const char *name, size_t length, long long trial,
                               const double *x, char number[PARAMETER_TEXT])
{
    if (length == 6 && memcmp(name, "params", 6) == 0) return sim->params_file;
    if (length == 7 && memcmp(name, "results", 7) == 0) return sim->results_file;
    if (length == 5 && memcmp(name, "trial", 5) == 0) {
        snprintf(number, PARAMETER_TEXT, "%lld", trial);
        return number;
    }
    for (int i = 0; i < sim->parameter_count; i++)
        if (strlen(sim->parameter_names[i]) == length && memcmp(sim->parameter_names[i], name, length) == 0) {
            parameters_text(sim, i, x[i], number);
            return number;
        }
    return NULL;
}

/* Inside these the shell reads quotes anew, so that no quoting from outside is sure to hold. */
static int has_inner_shell(const char *text)
{
    return strchr(text, '`') || strstr(text, "$(") || strstr(text, "<<");
}

static gofh_status fill_places(const simulator *sim, const char *text, long long trial, const double *x,
                               buffer *command, gofh_error *error)
{
    quotes state = QUOTES_NONE;
    for (const char *at = text; *at; at++) {
        char number[PARAMETER_TEXT];
        const char *close = *at == '{' && (at == text || at[-1] != '$') ? strchr(at, '}') : NULL;
        const char *value = close ? place_value(sim, at + 1, (size_t)(close - at - 1), trial, x, number)
                                  : NULL;
        if (value) {
            if (!is_plain(value) && has_inner_shell(text))
                return error_set(
                    error, GOFH_ERROR_PROBLEM,
                    "the file name \"%s\" can't be put safely into a command with $( ), ` or <<; use only "
                    "letters, digits and ._- in it",
                    value);
            add_quoted(command, value, state);
            at = close;
            continue;
        }
        buffer_add(command, at, 1);
        if (*at == '\\' && state != QUOTES_SINGLE && at[1])
            buffer_add(command, ++at, 1);
        else
            state = words_quotes(state, *at);
    }
    return GOFH_OK;
}

/* ---- Files beside the problem file ---- */

/* Copies sim->command with the words that name such files replaced by their paths. */
static gofh_status locate_files(const simulator *sim, buffer *text, gofh_error *error)
{
    word_scan scan = words_begin(sim->command);
    const char *copied = sim->command;
    command_word word;
    while (words_next(&scan, &word)) {
        located_word found;
        if (locate_word(sim, &word, &found) != 0) return error_memory(error);
        int unsafe = word.inside != QUOTES_NONE && found.path && !is_plain(found.path) &&
                     has_inner_shell(sim->command);
        if (found.path && !unsafe) {
            buffer_add(text, copied, (size_t)(word.start - copied));
            buffer_add(text, found.value, found.before);
            add_quoted(text, found.path, word.inside);
            copied = word.start + word.length;
        } else if (word.is_text) {
            words_inside(&scan, &word);
        }
        locate_free(&found);
    }
    buffer_text(text, copied);
    return GOFH_OK;
}

/* Calls `each` with the name and the path of every such file. */
static gofh_status for_each_file(const simulator *sim,
                                 void (*each)(buffer *text, const char *name, const char *path), buffer *text,
                                 gofh_error *error)
{
    word_scan scan = words_begin(sim->command);
    command_word word;
    while (words_next(&scan, &word)) {
        located_word found;
        if (locate_word(sim, &word, &found) != 0) return error_memory(error);
        if (found.path)
            each(text, found.value + found.before, found.path);
        else if (word.is_text)
            words_inside(&scan, &word);
        locate_free(&found);
    }
    return text->failed ? error_memory(error) : GOFH_OK;
}

static void add_name(buffer *names, const char *name, const char *path)
{
    (void)path;
    if (names->length > 0) buffer_text(names, ", ");
    buffer_text(names, name);
}

gofh_status command_found(const simulator *sim, buffer *names, gofh_error *error)
{
    return for_each_file(sim, add_name, names, error);
}

gofh_status command_lost(const simulator *sim, buffer *name, gofh_error *error)
{
    word_scan scan = words_begin(sim->command);
    command_word word;
    int elsewhere = 0;
    while (!elsewhere && name->length == 0 && words_next(&scan, &word)) {
        char *value, *path = NULL;
        if (words_value(&word, &value) != 0) return error_memory(error);
        int program = value && word.role == WORD_PROGRAM;
        elsewhere = program && strcmp(value, "cd") == 0;
        int beside = program && value[0] != '/' && strchr(value, '/') && !locate_in_folder(sim, value);
        if (beside) path = files_source(sim->directory, value);
        if (path && access(path, F_OK) != 0) buffer_text(name, value);
        free(value);
        free(path);
        if (beside && !path) return error_memory(error);
    }
    return name->failed ? error_memory(error) : GOFH_OK;
}

static void add_stamp(buffer *text, const char *name, const char *path)
{
    struct stat about;
    buffer_format(text, "\n%s", name);
    if (stat(path, &about) == 0)
        buffer_format(text, " %lld %lld.%ld", (long long)about.st_size, (long long)about.st_mtim.tv_sec,
                      about.st_mtim.tv_nsec);
}

static gofh_status add_source(buffer *text, const simulator *sim, const char *name, gofh_error *error)
{
    char *path = files_source(sim->directory, name);
    if (!path) return error_memory(error);
    add_stamp(text, name, path);
    free(path);
    return GOFH_OK;
}

gofh_status command_fingerprint(const simulator *sim, buffer *text, gofh_error *error)
{
    buffer_format(text, "%s\n%d %d", sim->command, (int)sim->params, (int)sim->results);
    for (int i = 0; i < sim->setup.count; i++) buffer_format(text, "\n%s", sim->setup.items[i]);
    gofh_status status = for_each_file(sim, add_stamp, text, error);
    for (int i = 0; status == GOFH_OK && i < sim->file_count; i++)
        status = add_source(text, sim, sim->files[i].from, error);
    for (int i = 0; status == GOFH_OK && i < sim->template_count; i++)
        status = add_source(text, sim, sim->templates[i].from, error);
    for (int i = 0; status == GOFH_OK && i < sim->instruction_count; i++)
        status = add_source(text, sim, sim->instructions[i].instruction, error);
    return status == GOFH_OK && text->failed ? error_memory(error) : status;
}

static int wants_files_appended(const simulator *sim)
{
    int dakota = sim->params == PARAMS_DAKOTA || sim->params == PARAMS_APREPRO ||
                 sim->results == RESULTS_DAKOTA;
    return dakota && sim->params_file && sim->results_file && !strstr(sim->command, "{params}") &&
           !strstr(sim->command, "{results}");
}

gofh_status command_build(const simulator *sim, long long trial, const double *x, buffer *command,
                          gofh_error *error)
{
    buffer text = {0};
    buffer_text(&text, "");
    gofh_status status = locate_files(sim, &text, error);
    if (status == GOFH_OK && text.failed) status = error_memory(error);
    if (status == GOFH_OK && wants_files_appended(sim)) {
        while (text.length > 0 && strchr(" \t\r\n", text.bytes[text.length - 1]))
            text.bytes[--text.length] = '\0';
        buffer_text(&text, " {params} {results}");
    }
    if (status == GOFH_OK && text.failed) status = error_memory(error);
    for (int i = 0; i < sim->setup.count; i++) buffer_format(command, "%s\n", sim->setup.items[i]);
    if (status == GOFH_OK) status = fill_places(sim, text.bytes, trial, x, command, error);
    if (status == GOFH_OK && command->failed) status = error_memory(error);
    buffer_free(&text);
    return status;
}

/* ---- The environment ---- */

enum { ADDED = 7 };

static char *setting(const char *name, const char *folder, const char *file)
{
    buffer text = {0};
    buffer_format(&text, "%s=%s%s%s", name, folder, file[0] ? "/" : "", file);
    if (!text.failed) return text.bytes;
    buffer_free(&text);
    return NULL;
}

/* Whether we set that variable ourselves. */
static int is_ours(const char *entry)
{
    return strncmp(entry, "GOFH_", 5) == 0 || strncmp(entry, "DAKOTA_PARAMETERS_FILE=", 23) == 0 ||
           strncmp(entry, "DAKOTA_RESULTS_FILE=", 20) == 0;
}

char **command_environment(const simulator *sim, long long trial, const char *folder)
{
    size_t count = 0, kept = 0;
    while (environ[count]) count++;
    char **list = memory_new(count + ADDED + 1, sizeof *list);
    if (!list) return NULL;
    int failed = 0;
    for (size_t i = 0; i < count; i++)
        if (!is_ours(environ[i])) failed |= !(list[kept++] = memory_copy_text(environ[i]));
    char number[PARAMETER_TEXT];
    snprintf(number, sizeof number, "%lld", trial);
    failed |= !(list[kept++] = setting("GOFH_TRIAL", number, ""));
    failed |= !(list[kept++] = setting(COMMAND_RUN_FOLDER, folder, ""));
    failed |= !(list[kept++] = setting("GOFH_PROBLEM_DIR", sim->directory, ""));
    if (sim->params_file) {
        failed |= !(list[kept++] = setting("GOFH_PARAMS", folder, sim->params_file));
        failed |= !(list[kept++] = setting("DAKOTA_PARAMETERS_FILE", folder, sim->params_file));
    }
    if (sim->results_file) {
        failed |= !(list[kept++] = setting("GOFH_RESULTS", folder, sim->results_file));
        failed |= !(list[kept++] = setting("DAKOTA_RESULTS_FILE", folder, sim->results_file));
    }
    if (!failed) return list;
    for (size_t i = 0; i < kept; i++) free(list[i]);
    free(list);
    return NULL;
}

void command_environment_free(char **environment)
{
    for (char **entry = environment; entry && *entry; entry++) free(*entry);
    free(environment);
}

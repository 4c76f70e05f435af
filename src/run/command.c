#include "run/command.h"

#include "base/error.h"
#include "base/memory.h"
#include "run/files.h"
#include "run/number.h"

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

typedef enum { OUTSIDE, IN_SINGLE, IN_DOUBLE } quotes;

/* `text` such that the shell reads it back as it is, in whatever quotes the place stands. */
static void add_quoted(buffer *command, const char *text, quotes state)
{
    if (is_plain(text)) {
        buffer_text(command, text);
        return;
    }
    if (state == OUTSIDE) buffer_text(command, "'");
    for (; *text; text++) {
        if (state != IN_DOUBLE && *text == '\'')
            buffer_text(command, "'\\''");
        else if (state == IN_DOUBLE && strchr("$`\"\\", *text))
            buffer_format(command, "\\%c", *text);
        else
            buffer_add(command, text, 1);
    }
    if (state == OUTSIDE) buffer_text(command, "'");
}

/* The value of the place "{name}"; NULL if it is none. */
static const char *place_value(const simulator *sim, const char *name, size_t length, long long trial,
                               const double *x, char number[NUMBER_TEXT])
{
    if (length == 6 && memcmp(name, "params", 6) == 0) return sim->params_file;
    if (length == 7 && memcmp(name, "results", 7) == 0) return sim->results_file;
    if (length == 5 && memcmp(name, "trial", 5) == 0) {
        snprintf(number, NUMBER_TEXT, "%lld", trial);
        return number;
    }
    for (int i = 0; i < sim->parameter_count; i++)
        if (strlen(sim->parameter_names[i]) == length && memcmp(sim->parameter_names[i], name, length) == 0) {
            number_write(x[i], number);
            return number;
        }
    return NULL;
}

static quotes next_state(quotes state, char c)
{
    if (c == '\'' && state != IN_DOUBLE) return state == OUTSIDE ? IN_SINGLE : OUTSIDE;
    if (c == '"' && state != IN_SINGLE) return state == OUTSIDE ? IN_DOUBLE : OUTSIDE;
    return state;
}

/* Inside these the shell reads quotes anew, so that no quoting from outside is sure to hold. */
static int has_inner_shell(const char *text)
{
    return strchr(text, '`') || strstr(text, "$(") || strstr(text, "<<");
}

static gofh_status fill_places(const simulator *sim, const char *text, long long trial, const double *x,
                               buffer *command, gofh_error *error)
{
    quotes state = OUTSIDE;
    for (const char *at = text; *at; at++) {
        char number[NUMBER_TEXT];
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
        if (*at == '\\' && state != IN_SINGLE && at[1])
            buffer_add(command, ++at, 1);
        else
            state = next_state(state, *at);
    }
    return GOFH_OK;
}

/* ---- Programs beside the problem file ---- */

/* Whether the run's folder gets a file of that name, so that the word means it. */
static int is_in_folder(const simulator *sim, const char *word)
{
    if (strncmp(word, "./", 2) == 0) word += 2;
    int found = (sim->params_file && strcmp(word, sim->params_file) == 0) ||
                (sim->results_file && strcmp(word, sim->results_file) == 0);
    for (int i = 0; i < sim->template_count; i++) found |= strcmp(word, sim->templates[i].to) == 0;
    for (int i = 0; i < sim->file_count; i++) {
        size_t length = strlen(sim->files[i].to);
        found |= strncmp(word, sim->files[i].to, length) == 0 &&
                 (word[length] == '\0' || word[length] == '/');
    }
    for (int i = 0; i < sim->instruction_count; i++) found |= strcmp(word, sim->instructions[i].file) == 0;
    return found;
}

/* The part that a word plays: the program of a simple command, the first argument of a program that is found in PATH (a
 * script, if the program is an interpreter), or another. */
typedef enum { PROGRAM, SCRIPT, OTHER } word_role;

/* The absolute path of the file that a word means, or NULL to leave it: freed by the caller. */
static char *locate(const simulator *sim, const char *word, word_role role)
{
    struct stat about;
    int has_slash = strchr(word, '/') != NULL;
    if (!is_plain(word) || word[0] == '/' || is_in_folder(sim, word) || (role != SCRIPT && !has_slash))
        return NULL;
    char *path = files_join(sim->directory, strncmp(word, "./", 2) == 0 ? word + 2 : word);
    int found = path && stat(path, &about) == 0 && S_ISREG(about.st_mode) &&
                (role != OTHER || access(path, X_OK) == 0);
    if (found) return path;
    free(path);
    return NULL;
}

static int is_assignment(const char *word)
{
    size_t name = strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789");
    return name > 0 && word[name] == '=';
}

static word_role role_after(word_role role, const char *word)
{
    if (role == PROGRAM) return is_assignment(word) ? PROGRAM : strchr(word, '/') ? OTHER : SCRIPT;
    return role == SCRIPT && word[0] == '-' ? SCRIPT : OTHER;
}

/* Copies sim->command with such words replaced. */
static gofh_status locate_programs(const simulator *sim, buffer *text, gofh_error *error)
{
    static const char SEPARATORS[] = " \t\n;|&()<>";
    word_role role = PROGRAM;
    int redirected = 0;
    for (const char *at = sim->command; *at;) {
        size_t length = strcspn(at, SEPARATORS);
        if (length == 0) {
            if (strchr("\n;|&(", *at)) role = PROGRAM;
            redirected = *at == '<' || *at == '>' || (redirected && (*at == ' ' || *at == '\t'));
            buffer_add(text, at++, 1);
            continue;
        }
        char *word = memory_new(length + 1, 1);
        if (!word) return error_memory(error);
        memcpy(word, at, length);
        char *path = redirected ? NULL : locate(sim, word, role);
        if (path)
            add_quoted(text, path, OUTSIDE);
        else
            buffer_add(text, at, length);
        if (!redirected) role = role_after(role, word);
        redirected = 0;
        free(path);
        free(word);
        at += length;
    }
    return GOFH_OK;
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
    gofh_status status = locate_programs(sim, &text, error);
    if (status == GOFH_OK && text.failed) status = error_memory(error);
    if (status == GOFH_OK && wants_files_appended(sim)) {
        while (text.length > 0 && strchr(" \t\r\n", text.bytes[text.length - 1]))
            text.bytes[--text.length] = '\0';
        buffer_text(&text, " {params} {results}");
    }
    if (status == GOFH_OK && text.failed) status = error_memory(error);
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
    char number[NUMBER_TEXT];
    snprintf(number, sizeof number, "%lld", trial);
    failed |= !(list[kept++] = setting("GOFH_TRIAL", number, ""));
    failed |= !(list[kept++] = setting("GOFH_RUN_DIR", folder, ""));
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

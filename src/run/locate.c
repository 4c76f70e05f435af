#include "run/locate.h"

#include "base/memory.h"
#include "run/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void locate_free(located_word *word)
{
    free(word->value);
    free(word->path);
    *word = (located_word){.value = NULL};
}

static const char *plain_name(const char *name)
{
    while (strncmp(name, "./", 2) == 0) name += 2;
    return name;
}

int locate_in_folder(const simulator *sim, const char *name)
{
    name = plain_name(name);
    int found = (sim->params_file && strcmp(name, sim->params_file) == 0) ||
                (sim->results_file && strcmp(name, sim->results_file) == 0);
    for (int i = 0; i < sim->template_count; i++) found |= strcmp(name, sim->templates[i].to) == 0;
    for (int i = 0; i < sim->file_count; i++) {
        size_t length = strlen(sim->files[i].to);
        found |= strncmp(name, sim->files[i].to, length) == 0 &&
                 (name[length] == '\0' || name[length] == '/');
    }
    for (int i = 0; i < sim->instruction_count; i++) found |= strcmp(name, sim->instructions[i].file) == 0;
    return found;
}

int locate_in_path(const char *name)
{
    const char *list = getenv("PATH");
    for (const char *at = list ? list : "/usr/bin:/bin"; at; at = strchr(at, ':')) {
        char path[4096];
        struct stat about;
        at += *at == ':';
        int length = (int)strcspn(at, ":");
        int written = snprintf(path, sizeof path, "%.*s/%s", length, at, name);
        if (length > 0 && written < (int)sizeof path && stat(path, &about) == 0 && S_ISREG(about.st_mode) &&
            access(path, X_OK) == 0)
            return 1;
        at += length;
        if (*at == '\0') break;
    }
    return 0;
}

/* ---- What the command itself writes in the run's folder ---- */

/* Programs that change the files they are given: these must never be the user's own. */
static int changes_files(const command_word *word)
{
    static const char *const NAMES[] = {"mv",    "rm",    "tee",  "touch",  "truncate",
                                        "patch", "mkdir", "gzip", "gunzip", "dd"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        if (strcmp(word->program, NAMES[i]) == 0) return 1;
    return 0;
}

static int copies_files(const command_word *word)
{
    return strcmp(word->program, "cp") == 0 || strcmp(word->program, "ln") == 0;
}

/* Whether sed -i is the program: `in_place` is what was seen of its options so far. */
static int edits_in_place(const command_word *word, const char *value, int *in_place)
{
    if (strcmp(word->program, "sed") != 0) {
        *in_place = 0;
        return 0;
    }
    if (value && (strncmp(value, "-i", 2) == 0 || strncmp(value, "--in-place", 10) == 0)) *in_place = 1;
    return *in_place;
}

/* Whether a word of the command makes or changes `name` in the run's folder. `copied`: as the copy
 * of a file too. */
static int is_written(const simulator *sim, const char *name, int copied)
{
    word_scan scan = words_begin(sim->command);
    command_word word;
    int in_place = 0, written = 0;
    while (!written && words_next(&scan, &word)) {
        const char *slash = NULL, *end = word.start + word.length;
        for (const char *at = word.start; at < end; at++)
            if (*at == '/') slash = at;
        char *value;
        if (words_value(&word, &value) != 0) return -1;
        int edits = edits_in_place(&word, value, &in_place);
        int writes = word.role == WORD_WRITTEN ||
                     (word.role == WORD_ARGUMENT && (changes_files(&word) || edits));
        int target = copies_files(&word) && word.is_last, source = copies_files(&word) && !target;
        const char *last = slash ? slash + 1 : word.start;
        size_t length = (size_t)(end - last);
        if ((writes || target) && value) written = strcmp(plain_name(value), name) == 0;
        if (source && copied && word.role == WORD_ARGUMENT)
            written = strlen(name) == length && memcmp(last, name, length) == 0;
        free(value);
        if (word.is_text) words_inside(&scan, &word);
    }
    return written;
}

/* ---- What lies beside the problem file ---- */

/* Whether it is what such a word may name: a file, or a folder that is written as a path. */
static int is_there(const char *path, const char *name, const command_word *word)
{
    struct stat about;
    int has_slash = strchr(name, '/') != NULL;
    if (stat(path, &about) != 0) return 0;
    if (word->role == WORD_PROGRAM)
        return S_ISREG(about.st_mode) && (has_slash || (access(path, X_OK) == 0 && !locate_in_path(name)));
    return S_ISREG(about.st_mode) || (S_ISDIR(about.st_mode) && has_slash);
}

/* The absolute path of a name; NULL with *failed 0: it means something else. */
static char *find(const simulator *sim, const command_word *word, const char *name, int *failed)
{
    *failed = 0;
    if (name[0] == '\0' || name[0] == '/' || name[0] == '-' || strcmp(name, "..") == 0 ||
        plain_name(name)[0] == '\0' || strcmp(plain_name(name), ".") == 0 || locate_in_folder(sim, name))
        return NULL;
    char *path = files_join(sim->directory, plain_name(name));
    if (!path) {
        *failed = 1;
        return NULL;
    }
    int is_source = word->role == WORD_ARGUMENT && copies_files(word) && !word->is_last;
    int found = is_there(path, name, word);
    if (found && word->role != WORD_PROGRAM) {
        int written = is_written(sim, plain_name(name), !is_source);
        *failed = written < 0;
        found = written == 0;
    }
    if (found) return path;
    free(path);
    return NULL;
}

int locate_word(const simulator *sim, const command_word *word, located_word *result)
{
    int failed = 0;
    *result = (located_word){.value = NULL};
    if (words_value(word, &result->value) != 0) return -1;
    if (!result->value || word->role == WORD_WRITTEN || word->role == WORD_ENDING) return 0;
    result->path = find(sim, word, result->value, &failed);
    const char *equals = strchr(result->value, '=');
    if (!failed && !result->path && equals && !word->is_text && word->role == WORD_ARGUMENT &&
        !memchr(word->start, '\\', word->length)) {
        result->before = (size_t)(equals - result->value) + 1;
        result->path = find(sim, word, equals + 1, &failed);
    }
    if (failed) locate_free(result);
    return failed ? -1 : 0;
}

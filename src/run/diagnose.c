#include "run/diagnose.h"

#include "base/letters.h"
#include "base/number.h"
#include "run/files.h"
#include "run/local.h"
#include "run/locate.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What the shell says of a command that it can't run or find. */
enum { NOT_EXECUTABLE = 126, NOT_FOUND = 127 };
enum { TAIL = 4096 };

typedef struct {
    const run *r;
    char errors[TAIL]; /* the end of its standard error */
    char *remedy;
    size_t size;
} diagnosis;

static int says(const diagnosis *d, const char *words)
{
    size_t length = strlen(words);
    for (const char *at = d->errors; *at; at++)
        if (letters_alike(at, words, length)) return 1;
    return 0;
}

/* In the words of shells, interpreters and the C library. */
static int says_missing(const diagnosis *d)
{
    static const char *const WORDS[] = {"no such file",   "not found",  "can't open",     "cannot open",
                                        "cannot find",    "can't find", "could not find", "could not open",
                                        "does not exist", "cannot stat"};
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
        if (says(d, WORDS[i])) return 1;
    return 0;
}

static int is_regular(const char *folder, const char *name)
{
    struct stat about;
    char *path = files_join(folder, name);
    int found = path && stat(path, &about) == 0 && S_ISREG(about.st_mode);
    free(path);
    return found;
}

/* ---- Scripts ---- */

/* The first line of a file, without its end; whether it ends as on Windows. */
static int first_line(const char *path, char *line, size_t size)
{
    int file = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    ssize_t count = file < 0 ? -1 : read(file, line, size - 1);
    if (file >= 0) close(file);
    line[count > 0 ? count : 0] = '\0';
    size_t length = strcspn(line, "\n");
    int windows = line[length] == '\n' && length > 0 && line[length - 1] == '\r';
    line[windows ? length - 1 : length] = '\0';
    return windows;
}

static int is_shell(const char *program)
{
    static const char *const NAMES[] = {"sh", "bash", "dash", "ksh", "zsh"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        if (strcmp(program, NAMES[i]) == 0) return 1;
    return 0;
}

/* A script that is there and can't be run all the same. */
static int blame_script(diagnosis *d, const command_word *word, const char *value, const char *path)
{
    (void)value;
    char line[256];
    struct stat about;
    int code = d->r->code, not_run = code == NOT_EXECUTABLE || code == NOT_FOUND;
    if (!path || stat(path, &about) != 0 || !S_ISREG(about.st_mode)) return 0;
    int windows = first_line(path, line, sizeof line), has_interpreter = strncmp(line, "#!", 2) == 0;
    if (windows && ((not_run && has_interpreter) || is_shell(word->program))) {
        snprintf(d->remedy, d->size,
                 "%s has Windows line ends (CR LF), which a script can't have: sed -i 's/\\r$//' %s", path,
                 path);
        return 1;
    }
    if (word->role != WORD_PROGRAM || !not_run) return 0;
    if (access(path, X_OK) != 0) {
        snprintf(d->remedy, d->size, "%s is not executable: chmod +x %s", path, path);
        return 1;
    }
    if (!has_interpreter) return 0;
    char *interpreter = line + 2 + strspn(line + 2, " \t");
    interpreter[strcspn(interpreter, " \t\r\n")] = '\0';
    if (!*interpreter || access(interpreter, X_OK) == 0) return 0;
    snprintf(d->remedy, d->size, "the first line of %s names %s, which is not there", path, interpreter);
    return 1;
}

/* ---- Files that are not there ---- */

/* Whether the errors have the name, not as part of another. */
static int names(const diagnosis *d, const char *name)
{
    static const char LETTERS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
    size_t length = strlen(name);
    for (const char *at = strstr(d->errors, name); at; at = strstr(at + 1, name)) {
        const char *end = at + length;
        int dotted = *end == '.' && end[1] && strchr(LETTERS, end[1]);
        if ((at == d->errors || !strchr(LETTERS, at[-1])) && (!*end || !strchr(LETTERS, *end)) && !dotted)
            return 1;
    }
    return 0;
}

static int blame_missing(diagnosis *d, const command_word *word, const char *value, const char *path)
{
    const run *r = d->r;
    const char *slash = strrchr(value, '/'), *name = slash ? slash + 1 : value;
    if ((path && path != value) || word->is_text || !*name || value[0] == '-') return 0;
    if (!names(d, name) || !says_missing(d)) return 0;
    if (word->role == WORD_PROGRAM && !slash) {
        if (r->code != NOT_FOUND || locate_in_path(value)) return 0;
        if (is_regular(r->simulator->directory, value))
            snprintf(d->remedy, d->size, "%s/%s is not executable: chmod +x %s/%s", r->simulator->directory,
                     value, r->simulator->directory, value);
        else
            snprintf(
                d->remedy, d->size,
                "there is no program %s in PATH, nor one in %s, beside the problem file: mend its name, or "
                "write its path",
                value, r->simulator->directory);
        return 1;
    }
    if (!slash && locate_in_path(value)) return 0;
    if (files_exists(r->folder, value) || files_exists(r->simulator->directory, value)) return 0;
    if (value[0] == '/')
        snprintf(d->remedy, d->size, "there is no %s", value);
    else
        snprintf(d->remedy, d->size,
                 "there is no %s in %s, beside the problem file, nor in the run's folder: write its path "
                 "relative to the problem file, or from / on",
                 value, r->simulator->directory);
    return 1;
}

/* Asks about each word of the command; `path` is NULL where it names no file. */
static int blame_words(diagnosis *d,
                       int (*ask)(diagnosis *, const command_word *, const char *value, const char *path))
{
    word_scan scan = words_begin(d->r->simulator->command);
    command_word word;
    int found = 0;
    while (!found && words_next(&scan, &word)) {
        located_word here;
        if (locate_word(d->r->simulator, &word, &here) != 0) return 0;
        const char *path = here.path ? here.path : here.value && here.value[0] == '/' ? here.value : NULL;
        if (here.value && word.role != WORD_WRITTEN && word.role != WORD_ENDING)
            found = ask(d, &word, here.value, path);
        if (word.is_text && !here.path) words_inside(&scan, &word);
        locate_free(&here);
    }
    return found;
}

/* A file that the simulator wanted by a name of its own, and that lies beside the problem file. */
static int blame_folder(diagnosis *d)
{
    static const char BETWEEN[] = " \t\r\n'\"`:,;()<>[]=";
    const run *r = d->r;
    size_t folder = strlen(r->folder);
    if (!says_missing(d)) return 0;
    for (const char *at = d->errors; *at;) {
        char name[256];
        size_t length = strcspn(at, BETWEEN);
        snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : 0), at);
        at += length;
        at += strspn(at, BETWEEN);
        const char *plain = strncmp(name, r->folder, folder) == 0 && name[folder] == '/' ? name + folder + 1
                                                                                         : name;
        while (strncmp(plain, "./", 2) == 0) plain += 2;
        if (!files_stays_inside(plain) || !is_regular(r->simulator->directory, plain) ||
            files_exists(r->folder, plain))
            continue;
        snprintf(d->remedy, d->size,
                 "%s lies in %s, beside the problem file, and the run has a folder of its own: list it under "
                 "files:, or let the simulator read $GOFH_PROBLEM_DIR/%s",
                 plain, r->simulator->directory, plain);
        return 1;
    }
    return 0;
}

/* A module of Python beside the problem file. */
static int blame_module(diagnosis *d)
{
    static const char WORDS[] = "No module named ";
    const char *at = strstr(d->errors, WORDS);
    char module[200], file[210];
    if (!at) return 0;
    at += sizeof WORDS - 1;
    at += *at == '\'';
    snprintf(module, sizeof module, "%.*s", (int)strcspn(at, "'\r\n. "), at);
    snprintf(file, sizeof file, "%s.py", module);
    const char *directory = d->r->simulator->directory;
    if (files_stays_inside(module) && (files_exists(directory, module) || files_exists(directory, file)))
        snprintf(d->remedy, d->size,
                 "%s lies in %s, beside the problem file, where Python does not look: begin the command with "
                 "PYTHONPATH=$GOFH_PROBLEM_DIR",
                 files_exists(directory, file) ? file : module, directory);
    return 1;
}

/* What is wrong with a program before it looks at its parameters. */
static int blame_program(const diagnosis *d)
{
    static const char *const WORDS[] = {
        "syntaxerror: ", "indentationerror: ", "error while loading shared libraries"};
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
        if (says(d, WORDS[i])) return 1;
    return 0;
}

/* What came before them is about something else. */
static void keep_last_lines(char *text)
{
    enum { LINES = 4 };
    char *from = text + strlen(text);
    for (int lines = 0; from > text; from--)
        if (from[-1] == '\n' && from[0] && ++lines == LINES) break;
    memmove(text, from, strlen(from) + 1);
}

int diagnose_command(const run *r, char *remedy, size_t size)
{
    diagnosis d = {.r = r, .remedy = remedy, .size = size};
    remedy[0] = '\0';
    files_tail(r->folder, LOCAL_STDERR, d.errors, sizeof d.errors);
    keep_last_lines(d.errors);
    int blamed = blame_words(&d, blame_script) || blame_words(&d, blame_missing) || blame_folder(&d) ||
                 blame_module(&d) || blame_program(&d);
    number_make_printable(remedy);
    return blamed;
}

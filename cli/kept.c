#include "cli/kept.h"

#include "base/file.h"
#include "cli/commands.h"
#include "cli/message.h"
#include "cli/places.h"
#include "run/command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *in_check(const session *s, const char *name)
{
    size_t size = strlen(s->directory) + strlen(name) + sizeof "/check/";
    char *path = malloc(size);
    if (path) snprintf(path, size, "%s/check/%s", s->directory, name);
    return path;
}

static int is_there(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0;
}

/* The command, and the sizes and times of the files that it is made of, as a short text. */
static int fingerprint(const session *s, char text[24])
{
    buffer all = {0};
    gofh_status status = command_fingerprint(&s->file.simulator, &all, NULL);
    unsigned long long hash = 14695981039346656037ULL; /* FNV-1a */
    for (size_t i = 0; i < all.length; i++) hash = (hash ^ (unsigned char)all.bytes[i]) * 1099511628211ULL;
    snprintf(text, 24, "%016llx", hash);
    buffer_free(&all);
    return status ? session_no_memory(s) : EXIT_DONE;
}

static int replace(gofh_study *study, const char *next, const char *path)
{
    unlink(next);
    gofh_status status = gofh_study_save(study, next);
    if (status) {
        message_print(stderr, "gofh check: the run can't be kept: %s\n", gofh_study_message(study));
        return session_exit(status);
    }
    if (rename(next, path) == 0) return EXIT_DONE;
    message_print(stderr, "gofh check: the run can't be kept: %s: %s\n", path, strerror(errno));
    return EXIT_STUDY;
}

int kept_save(const session *s, gofh_study *study, int *is_kept)
{
    char text[24];
    *is_kept = !is_there(s->database);
    if (!*is_kept) return EXIT_DONE;
    int outcome = fingerprint(s, text);
    if (outcome) return outcome;
    if (gofh_study_set_note(study, 1, NOTE_CHECKED, text)) return session_no_memory(s);
    char *next = in_check(s, "study.db.new"), *lock = in_check(s, "study.db.new.lock"),
         *path = in_check(s, "study.db");
    outcome = next && lock && path ? replace(study, next, path) : session_no_memory(s);
    if (lock) unlink(lock);
    free(next);
    free(lock);
    free(path);
    return outcome;
}

/* Whether the run is of this problem and this simulator; why not is said, if that matters. */
static int fits(const session *s, const char *path, int say)
{
    char now[24];
    gofh_error error = {0};
    gofh_study *study;
    if (fingerprint(s, now)) return 0;
    const char *why = "the command or a file of the simulator has changed since then";
    int same = 0;
    if (gofh_study_open(&study, path, GOFH_OPEN_READ, s->file.problem, &s->file.settings, &error)) {
        why = error.message;
    } else {
        const char *then = gofh_study_note(study, 1, NOTE_CHECKED);
        same = then && strcmp(then, now) == 0;
        if (same && !places_fit(s, study, 1)) {
            same = 0;
            why = "the places of the data (at) have changed since then";
        }
        gofh_study_free(study);
    }
    if (!same && say)
        message_print(stderr, "gofh %s: the run of gofh check is not taken into the study: %s\n", s->command,
                      why);
    return same;
}

/* The same file under the study's name, unless there is one meanwhile. */
static int become_study(const session *s, const char *path)
{
    if (link(path, s->database) == 0) {
        unlink(path);
        return EXIT_DONE;
    }
    if (errno == EEXIST) return EXIT_DONE;
    /* Where there are no links. */
    if (rename(path, s->database) == 0) return EXIT_DONE;
    message_print(stderr, "gofh %s: %s can't be made: %s\n", s->command, s->database, strerror(errno));
    return EXIT_STUDY;
}

/* One who was killed while the file became the study leaves it with both names. */
static int finish_becoming(const session *s)
{
    struct stat study, kept;
    char *path = in_check(s, "study.db");
    if (!path) return session_no_memory(s);
    if (lstat(path, &kept) == 0 && lstat(s->database, &study) == 0 && file_same(&kept, &study)) unlink(path);
    free(path);
    return EXIT_DONE;
}

int kept_take(const session *s, gofh_open_mode mode, char **path)
{
    *path = NULL;
    if (!s->file.simulator.command) return EXIT_DONE;
    if (is_there(s->database)) return mode == GOFH_OPEN_WRITE ? finish_becoming(s) : EXIT_DONE;
    char *found = in_check(s, "study.db");
    if (!found) return session_no_memory(s);
    int outcome = EXIT_DONE;
    if (is_there(found) && fits(s, found, mode == GOFH_OPEN_WRITE)) {
        if (mode == GOFH_OPEN_WRITE) {
            outcome = become_study(s, found);
        } else {
            *path = found;
            return EXIT_DONE;
        }
    }
    free(found);
    return outcome;
}

#include "cli/figures.h"

#include "base/file.h"
#include "cli/commands.h"
#include "cli/describe.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int make_folder(const session *s, const char *folder)
{
    struct stat found;
    if (mkdir(folder, 0777) == 0) return EXIT_DONE;
    int reason = errno;
    if (stat(folder, &found) == 0 && S_ISDIR(found.st_mode)) return EXIT_DONE;
    fprintf(stderr, "gofh %s: the folder %s can't be made: %s\n", s->command, folder, strerror(reason));
    return EXIT_STUDY;
}

/* rsvg-convert of `from`, of 300 dots an inch, into an open file. 0; 1: it is not installed; -1: it
 * failed. */
static int run_converter(char *from, int to)
{
    char *const words[] = {(char[]){"rsvg-convert"},
                           (char[]){"--dpi-x=300"},
                           (char[]){"--dpi-y=300"},
                           (char[]){"--"},
                           from,
                           NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    int ended, status = posix_spawn_file_actions_init(&actions);
    if (status) return -1;
    status = posix_spawn_file_actions_adddup2(&actions, to, STDOUT_FILENO);
    if (!status) status = posix_spawnp(&child, words[0], &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (status) return status == ENOENT ? 1 : -1;
    while (waitpid(child, &ended, 0) < 0)
        if (errno != EINTR) return -1;
    return WIFEXITED(ended) && WEXITSTATUS(ended) == 0     ? 0
           : WIFEXITED(ended) && WEXITSTATUS(ended) == 127 ? 1
                                                           : -1;
}

/* The same for a figure of the folder: the PNG gets its name when it is whole. */
static int convert(const char *folder, const char *id)
{
    char from[4096], to[4096], *part;
    if (snprintf(from, sizeof from, "%s/%s.svg", folder, id) >= (int)sizeof from) return -1;
    if (snprintf(to, sizeof to, "%s/%s.png", folder, id) >= (int)sizeof to) return -1;
    int file = file_beside(to, &part);
    if (file < 0) return -1;
    int status = run_converter(from, file);
    if (close(file) && !status) status = -1;
    if (status)
        unlink(part);
    else if (file_take_name(part, to))
        status = -1;
    free(part);
    return status;
}

/* How many PNGs there are; what keeps them away is said. */
static int convert_all(const session *s, const char *folder, char (*ids)[REPORT_ID], int count)
{
    int made = 0;
    for (int i = 0; i < count; i++) {
        int status = convert(folder, ids[i]);
        if (status > 0) {
            fprintf(stderr,
                    "gofh %s: no PNG is made: rsvg-convert is not installed (Debian's librsvg2-bin)\n",
                    s->command);
            return made;
        }
        if (status < 0)
            fprintf(stderr, "gofh %s: rsvg-convert failed for %s/%s.svg\n", s->command, folder, ids[i]);
        made += status == 0;
    }
    return made;
}

int figures_write(const session *s, const described *d, const char *folder, int json)
{
    char(*ids)[REPORT_ID];
    int count;
    gofh_error error = {0};
    int outcome = make_folder(s, folder);
    if (outcome) return outcome;
    gofh_status status = report_figures(folder, &d->input, &ids, &count, &error);
    if (status) {
        fprintf(stderr, "gofh %s: %s\n", s->command, error.message);
        return session_exit(status);
    }
    int pictures = convert_all(s, folder, ids, count);
    if (json) {
        json_t *object = json_object(), *names = json_array();
        for (int i = 0; i < count; i++) json_array_append_new(names, describe_text(ids[i]));
        json_object_set_new(object, "folder", describe_text(folder));
        json_object_set_new(object, "figures", names);
        json_object_set_new(object, "png", json_boolean(pictures == count));
        outcome = describe_print(s, object);
    } else {
        for (int i = 0; i < count; i++) printf("%s/%s.svg\n", folder, ids[i]);
        printf("%d figures, each with its numbers in a .csv%s\n", count,
               pictures == count && count ? " and its picture in a .png" : "");
    }
    free(ids);
    return outcome;
}

#include "cli/outside.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void outside_tail(const char *directory, const char *folder, const char *name, char text[OUTSIDE_TAIL + 1])
{
    char path[4096];
    text[0] = '\0';
    if (snprintf(path, sizeof path, "%s/runs/%s/%s", directory, folder, name) >= (int)sizeof path) return;
    int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat about;
    if (file < 0) return;
    if (fstat(file, &about) == 0 && S_ISREG(about.st_mode)) {
        off_t from = about.st_size > OUTSIDE_TAIL ? about.st_size - OUTSIDE_TAIL : 0;
        ssize_t count = pread(file, text, OUTSIDE_TAIL, from);
        text[count > 0 ? count : 0] = '\0';
        for (ssize_t i = 0; i < count; i++)
            if (!text[i]) text[i] = ' ';
        char *line = from ? strchr(text, '\n') : NULL;
        if (line) memmove(text, line + 1, strlen(line + 1) + 1);
    }
    close(file);
}

double outside_began(const session *s, const char *folder)
{
    char path[4096];
    struct stat about;
    const char *name = s->file.simulator.params_file;
    if (name && snprintf(path, sizeof path, "%s/runs/%s/%s", s->directory, folder, name) < (int)sizeof path &&
        stat(path, &about) == 0)
        return (double)about.st_mtim.tv_sec;
    if (snprintf(path, sizeof path, "%s/runs/%s", s->directory, folder) < (int)sizeof path &&
        stat(path, &about) == 0)
        return (double)about.st_mtim.tv_sec;
    return NAN;
}

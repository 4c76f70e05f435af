#include "bench/picture.h"

#include "bench/results.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static char *joined(const char *first, const char *second)
{
    size_t size = strlen(first) + strlen(second) + 1;
    char *text = malloc(size);
    if (text) snprintf(text, size, "%s%s", first, second);
    return text;
}

gofh_status bench_picture_open(bench_picture *picture, const char *folder, const char *name,
                               gofh_error *error)
{
    *picture = (bench_picture){0};
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return bench_fail(error, GOFH_ERROR_SYSTEM, "can't make the folder %s: %s", folder, strerror(errno));
    char *inside = joined(folder, "/");
    picture->path = inside ? joined(inside, name) : NULL;
    char *svg = picture->path ? joined(picture->path, ".svg") : NULL;
    gofh_status status = svg ? GOFH_OK : GOFH_ERROR_MEMORY;
    if (svg) picture->file = fopen(svg, "w");
    if (svg && !picture->file)
        status = bench_fail(error, GOFH_ERROR_SYSTEM, "can't write %s: %s", svg, strerror(errno));
    if (status) {
        free(picture->path);
        picture->path = NULL;
    }
    free(inside);
    free(svg);
    return status;
}

/* Whether there is a PNG now. Twice the size, for sharp letters. */
static int convert(char *svg, char *png)
{
    char tool[] = "rsvg-convert", zoom[] = "--zoom=2", output[] = "--output";
    char *arguments[] = {tool, zoom, output, png, svg, NULL};
    pid_t child;
    int status;
    if (posix_spawnp(&child, tool, NULL, NULL, arguments, environ) != 0) return 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return 0;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

gofh_status bench_picture_close(bench_picture *picture, gofh_status status, gofh_error *error)
{
    char *svg = joined(picture->path, ".svg"), *png = joined(picture->path, ".png");
    int failed = fflush(picture->file) != 0 || ferror(picture->file);
    failed |= fclose(picture->file) != 0;
    if (!status && (!svg || !png)) status = GOFH_ERROR_MEMORY;
    if (!status && failed)
        status = bench_fail(error, GOFH_ERROR_SYSTEM, "can't write %s: %s", svg, strerror(errno));
    if (!status) {
        printf("%s\n", svg);
        fflush(stdout);
        if (convert(svg, png)) printf("%s\n", png);
    } else if (svg) {
        unlink(svg);
    }
    free(svg);
    free(png);
    free(picture->path);
    return status;
}

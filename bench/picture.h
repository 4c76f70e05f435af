/* A picture on its way to a folder: SVG, and PNG beside it where rsvg-convert is installed. */
#ifndef BENCH_PICTURE_H
#define BENCH_PICTURE_H

#include "gofh.h"

#include <stdio.h>

typedef struct {
    FILE *file; /* write the SVG here */
    char *path; /* without its extension */
} bench_picture;

/* Makes the folder if it is not there. */
gofh_status bench_picture_open(bench_picture *picture, const char *folder, const char *name,
                               gofh_error *error);
/* Ends it, after a status of drawing: a failed one is removed. Says on stdout what was written. */
gofh_status bench_picture_close(bench_picture *picture, gofh_status status, gofh_error *error);

#endif

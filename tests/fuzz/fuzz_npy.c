/* libFuzzer: any bytes, treated as NumPy's file, are refused with a message or give finite
 * numbers: those that stand at the end of the file. */
#include "run/results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition)
{
    if (!condition) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char *names[] = {"c", "t"}, folder[] = "/";
    static int sizes[] = {3, 1};
    simulator sim = {.directory = folder, .output_count = 2, .output_names = names, .output_sizes = sizes};
    double y[4] = {NAN, NAN, NAN, NAN};
    gofh_error error = {.status = GOFH_OK};
    /* A copy without a zero byte at its end, so that a reader that goes on is caught. */
    char *bytes = malloc(size ? size : 1);
    if (!bytes) return 0;
    memcpy(bytes, data, size);
    gofh_status status = results_npy(&sim, "results", bytes, size, y, &error);
    free(bytes);
    if (status == GOFH_OK) {
        for (int i = 0; i < 4; i++) require(isfinite(y[i]));
        double last;
        float last_float;
        memcpy(&last, data + size - 8, 8);
        memcpy(&last_float, data + size - 4, 4);
        require(y[3] == last || y[3] == (double)last_float);
    } else {
        require(status == GOFH_ERROR_ARGUMENT && error.message[0] != '\0');
        for (const char *at = error.message; *at; at++) require((unsigned char)*at >= ' ');
    }
    status = results_raw(&sim, "results", (const char *)data, size, y, &(gofh_error){.status = GOFH_OK});
    require(status == GOFH_OK ? size == 32 : status == GOFH_ERROR_ARGUMENT);
    return 0;
}

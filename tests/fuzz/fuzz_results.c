/* libFuzzer: any bytes, treated as results in each of the formats, are refused with a message or
 * give finite numbers, or none where they may be missing. */
#include "run/results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef gofh_status (*reader)(const simulator *, const char *, const char *, size_t, double *, gofh_error *);

static void check(reader read, const simulator *sim, const char *bytes, size_t size)
{
    double y[4] = {NAN, NAN, NAN, NAN};
    gofh_error error = {.status = GOFH_OK};
    gofh_status status = read(sim, "results", bytes, size, y, &error);
    if (status != GOFH_OK && (status != GOFH_ERROR_ARGUMENT || error.message[0] == '\0')) abort();
    for (int i = 0; status == GOFH_OK && i < 4; i++)
        if (!isfinite(y[i]) && !(sim->output_missing && i < 3 && isnan(y[i]))) abort();
    for (const char *at = error.message; *at; at++)
        if ((unsigned char)*at < ' ') abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char *names[] = {"c", "t"}, folder[] = "/";
    static int sizes[] = {3, 1}, missing[] = {1, 0};
    simulator sim = {.directory = folder, .output_count = 2, .output_names = names, .output_sizes = sizes};
    /* A copy without a zero byte at its end, so that a reader that goes on is caught. */
    char *bytes = malloc(size ? size : 1);
    if (!bytes) return 0;
    memcpy(bytes, data, size);
    check(results_json, &sim, bytes, size);
    check(results_plain, &sim, bytes, size);
    check(results_dakota, &sim, bytes, size);
    check(results_csv, &sim, bytes, size);
    sim.output_missing = missing;
    check(results_json, &sim, bytes, size);
    check(results_plain, &sim, bytes, size);
    check(results_csv, &sim, bytes, size);
    static const double at[] = {0.5, 2.0, 3.5};
    static simulator_curve curves[2] = {{.at_name = "t", .at = at}};
    sim.output_curves = curves;
    check(results_json, &sim, bytes, size);
    check(results_csv, &sim, bytes, size);
    sim.output_curves = NULL;
    sim.output_missing = NULL;
    sim.column = names[0];
    check(results_csv, &sim, bytes, size);
    free(bytes);
    return 0;
}

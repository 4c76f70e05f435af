/* libFuzzer: any template, of both kinds, is refused with a message or filled in. */
#include "run/template.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char *names[] = {"M", "D", "long_name"}, folder[] = "/";
    static const double x[] = {10.0, -1.0 / 3.0, 1.7976931348623157e308};
    simulator sim = {.directory = folder, .parameter_count = 3, .parameter_names = names};
    char *text = malloc(size ? size : 1);
    if (!text) abort();
    memcpy(text, data, size);
    buffer file = {0};
    gofh_error error = {.status = GOFH_OK};
    gofh_status status = template_fill(&sim, "t", text, size, x, &file, &error);
    if (status != GOFH_OK && (status != GOFH_ERROR_PROBLEM || error.message[0] == '\0')) abort();
    buffer_free(&file);
    free(text);
    return 0;
}

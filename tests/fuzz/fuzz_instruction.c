/* libFuzzer: an instruction file and, after a zero byte, the file that it reads: refused with a
 * message, or all outputs are finite numbers. */
#include "run/instruction.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char *names[] = {"c", "t"}, folder[] = "/";
    static int sizes[] = {3, 1};
    simulator sim = {.directory = folder, .output_count = 2, .output_names = names, .output_sizes = sizes};
    const uint8_t *zero = size > 0 ? memchr(data, 0, size) : NULL;
    size_t length = zero ? (size_t)(zero - data) : size, rest = zero ? size - length - 1 : 0;
    char *text = malloc(length + 1), *output = malloc(rest + 1), *seen = instruction_seen(&sim);
    if (!text || !output || !seen) abort();
    memcpy(text, data, length);
    if (zero) memcpy(output, zero + 1, rest);
    double y[4] = {NAN, NAN, NAN, NAN};
    gofh_error error = {.status = GOFH_OK};
    gofh_status status = instruction_read(&sim, "i", text, length, "o", output, rest, y, seen, &error);
    if (status == GOFH_OK) status = instruction_all_seen(&sim, seen, &error);
    if (status != GOFH_OK && error.message[0] == '\0') abort();
    for (int i = 0; status == GOFH_OK && i < 4; i++)
        if (!isfinite(y[i])) abort();
    free(text);
    free(output);
    free(seen);
    return 0;
}

/* libFuzzer: an input of Dakota, or a control file of PEST (one that begins with "pcf"): refused with a
 * message, or parameters with finite bounds, the lower below the upper. */
#include "cli/draft.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static draft d;
    char *bytes = malloc(size + 1);
    if (!bytes) abort();
    if (size > 0) memcpy(bytes, data, size);
    bytes[size] = '\0';
    d = (draft){.budget = 60, .seed = 1};
    int refused = draft_begins(bytes, "pcf") ? draft_from_pest(&d, bytes, "f")
                                             : draft_from_dakota(&d, bytes, "f");
    if (refused && d.error[0] == '\0') abort();
    if (!refused && (d.count < 1 || d.budget < 1)) abort();
    for (int i = 0; i < d.count; i++) {
        const draft_parameter *p = &d.parameters[i];
        if (!isfinite(p->lower) || !isfinite(p->upper) || !(p->lower < p->upper) || !draft_is_name(p->name))
            abort();
    }
    draft_free(&d);
    free(bytes);
    return 0;
}

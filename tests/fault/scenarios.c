#include "fault/scenarios.h"

#include "base/memory.h"

#include <stdlib.h>

static gofh_status base_memory(void)
{
    double *numbers = memory_doubles(10);
    char *text = memory_copy_text("tau");
    int *items = NULL;
    size_t capacity = 0;
    int grown = memory_grow((void **)&items, &capacity, 3, sizeof *items);
    if (grown == 0) grown = memory_grow((void **)&items, &capacity, 100, sizeof *items);
    gofh_status status = numbers && text && grown == 0 ? GOFH_OK : GOFH_ERROR_MEMORY;
    free(items);
    free(text);
    free(numbers);
    return status;
}

const fault_scenario FAULT_SCENARIOS[] = {
    {"base_memory", base_memory},
    {NULL, NULL},
};

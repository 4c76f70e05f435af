#include "study/methods.h"

#include <string.h>

static const method METHODS[] = {
    {"gofh", MODEL_OF_H, PART_ALL, suggest_gofh, report_improvement},
    {"ei-cf", MODEL_OF_H, 0, suggest_improvement, report_improvement},
    {"pi-cf", MODEL_OF_H, 0, suggest_probability, report_probability},
    {"random-cf", MODEL_OF_H, 0, suggest_random, NULL},
    {"ei", MODEL_OF_F, 0, suggest_improvement, report_improvement},
    {"pi", MODEL_OF_F, 0, suggest_probability, report_probability},
    {"pes", MODEL_OF_F, 0, suggest_entropy, report_entropy},
    {"random", MODEL_OF_F, 0, suggest_random, NULL},
};

enum { METHOD_COUNT = sizeof METHODS / sizeof METHODS[0] };

#define VARIANT(name, part)                                                                                  \
    {                                                                                                        \
        name, MODEL_OF_H, PART_ALL & ~(unsigned)(part), suggest_gofh, report_improvement                     \
    }
static const method VARIANTS[] = {
    VARIANT("gofh-no-nugget", PART_NUGGET),
    VARIANT("gofh-no-trend", PART_TREND),
    VARIANT("gofh-no-screening", PART_SCREENING),
    VARIANT("gofh-no-noise", PART_NOISE),
    VARIANT("gofh-no-logarithm", PART_LOGARITHM),
    VARIANT("gofh-no-asinh", PART_ASINH),
    VARIANT("gofh-no-sharing", PART_SHARING),
    VARIANT("gofh-no-feasibility", PART_FEASIBILITY),
    VARIANT("gofh-no-diversify", PART_DIVERSIFY),
    VARIANT("gofh-no-local", PART_LOCAL),
    VARIANT("gofh-no-replicate", PART_REPLICATE),
    VARIANT("gofh-no-exploit", PART_EXPLOIT),
    VARIANT("gofh-no-restart", PART_RESTART),
    VARIANT("gofh-no-geometry", PART_GEOMETRY),
    VARIANT("gofh-no-basins", PART_BASINS),
    VARIANT("gofh-no-fantasies", PART_FANTASIES),
    VARIANT("gofh-no-roughness", PART_ROUGHNESS),
    VARIANT("gofh-no-places", PART_PLACES),
    {"gofh-correlated", MODEL_OF_H, PART_ALL | PART_CORRELATION, suggest_gofh, report_improvement},
};
#undef VARIANT
enum { VARIANT_COUNT = sizeof VARIANTS / sizeof VARIANTS[0] };

const method *study_method(const char *name)
{
    if (strcmp(name, "gofh-no-far") == 0) name = "gofh-no-restart"; /* as studies of 0.1 have it */
    for (int i = 0; i < METHOD_COUNT; i++)
        if (strcmp(METHODS[i].name, name) == 0) return &METHODS[i];
    for (int i = 0; i < VARIANT_COUNT; i++)
        if (strcmp(VARIANTS[i].name, name) == 0) return &VARIANTS[i];
    return NULL;
}

const char *study_method_variant(int index)
{
    return index >= 0 && index < VARIANT_COUNT ? VARIANTS[index].name : NULL;
}

const char *study_method_name(int index)
{
    return index >= 0 && index < METHOD_COUNT ? METHODS[index].name : NULL;
}

#include "cli/places.h"

#include "cli/commands.h"
#include "cli/message.h"

#include <stdio.h>
#include <string.h>

#define NOTE_PLACES "places"

enum { TEXT = 24 };

static uint64_t add(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < size; i++) hash = (hash ^ byte[i]) * 1099511628211U; /* FNV-1a */
    return hash;
}

/* The places of all curves as a short text; empty where there are no curves. */
static void fingerprint(const session *s, char text[TEXT])
{
    const simulator *sim = &s->file.simulator;
    uint64_t hash = 14695981039346656037U;
    text[0] = '\0';
    for (int i = 0; sim->output_curves && i < s->file.output_count; i++) {
        const simulator_curve *curve = &sim->output_curves[i];
        if (!curve->at_name) continue;
        size_t size = (size_t)s->file.outputs[i].size * sizeof *curve->at;
        hash = add(add(hash, &i, sizeof i), curve->at, size);
        snprintf(text, TEXT, "%016llx", (unsigned long long)hash);
    }
}

gofh_status places_note(const session *s, gofh_study *study, int64_t trial)
{
    char text[TEXT];
    fingerprint(s, text);
    return *text ? gofh_study_set_note(study, trial, NOTE_PLACES, text) : GOFH_OK;
}

int places_fit(const session *s, gofh_study *study, int64_t trial)
{
    char now[TEXT];
    fingerprint(s, now);
    const char *then = *now ? gofh_study_note(study, trial, NOTE_PLACES) : NULL;
    return !then || strcmp(then, now) == 0;
}

int places_check(const session *s)
{
    for (int64_t i = 1; s->file.simulator.output_curves && i <= gofh_study_count(s->study); i++) {
        if (places_fit(s, s->study, i)) continue;
        message_print(
            stderr,
            "gofh %s: the places of the data (at) have changed since trial %lld, whose curves are known "
            "at the old ones only. Change them back, or read the curves at the new ones from the files of "
            "the runs: gofh reread %s\n",
            s->command, (long long)i, s->file.path);
        return EXIT_USAGE;
    }
    return EXIT_DONE;
}

#include "run/results.h"

#include "base/error.h"
#include "base/letters.h"
#include "base/number.h"
#include "run/files.h"
#include "run/instruction.h"
#include "run/local.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int results_size(const simulator *sim)
{
    int size = 0;
    for (int i = 0; i < sim->output_count; i++) size += sim->output_sizes[i];
    return size;
}

void results_label(const simulator *sim, int index, char *text, size_t size)
{
    int i = 0;
    while (i + 1 < sim->output_count && index >= sim->output_sizes[i]) index -= sim->output_sizes[i++];
    if (sim->output_sizes[i] == 1)
        snprintf(text, size, "%s", sim->output_names[i]);
    else
        snprintf(text, size, "%s[%d]", sim->output_names[i], index);
}

/* Whether it is a number as locales with a decimal comma have it. */
static int has_comma(const char *bytes, size_t count)
{
    char text[64];
    double ignored;
    if (count >= sizeof text) return 0;
    memcpy(text, bytes, count);
    char *comma = memchr(text, ',', count);
    if (!comma) return 0;
    *comma = '.';
    return number_read(text, count, &ignored) == NUMBER_FINE;
}

gofh_status results_number(const char *name, int line, const char *bytes, size_t count, double *value,
                           gofh_error *error)
{
    number_kind kind = number_read(bytes, count, value);
    if (kind == NUMBER_FINE) return GOFH_OK;
    char excerpt[NUMBER_EXCERPT];
    number_excerpt(bytes, count, excerpt);
    if (error && error->status == GOFH_OK) error->line = line;
    return error_set(error, GOFH_ERROR_ARGUMENT,
                     kind == NUMBER_NOT_FINITE ? "%s:%d: \"%s\" is not a finite number"
                     : has_comma(bytes, count)
                         ? "%s:%d: \"%s\" has a decimal comma: numbers have a point, which "
                           "LC_ALL=C in the environment of the simulator gives them"
                         : "%s:%d: \"%s\" is not a number",
                     name, line, excerpt);
}

int results_may_miss(const simulator *sim, int index)
{
    int i = 0;
    if (!sim->output_missing) return 0;
    while (i + 1 < sim->output_count && index >= sim->output_sizes[i]) index -= sim->output_sizes[i++];
    return index < sim->output_sizes[i] && sim->output_missing[i];
}

/* Whether a text says that there is no value. */
static int says_missing(const char *bytes, size_t count)
{
    static const char *const words[] = {"na", "nan", "null", "-nan"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == count && letters_alike(bytes, words[i], count)) return 1;
    return count == 0;
}

int results_is_curve(const simulator *sim, int output)
{
    return sim->output_curves && sim->output_curves[output].at_name;
}

gofh_status results_value(int may_miss, const char *name, int line, const char *bytes, size_t count,
                          double *value, gofh_error *error)
{
    if (!may_miss || !says_missing(bytes, count))
        return results_number(name, line, bytes, count, value, error);
    *value = NAN;
    return GOFH_OK;
}

/* A result in which everything is missing is none. */
static gofh_status check_known(const simulator *sim, const double *y, gofh_error *error)
{
    int size = results_size(sim);
    for (int i = 0; i < size; i++)
        if (!isnan(y[i])) return GOFH_OK;
    return error_set(error, GOFH_ERROR_ARGUMENT, "all values of all outputs are missing");
}

static gofh_status read_instructions(const simulator *sim, const char *folder, double *y, gofh_error *error)
{
    gofh_status status = GOFH_OK;
    char *seen = instruction_seen(sim);
    if (!seen) return error_memory(error);
    for (int i = 0; status == GOFH_OK && i < sim->instruction_count; i++) {
        const simulator_instruction *pair = &sim->instructions[i];
        buffer text = {0}, output = {0};
        char *path = files_source(sim->directory, pair->instruction);
        status = path ? files_load(path, &text, error) : error_memory(error);
        if (status == GOFH_OK) status = files_load_result(folder, pair->file, &output, error);
        if (status == GOFH_OK)
            status = instruction_read(sim, pair->instruction, text.bytes, text.length, pair->file,
                                      output.bytes, output.length, y, seen, error);
        free(path);
        buffer_free(&text);
        buffer_free(&output);
    }
    if (status == GOFH_OK) status = instruction_all_seen(sim, seen, error);
    free(seen);
    return status;
}

static gofh_status read_files(const simulator *sim, const char *folder, double *y, gofh_error *error)
{
    if (sim->results == RESULTS_INSTRUCTION) return read_instructions(sim, folder, y, error);
    const char *name = sim->results == RESULTS_STDOUT ? LOCAL_STDOUT : sim->results_file;
    buffer file = {0};
    gofh_status status = files_load_result(folder, name, &file, error);
    if (status == GOFH_OK) {
        switch (sim->results) {
        case RESULTS_JSON:
            status = results_json(sim, name, file.bytes, file.length, y, error);
            break;
        case RESULTS_CSV:
            status = results_csv(sim, name, file.bytes, file.length, y, error);
            break;
        case RESULTS_DAKOTA:
            status = results_dakota(sim, name, file.bytes, file.length, y, error);
            break;
        case RESULTS_NPY:
            status = results_npy(sim, name, file.bytes, file.length, y, error);
            break;
        case RESULTS_RAW:
            status = results_raw(sim, name, file.bytes, file.length, y, error);
            break;
        default:
            status = results_plain(sim, name, file.bytes, file.length, y, error);
        }
    }
    buffer_free(&file);
    return status;
}

gofh_status results_read(const simulator *sim, const char *folder, double *y, gofh_error *error)
{
    gofh_status status = read_files(sim, folder, y, error);
    return status ? status : check_known(sim, y, error);
}

int results_missing(const simulator *sim, const char *folder)
{
    int missing = 0;
    for (int i = 0; i < sim->instruction_count; i++)
        missing |= !files_exists(folder, sim->instructions[i].file);
    return missing || (sim->results_file && !files_exists(folder, sim->results_file));
}

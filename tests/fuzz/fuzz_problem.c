/* libFuzzer: any bytes are either refused with a message, in a place that the file has, or give a
 * problem that a study can be made of. */
#include "problem/problem_file.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* libfyaml 0.7.12 loses a kilobyte when a long quoted text is never closed; the unit tests watch
 * for ours. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfyaml";
}

static void require(int condition)
{
    if (!condition) abort();
}

/* Lines of the text at most: each ends with one of two characters. */
static int count_lines(const uint8_t *data, size_t size)
{
    int lines = 1;
    for (size_t i = 0; i < size; i++) lines += data[i] == '\n' || data[i] == '\r';
    return lines;
}

/* A large problem takes long to make a study of, and is no more interesting. */
static int is_small(const problem_file *file)
{
    int outputs = 0;
    for (int i = 0; i < file->output_count; i++) outputs += file->outputs[i].size;
    return outputs <= 100 && file->constraint_count <= 10;
}

static void check_study(const problem_file *file)
{
    gofh_study *study;
    gofh_error error = {.status = GOFH_OK};
    require(gofh_study_create(&study, file->problem, &file->settings, &error) == GOFH_OK);
    gofh_study_free(study);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    problem_file file;
    problem_error error = {.status = GOFH_OK};
    char text[64];
    /* A folder without files: no data are read. */
    gofh_status status = problem_file_parse(&file, "/proc/self/fdinfo/p.yaml", (const char *)data, size,
                                            &error);
    if (status) {
        require(error.status == status && error.message[0] != '\0' && !file.path);
        require(error.line <= count_lines(data, size) + 1 && (error.line == 0 || error.column >= 1));
        problem_error_text(&error, text, sizeof text);
    } else {
        require(file.parameter_count > 0 && file.output_count > 0 && file.objective);
        if (is_small(&file)) check_study(&file);
    }
    problem_file_free(&file);
    return 0;
}

#include "problem/text.h"

#include "base/memory.h"
#include "base/number.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void text_free(text_file *text)
{
    free(text->path);
    free(text->bytes);
    *text = (text_file){.path = NULL};
}

/* Bytes of the character that starts at `at`; 0 if it is none (Unicode, table 3-7). */
static size_t character_at(const text_file *text, size_t at)
{
    const unsigned char *c = (const unsigned char *)text->bytes + at;
    size_t left = text->length - at;
    if (c[0] < 0x80) return 1;
    size_t length = c[0] >= 0xc2 && c[0] <= 0xdf   ? 2
                    : (c[0] & 0xf0) == 0xe0        ? 3
                    : c[0] >= 0xf0 && c[0] <= 0xf4 ? 4
                                                   : 0;
    if (length == 0 || length > left) return 0;
    for (size_t i = 1; i < length; i++)
        if ((c[i] & 0xc0) != 0x80) return 0;
    if ((c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] > 0x9f)) return 0;
    if ((c[0] == 0xf0 && c[1] < 0x90) || (c[0] == 0xf4 && c[1] > 0x8f)) return 0;
    return length;
}

void text_place(const text_file *text, size_t at, int *line, int *column)
{
    *line = *column = 1;
    for (size_t i = text->start; i < at && i < text->length; i++) {
        char c = text->bytes[i];
        if (c == '\n' || (c == '\r' && text->bytes[i + 1] != '\n')) {
            ++*line;
            *column = 1;
        } else if (((unsigned char)c & 0xc0) != 0x80 && c != '\r') {
            ++*column;
        }
    }
}

gofh_status text_fail(const text_file *text, size_t at, problem_error *error, const char *format, ...)
{
    char message[sizeof error->message];
    va_list arguments;
    va_start(arguments, format);
    number_format_list(message, sizeof message, format, arguments);
    va_end(arguments);
    int line, column;
    text_place(text, at, &line, &column);
    return problem_error_set(error, GOFH_ERROR_PROBLEM, text->path, line, column, "%s", message);
}

static gofh_status check(const text_file *text, problem_error *error)
{
    size_t step;
    for (size_t at = text->start; at < text->length; at += step) {
        unsigned char c = (unsigned char)text->bytes[at];
        step = character_at(text, at);
        if (step == 0) {
            text_fail(text, at, error, "byte 0x%02x is not UTF-8", c);
            return problem_error_hint(error, "save the file as UTF-8");
        }
        if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f)
            return text_fail(text, at, error, "control character 0x%02x: this is not a text file", c);
    }
    return GOFH_OK;
}

/* Takes over the bytes. */
static gofh_status finish(text_file *text, const char *shown, problem_error *error)
{
    text->path = memory_copy_text(shown);
    if (text->length >= 3 && memcmp(text->bytes, "\xef\xbb\xbf", 3) == 0) text->start = 3;
    gofh_status status = text->path ? check(text, error) : problem_error_memory(error, shown);
    if (status) text_free(text);
    return status;
}

gofh_status text_take(text_file *text, const char *shown, const char *bytes, size_t length,
                      problem_error *error)
{
    *text = (text_file){.bytes = memory_new(length + 1, 1), .length = length};
    if (!text->bytes) return problem_error_memory(error, shown);
    memcpy(text->bytes, bytes, length);
    return finish(text, shown, error);
}

static gofh_status fail_system(const char *shown, int number, problem_error *error)
{
    return problem_error_set(error, GOFH_ERROR_SYSTEM, shown, 0, 0, "it can't be read: %s", strerror(number));
}

static gofh_status read_stream(text_file *text, FILE *stream, const char *shown, size_t most,
                               problem_error *error)
{
    size_t capacity = 0, read;
    do {
        if (memory_grow((void **)&text->bytes, &capacity, text->length + 4096, 1))
            return problem_error_memory(error, shown);
        read = fread(text->bytes + text->length, 1, capacity - text->length - 1, stream);
        text->length += read;
    } while (read > 0 && text->length <= most);
    if (ferror(stream)) return fail_system(shown, errno, error);
    if (text->length > most)
        return problem_error_set(error, GOFH_ERROR_PROBLEM, shown, 0, 0, "it is larger than %zu MiB",
                                 most >> 20);
    text->bytes[text->length] = '\0';
    return GOFH_OK;
}

gofh_status text_read(text_file *text, const char *path, const char *shown, size_t most, problem_error *error)
{
    *text = (text_file){.path = NULL};
    FILE *stream = fopen(path, "rb");
    if (!stream) return fail_system(shown, errno, error);
    gofh_status status = read_stream(text, stream, shown, most, error);
    fclose(stream);
    if (!status) return finish(text, shown, error);
    text_free(text);
    return status;
}

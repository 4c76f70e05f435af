/* Binary results: NumPy's .npy files, and doubles without a header. */
#include "run/results.h"

#include "base/error.h"
#include "base/number.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint64_t little_endian(const char *bytes, size_t count)
{
    uint64_t value = 0;
    for (size_t i = 0; i < count; i++) value |= (uint64_t)(unsigned char)bytes[i] << (8 * i);
    return value;
}

static double get_double(const char *bytes)
{
    uint64_t bits = little_endian(bytes, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double get_float(const char *bytes)
{
    uint32_t bits = (uint32_t)little_endian(bytes, 4);
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

/* Exactly as many numbers of `width` bytes as there are outputs. */
static gofh_status take_numbers(const simulator *sim, const char *name, const char *bytes, size_t width,
                                double *y, gofh_error *error)
{
    int size = results_size(sim);
    for (int i = 0; i < size; i++, bytes += width) {
        y[i] = width == 8 ? get_double(bytes) : get_float(bytes);
        if (isfinite(y[i])) continue;
        char label[128];
        results_label(sim, i, label, sizeof label);
        return error_set(error, GOFH_ERROR_ARGUMENT, "%s: %s is not a finite number", name, label);
    }
    return GOFH_OK;
}

gofh_status results_raw(const simulator *sim, const char *name, const char *bytes, size_t count, double *y,
                        gofh_error *error)
{
    size_t expected = 8 * (size_t)results_size(sim);
    if (count != expected)
        return error_set(error, GOFH_ERROR_ARGUMENT,
                         "%s has %zu bytes, %zu were expected: %d doubles of 8 bytes", name, count, expected,
                         results_size(sim));
    return take_numbers(sim, name, bytes, 8, y, error);
}

/* ---- The header of a .npy file: a dictionary as Python writes it ---- */

enum { DIMENSIONS_MAX = 64 }; /* as NumPy's */

typedef struct {
    const char *at, *end;
    char type[NUMBER_EXCERPT]; /* what "descr" says, without its quotes */
    int fortran, known;        /* known: which of the three keys were found, one bit each */
    int dimensions, wide;      /* wide: those that are not 1 */
    uint64_t count;            /* of numbers */
} header;

static void skip_blanks(header *h)
{
    while (h->at < h->end && (*h->at == ' ' || *h->at == '\n' || *h->at == '\t')) h->at++;
}

/* Whether this character is next; if so it is passed. */
static int pass(header *h, char c)
{
    skip_blanks(h);
    if (h->at == h->end || *h->at != c) return 0;
    h->at++;
    return 1;
}

static int pass_word(header *h, const char *word)
{
    size_t length = strlen(word);
    skip_blanks(h);
    if ((size_t)(h->end - h->at) < length || memcmp(h->at, word, length) != 0) return 0;
    h->at += length;
    return 1;
}

/* A text in quotes, as far as it can be shown. */
static int read_text(header *h, char text[NUMBER_EXCERPT])
{
    skip_blanks(h);
    if (h->at == h->end || (*h->at != '\'' && *h->at != '"')) return 0;
    const char *begin = h->at + 1, *close = memchr(begin, *h->at, (size_t)(h->end - begin));
    if (!close) return 0;
    number_excerpt(begin, (size_t)(close - begin), text);
    h->at = close + 1;
    return 1;
}

/* The fields of a structure are a list, which is passed over up to its end. */
static int read_type(header *h)
{
    if (read_text(h, h->type)) return 1;
    if (!pass(h, '[')) return 0;
    snprintf(h->type, sizeof h->type, "a structure");
    int depth = 1;
    for (; h->at < h->end && depth > 0; h->at++) depth += (*h->at == '[') - (*h->at == ']');
    return depth == 0;
}

/* "(3,)", "(2, 3)" or "()". */
static int read_shape(header *h)
{
    if (!pass(h, '(')) return 0;
    h->count = 1;
    while (!pass(h, ')')) {
        uint64_t size = 0;
        skip_blanks(h);
        const char *begin = h->at;
        for (; h->at < h->end && *h->at >= '0' && *h->at <= '9' && size < (uint64_t)1 << 32; h->at++)
            size = 10 * size + (uint64_t)(*h->at - '0');
        if (h->at == begin || size >= (uint64_t)1 << 32 || h->dimensions++ == DIMENSIONS_MAX) return 0;
        h->wide += size != 1;
        /* More than this is refused anyway. */
        h->count = size && h->count > UINT32_MAX / size ? UINT32_MAX : h->count * size;
        if (pass(h, ',')) continue;
        if (!pass(h, ')')) return 0;
        break;
    }
    return 1;
}

static int read_entry(header *h)
{
    static const char *const keys[] = {"descr", "fortran_order", "shape"};
    char key[NUMBER_EXCERPT];
    int which = 0;
    if (!read_text(h, key) || !pass(h, ':')) return 0;
    while (which < 3 && strcmp(key, keys[which]) != 0) which++;
    if (which == 3 || h->known & 1 << which) return 0;
    h->known |= 1 << which;
    if (which == 0) return read_type(h);
    if (which == 2) return read_shape(h);
    h->fortran = pass_word(h, "True");
    return h->fortran || pass_word(h, "False");
}

static int read_header(header *h)
{
    if (!pass(h, '{')) return 0;
    while (!pass(h, '}')) {
        if (!read_entry(h)) return 0;
        if (!pass(h, ',')) {
            if (!pass(h, '}')) return 0;
            break;
        }
    }
    skip_blanks(h);
    return h->at == h->end && h->known == 7;
}

/* Where the header is, by the bytes before it. */
static gofh_status find_header(header *h, const char *name, const char *bytes, size_t count,
                               gofh_error *error)
{
    static const char MAGIC[] = "\x93NUMPY";
    if (count == 0) return error_set(error, GOFH_ERROR_ARGUMENT, "%s is empty", name);
    if (memcmp(bytes, MAGIC, count < 6 ? count : 6) != 0)
        return error_set(error, GOFH_ERROR_ARGUMENT, "%s is no .npy file: write it by numpy.save", name);
    if (count < 8) return error_set(error, GOFH_ERROR_ARGUMENT, "%s is cut within its header", name);
    int version = (unsigned char)bytes[6];
    size_t width = version == 1 ? 2 : 4;
    if (version < 1 || version > 3)
        return error_set(error, GOFH_ERROR_ARGUMENT,
                         "%s is a .npy file of version %d, versions 1 to 3 are read", name, version);
    size_t length = count < 8 + width ? SIZE_MAX : (size_t)little_endian(bytes + 8, width);
    if (length == SIZE_MAX || length > count - 8 - width)
        return error_set(error, GOFH_ERROR_ARGUMENT, "%s is cut within its header", name);
    h->at = bytes + 8 + width;
    h->end = h->at + length;
    return GOFH_OK;
}

gofh_status results_npy(const simulator *sim, const char *name, const char *bytes, size_t count, double *y,
                        gofh_error *error)
{
    header h = {.at = NULL};
    int size = results_size(sim);
    gofh_status status = find_header(&h, name, bytes, count, error);
    if (status) return status;
    const char *data = h.end;
    if (!read_header(&h))
        return error_set(error, GOFH_ERROR_ARGUMENT, "%s: the header is not one that NumPy writes", name);
    size_t width = strcmp(h.type, "<f8") == 0 ? 8 : strcmp(h.type, "<f4") == 0 ? 4 : 0;
    size_t found = (size_t)(bytes + count - data), expected = width * (size_t)size;
    if (width == 0)
        return error_set(error, GOFH_ERROR_ARGUMENT,
                         "%s holds numbers of type %s, <f8 or <f4 was expected: save array.astype('<f8')",
                         name, h.type);
    if (h.count != (uint64_t)size)
        return error_set(error, GOFH_ERROR_ARGUMENT, "%s holds %s%llu numbers, %d were expected", name,
                         h.count == UINT32_MAX ? "more than " : "",
                         (unsigned long long)(h.count == UINT32_MAX ? UINT32_MAX - 1 : h.count), size);
    if (h.fortran && h.wide > 1)
        return error_set(error, GOFH_ERROR_ARGUMENT,
                         "%s holds an array of %d dimensions in Fortran's order: save "
                         "numpy.ascontiguousarray(array)",
                         name, h.dimensions);
    if (found < expected)
        return error_set(error, GOFH_ERROR_ARGUMENT, "%s is cut: it has %zu of %zu numbers", name,
                         found / width, expected / width);
    if (found > expected)
        return error_set(error, GOFH_ERROR_ARGUMENT, "%s goes on after its array, for %zu bytes", name,
                         found - expected);
    return take_numbers(sim, name, data, width, y, error);
}

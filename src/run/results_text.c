/* Plain numbers, and Dakota's results files. */
#include "run/results.h"

#include "base/error.h"
#include "base/letters.h"
#include "base/number.h"

#include <string.h>

typedef struct {
    const char *name;
    const char *at, *end;
    int line;
    const char *word;
    size_t length;
} words;

static int is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

/* The next word between blanks and line ends; 0 at the end. `comments`: leaves out what follows a
 * #. */
static int next_word(words *w, int comments)
{
    int comment = 0;
    for (; w->at < w->end; w->at++) {
        if (*w->at == '\n')
            w->line++, comment = 0;
        else if (comments && *w->at == '#')
            comment = 1;
        else if (!comment && !is_blank(*w->at))
            break;
    }
    w->word = w->at;
    while (w->at < w->end && *w->at != '\n' && !is_blank(*w->at) && !(comments && *w->at == '#')) w->at++;
    w->length = (size_t)(w->at - w->word);
    return w->length > 0;
}

static gofh_status short_of(const simulator *sim, const char *name, int found, gofh_error *error)
{
    char label[128];
    results_label(sim, found, label, sizeof label);
    return error_set(error, GOFH_ERROR_ARGUMENT, "%s ends after %d of %d numbers, before %s", name, found,
                     results_size(sim), label);
}

static gofh_status too_long(const simulator *sim, const words *w, gofh_error *error)
{
    return error_set(error, GOFH_ERROR_ARGUMENT, "%s:%d: more than the %d numbers that were expected",
                     w->name, w->line, results_size(sim));
}

gofh_status results_plain(const simulator *sim, const char *name, const char *bytes, size_t count, double *y,
                          gofh_error *error)
{
    words w = {name, bytes, bytes + count, 1, NULL, 0};
    int size = results_size(sim), found = 0;
    while (next_word(&w, 1)) {
        double value;
        gofh_status status = results_value(results_may_miss(sim, found), name, w.line, w.word, w.length,
                                           &value, error);
        if (status != GOFH_OK) return status;
        if (found == size) return too_long(sim, &w, error);
        y[found++] = value;
    }
    return found < size ? short_of(sim, name, found, error) : GOFH_OK;
}

/* Gradients and Hessians, which nobody asked for, stand in brackets; one that is not closed was
 * cut. */
static gofh_status skip_brackets(words *w, gofh_error *error)
{
    int depth = 0, line = w->line;
    for (; w->at < w->end && (depth > 0 || *w->at == '['); w->at++) {
        depth += (*w->at == '[') - (*w->at == ']');
        w->line += *w->at == '\n';
    }
    return depth == 0 ? GOFH_OK
                      : error_set(error, GOFH_ERROR_ARGUMENT, "%s:%d: [ is never closed: the file is cut",
                                  w->name, line);
}

gofh_status results_dakota(const simulator *sim, const char *name, const char *bytes, size_t count, double *y,
                           gofh_error *error)
{
    words w = {name, bytes, bytes + count, 1, NULL, 0};
    int size = results_size(sim), found = 0, labelled = 1, derivatives = 0;
    while (next_word(&w, 0)) {
        double value;
        if (found == 0 && w.length >= 4 && letters_alike(w.word, "fail", 4))
            return error_set(error, GOFH_ERROR_ARGUMENT, "%s says \"fail\": the simulator gave up", name);
        if (*w.word == '[') {
            w.at = w.word;
            gofh_status status = skip_brackets(&w, error);
            if (status != GOFH_OK) return status;
            derivatives = 1;
            continue;
        }
        /* What Dakota calls metadata comes after the derivatives. */
        if (derivatives && found == size) continue;
        number_kind kind = number_read(w.word, w.length, &value);
        if (kind == NUMBER_NOT_ONE && !labelled) {
            labelled = 1;
            continue;
        }
        gofh_status status = results_number(name, w.line, w.word, w.length, &value, error);
        if (status != GOFH_OK) return status;
        if (found == size) return too_long(sim, &w, error);
        y[found++] = value;
        labelled = 0;
    }
    return found < size ? short_of(sim, name, found, error) : GOFH_OK;
}

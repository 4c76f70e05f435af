#include "api/choices.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/printable.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int count_lines(const char *text)
{
    int lines = 1;
    for (; *text; text++) lines += *text == '\n';
    return lines;
}

static int find_word(const problem_kind *kind, const char *word, size_t length)
{
    for (int i = 0; i < kind->domain.count; i++)
        if (strlen(kind->word[i]) == length && memcmp(kind->word[i], word, length) == 0) return i;
    return -1;
}

/* The numbers now of the choices of parameter k in the file, -2 after the last. *same: whether nothing is
 * new and all are where they were. NULL: no memory. */
static int *match(const gofh_study *st, int k, const char *was, int *same)
{
    const problem_kind *kind = &st->problem.kind[k];
    int count = count_lines(was), *now = memory_new((size_t)count + 1, sizeof *now);
    if (!now) return NULL;
    *same = count == kind->domain.count;
    for (int i = 0; i < count; i++) {
        size_t length = strcspn(was, "\n");
        now[i] = find_word(kind, was, length);
        *same &= now[i] == i;
        was += length + (was[length] == '\n');
    }
    now[count] = -2;
    return now;
}

gofh_status choices_compare(gofh_study *st, store_changed changed, void *context, gofh_error *error)
{
    for (int k = 0; k < st->core->parameters; k++) {
        char name[CHOICES_NAME], line[512], *was = NULL;
        int same = 1;
        if (!st->problem.kind[k].word) continue;
        description_choices_name(st->problem.name[k], name);
        gofh_status status = store_read_fact(st->file, name, &was, error);
        if (status) return status;
        if (!was)
            return error_set(error, GOFH_ERROR_CHANGED, "parameter %s has choices, but had none in the study",
                             st->problem.name[k]);
        int *now = match(st, k, was, &same);
        free(was);
        if (!now) return error_memory(error);
        if (same) {
            free(now);
            continue;
        }
        if (!st->renumbered)
            st->renumbered = memory_new((size_t)st->core->parameters, sizeof *st->renumbered);
        if (!st->renumbered) {
            free(now);
            return error_memory(error);
        }
        st->renumbered[k] = now;
        snprintf(line, sizeof line, "opened again with other choices of %.80s: now there are %d",
                 st->problem.name[k], st->problem.kind[k].domain.count);
        printable_make(line);
        changed(context, line);
    }
    return GOFH_OK;
}

/* The text of choice `number` of parameter k in the file: the caller frees it. NULL: there is none to
 * be had. */
static char *word_of_file(const gofh_study *st, int k, int number)
{
    char name[CHOICES_NAME], *was = NULL;
    gofh_error ignored = {.status = GOFH_OK};
    description_choices_name(st->problem.name[k], name);
    if (store_read_fact(st->file, name, &was, &ignored) || !was) return NULL;
    char *word = was;
    for (int i = 0; i < number && *word; i++) {
        word += strcspn(word, "\n");
        word += *word == '\n';
    }
    word[strcspn(word, "\n")] = '\0';
    memmove(was, word, strlen(word) + 1);
    printable_make(was);
    return was;
}

gofh_status choices_renumber(const gofh_study *st, const double *x, double *now, gofh_error *error)
{
    for (int k = 0; k < st->core->parameters; k++) {
        const int *list = st->renumbered ? st->renumbered[k] : NULL;
        now[k] = x[k];
        if (!list || isnan(x[k])) continue;
        int i = 0;
        while (list[i] != -2 && i != (int)x[k]) i++;
        if (list[i] < 0) {
            char *word = word_of_file(st, k, (int)x[k]);
            gofh_status status = error_set(
                error, GOFH_ERROR_CHANGED,
                "parameter %s: the choice %s is no longer there, but trials have it: put it back",
                st->problem.name[k], word && *word ? word : "of a trial");
            free(word);
            return status;
        }
        now[k] = list[i];
    }
    return GOFH_OK;
}

void choices_free(gofh_study *st)
{
    for (int k = 0; st->renumbered && k < st->core->parameters; k++) free(st->renumbered[k]);
    free(st->renumbered);
    st->renumbered = NULL;
}

/* The study's log: lines about numerical difficulties and changes of the model, in the names of the
 * problem. */
#include "study/journal.h"

#include "base/memory.h"
#include "base/number.h"
#include "study/fit_reduced.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JOURNAL_LINE = 256, JOURNAL_ITEM = 2 * JOURNAL_NAME + 8 };

static int add_line(study *st, const char *format, va_list arguments)
{
    if (st->whole) st = st->whole;
    char *line = memory_new(JOURNAL_LINE, 1);
    if (!line || memory_grow((void **)&st->journal.lines, &st->journal.room, st->journal.count + 1,
                             sizeof *st->journal.lines)) {
        free(line);
        st->journal.lost = 1;
        return -1;
    }
    number_format_list(line, JOURNAL_LINE, format, arguments);
    st->journal.lines[st->journal.count++] = line;
    return 0;
}

int study_log(study *st, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int status = add_line(st, format, arguments);
    va_end(arguments);
    return status;
}

int journal_say_once(study *st, const char *words, const char *format, ...)
{
    if (journal_find(st, words)) return 0;
    va_list arguments;
    va_start(arguments, format);
    int status = add_line(st, format, arguments);
    va_end(arguments);
    return status;
}

const char *journal_find(const study *st, const char *words)
{
    if (st->whole) st = st->whole;
    for (size_t i = st->journal.count; i-- > 0;)
        if (strstr(st->journal.lines[i], words)) return st->journal.lines[i];
    return NULL;
}

void journal_name(const study *st, int output, char name[JOURNAL_NAME])
{
    if (st->method->subject == MODEL_OF_F) {
        snprintf(name, JOURNAL_NAME, "f");
        return;
    }
    study_name_output(st, fit_learned(st, output), name);
}

void study_name_output(const study *st, int output, char name[JOURNAL_NAME])
{
    const study_output *of = st->spec.output;
    for (; output >= of->size; of++) output -= of->size;
    if (of->size == 1)
        snprintf(name, JOURNAL_NAME, "%.60s", of->name);
    else
        snprintf(name, JOURNAL_NAME, "%.60s[%d]", of->name, output);
}

/* One past the last of the chosen outputs that follow `first` without a gap, in the same named
 * output. */
static int end_of_run(const study *st, const unsigned char *chosen, int first)
{
    int end = 0;
    const study_output *of = st->spec.output;
    if (st->method->subject == MODEL_OF_F || st->reduction) return first + 1;
    while ((end += of->size) <= first) of++;
    int last = first;
    while (last < end && chosen[last]) last++;
    return last;
}

int journal_list(const study *st, const unsigned char *chosen, char list[JOURNAL_LIST])
{
    int count = 0, left = 0;
    size_t used = 0;
    list[0] = '\0';
    for (int j = 0; j < st->outputs; j++) {
        if (!chosen[j]) continue;
        char item[JOURNAL_ITEM], first[JOURNAL_NAME], last[JOURNAL_NAME];
        int end = end_of_run(st, chosen, j);
        journal_name(st, j, first);
        journal_name(st, end - 1, last);
        snprintf(item, sizeof item, end - j > 1 ? "%s%s to %s" : "%s%s", count ? ", " : "", first, last);
        count += end - j;
        /* Room for the end of the list is kept. */
        if (left || used + strlen(item) + 24 > JOURNAL_LIST)
            left += end - j;
        else
            used += (size_t)snprintf(list + used, JOURNAL_LIST - used, "%s", item);
        j = end - 1;
    }
    if (left) snprintf(list + used, JOURNAL_LIST - used, "%s%d more", used ? " and " : "", left);
    return count;
}

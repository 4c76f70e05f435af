/* The study's log: lines about numerical difficulties and changes of the model, in the names of the
 * problem. What it has said it does not say again: a study that is taken up again has read its
 * lines. */
#ifndef STUDY_JOURNAL_H
#define STUDY_JOURNAL_H

#include "study/study.h"

enum { JOURNAL_NAME = 80, JOURNAL_LIST = 128 };

/* The last line with these words in it; NULL: none. */
const char *journal_find(const study *st, const char *words);

/* The same as study_log, unless there is a line with `words` in it. */
int journal_say_once(study *st, const char *words, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Output j of h: "T" where it is one value, "T[3]" where it is one of several. */
void study_name_output(const study *st, int output, char name[JOURNAL_NAME]);
/* Output j of the model, which may be f alone. */
void journal_name(const study *st, int output, char name[JOURNAL_NAME]);
/* The chosen outputs of the model, such as "T[0] to T[7], p"; cut where there are too many. Returns
 * how many. */
int journal_list(const study *st, const unsigned char *chosen, char list[JOURNAL_LIST]);

#endif

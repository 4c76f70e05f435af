/* Checksums of what the file says. SQLite notices a page that makes no sense, but not a number that
 * has become another one: each trial, start, note, line of the log, the state and the problem has a
 * checksum in the table `checksums`, which is written with it and compared whenever it is read. */
#ifndef STORE_CHECKSUM_H
#define STORE_CHECKSUM_H

#include "store/connection.h"

/* FNV-1a, 64 bits, of values one after the other. A change of any one byte is always noticed. */
typedef uint64_t checksum;
#define CHECKSUM_EMPTY ((checksum)14695981039346656037u)

checksum checksum_integer(checksum sum, int64_t value);
checksum checksum_number(checksum sum, double value);   /* -0 as 0, and all NaN alike */
checksum checksum_text(checksum sum, const char *text); /* NULL as "" */
checksum checksum_bytes(checksum sum, const void *bytes, size_t count);
/* All of a trial but f, which is computed anew whenever a study is opened. */
checksum checksum_trial(const store_problem *problem, const gofh_trial *trial);

/* What a checksum is of, such as "trial 7"; of a note with a checksum of its name, which may be
 * long. */
enum { CHECKSUM_ITEM = 64 };
#define CHECKSUM_PROBLEM "the problem"
#define CHECKSUM_STATE   "the model's state"
/* One of the points that the user has: x[d], NaN where it gives no value. */
checksum checksum_start(const store_problem *problem, int64_t start, const double *x);
void checksum_item(char item[CHECKSUM_ITEM], const char *kind, int64_t number);
void checksum_note(char item[CHECKSUM_ITEM], int64_t trial, const char *name);

/* Writes the checksum of an item, or drops that of one that is gone. Nothing happens in a file that
 * has none; checksum_write is for one that gets them. */
gofh_status checksum_write(store *s, const char *item, checksum sum, gofh_error *error);
gofh_status checksum_keep(store *s, const char *item, checksum sum, gofh_error *error);
gofh_status checksum_drop(store *s, const char *item, gofh_error *error);
/* GOFH_ERROR_DAMAGED if it is not the one in the file. */
gofh_status checksum_compare(store *s, const char *item, checksum sum, gofh_error *error);
/* The same for the tables of the problem, as they are in the file. */
gofh_status checksum_keep_problem(store *s, gofh_error *error);
gofh_status checksum_compare_problem(store *s, gofh_error *error);

#endif

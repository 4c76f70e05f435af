/* Files beside the problem file that the command names: the run's folder is the current one, so
 * they are called by their absolute paths (docs/simulators.md). */
#ifndef RUN_LOCATE_H
#define RUN_LOCATE_H

#include "problem/simulator.h"
#include "run/words.h"

/* A word of the command, split at the file that it names: "--config=" and the path of
 * "conf.ini". */
typedef struct {
    char *value;   /* the word as the shell reads it; NULL: not known before it runs */
    size_t before; /* its bytes before the file's name */
    char *path;    /* absolute; NULL: no file beside the problem file, or one of the run's own */
} located_word;

/* Returns -1 without memory. */
int locate_word(const simulator *sim, const command_word *word, located_word *result);
void locate_free(located_word *word);

/* Whether the run's folder gets a file of that name. */
int locate_in_folder(const simulator *sim, const char *name);
/* Whether a program of that name is in PATH. */
int locate_in_path(const char *name);

#endif

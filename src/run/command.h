/* The text that the shell runs. */
#ifndef RUN_COMMAND_H
#define RUN_COMMAND_H

#include "gofh.h"
#include "problem/simulator.h"
#include "run/buffer.h"

/* Puts values in the places {params}, {results}, {trial} and {a parameter's name}, such that the
 * shell reads each as one word, whatever it holds; other braces stay. A word that names a file
 * beside the problem file gets its absolute path, because the run's folder is the current one
 * (docs/simulators.md). Where Dakota's formats are used and the command has neither {params} nor
 * {results}, both files are added in the end, as Dakota does. The lines of `setup` come first. */
gofh_status command_build(const simulator *sim, long long trial, const double *x, buffer *command,
                          gofh_error *error);

/* `text` such that the shell reads it as one word. */
void command_quote(buffer *command, const char *text);

/* The words that do so, with commas between them. */
gofh_status command_found(const simulator *sim, buffer *names, gofh_error *error);
/* The first program that is named by a path relative to the problem file and is not there, nor made
 * for the run; none after a cd. */
gofh_status command_lost(const simulator *sim, buffer *name, gofh_error *error);

/* The command, and names, sizes and times of the files that it, `files`, `templates` and
 * `instructions` name: another text for another simulator. */
gofh_status command_fingerprint(const simulator *sim, buffer *text, gofh_error *error);

/* The variable that holds the run's folder. */
#define COMMAND_RUN_FOLDER "GOFH_RUN_DIR"

/* The environment of a run: ours, what Dakota sets, and GOFH_*. A list that ends with NULL, freed
 * by command_environment_free; NULL without memory. */
char **command_environment(const simulator *sim, long long trial, const char *folder);
void command_environment_free(char **environment);

#endif

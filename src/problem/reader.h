/* What the readers of the sections share: where they are, and values of a known type. */
#ifndef PROBLEM_READER_H
#define PROBLEM_READER_H

#include "problem/problem_file.h"
#include "problem/yaml.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    yaml_tree tree;
    problem_file *file;
    problem_error *error;
    gofh_symbols *symbols; /* of all names read so far */
} reader;

#define reader_fail(reader, node, ...) yaml_fail(&(reader)->tree, (node), (reader)->error, __VA_ARGS__)
#define reader_hint(reader, ...)       problem_error_hint((reader)->error, __VA_ARGS__)
gofh_status reader_memory(reader *r);

/* The mapping must be one, and have only these keys; NULL ends the list. `where` names it in
 * errors. */
gofh_status reader_mapping(reader *r, const yaml_node *node, const char *where, const char *const *keys);
/* The name nearest to `word`, or NULL if none is like it. */
const char *reader_closest(const char *word, const char *const *names);
/* Adds to an error at `word`, which is none of the words, the nearest of them, or all. */
gofh_status reader_hint_word(reader *r, const char *word, const char *const *words);
/* What a value is, for errors: "a list", "a mapping", "a text", "a number". */
const char *reader_kind(const yaml_node *node);

#define READER_POINT "decimal numbers have a point, not a comma"
/* Whether a list or mapping was cut at a comma within a number, such as 0,01, and this is the rest. */
bool reader_is_fraction(const reader *r, const yaml_node *node);

/* A value of a key. `what` names it in errors. */
gofh_status reader_number(reader *r, const yaml_node *node, const char *what, double *value);
gofh_status reader_integer(reader *r, const yaml_node *node, const char *what, int low, int high, int *value);
gofh_status reader_seconds(reader *r, const yaml_node *node, const char *what, double *value);
/* Which of the words it is; NULL ends the list. */
gofh_status reader_choice(reader *r, const yaml_node *node, const char *what, const char *const *words,
                          int *value);
/* A copy of a text that is not empty. */
gofh_status reader_text(reader *r, const yaml_node *node, const char *what, char **value);
/* A file that is there, relative to the problem file. */
gofh_status reader_path(reader *r, const yaml_node *node, const char *what, char **value);
/* "folder of the problem file/name" as `gofh` was started would open it; the caller frees it. NULL:
 * no memory. */
char *reader_join(const reader *r, const char *name);

/* The sections. */
gofh_status read_study(reader *r, const yaml_node *section);
gofh_status read_parameters(reader *r, const yaml_node *section);
gofh_status read_prior(reader *r, const yaml_node *section);
gofh_status read_start(reader *r, const yaml_node *section);
gofh_status read_outputs(reader *r, const yaml_node *section);
/* Tells the problem of the outputs, once the data are known. */
gofh_status define_outputs(reader *r);
gofh_status read_data(reader *r, const yaml_node *section);
gofh_status read_noise(reader *r, const yaml_node *section);
gofh_status read_fit(reader *r, const yaml_node *node);
gofh_status read_objective(reader *r, const yaml_node *section);
gofh_status read_constraints(reader *r, const yaml_node *section);
gofh_status read_simulator(reader *r, const yaml_node *section);
/* Where the simulator runs: executor, setup, slurm and queue of its section. */
gofh_status read_executor(reader *r, const yaml_node *section);

#endif

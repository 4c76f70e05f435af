/* A YAML 1.2 document (JSON is one too) as a tree, each value with its place. Nothing is resolved:
 * a plain `no` is the word "no", and whoever wants a number reads it by the rules of scalar.h. */
#ifndef PROBLEM_YAML_H
#define PROBLEM_YAML_H

#include "problem/text.h"

typedef enum { YAML_NOTHING, YAML_SCALAR, YAML_LIST, YAML_MAPPING } yaml_kind;
typedef enum { YAML_PLAIN, YAML_SINGLE_QUOTED, YAML_DOUBLE_QUOTED, YAML_BLOCK } yaml_style;

typedef struct yaml_node yaml_node;
struct yaml_node {
    yaml_kind kind; /* NOTHING: empty, `~` or `null` */
    size_t at;      /* the byte of the file where it begins */
    yaml_style style;
    char *text;        /* of a scalar */
    yaml_node **items; /* of a list; the values of a mapping */
    yaml_node **keys;  /* of a mapping: scalars, each text once */
    size_t count;
    size_t capacity, key_capacity;
    size_t weight; /* values in it, aliases written out */
};

typedef struct {
    text_file text;
    yaml_node *root;
    yaml_node **nodes; /* all of them, so that aliases may share */
    size_t count, capacity;
} yaml_tree;

/* Takes over `text`, also when it fails; then nothing is left to free. */
gofh_status yaml_read(yaml_tree *tree, text_file *text, problem_error *error);
void yaml_free(yaml_tree *tree);

/* The value of a key, and the key itself; NULL where there is none. A value of nothing counts as
 * none. */
const yaml_node *yaml_get(const yaml_node *mapping, const char *key);
const yaml_node *yaml_key(const yaml_node *mapping, const char *key);
/* The byte of the file that character `column` of line `line` (from 1) of a scalar's text came
 * from. */
size_t yaml_place_in(const yaml_tree *tree, const yaml_node *scalar, int line, int column);
/* An error at a value. */
#define yaml_fail(tree, node, error, ...) text_fail(&(tree)->text, (node)->at, (error), __VA_ARGS__)

#endif

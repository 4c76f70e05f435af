/* The arguments of a command: its options, in any place, and the words between them. */
#ifndef CLI_ARGUMENTS_H
#define CLI_ARGUMENTS_H

/* An option: a flag that is set to 1, or a value that is set to the argument after it, or to what is
 * after a "=". The list ends with name NULL. */
typedef struct {
    const char *name;
    int *flag;
    const char **value;
} arguments_option;

enum { ARGUMENTS_GO_ON = -1 };

typedef struct {
    const char *command; /* as messages name it */
    const char *usage;   /* what --help prints */
    const arguments_option *options;
    const char **words;
    int least, most; /* words that are expected */
    int count;       /* those that were found */
} arguments_spec;

/* ARGUMENTS_GO_ON, or the exit status of the program: --help was asked for, or something is wrong
 * and has been said. arguments[0] is the command's name. After "--" there are only words. */
int arguments_read(arguments_spec *spec, int count, char **arguments);

/* Says what is wrong with the arguments; returns the exit status for it. */
int arguments_wrong(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A whole number from least to most, or a message about `option`. */
int arguments_number(const char *command, const char *option, const char *text, long long least,
                     long long most, long long *value);

#endif

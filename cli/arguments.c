#include "cli/arguments.h"

#include "base/number.h"
#include "cli/commands.h"
#include "problem/reader.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int arguments_wrong(const char *command, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "gofh %s: ", command);
    number_print_list(stderr, format, arguments);
    fprintf(stderr, "; see \"gofh %s --help\"\n", command);
    va_end(arguments);
    return EXIT_USAGE;
}

/* The option of this name, or of the name before a "=" that begins its value; *value is that then. */
static const arguments_option *find_option(const arguments_spec *spec, const char *argument,
                                           const char **value)
{
    size_t length = strncmp(argument, "--", 2) == 0 ? strcspn(argument, "=") : strlen(argument);
    *value = argument[length] == '=' ? argument + length + 1 : NULL;
    for (const arguments_option *option = spec->options; option->name; option++)
        if (strlen(option->name) == length && strncmp(option->name, argument, length) == 0) return option;
    return NULL;
}

static int unknown_option(const arguments_spec *spec, const char *argument)
{
    enum { NAMES_MAX = 40 };
    const char *names[NAMES_MAX + 1] = {NULL};
    for (int i = 0; i < NAMES_MAX && spec->options[i].name; i++) names[i] = spec->options[i].name;
    const char *closest = reader_closest(argument, names);
    if (closest) {
        fprintf(stderr, "gofh %s: there is no option %s: did you mean %s?\n", spec->command, argument,
                closest);
        return EXIT_USAGE;
    }
    return arguments_wrong(spec->command, "there is no option %s", argument);
}

/* Takes the option at arguments[*i], with the value that follows it. */
static int take_option(const arguments_spec *spec, int count, char **arguments, int *i)
{
    const char *value;
    const arguments_option *option = find_option(spec, arguments[*i], &value);
    if (!option) return unknown_option(spec, arguments[*i]);
    if (option->flag && value) return arguments_wrong(spec->command, "%s takes no value", option->name);
    if (option->flag)
        *option->flag = 1;
    else if (value)
        *option->value = value;
    else if (*i + 1 < count)
        *option->value = arguments[++*i];
    else
        return arguments_wrong(spec->command, "%s needs a value", option->name);
    return EXIT_DONE;
}

int arguments_read(arguments_spec *spec, int count, char **arguments)
{
    int only_words = 0;
    for (int i = 1; i < count; i++) {
        const char *argument = arguments[i];
        if (!only_words && strcmp(argument, "--") == 0) {
            only_words = 1;
        } else if (!only_words && (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0)) {
            fputs(spec->usage, stdout);
            return EXIT_DONE;
        } else if (!only_words && argument[0] == '-' && argument[1] != '\0') {
            int status = take_option(spec, count, arguments, &i);
            if (status) return status;
        } else if (spec->count < spec->most) {
            spec->words[spec->count++] = argument;
        } else {
            return arguments_wrong(spec->command, "unexpected \"%s\"", argument);
        }
    }
    if (spec->count == 0 && spec->least > 0)
        return arguments_wrong(spec->command, "the problem file is missing");
    if (spec->count < spec->least)
        return arguments_wrong(spec->command, "an argument is missing: %.*s", (int)strcspn(spec->usage, "\n"),
                               spec->usage);
    return ARGUMENTS_GO_ON;
}

int arguments_number(const char *command, const char *option, const char *text, long long least,
                     long long most, long long *value)
{
    char *end;
    errno = 0;
    *value = strtoll(text, &end, 10);
    int wrong = errno || end == text || *end || *value < least || *value > most;
    if (wrong && most == INT64_MAX)
        return arguments_wrong(command, "%s is a whole number from %lld on, not \"%s\"", option, least, text);
    if (wrong)
        return arguments_wrong(command, "%s is a whole number from %lld to %lld, not \"%s\"", option, least,
                               most, text);
    return EXIT_DONE;
}

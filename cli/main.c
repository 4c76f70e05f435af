/* The program gofh: finds the command and hands over to it. */
#include "cli/commands.h"
#include "gofh.h"

#include <stdio.h>
#include <string.h>

typedef struct {
    const char *name, *summary;
    int (*run)(int count, char **arguments);
} command;

static const command COMMANDS[] = {
    {"check", "read a problem file, run its simulator once, say what was understood", command_check},
    {"run", "suggest points and run the simulator there; the same command resumes", command_run},
    {"ask", "suggest points, as lines of JSON, for those who run things themselves", command_ask},
    {"tell", "report what came of such a point", command_tell},
    {"import", "take evaluations made elsewhere from a CSV file", command_import},
    {"status", "how the study stands, and why trials failed", command_status},
    {"best", "the best evaluation", command_best},
    {"export", "all trials as CSV", command_export},
    {"report", "the study as one page of HTML", command_report},
    {"rerun", "run the best point again: is it reproduced?", command_rerun},
    {"demo", "calibrate the paper's environmental model", command_demo},
    {"bench", "run, tabulate and plot the paper's experiments and more", command_bench},
};
enum { COMMAND_COUNT = sizeof COMMANDS / sizeof COMMANDS[0] };

static void print_help(FILE *file)
{
    fputs("gofh: Bayesian optimisation of composite functions f(x) = g(h(x))\n\n"
          "usage: gofh COMMAND [ARGUMENTS]\n"
          "       gofh COMMAND --help\n"
          "       gofh --help | --version\n\n"
          "commands:\n",
          file);
    for (int i = 0; i < COMMAND_COUNT; i++)
        fprintf(file, "  %-10s %s\n", COMMANDS[i].name, COMMANDS[i].summary);
}

static int dispatch(int count, char **arguments)
{
    if (count < 2) {
        print_help(stderr);
        return EXIT_USAGE;
    }
    const char *name = arguments[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        print_help(stdout);
        return EXIT_DONE;
    }
    if (strcmp(name, "--version") == 0) {
        printf("gofh %s\n", gofh_version());
        return EXIT_DONE;
    }
    for (int i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(name, COMMANDS[i].name) == 0) return COMMANDS[i].run(count - 1, arguments + 1);
    fprintf(stderr, "gofh: there is no command \"%s\"; \"gofh --help\" lists them\n", name);
    return EXIT_USAGE;
}

int main(int count, char **arguments)
{
    int status = dispatch(count, arguments);
    /* A full disk or a closed pipe must not look like success. */
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("gofh: writing the output");
        if (status == EXIT_DONE) status = EXIT_NO_RESULT;
    }
    return status;
}

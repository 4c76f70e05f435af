/* The program gofh: finds the command and hands over to it. */
#include "cli/commands.h"
#include "cli/early.h"
#include "gofh.h"
#include "problem/reader.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    const char *name, *summary;
    int (*run)(int count, char **arguments);
} command;

/* In the order and the groups of the help; one without a function is a group's title. */
static const command COMMANDS[] = {
    {"optimise", NULL, NULL},
    {"init", "write a problem file that runs, from answers or another tool's file", command_init},
    {"check", "read a problem file, run its simulator once, say what was understood", command_check},
    {"run", "suggest points and run the simulator there; it also resumes", command_run},
    {"look at a study", NULL, NULL},
    {"status", "how it stands, and why trials failed", command_status},
    {"show", "all of one trial: outputs, residuals, constraints, run, messages", command_show},
    {"log", "how each point was chosen, and what came of it", command_log},
    {"best", "the best evaluation", command_best},
    {"posterior", "all parameters that fit the data: intervals, correlations, samples", command_posterior},
    {"report", "all of it as one page of HTML", command_report},
    {"export", "all trials as CSV", command_export},
    {"rerun", "run the best point again: is it reproduced?", command_rerun},
    {"correct a study", NULL, NULL},
    {"forget", "leave a trial out of what the study learns", command_forget},
    {"reread", "read the outputs of all runs again, without running", command_reread},
    {"run simulators or experiments yourself", NULL, NULL},
    {"ask", "suggest points, as lines of JSON", command_ask},
    {"tell", "report what came of such a point", command_tell},
    {"import", "take evaluations made elsewhere from a CSV file", command_import},
    {"see how well it works", NULL, NULL},
    {"demo", "calibrate the paper's environmental model", command_demo},
    {"bench", "run, tabulate and plot the paper's experiments and more", command_bench},
};
enum { COMMAND_COUNT = sizeof COMMANDS / sizeof COMMANDS[0] };

static void print_help(FILE *file)
{
    fputs("gofh: Bayesian optimisation of composite functions f(x) = g(h(x))\n\n"
          "usage: gofh COMMAND [ARGUMENTS]\n"
          "       gofh help COMMAND\n"
          "       gofh --version\n",
          file);
    for (int i = 0; i < COMMAND_COUNT; i++) {
        const command *c = &COMMANDS[i];
        if (c->run)
            fprintf(file, "  %-9s %s\n", c->name, c->summary);
        else
            fprintf(file, "%s:\n", c->name);
    }
}

static int unknown(const char *name)
{
    const char *names[COMMAND_COUNT + 1] = {NULL};
    int count = 0;
    for (int i = 0; i < COMMAND_COUNT; i++)
        if (COMMANDS[i].run) names[count++] = COMMANDS[i].name;
    const char *closest = reader_closest(name, names);
    fprintf(stderr, "gofh: there is no command \"%s\"", name);
    if (closest)
        fprintf(stderr, ": did you mean \"gofh %s\"?\n", closest);
    else
        fputs("; \"gofh --help\" lists them\n", stderr);
    return EXIT_USAGE;
}

static const command *find(const char *name)
{
    for (int i = 0; i < COMMAND_COUNT; i++)
        if (COMMANDS[i].run && strcmp(name, COMMANDS[i].name) == 0) return &COMMANDS[i];
    return NULL;
}

/* gofh help, and gofh help COMMAND. */
static int help(const char *name)
{
    const command *found = name ? find(name) : NULL;
    if (!name) {
        print_help(stdout);
        return EXIT_DONE;
    }
    char *arguments[] = {(char *)name, (char *)"--help", NULL};
    return found ? found->run(2, arguments) : unknown(name);
}

static int dispatch(int count, char **arguments)
{
    if (count < 2) {
        print_help(stderr);
        return EXIT_USAGE;
    }
    const char *name = arguments[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0)
        return help(count > 2 ? arguments[2] : NULL);
    if (strcmp(name, "--version") == 0) {
        printf("gofh %s\n", gofh_version());
        return EXIT_DONE;
    }
    const command *found = find(name);
    return found ? found->run(count - 1, arguments + 1) : unknown(name);
}

int main(int count, char **arguments)
{
    early_restore();
    /* A file beyond the limit of sizes is an error like a full disk. Simulators get the signal as
     * usual. */
    signal(SIGXFSZ, SIG_IGN);
    int status = dispatch(count, arguments);
    /* A full disk or a closed pipe must not look like success. */
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("gofh: writing the output");
        if (status == EXIT_DONE) status = EXIT_NO_RESULT;
    }
    return status;
}

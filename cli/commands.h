/* The commands of the program gofh. Each is cli/<name>.c: it gets its own arguments, its name first, and returns
 * the exit status of the program. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

enum {
    EXIT_DONE = 0,
    EXIT_NO_RESULT = 1,    /* the study ended without a usable result */
    EXIT_USAGE = 2,        /* the command or the problem file is wrong */
    EXIT_SIMULATOR = 3,    /* the simulator can't be used */
    EXIT_STUDY = 4,        /* the study is locked or damaged */
    EXIT_INTERRUPTED = 130 /* everything is saved */
};

int command_demo(int count, char **arguments);
int command_bench(int count, char **arguments);

#endif

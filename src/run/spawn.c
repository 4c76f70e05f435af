#include "run/spawn.h"

#include "run/local.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { LIFELINE = 3, NEVER_BEGAN = 125 };

/* The wrapper outlives TERM, so that it can say how the command took it; commands get the signal as usual. The lifeline is
 * the wrapper's alone: it closes when the wrapper ends, whatever is left behind. What it would say of a killed command
 * is not the command's. */
static const char WRAPPER[] = "trap : HUP INT TERM\n"
                              "exec 4>&2 2>/dev/null\n"
                              "(exec /bin/sh -c \"$1\" 2>&4 3>&- 4>&-)\n"
                              "status=$?\n"
                              "echo $status > " LOCAL_STATUS ".new && mv " LOCAL_STATUS ".new " LOCAL_STATUS
                              "\n"
                              "exit $status\n";

/* The highest file descriptor that is open, found before the fork: reading a folder after it is not safe. */
static int highest_open(void)
{
    int highest = 255;
    DIR *list = opendir("/proc/self/fd");
    if (!list) return highest;
    for (const struct dirent *entry; (entry = readdir(list));) {
        int number = (int)strtol(entry->d_name, NULL, 10);
        if (number > highest) highest = number;
    }
    closedir(list);
    return highest;
}

static int open_at(const char *name, int flags, int wanted)
{
    int file = open(name, flags, 0666);
    return file >= 0 && (file == wanted || dup2(file, wanted) == wanted) ? 0 : -1;
}

/* Signals as a fresh process has them. */
static void reset_signals(void)
{
    struct sigaction usual = {.sa_handler = SIG_DFL};
    sigset_t none;
    for (int signal = 1; signal < 32; signal++)
        if (signal != SIGKILL && signal != SIGSTOP) sigaction(signal, &usual, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* In the child: only what is safe between fork and exec. */
static void become_command(const char *folder, const char *command, char **environment, int lifeline, int go,
                           int highest)
{
    char byte;
    ssize_t count;
    setsid();
    /* Both at numbers that the three standard files and the lifeline will not take. */
    int kept_go = fcntl(go, F_DUPFD, LIFELINE + 2), kept_lifeline = fcntl(lifeline, F_DUPFD, LIFELINE + 2);
    if (kept_go < 0 || kept_lifeline < 0) _exit(NEVER_BEGAN);
    for (int file = LIFELINE; file <= highest; file++)
        if (file != kept_go && file != kept_lifeline) close(file);
    /* Before it may begin: a process elsewhere would not be found again. */
    if (chdir(folder) != 0) _exit(NEVER_BEGAN);
    do count = read(kept_go, &byte, 1);
    while (count < 0 && errno == EINTR);
    if (count != 1) _exit(NEVER_BEGAN);
    close(kept_go);
    reset_signals();
    if (open_at("/dev/null", O_RDONLY, 0) != 0 ||
        open_at(LOCAL_STDOUT, O_WRONLY | O_CREAT | O_TRUNC, 1) != 0 ||
        open_at(LOCAL_STDERR, O_WRONLY | O_CREAT | O_TRUNC, 2) != 0 ||
        dup2(kept_lifeline, LIFELINE) != LIFELINE)
        _exit(NEVER_BEGAN);
    for (int file = LIFELINE + 1; file <= highest + 8; file++) close(file);
    char *arguments[] = {"sh", "-c", (char *)WRAPPER, "gofh-run", (char *)command, NULL};
    execve("/bin/sh", arguments, environment);
    _exit(NEVER_BEGAN);
}

static int make_pipe(int ends[2])
{
    if (pipe(ends) != 0) return -1;
    for (int i = 0; i < 2; i++) fcntl(ends[i], F_SETFD, FD_CLOEXEC);
    return 0;
}

int spawn_paused(const char *folder, const char *command, char **environment, spawned *result)
{
    int lifeline[2], go[2];
    if (make_pipe(lifeline) != 0) return -1;
    if (make_pipe(go) != 0) {
        close(lifeline[0]);
        close(lifeline[1]);
        return -1;
    }
    int highest = highest_open();
    /* A handler of ours must not run in the child. */
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    pid_t pid = fork();
    if (pid == 0) {
        /* Its own copy of the end that we write to would keep it waiting for ever. */
        close(go[1]);
        become_command(folder, command, environment, lifeline[1], go[0], highest);
    }
    int failure = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(lifeline[1]);
    close(go[0]);
    if (pid < 0) {
        close(lifeline[0]);
        close(go[1]);
        errno = failure;
        return -1;
    }
    *result = (spawned){pid, lifeline[0], go[1]};
    return 0;
}

void spawn_release(spawned *child, int begin)
{
    /* Nobody reads if it was killed meanwhile; its end will tell. */
    sigset_t pipe_signal, before, pending;
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    sigprocmask(SIG_BLOCK, &pipe_signal, &before);
    if (begin && write(child->go, "", 1) < 0 && sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE)) {
        int taken;
        sigwait(&pipe_signal, &taken);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(child->go);
    child->go = -1;
}

void spawn_pause(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

#include "run/spawn.h"

#include "run/local.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { LIFELINE = 3, NEVER_BEGAN = 125 };

/* The limit of open files as it was before we raised it. */
static struct rlimit limit_before = {.rlim_cur = 0};

/* The wrapper outlives TERM, so that it can say how the command took it; commands get the signal as
 * usual. Only the wrapper holds the lifeline: it closes when the wrapper ends, whatever is left
 * behind. A line in it says that the command was run: a shell that can't start a process ends
 * before. It comes last, for it ends a wrapper whose parent is gone. What the wrapper would say of
 * a killed command is not the command's. */
static const char WRAPPER[] = "trap : HUP INT TERM\n"
                              "exec 4>&2 2>/dev/null\n"
                              "(exec /bin/sh -c \"$1\" 2>&4 3>&- 4>&-)\n"
                              "status=$?\n"
                              "[ ! -e " LOCAL_STATUS_NEW " ] && [ ! -h " LOCAL_STATUS_NEW
                              " ] || rm -f " LOCAL_STATUS_NEW "\n"
                              "set -C\n"
                              "echo $status > " LOCAL_STATUS_NEW " && mv -f " LOCAL_STATUS_NEW
                              " " LOCAL_STATUS "\n"
                              "echo >&3\n"
                              "exit $status\n";

/* The highest file descriptor that is open, found before the fork: reading a folder after it is not
 * safe. */
static int highest_open(void)
{
    int highest = 255;
    DIR *list = opendir("/proc/self/fd");
    if (!list) return (int)sysconf(_SC_OPEN_MAX);
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

typedef struct {
    const char *folder, *command;
    char **environment;
    int lifeline, go, report; /* its ends of the pipes */
    int highest;
} plan;

/* Tells our parent why, and ends. */
static void give_up(int report)
{
    int reason = errno;
    ssize_t written = write(report, &reason, sizeof reason);
    (void)written;
    _exit(NEVER_BEGAN);
}

static int wait_for_go(int go)
{
    char byte;
    ssize_t count;
    do count = read(go, &byte, 1);
    while (count < 0 && errno == EINTR);
    return count == 1 ? 0 : -1;
}

/* In the child: only what is safe between fork and exec. */
static void become_command(const plan *p)
{
    setsid();
    /* All at numbers that the three standard files and the lifeline will not take. */
    int kept_report = fcntl(p->report, F_DUPFD_CLOEXEC, LIFELINE + 2);
    if (kept_report < 0) give_up(p->report);
    int kept_go = fcntl(p->go, F_DUPFD, LIFELINE + 2),
        kept_lifeline = fcntl(p->lifeline, F_DUPFD, LIFELINE + 2);
    if (kept_go < 0 || kept_lifeline < 0) give_up(kept_report);
    for (int file = LIFELINE; file <= p->highest; file++)
        if (file != kept_go && file != kept_lifeline && file != kept_report) close(file);
    /* Before it may begin: a process in another folder would not be found again. */
    if (chdir(p->folder) != 0) give_up(kept_report);
    if (wait_for_go(kept_go) != 0) _exit(NEVER_BEGAN);
    close(kept_go);
    reset_signals();
    if (limit_before.rlim_cur > 0) setrlimit(RLIMIT_NOFILE, &limit_before);
    if (open_at("/dev/null", O_RDONLY, 0) != 0 ||
        open_at(LOCAL_STDOUT, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 1) != 0 ||
        open_at(LOCAL_STDERR, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 2) != 0 ||
        dup2(kept_lifeline, LIFELINE) != LIFELINE)
        give_up(kept_report);
    for (int file = LIFELINE + 1; file <= p->highest + 8; file++)
        if (file != kept_report) close(file);
    char *arguments[] = {"sh", "-c", (char *)WRAPPER, "gofh-run", (char *)p->command, NULL};
    execve("/bin/sh", arguments, p->environment);
    give_up(kept_report);
}

enum { PIPES = 3 };

static void close_pipes(int ends[PIPES][2], int count)
{
    for (int i = 0; i < count; i++) {
        close(ends[i][0]);
        close(ends[i][1]);
    }
}

static int make_pipes(int ends[PIPES][2])
{
    for (int i = 0; i < PIPES; i++) {
        if (pipe(ends[i]) != 0) {
            int reason = errno;
            close_pipes(ends, i);
            errno = reason;
            return -1;
        }
        for (int k = 0; k < 2; k++) fcntl(ends[i][k], F_SETFD, FD_CLOEXEC);
    }
    return 0;
}

int spawn_paused(const char *folder, const char *command, char **environment, spawned *result)
{
    int ends[PIPES][2];
    if (make_pipes(ends) != 0) return -1;
    int *lifeline = ends[0], *go = ends[1], *report = ends[2];
    const plan p = {folder, command, environment, lifeline[1], go[0], report[1], highest_open()};
    /* A handler of ours must not run in the child. */
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    pid_t pid = fork();
    if (pid == 0) {
        /* Its own copy of the end that we write to would keep it waiting for ever. */
        close(go[1]);
        become_command(&p);
    }
    int failure = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (pid < 0) {
        close_pipes(ends, PIPES);
        errno = failure;
        return -1;
    }
    close(lifeline[1]);
    close(go[0]);
    close(report[1]);
    *result = (spawned){pid, lifeline[0], go[1], report[0]};
    return 0;
}

pid_t spawn_shell(const char *command, char **environment, int output, int errors)
{
    int highest = highest_open();
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    pid_t pid = fork();
    if (pid == 0) {
        setsid();
        reset_signals();
        if (limit_before.rlim_cur > 0) setrlimit(RLIMIT_NOFILE, &limit_before);
        /* Above the three standard files, so that none is overwritten before it is copied. */
        int kept_output = fcntl(output, F_DUPFD, 3), kept_errors = fcntl(errors, F_DUPFD, 3);
        if (kept_output < 0 || kept_errors < 0 || open_at("/dev/null", O_RDONLY, 0) != 0 ||
            dup2(kept_output, 1) != 1 || dup2(kept_errors, 2) != 2)
            _exit(NEVER_BEGAN);
        for (int file = 3; file <= highest + 8; file++) close(file);
        char *arguments[] = {"sh", "-c", (char *)command, NULL};
        execve("/bin/sh", arguments, environment);
        _exit(NEVER_BEGAN);
    }
    int failure = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = failure;
    return pid;
}

static void send_go(int go)
{
    /* Nobody reads if it was killed meanwhile; its end will tell. */
    sigset_t pipe_signal, before, pending;
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    sigprocmask(SIG_BLOCK, &pipe_signal, &before);
    if (write(go, "", 1) < 0 && sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE)) {
        int taken;
        sigwait(&pipe_signal, &taken);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
}

int spawn_release(spawned *child, int begin)
{
    int reason = 0;
    ssize_t count;
    if (begin) send_go(child->go);
    close(child->go);
    child->go = -1;
    /* Ends when its shell begins, or with the reason why it does not. */
    do count = read(child->report, &reason, sizeof reason);
    while (count < 0 && errno == EINTR);
    close(child->report);
    child->report = -1;
    return count == (ssize_t)sizeof reason ? reason : 0;
}

int spawn_was_run(int lifeline)
{
    char byte;
    return fcntl(lifeline, F_SETFL, O_NONBLOCK) == 0 && read(lifeline, &byte, 1) == 1;
}

/* 0 if so many files can be opened now, or -1 with errno. */
static int try_files(int count)
{
    int files[SPAWN_FILES], opened = 0;
    while (opened < count && (files[opened] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0) opened++;
    int reason = errno;
    for (int i = 0; i < opened; i++) close(files[i]);
    errno = reason;
    return opened == count ? 0 : -1;
}

int spawn_reserve_files(void)
{
    struct rlimit now;
    if (try_files(SPAWN_FILES) == 0) return 0;
    if (errno != EMFILE || getrlimit(RLIMIT_NOFILE, &now) != 0 || now.rlim_cur >= now.rlim_max) return -1;
    struct rlimit raised = now;
    raised.rlim_cur = 2 * now.rlim_cur < now.rlim_max ? 2 * now.rlim_cur : now.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &raised) != 0) {
        errno = EMFILE;
        return -1;
    }
    if (limit_before.rlim_cur == 0) limit_before = now;
    return try_files(SPAWN_FILES);
}

void spawn_pause(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

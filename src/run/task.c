#include "run/task.h"

#include "run/process.h"
#include "run/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OUTPUT_MAX = 64 << 20 };

/* A new file that has no name. */
static int open_nameless(void)
{
    char path[] = "/tmp/gofh-XXXXXX";
    int file = mkstemp(path);
    if (file < 0) return -1;
    unlink(path);
    fcntl(file, F_SETFD, FD_CLOEXEC);
    return file;
}

int task_start(task *t, const char *command, char **environment, int output, int errors)
{
    *t = (task){.output = output >= 0 ? output : open_nameless(),
                .errors = errors >= 0 ? errors : open_nameless(),
                .began = process_clock()};
    if (t->output >= 0 && t->errors >= 0)
        t->pid = spawn_shell(command, environment, t->output, t->errors);
    else
        t->pid = -1;
    if (t->pid > 0) return 0;
    int reason = errno;
    t->pid = 0;
    task_close(t);
    errno = reason;
    return -1;
}

int task_poll(task *t, double patience)
{
    int status;
    pid_t ended = waitpid(t->pid, &status, WNOHANG);
    if (ended == 0) {
        /* It leads a session, and so a group, of its own. */
        if (process_clock() - t->began > patience) kill(-t->pid, SIGKILL);
        return 0;
    }
    t->status = ended == t->pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    t->pid = 0;
    return 1;
}

static void read_all(int file, buffer *text)
{
    char bytes[4096];
    ssize_t count;
    buffer_text(text, "");
    while (text->length < OUTPUT_MAX && (count = pread(file, bytes, sizeof bytes, (off_t)text->length)) > 0 &&
           !text->failed)
        buffer_add(text, bytes, (size_t)count);
    if (text->length >= OUTPUT_MAX) text->failed = 1; /* half a list says nothing */
}

void task_output(const task *t, buffer *text)
{
    read_all(t->output, text);
}

void task_errors(const task *t, buffer *text)
{
    read_all(t->errors, text);
}

void task_close(task *t)
{
    if (t->output >= 0) close(t->output);
    if (t->errors >= 0) close(t->errors);
    *t = (task){.output = -1, .errors = -1};
}

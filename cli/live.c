#include "cli/live.h"

#include "base/number.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/live_state.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TICK = 500 /* ms */, FAREWELL = 1500 /* ms */ };

static void announce(live *l, int ended)
{
    char text[2048];
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    int used = number_format(text, sizeof text, "{\"now\":%.3f,\"ended\":%s,\"studies\":[",
                             (double)now.tv_sec + 1e-9 * (double)now.tv_nsec, ended ? "true" : "false");
    for (int i = 0; i < l->options->count; i++) {
        const followed *v = &l->studies[i];
        int over = v->study && view_is_over(&v->r, &v->forecast);
        used += snprintf(text + used, sizeof text - (size_t)used,
                         "%s{\"over\":%s,\"summary\":%lld,\"running\":%lld,\"next\":%lld,\"state\":%lld}",
                         i ? "," : "", over ? "true" : "false", v->summary.version, v->running.version,
                         v->next.version, v->state.version);
    }
    snprintf(text + used, sizeof text - (size_t)used, "]}");
    serve_announce(l->server, text);
}

/* ---- The command ---- */

static int open_server(live *l)
{
    gofh_error error = {0};
    const live_options *o = l->options;
    const serve_options options = {.port = o->port,
                                   .hosts = &o->host,
                                   .host_count = o->host != NULL,
                                   .answer = live_answer,
                                   .context = l};
    l->server = serve_open(&options, &error);
    if (!l->server) {
        fprintf(stderr, "gofh %s: %s\n", o->command,
                *error.message ? error.message : "the page can't be served");
        return EXIT_STUDY;
    }
    FILE *out = o->parent >= 0 ? stderr : stdout;
    int port = serve_port(l->server);
    fprintf(out, "%shttp://127.0.0.1:%d/?token=%s\n", o->parent >= 0 ? "live page: " : "", port,
            serve_token(l->server));
    if (o->parent < 0)
        fprintf(
            out,
            "from another machine: ssh -L %d:127.0.0.1:%d to this one, then the same address; ^C ends it\n",
            port, port);
    fflush(out);
    return EXIT_DONE;
}

/* Waits. Returns whether it is time to end: a signal came, or the run has ended. */
static int is_over(const live *l, int milliseconds)
{
    struct pollfd parent = {.fd = l->options->parent, .events = POLLIN};
    int ready = poll(&parent, l->options->parent >= 0, milliseconds);
    return interrupt_count() > 0 || (ready > 0 && parent.revents);
}

static void loop(live *l)
{
    int over = 0;
    while (!over) {
        over = is_over(l, TICK);
        int changed = 0;
        for (int i = 0; i < l->options->count; i++) {
            if (over) l->studies[i].due = 0.0;
            changed |= live_follow(l, &l->studies[i]);
        }
        changed |= live_foresee(l);
        l->ended = over && l->options->parent >= 0;
        if (l->ended) changed |= live_end_all(l);
        if (changed || over) announce(l, over);
        serve_tick(l->server);
    }
    /* Pages fetch what is new before it ends. */
    if (l->options->parent >= 0) poll(NULL, 0, FAREWELL);
}

/* While there is one thread. A process of its own that ends is no reason for the page to end. */
static void start_foreseer(live *l)
{
    const session *sessions[LIVE_STUDIES_MAX];
    signal(SIGPIPE, SIG_IGN);
    for (int i = 0; i < l->options->count; i++) sessions[i] = &l->studies[i].s;
    foresee_start(&l->foreseer, sessions, l->options->count);
}

int live_serve(const live_options *options)
{
    live *l = calloc(1, sizeof *l);
    int outcome = EXIT_DONE, count = 0;
    if (!l || pthread_mutex_init(&l->lock, NULL)) {
        free(l);
        fprintf(stderr, "gofh %s: out of memory\n", options->command);
        return EXIT_STUDY;
    }
    l->options = options;
    l->foreseer = (foreseer){.study = -1, .requests = -1, .answers = -1};
    while (count < options->count && !outcome) {
        outcome = session_read(&l->studies[count].s, options->command, options->paths[count]);
        count++;
    }
    if (!outcome) start_foreseer(l);
    if (!outcome && options->parent < 0 && interrupt_catch()) {
        perror("gofh serve: signals can't be caught");
        outcome = EXIT_STUDY;
    }
    for (int i = 0; i < count && !outcome; i++) live_follow(l, &l->studies[i]);
    if (!outcome) outcome = open_server(l);
    if (!outcome) {
        announce(l, 0);
        loop(l);
    }
    serve_close(l->server);
    foresee_end(&l->foreseer);
    for (int i = 0; i < count; i++) live_release(&l->studies[i]);
    pthread_mutex_destroy(&l->lock);
    free(l);
    return outcome;
}

live_child live_start(const char *path)
{
    int ends[2];
    if (pipe(ends)) {
        perror("gofh run: the live page can't be served");
        return (live_child){-1, -1};
    }
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        /* ^C is for the run, whose end it waits for. */
        signal(SIGINT, SIG_IGN);
        signal(SIGTERM, SIG_IGN);
        close(ends[1]);
        const live_options options = {.command = "run", .paths = &path, .count = 1, .parent = ends[0]};
        _exit(live_serve(&options));
    }
    close(ends[0]);
    if (child > 0 && fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0) return (live_child){ends[1], child};
    perror("gofh run: the live page can't be served");
    close(ends[1]);
    return (live_child){-1, -1};
}

void live_end(live_child child)
{
    if (child.descriptor < 0) return;
    close(child.descriptor);
    while (waitpid(child.process, NULL, 0) < 0 && errno == EINTR) {
    }
}

#include "cli/live.h"

#include "base/number.h"
#include "cli/commands.h"
#include "cli/described.h"
#include "cli/interrupt.h"
#include "cli/outside.h"
#include "report/page_style.h"
#include "report/svg.h"
#include "run/look.h"
#include "serve/server.h"
#include "serve/texts.h"
#include "serve/view.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TICK = 500 /* ms */, RUNS_MAX = 20, FAREWELL = 1500 /* ms */ };
/* Reading a study again may take this share of the time at most. */
static const double SHARE = 0.2;

/* How the files of a study were when they were read. */
typedef struct {
    struct timespec changed[2];
    long long size[2];
    unsigned long long inode[2];
} stamp;

/* A part of the page as it is now. */
typedef struct {
    char *text;
    size_t size;
    long long version;
} part;

typedef struct {
    session s;
    stamp seen;
    int known;  /* `seen` is set */
    double due; /* when it may be read again */
    /* What the server's thread looks at, under the lock. */
    gofh_study *study; /* NULL: it has not begun, or can't be read */
    described d;
    report r;
    gofh_error error;
    part summary, running, state;
} followed;

typedef struct {
    const live_options *options;
    followed studies[LIVE_STUDIES_MAX];
    pthread_mutex_t lock;
    serve_server *server;
} live;

static double clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- Parts ---- */

/* Puts a new text in the place of the old one, under the lock, if it is another. Returns whether. */
static int replace(live *l, part *p, char *text, size_t size)
{
    if (p->text && p->size == size && memcmp(p->text, text, size) == 0) {
        free(text);
        return 0;
    }
    pthread_mutex_lock(&l->lock);
    char *old = p->text;
    p->text = text;
    p->size = size;
    p->version++;
    pthread_mutex_unlock(&l->lock);
    free(old);
    return 1;
}

static int say(live *l, part *p, const char *words)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (!file) return 0;
    fputs("<p class=\"note\">", file);
    svg_escape(file, words);
    fputs("</p>\n", file);
    if (fclose(file)) return 0;
    return replace(l, p, text, size);
}

/* ---- Runs under way ---- */

static int look_at_runs(live *l, followed *v)
{
    static char output[RUNS_MAX][2 * OUTSIDE_TAIL + 8], where[RUNS_MAX][LOOK_TEXT];
    view_run runs[RUNS_MAX];
    int count = 0;
    char *text = NULL;
    size_t size = 0;
    if (!v->study) return 0;
    for (int i = 0; i < v->r.count && count < RUNS_MAX; i++) {
        char folder[DESCRIBED_FOLDER], tail[2][OUTSIDE_TAIL + 1];
        if (v->r.state[i] != GOFH_TRIAL_OPEN) continue;
        described_folder(v->s.directory, i + 1, folder);
        pthread_mutex_lock(&l->lock);
        const char *identity = gofh_study_note(v->study, i + 1, NOTE_RUN);
        where[count][0] = '\0';
        run_look look;
        if (identity && look_at_run(identity, v->s.directory, &look) == 0) {
            snprintf(where[count], sizeof where[count], "%s", look.queue[0] ? look.queue : look.host);
            look_free(&look);
        }
        pthread_mutex_unlock(&l->lock);
        outside_tail(v->s.directory, folder, "stdout.txt", tail[0]);
        outside_tail(v->s.directory, folder, "stderr.txt", tail[1]);
        snprintf(output[count], sizeof output[count], "%s%s", *folder ? tail[0] : "", *folder ? tail[1] : "");
        runs[count] = (view_run){i + 1, *folder ? outside_began(&v->s, folder) : NAN, where[count],
                                 output[count]};
        count++;
    }
    FILE *file = open_memstream(&text, &size);
    if (!file) return 0;
    report r = v->r;
    r.file = file;
    pthread_mutex_lock(&l->lock);
    gofh_status status = view_running(&r, runs, count, gofh_study_queued(v->study));
    pthread_mutex_unlock(&l->lock);
    if (!fclose(file) && !status) return replace(l, &v->running, text, size);
    free(text);
    return 0;
}

/* ---- The study ---- */

static stamp look_at_files(const session *s)
{
    static const char *const endings[2] = {"", "-wal"};
    stamp now = {0};
    for (int i = 0; i < 2; i++) {
        char path[4096];
        struct stat about;
        if (snprintf(path, sizeof path, "%s%s", s->database, endings[i]) >= (int)sizeof path) continue;
        if (stat(path, &about)) continue;
        now.changed[i] = about.st_mtim;
        now.size[i] = about.st_size;
        now.inode[i] = about.st_ino;
    }
    return now;
}

static int is_same(const stamp *a, const stamp *b)
{
    for (int i = 0; i < 2; i++)
        if (a->size[i] != b->size[i] || a->inode[i] != b->inode[i] ||
            a->changed[i].tv_sec != b->changed[i].tv_sec || a->changed[i].tv_nsec != b->changed[i].tv_nsec)
            return 0;
    return 1;
}

static void let_go(gofh_study *study, described *d, report *r)
{
    report_release(r);
    described_free(d);
    gofh_study_free(study);
}

/* A part by a function of the view; returns whether it is another than before. */
static int draw(live *l, part *p, report *r, gofh_status (*view)(const report *))
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (!file) return 0;
    r->file = file;
    gofh_status status = view(r);
    r->file = NULL;
    if (!fclose(file) && !status) return replace(l, p, text, size);
    free(text);
    return say(l, p,
               *r->error->message ? r->error->message : "There is no memory for this part of the page.");
}

/* Reads the study anew and draws it. The old one is looked at until the new one is ready. */
static int read_study(live *l, followed *v)
{
    gofh_error error = {0};
    gofh_study *study = NULL;
    described d = {0};
    report r = {0};
    gofh_status status = gofh_study_open(&study, v->s.database, GOFH_OPEN_READ, v->s.file.problem,
                                         &v->s.file.settings, &error);
    if (status)
        return say(l, &v->summary,
                   status == GOFH_ERROR_EMPTY || v->seen.size[0] == 0 ? "The study has not begun."
                                                                      : error.message);
    v->s.study = study;
    status = described_gather(&v->s, NULL, &d) ? GOFH_ERROR_MEMORY : GOFH_OK;
    v->s.study = NULL;
    d.input.quick = 1;
    if (!status) status = report_gather(&r, NULL, &d.input, &error);
    if (status) {
        let_go(study, &d, &r);
        return say(l, &v->summary, *error.message ? error.message : "There is no memory for the page.");
    }
    int changed = draw(l, &v->summary, &r, view_summary);
    changed |= draw(l, &v->state, &r, view_state);
    pthread_mutex_lock(&l->lock);
    gofh_study *old_study = v->study;
    described old_d = v->d;
    report old_r = v->r;
    v->study = study;
    v->d = d;
    v->d.input.made = v->d.made;
    v->r = r;
    v->r.input = &v->d.input;
    v->error = (gofh_error){0};
    v->r.error = &v->error;
    pthread_mutex_unlock(&l->lock);
    if (old_study) let_go(old_study, &old_d, &old_r);
    return changed;
}

/* Returns whether anything on the page has changed. */
static int follow(live *l, followed *v)
{
    stamp now = look_at_files(&v->s);
    double time = clock_seconds();
    int changed = 0;
    if ((!v->known || !is_same(&now, &v->seen)) && time >= v->due) {
        v->seen = now;
        v->known = 1;
        changed = read_study(l, v);
        double took = clock_seconds() - time;
        v->due = clock_seconds() + took * (1.0 / SHARE - 1.0);
    }
    return look_at_runs(l, v) | changed;
}

static void announce(live *l, int ended)
{
    char text[2048];
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    int used = number_format(text, sizeof text, "{\"now\":%.3f,\"ended\":%s,\"studies\":[",
                             (double)now.tv_sec + 1e-9 * (double)now.tv_nsec, ended ? "true" : "false");
    for (int i = 0; i < l->options->count; i++) {
        const followed *v = &l->studies[i];
        used += snprintf(text + used, sizeof text - (size_t)used,
                         "%s{\"summary\":%lld,\"running\":%lld,\"state\":%lld}", i ? "," : "",
                         v->summary.version, v->running.version, v->state.version);
    }
    snprintf(text + used, sizeof text - (size_t)used, "]}");
    serve_announce(l->server, text);
}

/* ---- Answers, in the server's thread ---- */

static int copy_text(const char *text, size_t size, serve_document *document)
{
    document->bytes = malloc(size + 1);
    if (!document->bytes) return 500;
    memcpy(document->bytes, text, size);
    document->size = size;
    return 200;
}

static int answer_texts(const char *path, serve_document *document)
{
    size_t size = strlen(PALETTE_STYLE) + strlen(PAGE_STYLE) + strlen(CHART_STYLE) + strlen(LIVE_STYLE);
    if (strcmp(path, "style.css") == 0) {
        document->type = "text/css; charset=utf-8";
        document->bytes = malloc(size + 1);
        if (!document->bytes) return 500;
        snprintf(document->bytes, size + 1, "%s%s%s%s", PALETTE_STYLE, PAGE_STYLE, CHART_STYLE, LIVE_STYLE);
        document->size = size;
        return 200;
    }
    document->type = "text/javascript; charset=utf-8";
    if (strcmp(path, "script.js") == 0) return copy_text(PAGE_SCRIPT, strlen(PAGE_SCRIPT), document);
    if (strcmp(path, "live.js") == 0) return copy_text(LIVE_SCRIPT, strlen(LIVE_SCRIPT), document);
    return 404;
}

/* A whole number of the query within bounds; -1: there is none. */
static long long query_number(const serve_request *request, const char *name, long long most)
{
    const char *text = serve_query(request, name);
    char *end;
    if (!text || !*text || strspn(text, "0123456789") != strlen(text) || strlen(text) > 9) return -1;
    long long value = strtoll(text, &end, 10);
    return value <= most ? value : -1;
}

static int answer_page(live *l, FILE *file)
{
    view_study shown[LIVE_STUDIES_MAX];
    pthread_mutex_lock(&l->lock);
    for (int i = 0; i < l->options->count; i++) {
        const followed *v = &l->studies[i];
        shown[i] = (view_study){v->s.file.path, v->summary.text, v->running.text, v->state.text};
    }
    view_page(file, shown, l->options->count, serve_token(l->server));
    pthread_mutex_unlock(&l->lock);
    return 200;
}

static int answer_trial(const followed *v, report *r, const serve_request *request)
{
    char folder[DESCRIBED_FOLDER], place[4096] = "", tail[2][OUTSIDE_TAIL + 1] = {"", ""};
    long long trial = query_number(request, "trial", v->r.count);
    if (trial < 1) return 404;
    described_folder(v->s.directory, trial, folder);
    if (*folder) {
        snprintf(place, sizeof place, "%s/runs/%s", v->s.directory, folder);
        outside_tail(v->s.directory, folder, "stdout.txt", tail[0]);
        outside_tail(v->s.directory, folder, "stderr.txt", tail[1]);
    }
    return view_trial(r, trial, place, tail[0], tail[1]) ? 500 : 200;
}

static int answer_trials(report *r, const serve_request *request)
{
    const char *sort = serve_query(request, "sort"), *filter = serve_query(request, "filter");
    const char *descending = serve_query(request, "descending");
    long long from = query_number(request, "from", r->count);
    view_query query = {.sort = sort && *sort ? sort : NULL,
                        .descending = descending && *descending,
                        .filter = filter && *filter ? filter : NULL,
                        .from = from > 0 ? (int)from : 0};
    return view_trials(r, &query) ? 500 : 200;
}

/* What depends on one study; under the lock. */
static int answer_study(const followed *v, const char *path, const serve_request *request, FILE *file)
{
    const char *name = serve_query(request, "part");
    if (strcmp(path, "part") == 0) {
        const part *p = name && strcmp(name, "summary") == 0   ? &v->summary
                        : name && strcmp(name, "state") == 0   ? &v->state
                        : name && strcmp(name, "running") == 0 ? &v->running
                                                               : NULL;
        if (!p) return 404;
        if (p->text) fwrite(p->text, 1, p->size, file);
        return 200;
    }
    if (!v->study) {
        fputs("<table data-from=\"0\" data-shown=\"0\" data-all=\"0\"></table>", file);
        return strcmp(path, "trials") == 0 ? 200 : 404;
    }
    report r = v->r;
    r.file = file;
    return strcmp(path, "trial") == 0    ? answer_trial(v, &r, request)
           : strcmp(path, "trials") == 0 ? answer_trials(&r, request)
                                         : 404;
}

/* A serve_answer. */
static int answer(void *context, const char *path, const serve_request *request, serve_document *document)
{
    live *l = context;
    if (strchr(path, '.')) return answer_texts(path, document);
    FILE *file = open_memstream(&document->bytes, &document->size);
    if (!file) return 500;
    int status;
    if (*path == '\0') {
        status = answer_page(l, file);
    } else {
        long long study = query_number(request, "study", l->options->count - 1);
        pthread_mutex_lock(&l->lock);
        status = study < 0 ? 404 : answer_study(&l->studies[study], path, request, file);
        pthread_mutex_unlock(&l->lock);
    }
    return fclose(file) ? 500 : status;
}

/* ---- The command ---- */

static int open_server(live *l)
{
    gofh_error error = {0};
    const live_options *o = l->options;
    const serve_options options = {
        .port = o->port, .hosts = &o->host, .host_count = o->host != NULL, .answer = answer, .context = l};
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
            changed |= follow(l, &l->studies[i]);
        }
        if (changed || over) announce(l, over);
        serve_tick(l->server);
    }
    /* Pages fetch what is new before it ends. */
    if (l->options->parent >= 0) poll(NULL, 0, FAREWELL);
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
    while (count < options->count && !outcome) {
        outcome = session_read(&l->studies[count].s, options->command, options->paths[count]);
        count++;
    }
    if (!outcome && options->parent < 0 && interrupt_catch()) {
        perror("gofh serve: signals can't be caught");
        outcome = EXIT_STUDY;
    }
    for (int i = 0; i < count && !outcome; i++) follow(l, &l->studies[i]);
    if (!outcome) outcome = open_server(l);
    if (!outcome) {
        announce(l, 0);
        loop(l);
    }
    serve_close(l->server);
    for (int i = 0; i < count; i++) {
        followed *v = &l->studies[i];
        if (v->study) let_go(v->study, &v->d, &v->r);
        free(v->summary.text);
        free(v->state.text);
        free(v->running.text);
        session_close(&v->s);
    }
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

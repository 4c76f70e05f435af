#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, wait4 */
#include "cli/foresee.h"

#include "cli/commands.h"
#include "report/html.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Processor time for one forecast, and the share of the time that forecasts may take. */
enum { SECONDS_MAX = 120 };
static const double SHARE = 0.25;
/* Seconds from a failure to the next forecast. */
static const double PAUSE = 10.0;

static void describe_end(const char *process, int status, char text[FORECAST_FAILURE])
{
    if (WIFSIGNALED(status))
        snprintf(text, FORECAST_FAILURE, "%s was ended by signal %d (%s)", process, WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else
        snprintf(text, FORECAST_FAILURE, "%s ended with status %d", process, WEXITSTATUS(status));
}

/* ---- In a process for one forecast ---- */

typedef struct {
    int requests; /* the page's end of the pipe: closed when the page ends */
    double deadline;
} patience;

static double processor_seconds(void)
{
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

/* A gofh_interrupt. */
static int is_enough(void *context)
{
    const patience *p = context;
    struct pollfd page = {.fd = p->requests, .events = 0};
    return processor_seconds() > p->deadline || (poll(&page, 1, 0) > 0 && page.revents & (POLLHUP | POLLERR));
}

static void add_point(forecast *f, const session *s, const gofh_trial *trial, int is_open)
{
    forecast_point *p = &f->points[f->count++];
    *p = (forecast_point){.trial = is_open ? (long long)trial->trial : 0,
                          .gain = trial->expected,
                          .feasible = trial->feasible,
                          .f = NAN,
                          .low = NAN,
                          .high = NAN};
    snprintf(p->origin, sizeof p->origin, "%s", trial->origin);
    memcpy(p->x, trial->x, (size_t)s->d * sizeof *p->x);
}

/* Trials under way; fills in how many have ended. */
static gofh_status take_open(forecast *f, const session *s, gofh_study *study)
{
    gofh_status status = GOFH_OK;
    for (int64_t i = 1; i <= gofh_study_count(study) && !status; i++) {
        gofh_trial trial;
        status = gofh_study_trial(study, i, &trial);
        if (status) break;
        if (trial.state != GOFH_TRIAL_OPEN)
            f->results += trial.state == GOFH_TRIAL_DONE || trial.state == GOFH_TRIAL_FAILED;
        else if (f->count < FORECAST_OPEN_MAX)
            add_point(f, s, &trial, 1);
    }
    return status;
}

/* The points that the writer would choose, were it asked now. */
static gofh_status take_next(forecast *f, const session *s, gofh_study *study)
{
    int wanted = s->file.simulator.parallel, given = 0;
    int64_t trials[FORECAST_NEXT_MAX];
    double x[FORECAST_NEXT_MAX * GOFH_MAX_PARAMETERS];
    if (wanted > FORECAST_NEXT_MAX) wanted = FORECAST_NEXT_MAX;
    gofh_status status = gofh_study_ask_batch(study, wanted < 1 ? 1 : wanted, trials, x, &given);
    if (status > 0 && status != GOFH_STOP_CALLER) {
        f->stops = (int)status;
        return GOFH_OK;
    }
    for (int i = 0; i < given && !status; i++) {
        gofh_trial trial;
        status = gofh_study_trial(study, trials[i], &trial);
        if (!status) add_point(f, s, &trial, 0);
    }
    return status;
}

static gofh_status predict(forecast *f, gofh_study *study)
{
    static const double levels[2] = {0.025, 0.975};
    gofh_status status = GOFH_OK;
    for (int i = 0; i < f->count && !status; i++) {
        forecast_point *p = &f->points[i];
        double quantiles[2], feasible;
        status = gofh_study_predict_objective(study, p->x, 1, &p->f, NULL, &feasible);
        if (!status) status = gofh_study_predict_quantiles(study, p->x, 1, levels, 2, quantiles, NULL);
        if (status) break;
        p->low = quantiles[0];
        p->high = quantiles[1];
        p->feasible = feasible;
    }
    return status;
}

static gofh_status assess(forecast *f, gofh_study *study)
{
    gofh_assessment a;
    gofh_status status = gofh_study_assess(study, &a);
    if (status == GOFH_ERROR_EMPTY) return GOFH_OK;
    if (status) return status;
    f->assessed = 1;
    f->success = a.success;
    snprintf(f->message, sizeof f->message, "%s", a.message);
    return GOFH_OK;
}

/* What can't be foreseen is left out; the message says why. */
static void foresee(forecast *f, const session *s, int requests)
{
    patience p = {requests, processor_seconds() + SECONDS_MAX};
    gofh_error error = {0};
    gofh_settings settings = s->file.settings;
    gofh_study *study = NULL;
    settings.threads = 1; /* the same points, and one processor at most */
    *f = (forecast){.known = 1};
    if (s->d <= GOFH_MAX_PARAMETERS)
        gofh_study_open(&study, s->database, GOFH_OPEN_COPY, s->file.problem, &settings, &error);
    if (!study) {
        snprintf(f->failure, sizeof f->failure, "the study can't be copied: %s",
                 *error.message ? error.message : "there is no memory");
        f->known = 0;
        return;
    }
    gofh_study_set_interrupt(study, is_enough, &p);
    gofh_status status = take_open(f, s, study);
    int open = f->count, has_model = f->results > 0;
    int too_many = f->results > REPORT_MODELLED_MAX;
    if (!status && has_model && !too_many) status = assess(f, study);
    if (!status && !too_many) status = take_next(f, s, study);
    if (!status && has_model && f->assessed) status = predict(f, study);
    if (too_many)
        snprintf(f->message, sizeof f->message, "A model of %d results would take too long.", f->results);
    else if (status == GOFH_STOP_CALLER && f->count == open && !f->assessed)
        snprintf(f->message, sizeof f->message,
                 "The model takes more than %d s of processor time here: the report has it.", SECONDS_MAX);
    else if (status < 0 && !f->assessed)
        snprintf(f->message, sizeof f->message, "There is no forecast: %s", gofh_study_message(study));
    f->seconds = processor_seconds() - (p.deadline - SECONDS_MAX);
    gofh_study_free(study);
}

static int write_all(int file, const void *bytes, size_t size)
{
    const char *at = bytes;
    while (size > 0) {
        ssize_t count = write(file, at, size);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return -1;
        at += count;
        size -= (size_t)count;
    }
    return 0;
}

/* Everybody else goes first, and where memory is short this process is the one to end. */
static void step_back(void)
{
    FILE *file = fopen("/proc/self/oom_score_adj", "w");
    if (file) {
        fputs("1000", file);
        fclose(file);
    }
    (void)!setpriority(PRIO_PROCESS, 0, 19);
}

/* ---- In the process that keeps them ---- */

/* A forecast by a process of its own, whose memory is given back and whose end is no harm. shared: memory
 * of both. */
static void have_made(forecast *shared, const session *s, int requests, int answers)
{
    int status;
    struct rusage used;
    fflush(NULL);
    pid_t worker = fork();
    if (worker == 0) {
        close(answers); /* so that the page sees where its keeper ends */
        step_back();
        foresee(shared, s, requests);
        _exit(EXIT_DONE);
    }
    if (worker < 0) {
        *shared = (forecast){0};
        snprintf(shared->failure, sizeof shared->failure, "its process can't be started: %s",
                 strerror(errno));
        return;
    }
    while (wait4(worker, &status, 0, &used) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_DONE) return;
    *shared = (forecast){.seconds = (double)used.ru_utime.tv_sec + (double)used.ru_stime.tv_sec};
    describe_end("its process", status, shared->failure);
}

static void keep(const session *const *sessions, int count, int requests, int answers)
{
    unsigned char study;
    forecast *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return;
    while (read(requests, &study, 1) == 1 && study < count) {
        have_made(shared, sessions[study], requests, answers);
        if (write_all(answers, shared, sizeof *shared)) return;
    }
}

/* ---- In that of the page ---- */

/* The process's end; -1: there was none. */
static int end_process(foreseer *f)
{
    int status = -1;
    if (f->requests >= 0) close(f->requests);
    if (f->answers >= 0) close(f->answers);
    while (f->process && waitpid(f->process, &status, 0) < 0 && errno == EINTR) {
    }
    *f = (foreseer){.study = -1, .requests = -1, .answers = -1};
    return status;
}

/* It ended by itself, and is not started again: by now there are threads. */
static void give_up(foreseer *f)
{
    int status = end_process(f);
    describe_end("the process that has them made", status, f->failure);
}

static void cannot_start(foreseer *f, int reason)
{
    end_process(f);
    snprintf(f->failure, sizeof f->failure, "the process that has them made can't be started: %s",
             strerror(reason));
}

void foresee_start(foreseer *f, const session *const *sessions, int count)
{
    int requests[2], answers[2];
    *f = (foreseer){.study = -1, .requests = -1, .answers = -1};
    if (pipe(requests)) {
        cannot_start(f, errno);
        return;
    }
    if (pipe(answers)) {
        cannot_start(f, errno);
        close(requests[0]);
        close(requests[1]);
        return;
    }
    fflush(NULL);
    pid_t process = fork();
    if (process == 0) {
        /* It ends with the page, whose pipe is closed then. */
        signal(SIGINT, SIG_IGN);
        signal(SIGTERM, SIG_IGN);
        signal(SIGPIPE, SIG_IGN);
        close(requests[1]);
        close(answers[0]);
        keep(sessions, count, requests[0], answers[1]);
        _exit(EXIT_DONE);
    }
    int reason = errno;
    close(requests[0]);
    close(answers[1]);
    f->requests = requests[1];
    f->answers = answers[0];
    f->process = process > 0 ? process : 0;
    if (process < 0)
        cannot_start(f, reason);
    else if (fcntl(f->answers, F_SETFL, O_NONBLOCK) || fcntl(f->requests, F_SETFD, FD_CLOEXEC) ||
             fcntl(f->answers, F_SETFD, FD_CLOEXEC))
        cannot_start(f, errno);
}

int foresee_is_ready(const foreseer *f, double now)
{
    return f->process && f->study < 0 && now >= f->due;
}

void foresee_ask(foreseer *f, int study)
{
    unsigned char number = (unsigned char)study;
    f->received = 0;
    if (write_all(f->requests, &number, 1))
        give_up(f);
    else
        f->study = study;
}

int foresee_take(foreseer *f, double now)
{
    if (!f->process || f->study < 0) return -1;
    while (f->received < sizeof f->answer) {
        ssize_t count = read(f->answers, (char *)&f->answer + f->received, sizeof f->answer - f->received);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && errno == EAGAIN) return -1;
        if (count <= 0) {
            give_up(f);
            return -1;
        }
        f->received += (size_t)count;
    }
    int study = f->study;
    f->study = -1;
    f->due = now + fmax(f->answer.seconds * (1.0 / SHARE - 1.0), *f->answer.failure ? PAUSE : 0.0);
    return study;
}

void foresee_end(foreseer *f)
{
    end_process(f);
}

/* The workers of a call of the library start at the first parallel_for that needs them, wait for
 * the next ones, and end with the call. So nothing is left behind between calls: not for a fork,
 * nor for a program that unloads the library. */
#include "base/parallel.h"

#include "base/interrupt.h"
#include "base/memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    THREADS_MAX = 64,
    PATIENCE = 1600 /* looks before a sleep: some 50 microseconds on x86, about what waking takes */
};

typedef struct team team;

/* A sleeper announces itself, then looks a last time; a waker changes the state, then looks for
 * sleepers. */
typedef struct {
    team *own;
    int worker;
    pthread_t handle;
    atomic_bool asleep;
    pthread_cond_t wake;
} seat;

struct team {
    pid_t process; /* that started the threads: after a fork the child has none */
    int workers;   /* of which the owner is one, in the first seat */
    int most;      /* workers that there can be */
    pthread_mutex_t lock;
    seat seats[THREADS_MAX];
    /* The job. It is read by who has taken one of its tasks, so it stays as it is until all are
     * finished. */
    int tasks;
    parallel_task task;
    void *context;
    const interrupt *ending; /* of the owner's computation; NULL: nothing ends it */
    _Atomic uint64_t offer;  /* for how many workers, << 32, and how many tasks nobody has taken */
    atomic_int unfinished;   /* tasks */
    atomic_bool over;        /* whether there will be no more jobs */
};

/* Of this thread: how deep in parallel_enter it is, whether it runs a task, and the team that it
 * owns. */
static _Thread_local int depth, inside;
static _Thread_local team *owned;

/* The tasks in the offer, where it is for that worker too; else 0. */
static int open_tasks(uint64_t offer, int worker)
{
    return (uint64_t)worker < offer >> 32 ? (int)(offer & UINT32_MAX) : 0;
}

static int has_work(const seat *s)
{
    return open_tasks(atomic_load(&s->own->offer), s->worker) > 0 || atomic_load(&s->own->over);
}

static int is_finished(const seat *s)
{
    return atomic_load(&s->own->unfinished) == 0;
}

/* Tells the processor, not the system, that this is a loop of waiting: the system would let others
 * run. */
static void relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static void wait_until(int (*condition)(const seat *), seat *s)
{
    for (int i = 0; i < PATIENCE; i++) {
        if (condition(s)) return;
        relax();
    }
    pthread_mutex_lock(&s->own->lock);
    atomic_store(&s->asleep, 1);
    while (!condition(s)) pthread_cond_wait(&s->wake, &s->own->lock);
    atomic_store(&s->asleep, 0);
    pthread_mutex_unlock(&s->own->lock);
}

static void wake(seat *s)
{
    if (!atomic_load(&s->asleep)) return;
    pthread_mutex_lock(&s->own->lock);
    pthread_cond_signal(&s->wake);
    pthread_mutex_unlock(&s->own->lock);
}

static void run_tasks(team *t, int worker)
{
    uint64_t offer = atomic_load(&t->offer);
    for (int open; (open = open_tasks(offer, worker)) > 0;) {
        if (!atomic_compare_exchange_weak(&t->offer, &offer, offer - 1)) continue;
        if (worker == 0) interrupt_requested();
        if (!interrupt_was_requested(t->ending)) t->task(t->tasks - open, worker, t->context);
        if (atomic_fetch_sub(&t->unfinished, 1) == 1) wake(&t->seats[0]);
        offer = atomic_load(&t->offer);
    }
}

static void *serve(void *argument)
{
    seat *s = argument;
    inside = 1;
    while (!atomic_load(&s->own->over)) {
        run_tasks(s->own, s->worker);
        wait_until(has_work, s);
    }
    return NULL;
}

/* Takes the next seat. Returns -1 where there can't be another. */
static int seat_next(team *t)
{
    seat *s = &t->seats[t->workers];
    s->own = t;
    s->worker = t->workers;
    if (pthread_cond_init(&s->wake, NULL) != 0) return -1;
    if (s->worker > 0 && pthread_create(&s->handle, NULL, serve, s) != 0) {
        pthread_cond_destroy(&s->wake);
        return -1;
    }
    t->workers++;
    return 0;
}

/* A team of only its owner, or NULL. */
static team *gather(void)
{
    team *t = memory_new(1, sizeof *t);
    if (!t) return NULL;
    t->process = getpid();
    t->most = THREADS_MAX;
    if (pthread_mutex_init(&t->lock, NULL) != 0) {
        free(t);
        return NULL;
    }
    if (seat_next(t) == 0) return t;
    pthread_mutex_destroy(&t->lock);
    free(t);
    return NULL;
}

static void dismiss(team *t)
{
    if (!t) return;
    if (t->process == getpid()) {
        atomic_store(&t->over, 1);
        for (int i = 1; i < t->workers; i++) wake(&t->seats[i]);
        for (int i = 1; i < t->workers; i++) pthread_join(t->seats[i].handle, NULL);
        for (int i = 0; i < t->workers; i++) pthread_cond_destroy(&t->seats[i].wake);
        pthread_mutex_destroy(&t->lock);
    }
    free(t);
}

void parallel_enter(void)
{
    depth++;
}

void parallel_leave(void)
{
    if (--depth > 0) return;
    dismiss(owned);
    owned = NULL;
}

/* This thread's team, of at least so many where that can be; NULL where there can be none. */
static team *find_team(int workers)
{
    if (owned && owned->process != getpid()) {
        dismiss(owned);
        owned = NULL;
    }
    if (!owned) owned = gather();
    team *t = owned;
    while (t && t->workers < workers && t->workers < t->most)
        if (seat_next(t)) t->most = t->workers;
    return t;
}

static void run_alone(int tasks, parallel_task task, void *context)
{
    for (int i = 0; i < tasks && !interrupt_requested(); i++) task(i, 0, context);
}

static void run_together(team *t, int workers, int tasks, parallel_task task, void *context)
{
    if (workers > t->workers) workers = t->workers;
    t->tasks = tasks;
    t->task = task;
    t->context = context;
    t->ending = interrupt_current();
    atomic_store(&t->unfinished, tasks);
    atomic_store(&t->offer, (uint64_t)workers << 32 | (uint64_t)tasks);
    for (int i = 1; i < workers; i++) wake(&t->seats[i]);
    inside = 1;
    run_tasks(t, 0);
    inside = 0;
    wait_until(is_finished, &t->seats[0]);
}

void parallel_for(int threads, int tasks, parallel_task task, void *context)
{
    if (threads > tasks) threads = tasks;
    if (threads < 2 || inside) {
        run_alone(tasks, task, context);
        return;
    }
    int before; /* who is cancelled here would leave the others at work on what is no more */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    parallel_enter();
    team *t = find_team(threads);
    if (t)
        run_together(t, threads, tasks, task, context);
    else
        run_alone(tasks, task, context);
    parallel_leave();
    pthread_setcancelstate(before, &before);
}

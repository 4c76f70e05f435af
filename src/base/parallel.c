#include "base/parallel.h"

#include <pthread.h>
#include <stdatomic.h>

enum { MOST_THREADS = 64 };

typedef struct {
    atomic_int next;
    int tasks;
    parallel_task task;
    void *context;
} queue;

typedef struct {
    queue *shared;
    int worker;
} seat;

static void *work(void *argument)
{
    const seat *own = argument;
    queue *shared = own->shared;
    for (;;) {
        int index = atomic_fetch_add(&shared->next, 1);
        if (index >= shared->tasks) return NULL;
        shared->task(index, own->worker, shared->context);
    }
}

void parallel_for(int threads, int tasks, parallel_task task, void *context)
{
    queue shared = {.next = 0, .tasks = tasks, .task = task, .context = context};
    if (threads > tasks) threads = tasks;
    if (threads > MOST_THREADS) threads = MOST_THREADS;
    pthread_t handles[MOST_THREADS];
    seat seats[MOST_THREADS];
    int started = 1;
    seats[0] = (seat){&shared, 0};
    while (started < threads) {
        seats[started] = (seat){&shared, started};
        if (pthread_create(&handles[started], NULL, work, &seats[started]) != 0) break;
        started++;
    }
    work(&seats[0]);
    for (int i = 1; i < started; i++) pthread_join(handles[i], NULL);
}

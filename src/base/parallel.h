/* Independent tasks on several threads. What a task computes must not depend on which worker runs
 * it, so that the numbers are the same whatever the number of threads. */
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

/* Between these two the threads that this thread's parallel_for has started wait for its next call;
 * at the last of them they end. They nest. None is started before there is something to do. */
void parallel_enter(void);
void parallel_leave(void);

/* index: 0 .. tasks - 1; worker: 0 .. threads - 1, for one workspace per worker. */
typedef void (*parallel_task)(int index, int worker, void *context);

/* Runs all tasks and waits; those that have not begun when an interrupt is requested are left out.
 * Where threads can't be started, it does without them. Inside a task,
 * where all threads are already at work, it runs its tasks one after the other. */
void parallel_for(int threads, int tasks, parallel_task task, void *context);

#endif

/* Ends a long computation. Whoever computes asks now and then whether to go on; once the answer is
 * no it stays so, all that is under way ends soon with results that mean nothing, and whoever began
 * it throws them away. */
#ifndef BASE_INTERRUPT_H
#define BASE_INTERRUPT_H

#include <stdatomic.h>

/* Returns 0 to go on. Called some times a second, by the thread that began. */
typedef int (*interrupt_question)(void *context);

typedef struct {
    interrupt_question question; /* NULL: nobody ever interrupts */
    void *context;
    double next;  /* when to ask next, in seconds of a clock */
    void *before; /* what this thread had begun when this began: a call may be made within another */
    atomic_int answer;
} interrupt;

/* From here on this thread's computations can be ended, until interrupt_end, which says whether
 * they were. */
void interrupt_begin(interrupt *i, interrupt_question question, void *context);
int interrupt_end(interrupt *i);

/* Whether to end; asks if it is time to. */
int interrupt_requested(void);

/* For workers, which compute for another thread: what that one has begun, and whether it was told
 * to end. */
interrupt *interrupt_current(void);
int interrupt_was_requested(const interrupt *i);

#endif

/* Allocation that fails on demand and knows what is still allocated. */
#ifndef FAULT_ALLOCATOR_H
#define FAULT_ALLOCATOR_H

#include <stdint.h>

typedef enum {
    FAIL_ONCE,  /* the one allocation */
    FAIL_ONWARD /* it and all after it, until the next fault_start */
} fault_mode;

/* Forgets everything, and makes the `which`-th allocation from now on fail (from 1; 0: none). */
void fault_start(long which, fault_mode mode);
long fault_failures(void); /* allocations refused since */
long fault_count(void);    /* allocations asked for since */
long fault_live(void);     /* blocks allocated since and not freed */
long fault_strange(void);  /* frees of what was never allocated here, or twice */

/* A fingerprint of the innermost calls that led to the `which`-th allocation since fault_start(0,
 * ...), from 1 to FAULT_STACKS. */
enum { FAULT_STACKS = 1 << 14 };
uint64_t fault_stack(long which);

/* The most allocations from one fault_start to the next. More end the program: what asks for memory
 * again and again would not end by itself. */
void fault_limit(long most);

#endif

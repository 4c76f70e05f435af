/* Allocation that fails on demand and knows what is still allocated. */
#ifndef FAULT_ALLOCATOR_H
#define FAULT_ALLOCATOR_H

typedef enum {
    FAIL_ONCE,  /* the one allocation */
    FAIL_ONWARD /* it and all after it, until the next fault_start */
} fault_mode;

/* Forgets everything, and makes the `which`-th allocation from now on fail (from 1; 0: none). */
void fault_start(long which, fault_mode mode);
long fault_failures(void); /* allocations refused since */
long fault_live(void);     /* blocks allocated since and not freed */
long fault_strange(void);  /* frees of what was never allocated here, or twice */

#endif

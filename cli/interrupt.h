/* ^C, SIGTERM and SIGHUP, as a number that grows and a descriptor that wakes. */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

/* From now on such signals are only counted; the third ends the program. 0, or -1 with errno. */
int interrupt_catch(void);
int interrupt_count(void);
/* Can be read when one has come. */
int interrupt_descriptor(void);
/* Takes from it what can be read, so that it wakes again with the next. */
void interrupt_drain(void);

#endif

/* Texts for people: on a terminal their lines are broken between words, and live lines make way for
 * them. */
#ifndef CLI_MESSAGE_H
#define CLI_MESSAGE_H

#include <stdio.h>

/* fprintf of whole lines, with the decimal point of the C locale. */
void message_print(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What takes live lines away before a message; NULL: there are none. One per process, as the terminal
 * is. */
void message_make_way(void (*clear)(void *context), void *context);

#endif

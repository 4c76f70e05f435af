/* Text of others, which must not control a terminal, and may be in another encoding than UTF-8. */
#ifndef BASE_PRINTABLE_H
#define BASE_PRINTABLE_H

/* How many bytes the control character at `text` has: 1 of ASCII, 2 of U+0080 to U+009F in UTF-8; 0
 * if it is none. */
int printable_control(const char *text);
/* How many bytes the character at `text` has, in UTF-8; 0 if it is a control character or none. */
int printable_bytes(const char *text);
/* Puts blanks in the place of control characters, and question marks in that of bytes that are no
 * UTF-8. */
void printable_make(char *text);

#endif

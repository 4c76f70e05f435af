/* How alike two words are, to say "did you mean". */
#ifndef BASE_SIMILAR_H
#define BASE_SIMILAR_H

#include <stddef.h>

/* How many insertions, deletions, replacements and swaps of neighbours make one name of the other;
 * capitals count for half a mistake, so the answer is in halves. Names are cut to 63 characters. */
int similar_distance(const char *a, size_t a_length, const char *b, size_t b_length);
/* How many halves of a mistake a word of this length may have to pass as another. */
int similar_limit(size_t length);

#endif

#include "base/similar.h"

#include "base/letters.h"

static int least(int a, int b)
{
    return a < b ? a : b;
}

int similar_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    enum { LONGEST = 63 };
    int rows[3][LONGEST + 1];
    int n = (int)(a_length < LONGEST ? a_length : LONGEST),
        m = (int)(b_length < LONGEST ? b_length : LONGEST);
    int *before = rows[0], *last = rows[1], *now = rows[2];
    for (int j = 0; j <= m; j++) last[j] = before[j] = 2 * j;
    for (int i = 1; i <= n; i++) {
        now[0] = 2 * i;
        for (int j = 1; j <= m; j++) {
            int cost = a[i - 1] == b[j - 1] ? 0 : letters_lower(a[i - 1]) == letters_lower(b[j - 1]) ? 1 : 2;
            int best = least(last[j - 1] + cost, 2 + least(last[j], now[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                best = least(best, before[j - 2] + 2);
            now[j] = best;
        }
        int *oldest = before;
        before = last;
        last = now;
        now = oldest;
    }
    return last[m];
}

int similar_limit(size_t length)
{
    return length <= 1 ? 1 : length <= 3 ? 2 : length <= 5 ? 3 : 5;
}

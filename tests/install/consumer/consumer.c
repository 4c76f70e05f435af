/* A program of a user, in the common part of C and C++. */
#include <gofh.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    char expected[32];
    snprintf(expected, sizeof expected, "%d.%d.%d", GOFH_VERSION_MAJOR, GOFH_VERSION_MINOR,
             GOFH_VERSION_PATCH);
    if (strcmp(gofh_version(), expected) != 0) {
        printf("the library is %s, its header %s\n", gofh_version(), expected);
        return 1;
    }
    if (strcmp(gofh_status_text(GOFH_OK), "done") != 0) {
        printf("the text of GOFH_OK is \"%s\"\n", gofh_status_text(GOFH_OK));
        return 1;
    }
    return 0;
}

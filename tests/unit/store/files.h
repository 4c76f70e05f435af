/* A file of a study in a folder of its own, which goes with the test. */
#ifndef TESTS_STORE_FILES_H
#define TESTS_STORE_FILES_H

#include <stdio.h>
#include <stdlib.h>

static char stored_folder[64], stored_path[96];

static inline int stored_setup(void **state)
{
    (void)state;
    snprintf(stored_folder, sizeof stored_folder, "/tmp/gofh-stored-XXXXXX");
    if (!mkdtemp(stored_folder)) return -1;
    snprintf(stored_path, sizeof stored_path, "%s/study.db", stored_folder);
    return 0;
}

static inline int stored_teardown(void **state)
{
    (void)state;
    char command[160];
    snprintf(command, sizeof command, "chmod -R u+w '%s'; rm -rf '%s'", stored_folder, stored_folder);
    return system(command); /* NOLINT: the name is ours */
}

#endif

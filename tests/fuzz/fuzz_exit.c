/* libFuzzer: any exit file of a job is not finished, or late, or has an exit status. A file that it
 * names is looked for in the run's folder alone. */
#include "run/job.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition)
{
    if (!condition) abort();
}

static char folder[] = "/tmp/gofh_fuzz_exit_XXXXXX", exit_file[sizeof folder + 20];
static char results_file[sizeof folder + 20];

static void remove_folder(void)
{
    unlink(exit_file);
    unlink(results_file);
    rmdir(folder);
}

static void put(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    require(file != NULL);
    require(fwrite(bytes, 1, size, file) == size);
    fclose(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!exit_file[0]) {
        require(mkdtemp(folder) != NULL);
        snprintf(exit_file, sizeof exit_file, "%s/%s", folder, JOB_EXIT);
        snprintf(results_file, sizeof results_file, "%s/results.json", folder);
        put(results_file, "1\n", 2); /* its cksum: 4219530715 2 */
        atexit(remove_folder);
    }
    put(exit_file, data, size);
    job_exit found;
    job_end end = job_read_exit(folder, &found);
    require(memchr(found.late, '\0', sizeof found.late) != NULL);
    require(end == JOB_UNFINISHED || found.status >= 0);
    require((found.late[0] != '\0') == (end == JOB_LATE) || end == JOB_UNFINISHED);
    return 0;
}

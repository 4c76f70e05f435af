#include "bench/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static gofh_status refuse(const bench_journal *journal, gofh_error *error)
{
    return bench_fail(error, GOFH_ERROR_SYSTEM, "can't write %s: %s", journal->path, strerror(errno));
}

/* Appends and syncs; on failure the file is as it was. */
static gofh_status append(bench_journal *journal, const char *text, size_t length, gofh_error *error)
{
    size_t written = 0;
    while (written < length) {
        ssize_t now = write(journal->file, text + written, length - written);
        if (now < 0 && errno == EINTR) continue;
        if (now < 0) break;
        written += (size_t)now;
    }
    if (written == length && fsync(journal->file) == 0) {
        journal->size += (long)length;
        return GOFH_OK;
    }
    gofh_status status = refuse(journal, error);
    /* The next reader leaves the rest out. */
    if (ftruncate(journal->file, journal->size) != 0) return status;
    return status;
}

/* The file under that name now: a run that ended while we waited has put a new one in its place. */
static int is_current(const bench_journal *journal)
{
    struct stat opened, named;
    return fstat(journal->file, &opened) == 0 && stat(journal->path, &named) == 0 &&
           opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

gofh_status bench_journal_open(bench_journal *journal, const char *path, bench_results *results,
                               gofh_error *error)
{
    *journal = (bench_journal){.path = path};
    journal->file = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (journal->file < 0) return refuse(journal, error);
    gofh_status status = GOFH_OK;
    if (flock(journal->file, LOCK_EX | LOCK_NB) != 0 || !is_current(journal))
        status = bench_fail(error, GOFH_ERROR_SYSTEM, "%s is in use by another run", path);
    if (!status) status = bench_results_read(results, path, &journal->size, error);
    if (!status && ftruncate(journal->file, journal->size) != 0) status = refuse(journal, error);
    if (!status && journal->size == 0)
        status = append(journal, BENCH_RESULTS_HEADER, strlen(BENCH_RESULTS_HEADER), error);
    if (status) bench_journal_close(journal);
    return status;
}

gofh_status bench_journal_append(bench_journal *journal, const bench_row *rows, size_t count,
                                 gofh_error *error)
{
    char *text = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&text, &length);
    if (!memory) return GOFH_ERROR_MEMORY;
    bench_results_print(memory, rows, count);
    int failed = ferror(memory);
    failed |= fclose(memory) != 0;
    gofh_status status = failed ? GOFH_ERROR_MEMORY : append(journal, text, length, error);
    free(text);
    return status;
}

void bench_journal_close(bench_journal *journal)
{
    if (journal->file >= 0) close(journal->file);
    journal->file = -1;
}

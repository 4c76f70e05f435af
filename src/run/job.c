#include "run/job.h"

#include "base/error.h"
#include "run/buffer.h"
#include "run/command.h"
#include "run/files.h"
#include "run/local.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- The script ---- */

/* The folder may be seen late, too. */
static const char BEGINNING[] =
    "tries=0\n"
    "until cd \"$folder\" 2> /dev/null; do\n"
    "    tries=$((tries + 1))\n"
    "    if [ $tries -gt 30 ]; then\n"
    "        echo \"$folder is not there on $(uname -n): it must be on a file system that all machines "
    "share\" >&2\n"
    "        exit 1\n"
    "    fi\n"
    "    sleep 2\n"
    "done\n"
    "if ! grep -qxF \"# $name\" " JOB_SCRIPT "; then\n"
    "    echo \"$folder is the folder of another run\" >&2\n"
    "    exit 1\n"
    "fi\n"
    "if ! mkdir " JOB_CLAIM " 2> /dev/null; then\n"
    "    [ -d " JOB_CLAIM " ] || { echo \"nothing can be written in $folder\" >&2; exit 1; }\n"
    "    echo 'another job has this run: nothing to do' >&2\n"
    "    exit 0\n"
    "fi\n"
    "echo $$ > " JOB_CLAIM "/pid\n"
    "uname -n > " JOB_CLAIM "/host\n"
    "echo \"${SLURM_JOB_ID-${PBS_JOBID-${LSB_JOBID-${FLUX_JOB_ID-${JOB_ID-}}}}}\" > " JOB_CLAIM "/job\n"
    /* The script outlives TERM, to say how the command took it. */
    "trap : HUP INT TERM\n"
    "began=$(date +%s)\n";

static const char END[] = "status=$?\n"
                          "seconds=$(($(date +%s) - began))\n"
                          "describe() {\n"
                          "    sum=$({ cksum < \"$1\"; } 2> /dev/null) || sum='- -'\n"
                          "    printf 'file %s %s\\n' \"$sum\" \"$1\"\n"
                          "}\n"
                          "rm -f " JOB_EXIT_NEW "\n"
                          "{\n"
                          "    echo \"status $status\"\n"
                          "    echo \"seconds $seconds\"\n";

/* The files that hold the results: the i-th, or NULL. */
static const char *result_file(const simulator *sim, int i)
{
    if (sim->results == RESULTS_INSTRUCTION)
        return i < sim->instruction_count ? sim->instructions[i].file : NULL;
    return i > 0 ? NULL : sim->results == RESULTS_STDOUT ? LOCAL_STDOUT : sim->results_file;
}

static void add_exports(buffer *script, char *const *environment)
{
    for (; environment && *environment; environment++) {
        const char *equals = strchr(*environment, '=');
        if (strncmp(*environment, "GOFH_", 5) != 0 && strncmp(*environment, "DAKOTA_", 7) != 0) continue;
        buffer_format(script, "export %.*s=", (int)(equals - *environment), *environment);
        command_quote(script, equals + 1);
        buffer_text(script, "\n");
    }
}

static void add_command(buffer *script, const simulator *sim, const char *command)
{
    /* Whatever has these names is not written through. */
    buffer_text(script, "rm -f " LOCAL_STDOUT " " LOCAL_STDERR "\n(exec ");
    if (sim->timeout > 0.0) buffer_format(script, "timeout -k 5 %.17g ", sim->timeout);
    buffer_text(script, "/bin/sh -c ");
    command_quote(script, command);
    buffer_text(script, ") > " LOCAL_STDOUT " 2> " LOCAL_STDERR " < /dev/null\n");
}

static void add_end(buffer *script, const simulator *sim)
{
    buffer_text(script, END);
    /* 124 and 137 are timeout's own words for it, but the command may say the same. */
    if (sim->timeout > 0.0)
        buffer_format(script,
                      "    case $status in 124 | 137) [ $seconds -lt %.0f ] || echo 'timed_out 1' ;; esac\n",
                      sim->timeout - 0.5);
    const char *file;
    for (int i = 0; (file = result_file(sim, i)); i++) {
        buffer_text(script, "    describe ");
        command_quote(script, file);
        buffer_text(script, "\n");
    }
    buffer_text(script, "    echo end\n"
                        "} > " JOB_EXIT_NEW " && mv -f " JOB_EXIT_NEW " " JOB_EXIT "\n"
                        "exit $status\n");
}

gofh_status job_write_script(const run_request *request, const char *folder, const char *name,
                             gofh_error *error)
{
    const simulator *sim = request->simulator;
    buffer script = {0}, command = {0};
    gofh_status status = command_build(sim, request->trial, request->x, &command, error);
    char **environment = status ? NULL : command_environment(sim, request->trial, folder);
    if (status == GOFH_OK && !environment) status = error_memory(error);
    if (status == GOFH_OK) {
        buffer_format(&script, "#!/bin/sh\n# The run of trial %lld, written by gofh.\n# %s\nname=%s\nfolder=",
                      request->trial, name, name);
        command_quote(&script, folder);
        buffer_text(&script, "\n");
        buffer_text(&script, BEGINNING);
        add_exports(&script, environment);
        add_command(&script, sim, command.bytes);
        add_end(&script, sim);
        status = script.failed ? error_memory(error)
                               : files_create(folder, JOB_SCRIPT, script.bytes, script.length, error);
    }
    command_environment_free(environment);
    buffer_free(&command);
    buffer_free(&script);
    return status;
}

/* ---- The claim ---- */

int job_is_claimed(const char *folder)
{
    return files_exists(folder, JOB_CLAIM);
}

int job_claim(const char *folder)
{
    char *path = files_join(folder, JOB_CLAIM);
    int made = path && mkdir(path, 0777) == 0;
    free(path);
    return made;
}

void job_claimant(const char *folder, char *id, size_t size)
{
    files_tail(folder, JOB_CLAIM "/job", id, size);
    id[strcspn(id, " \t\r\n")] = '\0';
}

/* ---- The exit file ---- */

/* POSIX's cksum: a CRC of 32 bits, of the bytes and of their number. */
static uint32_t checksum(const char *bytes, size_t count)
{
    uint32_t crc = 0;
    size_t left = count;
    for (size_t i = 0; i < count || left > 0; i++) {
        uint32_t byte = i < count ? (unsigned char)bytes[i] : left & 0xff;
        if (i >= count) left >>= 8;
        crc ^= byte << 24;
        for (int bit = 0; bit < 8; bit++) crc = crc & 0x80000000u ? (crc << 1) ^ 0x04c11db7u : crc << 1;
    }
    return ~crc;
}

static int has_size(const char *folder, const char *name, unsigned long long size)
{
    struct stat about;
    char *path = files_join(folder, name);
    int same = path && stat(path, &about) == 0 && about.st_size >= 0 &&
               (unsigned long long)about.st_size == size;
    free(path);
    return same;
}

/* Whether a file is what the job saw: "SUM SIZE NAME", or "- - NAME" where there was none. */
static int is_here(const char *folder, const char *line)
{
    char *end;
    if (strncmp(line, "- - ", 4) == 0) return 1;
    uint32_t sum = (uint32_t)strtoul(line, &end, 10);
    unsigned long long size = strtoull(end, &end, 10);
    if (end == line || *end != ' ') return 0;
    /* Too large to be read: whoever reads it will say so. */
    if (size > FILES_MAX) return 1;
    buffer content = {0};
    gofh_error ignored = {.status = GOFH_OK};
    gofh_status status = files_load_result(folder, end + 1, &content, &ignored);
    int same = status == GOFH_OK && content.length == size && checksum(content.bytes, content.length) == sum;
    buffer_free(&content);
    /* It is there, and may not be read, such as a link that leads out: whoever reads it will say so. */
    if (status != GOFH_OK && status != GOFH_ERROR_MEMORY) same = has_size(folder, end + 1, size);
    return same;
}

static job_end read_line(const char *folder, const char *line, job_exit *result)
{
    if (strncmp(line, "status ", 7) == 0) result->status = (int)strtol(line + 7, NULL, 10);
    if (strncmp(line, "seconds ", 8) == 0) result->seconds = (double)strtol(line + 8, NULL, 10);
    if (strcmp(line, "timed_out 1") == 0) result->timed_out = 1;
    /* What a command that failed left behind is not read, and may change while it is being ended. */
    if (strncmp(line, "file ", 5) == 0 && result->status <= 0 && !is_here(folder, line + 5)) {
        const char *size = strchr(line + 5, ' '), *name = size ? strchr(size + 1, ' ') : NULL;
        snprintf(result->late, sizeof result->late, "%s", name ? name + 1 : JOB_EXIT);
        return JOB_LATE;
    }
    return JOB_FINISHED;
}

job_end job_read_exit(const char *folder, job_exit *result)
{
    buffer text = {0};
    gofh_error ignored = {.status = GOFH_OK};
    job_end end = JOB_UNFINISHED;
    *result = (job_exit){.status = -1};
    if (files_exists(folder, JOB_EXIT) && files_load_result(folder, JOB_EXIT, &text, &ignored) == GOFH_OK &&
        text.length > 4 && strcmp(text.bytes + text.length - 4, "end\n") == 0) {
        end = JOB_FINISHED;
        char *next;
        for (char *line = text.bytes; line && *line; line = next) {
            next = strchr(line, '\n');
            if (next) *next++ = '\0';
            if (read_line(folder, line, result) == JOB_LATE) end = JOB_LATE;
        }
        if (result->status < 0) end = JOB_UNFINISHED;
    }
    buffer_free(&text);
    return end;
}

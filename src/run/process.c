#include "run/process.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

typedef struct {
    char state;
    pid_t session;
    unsigned long long start;
} process_stat;

static int read_small(const char *path, char *text, size_t size)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return -1;
    ssize_t count = read(file, text, size - 1);
    close(file);
    if (count <= 0) return -1;
    text[count] = '\0';
    return 0;
}

/* The program's name is in parentheses and may hold anything, so the fields are counted from the
 * last one that closes. */
static int read_stat(pid_t pid, process_stat *result)
{
    char path[64], text[1024], *save = NULL;
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    if (read_small(path, text, sizeof text) != 0) return -1;
    char *at = strrchr(text, ')');
    if (!at) return -1;
    int field = 3;
    *result = (process_stat){0};
    for (char *word = strtok_r(at + 1, " ", &save); word && field <= 22;
         word = strtok_r(NULL, " ", &save), field++) {
        if (field == 3) result->state = word[0];
        if (field == 6) result->session = (pid_t)strtol(word, NULL, 10);
        if (field == 22) result->start = strtoull(word, NULL, 10);
    }
    return field > 22 ? 0 : -1;
}

static void read_boot(char boot[PROCESS_BOOT])
{
    if (read_small("/proc/sys/kernel/random/boot_id", boot, PROCESS_BOOT) != 0) memcpy(boot, "-", sizeof "-");
    boot[strcspn(boot, "\n")] = '\0';
}

int process_identify(pid_t pid, process *p)
{
    process_stat stat;
    if (read_stat(pid, &stat) != 0) return -1;
    *p = (process){.pid = pid, .start = stat.start};
    read_boot(p->boot);
    return 0;
}

int process_same_boot(const process *p)
{
    char boot[PROCESS_BOOT];
    read_boot(boot);
    return strcmp(boot, p->boot) == 0;
}

int process_is_alive(const process *p)
{
    process_stat stat;
    return process_same_boot(p) && read_stat(p->pid, &stat) == 0 && stat.start == p->start &&
           stat.state != 'Z' && stat.state != 'X';
}

int process_works_in(const process *p, const char *folder)
{
    char path[64];
    struct stat here, there;
    snprintf(path, sizeof path, "/proc/%ld/cwd", (long)p->pid);
    return stat(path, &here) == 0 && stat(folder, &there) == 0 && here.st_dev == there.st_dev &&
           here.st_ino == there.st_ino;
}

double process_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double process_age(const process *p)
{
    return process_clock() - (double)p->start / (double)sysconf(_SC_CLK_TCK);
}

/* Whether `entry`, "NAME=value", was in its environment when its program began. */
static int has_in_environment(pid_t pid, const char *entry)
{
    char path[64], part[4096];
    snprintf(path, sizeof path, "/proc/%ld/environ", (long)pid);
    int file = open(path, O_RDONLY | O_CLOEXEC), found = 0, same = 1;
    if (file < 0) return 0;
    size_t length = strlen(entry), at = 0;
    for (ssize_t count; !found && (count = read(file, part, sizeof part)) > 0;)
        for (ssize_t i = 0; i < count && !found; i++) {
            found = part[i] == '\0' && same && at == length;
            same = part[i] == '\0' || (same && at < length && part[i] == entry[at]);
            at = part[i] == '\0' ? 0 : at + 1;
        }
    close(file);
    return found;
}

/* Another session may have got the number of ours after all of it was gone, so the number proves
 * nothing. */
static int belongs(const process *p, const char *mark, process_reach reach, pid_t pid,
                   const process_stat *stat)
{
    int of_session = pid == p->pid || stat->session == p->pid;
    if (of_session && reach & PROCESS_SESSION) return 1;
    return (of_session || reach & PROCESS_MARKED) && stat->session != getsid(0) &&
           has_in_environment(pid, mark);
}

/* One question instead of a file to be read and parsed: there may be thousands, on a large node. */
static int is_of_another_session(const process *p, pid_t pid)
{
    pid_t session = pid == p->pid ? pid : getsid(pid);
    return session >= 0 && session != p->pid;
}

int process_signal(const process *p, const char *mark, process_reach reach, int signal)
{
    int alive = 0;
    DIR *list = process_same_boot(p) ? opendir("/proc") : NULL;
    if (!list) return 0;
    for (const struct dirent *entry; (entry = readdir(list));) {
        process_stat stat;
        if (entry->d_name[0] < '0' || entry->d_name[0] > '9') continue;
        pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (!(reach & PROCESS_MARKED) && is_of_another_session(p, pid)) continue;
        if (read_stat(pid, &stat) != 0 || stat.start < p->start) continue;
        if (stat.state == 'Z' || stat.state == 'X') continue;
        if (pid == p->pid && stat.start != p->start) reach &= ~(unsigned)PROCESS_SESSION;
        if (!belongs(p, mark, reach, pid, &stat)) continue;
        if (signal != 0) kill(pid, signal);
        alive++;
    }
    closedir(list);
    return alive;
}

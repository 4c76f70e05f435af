/* libFuzzer: any file is either opened or refused with a message. The first byte says how the rest
 * is meant: a file of its own, or changes (place, value) of the sound one, which get past SQLite's
 * own checks more often, or of one of version 2, which is taken over; and whether the study goes on.
 * That takes a hundred times as long, so
 * while fuzzing only one in 256 does, chosen by its bytes, and each is opened in one way; the
 * replay of the corpus tries all. */
#include "gofh.h"
#include "unit/store/earlier.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST = 1 << 20, D = 2, M = 3 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *count, char ***arguments);

static int fuzzing;
static char path[64];
static uint8_t *sound, *earlier;
static size_t sound_size, earlier_size;

static void require(int condition)
{
    if (!condition) abort();
}

static gofh_problem *make_problem(void)
{
    gofh_problem *problem = gofh_problem_create();
    require(problem && !gofh_problem_add_parameter(problem, "a", 0.0, 2.0, GOFH_SCALE_LINEAR) &&
            !gofh_problem_add_parameter(problem, "b", 1.0, 100.0, GOFH_SCALE_LOG) &&
            !gofh_problem_set_outputs(problem, M) && !gofh_problem_minimize(problem, "sum(y^2)"));
    return problem;
}

static gofh_settings make_settings(void)
{
    gofh_settings settings;
    gofh_settings_defaults(&settings);
    settings.initial = 3;
    return settings;
}

static int h(const double *x, double *y, void *context)
{
    (void)context;
    y[0] = x[0] - 1.0;
    y[1] = x[0] * x[1] / 100.0;
    y[2] = x[1] / 50.0;
    return 0;
}

static void write_file(const uint8_t *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    require(file != NULL);
    require(fwrite(bytes, 1, size, file) == size);
    fclose(file);
}

static size_t read_file(uint8_t **bytes)
{
    FILE *file = fopen(path, "rb");
    require(file != NULL);
    *bytes = malloc(LONGEST);
    require(*bytes != NULL);
    size_t size = fread(*bytes, 1, LONGEST, file);
    fclose(file);
    return size;
}

/* A study of five trials, with a note, a failure and a line in its log. */
static void make_sound(const gofh_problem *problem, const gofh_settings *settings)
{
    gofh_study *study;
    double x[D], y[M];
    int64_t trial;
    unlink(path);
    require(!gofh_study_open(&study, path, GOFH_OPEN_WRITE, problem, settings, NULL));
    for (int i = 0; i < 5; i++) {
        require(!gofh_study_ask(study, &trial, x));
        h(x, y, NULL);
        require(!(i == 1 ? gofh_study_fail(study, trial, "diverged") : gofh_study_tell(study, trial, y)));
    }
    require(!gofh_study_import(study, x, y, NULL));
    require(!gofh_study_set_note(study, 2, "job", "4711"));
    require(!gofh_study_ask(study, &trial, x));
    gofh_study_free(study);
    sound_size = read_file(&sound);
    earlier_make(path);
    earlier_size = read_file(&earlier);
}

/* suggest: whether the model is tried too, which takes a hundred times as long. */
static void try_file(const gofh_problem *problem, const gofh_settings *settings, gofh_open_mode mode,
                     int suggest)
{
    gofh_study *study;
    gofh_error error = {.status = GOFH_OK};
    gofh_status status = gofh_study_open(&study, path, mode, problem, settings, &error);
    if (status) {
        require(study == NULL && status < 0 && error.status == status && error.message[0] != '\0');
        return;
    }
    gofh_trial trial;
    double x[D], y[M];
    int64_t number;
    for (int64_t i = 1; i <= gofh_study_count(study); i++) require(!gofh_study_trial(study, i, &trial));
    for (int i = 0; gofh_study_log(study, i); i++) require(strlen(gofh_study_log(study, i)) < 256);
    if (suggest && gofh_study_count(study) < 20 && !gofh_study_ask(study, &number, x)) {
        h(x, y, NULL);
        gofh_study_tell(study, number, y);
    }
    gofh_study_free(study);
}

/* libFuzzer calls it, the replay of the corpus does not. */
int LLVMFuzzerInitialize(int *count, char ***arguments)
{
    (void)count;
    (void)arguments;
    fuzzing = 1;
    return 0;
}

/* Of the bytes, to choose by what mutations change. */
static uint32_t hash_of(const uint8_t *data, size_t size)
{
    uint32_t hash = 2166136261U; /* FNV-1a */
    for (size_t i = 0; i < size; i++) hash = (hash ^ data[i]) * 16777619U;
    return hash >> 8;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t changed[LONGEST];
    if (size < 1 || size > LONGEST) return 0;
    if (!*path)
        snprintf(path, sizeof path, "%s/gofh-fuzz-%ld.db", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm",
                 (long)getpid());
    gofh_problem *problem = make_problem();
    gofh_settings settings = make_settings();
    if (!sound) make_sound(problem, &settings);
    if (data[0] % 2) {
        write_file(data + 1, size - 1);
    } else {
        size_t count = data[0] & 4 ? earlier_size : sound_size;
        memcpy(changed, data[0] & 4 ? earlier : sound, count);
        for (size_t i = 1; i + 4 <= size; i += 4)
            changed[((size_t)data[i] << 16 | (size_t)data[i + 1] << 8 | data[i + 2]) % count] = data[i + 3];
        write_file(changed, count);
    }
    uint32_t choice = fuzzing ? hash_of(data, size) : 0;
    if (!fuzzing || choice % 2) try_file(problem, &settings, GOFH_OPEN_READ, 0);
    if (choice % 2 == 0) try_file(problem, &settings, GOFH_OPEN_WRITE, (data[0] & 2) && choice % 256 == 0);
    char name[80];
    static const char *const endings[] = {"", ".lock", "-journal"};
    for (int i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "%s%s", path, endings[i]);
        unlink(name);
    }
    gofh_problem_free(problem);
    return 0;
}

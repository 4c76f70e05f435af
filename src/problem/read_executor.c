#include "base/memory.h"
#include "problem/presets.h"
#include "problem/reader.h"

#include <string.h>

enum { GRACE = 120, CPUS_MAX = 100000, PRESETS_MAX = 16 };

/* One text, or a list of texts. */
static gofh_status read_list(reader *r, const yaml_node *node, const char *what, simulator_list *list)
{
    size_t count = node->kind == YAML_LIST ? node->count : 1;
    list->items = memory_new(count, sizeof *list->items);
    if (!list->items) return reader_memory(r);
    for (size_t i = 0; i < count; i++) {
        const yaml_node *item = node->kind == YAML_LIST ? node->items[i] : node;
        gofh_status status = reader_text(r, item, what, &list->items[i]);
        if (status) return status;
        list->count++;
    }
    return GOFH_OK;
}

/* 16G, 800M: a whole number and a unit, as Slurm takes it. */
static gofh_status read_memory(reader *r, const yaml_node *node, char **memory)
{
    gofh_status status = reader_text(r, node, "memory", memory);
    if (status) return status;
    size_t digits = strspn(*memory, "0123456789");
    const char *unit = *memory + digits;
    if (digits > 0 && *unit && strchr("KMGT", *unit) && unit[1] == '\0') return GOFH_OK;
    reader_fail(r, node, "memory must be a whole number with a unit, not \"%.60s\"", *memory);
    return reader_hint(r, "write 16G or 800M");
}

static gofh_status read_slurm(reader *r, const yaml_node *section)
{
    static const char *const keys[] = {"partition", "time", "cpus", "memory", "extra", "grace", NULL};
    simulator_queue *q = &r->file->simulator.queue;
    const yaml_node *node;
    gofh_status status = reader_mapping(r, section, "slurm", keys);
    if (!status && (node = yaml_get(section, "partition")))
        status = reader_text(r, node, "partition", &q->partition);
    if (!status && (node = yaml_get(section, "time"))) status = reader_seconds(r, node, "time", &q->time);
    if (!status && (node = yaml_get(section, "cpus")))
        status = reader_integer(r, node, "cpus", 1, CPUS_MAX, &q->cpus);
    if (!status && (node = yaml_get(section, "memory"))) status = read_memory(r, node, &q->memory);
    if (!status && (node = yaml_get(section, "extra"))) status = read_list(r, node, "extra", &q->extra);
    if (!status && (node = yaml_get(section, "grace"))) status = reader_seconds(r, node, "grace", &q->grace);
    return status;
}

/* A template of its own, or the preset's. */
static gofh_status read_template(reader *r, const yaml_node *section, const char *key, const char *preset,
                                 char **value)
{
    const yaml_node *node = yaml_get(section, key);
    if (node) return reader_text(r, node, key, value);
    if (!preset) {
        reader_fail(r, section, "queue has no %s, and no preset that has one", key);
        return reader_hint(r, "write %s: and the command, or preset: pbs", key);
    }
    *value = memory_copy_text(preset);
    return *value ? GOFH_OK : reader_memory(r);
}

static gofh_status read_queue(reader *r, const yaml_node *section)
{
    static const char *const keys[] = {"preset", "submit", "status", "cancel", "extra", "grace", NULL};
    static const queue_preset none = {NULL, NULL, NULL, NULL};
    simulator_queue *q = &r->file->simulator.queue;
    const queue_preset *preset = &none;
    const yaml_node *node;
    gofh_status status = reader_mapping(r, section, "queue", keys);
    if (!status && (node = yaml_get(section, "preset"))) {
        const char *names[PRESETS_MAX + 1] = {NULL};
        int chosen = 0;
        for (int i = 0; i < PRESETS_MAX && QUEUE_PRESETS[i].name; i++) names[i] = QUEUE_PRESETS[i].name;
        status = reader_choice(r, node, "preset", names, &chosen);
        preset = &QUEUE_PRESETS[chosen];
    }
    if (!status) status = read_template(r, section, "submit", preset->submit, &q->submit);
    if (!status) status = read_template(r, section, "status", preset->status, &q->status);
    if (!status) status = read_template(r, section, "cancel", preset->cancel, &q->cancel);
    if (!status && (node = yaml_get(section, "extra"))) status = read_list(r, node, "extra", &q->extra);
    if (!status && (node = yaml_get(section, "grace"))) status = reader_seconds(r, node, "grace", &q->grace);
    return status;
}

gofh_status read_executor(reader *r, const yaml_node *section)
{
    static const char *const kinds[] = {"local", "slurm", "srun", "command", NULL};
    simulator *s = &r->file->simulator;
    const yaml_node *executor = yaml_get(section, "executor"), *setup = yaml_get(section, "setup"),
                    *slurm = yaml_get(section, "slurm"), *queue = yaml_get(section, "queue");
    int kind = EXECUTOR_LOCAL;
    gofh_status status = executor ? reader_choice(r, executor, "executor", kinds, &kind) : GOFH_OK;
    s->executor = (executor_kind)kind;
    s->queue.grace = GRACE;
    if (!status && setup) status = read_list(r, setup, "setup", &s->setup);
    if (status) return status;
    int by_slurm = kind == EXECUTOR_SLURM || kind == EXECUTOR_SRUN;
    if (slurm && !by_slurm)
        return reader_fail(r, yaml_key(section, "slurm"), "slurm is for executor: slurm or srun only");
    if (queue && kind != EXECUTOR_COMMAND)
        return reader_fail(r, yaml_key(section, "queue"), "queue is for executor: command only");
    if (kind == EXECUTOR_COMMAND && !queue) {
        reader_fail(r, executor, "executor: command needs queue");
        return reader_hint(r, "add queue: {preset: pbs}, or its commands submit, status and cancel");
    }
    if (slurm) return read_slurm(r, slurm);
    return queue ? read_queue(r, queue) : GOFH_OK;
}

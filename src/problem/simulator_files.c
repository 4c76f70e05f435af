#include "problem/simulator_files.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static bool leaves_the_folder(const char *name)
{
    if (*name == '/') return true;
    for (const char *part = name; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0')) return true;
    }
    return false;
}

static gofh_status check_name(reader *r, const yaml_node *node, const char *what, const char *name)
{
    if (!leaves_the_folder(name) && name[strlen(name) - 1] != '/') return GOFH_OK;
    reader_fail(r, node, "%s \"%.200s\" is not a file in the folder of the run", what, name);
    return reader_hint(r, "it may not start with \"/\", end with \"/\" or go up with \"..\"");
}

gofh_status simulator_name(reader *r, const yaml_node *node, const char *what, char **name)
{
    gofh_status status = reader_text(r, node, what, name);
    return status ? status : check_name(r, node, what, *name);
}

/* The last part of a path, without `ending`. */
static char *base_name(const char *path, const char *ending)
{
    const char *slash = strrchr(path, '/');
    char *name = memory_copy_text(slash ? slash + 1 : path);
    if (!name) return NULL;
    size_t length = strlen(name), cut = strlen(ending);
    if (length > cut && strcmp(name + length - cut, ending) == 0) name[length - cut] = '\0';
    return name;
}

/* What goes into the folder of the run, and under which name: both must be free of others of that
 * name. */
static gofh_status check_unique(reader *r, const yaml_node *node, const char *to)
{
    const simulator *s = &r->file->simulator;
    int count = 0;
    for (int i = 0; i < s->template_count; i++)
        count += s->templates[i].to && strcmp(s->templates[i].to, to) == 0;
    for (int i = 0; i < s->file_count; i++) count += s->files[i].to && strcmp(s->files[i].to, to) == 0;
    if (count <= 1) return GOFH_OK;
    return reader_fail(r, node, "two files of the run are called \"%.200s\"", to);
}

/* Only `from`, or {from: ..., to: ...}. Without `to` it is the last part of `from`, without
 * `ending`. */
static gofh_status read_pair(reader *r, const yaml_node *node, const char *what, const char *const *keys,
                             const char *ending, char **from, char **to)
{
    const yaml_node *source = node, *target = NULL;
    gofh_status status = GOFH_OK;
    if (node->kind == YAML_MAPPING) {
        status = reader_mapping(r, node, what, keys);
        source = status ? NULL : yaml_get(node, "from");
        target = status ? NULL : yaml_get(node, "to");
        if (!status && !source) status = reader_fail(r, node, "%s has no \"from\"", what);
        if (status || !source) return status;
    }
    if (!status) status = reader_path(r, source, what, from);
    if (!status && target) status = simulator_name(r, target, what, to);
    if (!status && !target) {
        *to = base_name(*from, ending);
        status = *to ? GOFH_OK : reader_memory(r);
        if (!status && (**to == '\0' || leaves_the_folder(*to)))
            status = reader_fail(
                r, source, "%s \"%.200s\" needs a name for the run: write {from: ..., to: ...}", what, *from);
    }
    return status ? status : check_unique(r, target ? target : source, *to);
}

static gofh_status read_template(reader *r, const yaml_node *node)
{
    static const char *const keys[] = {"from", "to", NULL};
    simulator *s = &r->file->simulator;
    simulator_template *item = &s->templates[s->template_count++];
    gofh_status status = read_pair(r, node, "the template", keys, ".tpl", &item->from, &item->to);
    if (!status && node->kind != YAML_MAPPING && strcmp(item->from, item->to) == 0) {
        reader_fail(r, node,
                    "the template \"%.200s\" does not end in .tpl, so its name in the run must be given",
                    item->from);
        reader_hint(r, "write {from: %.80s, to: ...}", item->from);
        return r->error->status;
    }
    return status;
}

static gofh_status read_file(reader *r, const yaml_node *node)
{
    static const char *const keys[] = {"from", "to", "link", NULL};
    static const char *const words[] = {"false", "true", NULL};
    simulator *s = &r->file->simulator;
    simulator_file *item = &s->files[s->file_count++];
    gofh_status status = read_pair(r, node, "the file", keys, "", &item->from, &item->to);
    const yaml_node *link = !status && node->kind == YAML_MAPPING ? yaml_get(node, "link") : NULL;
    return link ? reader_choice(r, link, "link", words, &item->link) : status;
}

static gofh_status read_instruction(reader *r, const yaml_node *node)
{
    static const char *const keys[] = {"instruction", "file", NULL};
    simulator *s = &r->file->simulator;
    simulator_instruction *item = &s->instructions[s->instruction_count++];
    gofh_status status = reader_mapping(r, node, "an instruction", keys);
    if (status) return status;
    const yaml_node *instruction = yaml_get(node, "instruction"), *file = yaml_get(node, "file");
    if (!instruction || !file) {
        reader_fail(r, node, "an instruction has no \"%s\"", instruction ? "file" : "instruction");
        return reader_hint(r, "write {instruction: out.ins, file: out.txt}");
    }
    status = reader_path(r, instruction, "the instruction file", &item->instruction);
    return status ? status : simulator_name(r, file, "the file", &item->file);
}

/* Makes room for a list's items, and reads each. */
static gofh_status read_list(reader *r, const yaml_node *section, const char *key, void **items, size_t size,
                             gofh_status (*read)(reader *, const yaml_node *))
{
    enum { ITEMS_MAX = 1000 };
    const yaml_node *list = yaml_get(section, key);
    if (!list) return GOFH_OK;
    if (list->kind != YAML_LIST)
        return reader_fail(r, list, "%s must be a list, not %s: write it in [ ]", key, reader_kind(list));
    if (list->count > ITEMS_MAX) return reader_fail(r, list, "%s has more than %d items", key, ITEMS_MAX);
    *items = memory_new(list->count, size);
    if (!*items) return reader_memory(r);
    gofh_status status = GOFH_OK;
    for (size_t i = 0; i < list->count && !status; i++) status = read(r, list->items[i]);
    return status;
}

gofh_status read_simulator_files(reader *r, const yaml_node *section)
{
    simulator *s = &r->file->simulator;
    gofh_status status = read_list(r, section, "templates", (void **)&s->templates, sizeof *s->templates,
                                   read_template);
    if (!status) status = read_list(r, section, "files", (void **)&s->files, sizeof *s->files, read_file);
    if (!status)
        status = read_list(r, section, "instructions", (void **)&s->instructions, sizeof *s->instructions,
                           read_instruction);
    return status;
}

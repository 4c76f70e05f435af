/* A simulator's own input in YAML or JSON as a problem file: its numbers are the parameters. */
#include "base/number.h"
#include "cli/draft.h"
#include "problem/yaml.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    draft *d;
    const yaml_tree *tree;
    buffer text; /* the template so far */
    size_t done; /* bytes of the input that are in it */
    int left_out;
} taking;

/* "a.b[2]" as a name: a_b_2. */
static void make_name(const char *path, char name[DRAFT_NAME])
{
    size_t used = 0;
    for (const char *c = path; *c && used + 1 < DRAFT_NAME - 4; c++) {
        int fine = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9');
        if (fine || (unsigned char)*c >= 0x80)
            name[used++] = *c;
        else if (used > 0 && name[used - 1] != '_')
            name[used++] = '_';
    }
    while (used > 0 && name[used - 1] == '_') used--;
    name[used] = '\0';
}

/* Takes over a number: a place in the template, and bounds of half to twice its value. */
static int take_number(taking *t, const yaml_node *node, const char *path, double value)
{
    char name[DRAFT_NAME];
    make_name(path, name);
    if (value == 0.0 || !draft_is_name(name) || t->d->count == DRAFT_PARAMETERS) {
        t->left_out++;
        return 0;
    }
    double low = value > 0.0 ? 0.5 * value : 2.0 * value, high = value > 0.0 ? 2.0 * value : 0.5 * value;
    if (draft_add(t->d, name, low, high, 0, value, "a guess: half to twice what it is")) return -1;
    const char *bytes = t->tree->text.bytes;
    buffer_add(&t->text, bytes + t->done, node->at - t->done);
    buffer_format(&t->text, "{{%s}}", name);
    t->done = node->at + strlen(node->text);
    return 0;
}

static int take_node(taking *t, const yaml_node *node, const char *path)
{
    char below[2 * DRAFT_NAME];
    double value;
    if (!node || strlen(path) > DRAFT_NAME) return 0;
    if (node->kind == YAML_SCALAR && node->style == YAML_PLAIN &&
        number_read(node->text, strlen(node->text), &value) == NUMBER_FINE && node->at >= t->done)
        return take_number(t, node, path, value);
    for (size_t i = 0; i < node->count; i++) {
        if (node->kind == YAML_MAPPING)
            snprintf(below, sizeof below, "%.60s%s%.60s", path, *path ? "." : "", node->keys[i]->text);
        else
            snprintf(below, sizeof below, "%.60s_%zu", path, i);
        if (take_node(t, node->items[i], below)) return -1;
    }
    return 0;
}

int draft_from_yaml(draft *d, const char *path)
{
    enum { MOST = 1 << 20 };
    text_file text;
    yaml_tree tree;
    problem_error error = {0};
    char shown[sizeof error + 64], name[DRAFT_PATH];
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    if (text_read(&text, path, path, MOST, &error) || yaml_read(&tree, &text, &error)) {
        problem_error_text(&error, shown, sizeof shown);
        return draft_fail(d, "%s", shown);
    }
    taking t = {.d = d, .tree = &tree};
    int status = take_node(&t, tree.root, "");
    if (!status && d->count == 0) status = draft_fail(d, "%s has no number that could be a parameter", path);
    snprintf(name, sizeof name, "%.250s.tpl", file);
    buffer *template = status ? NULL : draft_add_file(d, name, 0);
    if (template) {
        buffer_text(&t.text, tree.text.bytes + t.done);
        buffer_text(template, t.text.bytes ? t.text.bytes : "");
        buffer_format(&d->head,
                      "# Taken from %s, the input of a simulator, by gofh init: each number of it is a\n"
                      "# parameter, and %s the template. Take out those that are known: here and there.\n",
                      path, name);
        if (t.left_out)
            buffer_format(&d->head, "# %d numbers (zeros, or too many) stay as they are.\n", t.left_out);
        buffer_text(&d->simulator, "simulator:\n  command: ");
        buffer *stub = draft_add_file(d, "simulate.py", 1);
        buffer_format(
            stub,
            "#!/usr/bin/env python3\n\"\"\"The simulator, to be filled in: simulate.py INPUT RESULTS.\"\"\"\n"
            "import json\nimport re\nimport sys\n\n"
            "text = open(sys.argv[1]).read()\n"
            "# In place of these lines: run your model with its input, and take what it computes.\n"
            "numbers = [float(n) for n in re.findall(r\"-?\\d+\\.?\\d*(?:e-?\\d+)?\", text)]\n"
            "y = sum(number**2 for number in numbers)\n\n"
            "with open(sys.argv[2], \"w\") as file:\n    json.dump({\"y\": y}, file)\n");
        draft_quoted(&d->simulator, "./simulate.py {params} {results}");
        buffer_text(&d->simulator, "  # a placeholder: put your simulator there\n  params: template\n"
                                   "  templates: [{from: ");
        draft_quoted(&d->simulator, name);
        buffer_text(&d->simulator, ", to: ");
        draft_quoted(&d->simulator, file);
        buffer_text(&d->simulator, "}]\n  parallel: 1\n");
        buffer_text(&d->outputs, "outputs: {y: 1}  # a guess: names and sizes of what it computes\n");
        buffer_text(&d->objective, "objective:\n  minimize: y  # a guess; fit: {y: measured} for data\n");
    }
    buffer_free(&t.text);
    yaml_free(&tree);
    return template ? status : -1;
}

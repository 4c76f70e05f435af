/* What the live page answers, in the server's thread. */
#include "cli/commands.h"
#include "cli/live_state.h"
#include "report/page_style.h"
#include "run/look.h"
#include "serve/texts.h"
#include "serve/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int copy_text(const char *text, size_t size, serve_document *document)
{
    document->bytes = malloc(size + 1);
    if (!document->bytes) return 500;
    memcpy(document->bytes, text, size);
    document->size = size;
    return 200;
}

static int answer_texts(const char *path, serve_document *document)
{
    size_t size = strlen(PALETTE_STYLE) + strlen(PAGE_STYLE) + strlen(CHART_STYLE) + strlen(LIVE_STYLE);
    if (strcmp(path, "style.css") == 0) {
        document->type = "text/css; charset=utf-8";
        document->bytes = malloc(size + 1);
        if (!document->bytes) return 500;
        snprintf(document->bytes, size + 1, "%s%s%s%s", PALETTE_STYLE, PAGE_STYLE, CHART_STYLE, LIVE_STYLE);
        document->size = size;
        return 200;
    }
    document->type = "text/javascript; charset=utf-8";
    if (strcmp(path, "script.js") == 0) return copy_text(PAGE_SCRIPT, strlen(PAGE_SCRIPT), document);
    if (strcmp(path, "live.js") == 0) return copy_text(LIVE_SCRIPT, strlen(LIVE_SCRIPT), document);
    return 404;
}

/* A whole number of the query within bounds; -1: there is none. */
static long long query_number(const serve_request *request, const char *name, long long most)
{
    const char *text = serve_query(request, name);
    char *end;
    if (!text || !*text || strspn(text, "0123456789") != strlen(text) || strlen(text) > 9) return -1;
    long long value = strtoll(text, &end, 10);
    return value <= most ? value : -1;
}

static int answer_page(live *l, FILE *file)
{
    view_study shown[LIVE_STUDIES_MAX];
    pthread_mutex_lock(&l->lock);
    for (int i = 0; i < l->options->count; i++) {
        const followed *v = &l->studies[i];
        shown[i] = (view_study){v->s.file.path, v->summary.text, v->running.text, v->next.text,
                                v->state.text};
    }
    view_page(file, shown, l->options->count, serve_token(l->server));
    pthread_mutex_unlock(&l->lock);
    return 200;
}

static int answer_trial(const followed *v, report *r, const serve_request *request)
{
    char output[LOOK_TAIL] = "", errors[LOOK_TAIL] = "";
    run_look look = {.folder = NULL};
    long long trial = query_number(request, "trial", v->r.count);
    if (trial < 1) return 404;
    const char *identity = gofh_study_note(v->study, trial, NOTE_RUN);
    if (identity && look_at_run(identity, v->s.directory, &look) == 0) look_at_outputs(&look, output, errors);
    gofh_status status = view_trial(r, trial, look.folder ? look.folder : "", output, errors);
    look_free(&look);
    return status ? 500 : 200;
}

static int answer_trials(report *r, const serve_request *request)
{
    const char *sort = serve_query(request, "sort"), *filter = serve_query(request, "filter");
    const char *descending = serve_query(request, "descending");
    long long from = query_number(request, "from", r->count);
    view_query query = {.sort = sort && *sort ? sort : NULL,
                        .descending = descending && *descending,
                        .filter = filter && *filter ? filter : NULL,
                        .from = from > 0 ? (int)from : 0};
    return view_trials(r, &query) ? 500 : 200;
}

/* What depends on one study; under the lock. */
static int answer_study(const followed *v, const char *path, const serve_request *request, FILE *file)
{
    const char *name = serve_query(request, "part");
    if (strcmp(path, "part") == 0) {
        const part *p = name && strcmp(name, "summary") == 0   ? &v->summary
                        : name && strcmp(name, "state") == 0   ? &v->state
                        : name && strcmp(name, "next") == 0    ? &v->next
                        : name && strcmp(name, "running") == 0 ? &v->running
                                                               : NULL;
        if (!p) return 404;
        if (p->text) fwrite(p->text, 1, p->size, file);
        return 200;
    }
    if (!v->study) {
        fputs("<table data-from=\"0\" data-shown=\"0\" data-all=\"0\"></table>", file);
        return strcmp(path, "trials") == 0 ? 200 : 404;
    }
    report r = v->r;
    r.file = file;
    return strcmp(path, "trial") == 0    ? answer_trial(v, &r, request)
           : strcmp(path, "trials") == 0 ? answer_trials(&r, request)
                                         : 404;
}

int live_answer(void *context, const char *path, const serve_request *request, serve_document *document)
{
    live *l = context;
    if (strchr(path, '.')) return answer_texts(path, document);
    FILE *file = open_memstream(&document->bytes, &document->size);
    if (!file) return 500;
    int status;
    if (*path == '\0') {
        status = answer_page(l, file);
    } else {
        long long study = query_number(request, "study", l->options->count - 1);
        pthread_mutex_lock(&l->lock);
        status = study < 0 ? 404 : answer_study(&l->studies[study], path, request, file);
        pthread_mutex_unlock(&l->lock);
    }
    return fclose(file) ? 500 : status;
}

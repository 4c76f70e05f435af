#include "report/html.h"

#include "base/error.h"
#include "report/figures.h"
#include "report/page_style.h"
#include "report/svg.h"
#include "report/tables.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void write_head(const report *r)
{
    const report_input *in = r->input;
    const char *title = in->title ? in->title : "Study";
    char hash[PAGE_SCRIPT_HASH];
    page_script_hash(hash);
    fprintf(r->file,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
            "'unsafe-inline'; img-src data:; script-src 'sha256-%s'\">\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
            "<link rel=\"icon\" href=\"data:,\">\n<title>",
            hash);
    svg_escape(r->file, title);
    fputs("</title>\n<style>\n", r->file);
    page_style_write(r->file);
    fputs("</style>\n</head>\n<body>\n<main>\n<h1>", r->file);
    svg_escape(r->file, title);
    fputs("</h1>\n<p class=\"by\">", r->file);
    if (in->made) {
        svg_escape(r->file, in->made);
        fputs(" · ", r->file);
    }
    fprintf(r->file, "gofh %s</p>\n", gofh_version());
}

static gofh_status write_log(const report *r)
{
    const char *line = gofh_study_log(r->study, 0);
    if (!line) return GOFH_OK;
    fputs("<section id=\"log\"><h2>Log</h2>\n<pre>", r->file);
    for (int i = 0; (line = gofh_study_log(r->study, i)); i++) {
        svg_escape(r->file, line);
        fputc('\n', r->file);
    }
    fputs("</pre></section>\n", r->file);
    return GOFH_OK;
}

/* How sure the study is of its best evaluation: the reasons, an item each. */
static gofh_status write_assessment(const report *r)
{
    gofh_assessment a;
    if (r->best < 0 || r->quick) return GOFH_OK;
    gofh_status status = gofh_study_assess(r->study, &a);
    if (status) return report_failure(r, status);
    fprintf(r->file, "<section id=\"assessment\"><h2>%s</h2>\n", a.success ? "Sure of it" : "Not sure of it");
    table_reasons(r, a.message);
    fputs("</section>\n", r->file);
    return GOFH_OK;
}

/* The parts of the page, in its order. A figure is added here. */
static const struct {
    const char *name;
    gofh_status (*write)(const report *);
} PARTS[] = {{"assessment", write_assessment},
             {"constraints", table_constraints},
             {"convergence", figure_convergence},
             {"fit", figure_fit},
             {"residuals", figure_residuals},
             {"posterior", figure_posterior},
             {"slices", figure_slices},
             {"sensitivity", figure_sensitivity},
             {"trials", figure_scatter},
             {"quality", figure_left_out},
             {"times", figure_times},
             {"table", table_trials},
             {"log", write_log}};
enum { PART_COUNT = sizeof PARTS / sizeof *PARTS };

static gofh_status write_parts(const report *r, const char *part)
{
    for (int i = 0; i < PART_COUNT; i++) {
        if (part && strcmp(part, PARTS[i].name) != 0) continue;
        gofh_status status = PARTS[i].write(r);
        if (status) return status;
    }
    return GOFH_OK;
}

static gofh_status write_page(const report *r)
{
    write_head(r);
    table_tiles(r);
    table_problem(r);
    table_parameters(r);
    fputs("<p class=\"note scripted\" hidden>Charts: drag to zoom, double click for all of it; with the "
          "keyboard "
          "+, − and 0. A click on a mark leads to its trial.</p>\n",
          r->file);
    if (r->done > REPORT_MODELLED_MAX)
        fprintf(
            r->file,
            "<p class=\"note\">A model of %d evaluations would take too long: what needs one is left out, "
            "such as slices, sensitivities, the posterior and how sure the study is.</p>\n",
            r->done);
    gofh_status status = write_parts(r, NULL);
    if (status) return status;
    fprintf(r->file, "<footer>Made by gofh %s.</footer>\n</main>\n<script>%s</script>\n</body>\n</html>\n",
            gofh_version(), PAGE_SCRIPT);
    return GOFH_OK;
}

gofh_status report_html(FILE *file, const report_input *input, gofh_error *error)
{
    report r;
    gofh_status status = report_gather(&r, file, input, error);
    if (!status) status = write_page(&r);
    report_release(&r);
    return status ? status : report_finish(file, "report", error);
}

gofh_status report_figures(const char *folder, const report_input *input, char (**ids)[REPORT_ID], int *count,
                           gofh_error *error)
{
    report r;
    gofh_error own = {0};
    chart_files files = {.folder = folder, .error = &own};
    *ids = NULL;
    *count = 0;
    /* What is not a figure goes nowhere. */
    FILE *page = fopen("/dev/null", "w");
    if (!page) return error_set(error, GOFH_ERROR_SYSTEM, "/dev/null can't be opened: %s", strerror(errno));
    gofh_status status = report_gather(&r, page, input, error);
    r.files = &files;
    if (!status) status = write_parts(&r, input->part);
    report_release(&r);
    fclose(page);
    if (!status && own.status) status = error_set(error, own.status, "%s", own.message);
    if (status) {
        free(files.ids);
        return status;
    }
    *ids = files.ids;
    *count = (int)files.count;
    return GOFH_OK;
}

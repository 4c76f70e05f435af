/* What tests of the report share: its page as a text, and how often a text has another in it. */
#ifndef TESTS_REPORT_PAGES_H
#define TESTS_REPORT_PAGES_H

#include "check.h"
#include "report/html.h"

#include <stdlib.h>
#include <string.h>

/* The report, to be freed; the study is freed here. */
static inline char *page_of(const report_input *input)
{
    char *text = NULL;
    size_t size = 0;
    gofh_error error = {.status = GOFH_OK};
    FILE *file = open_memstream(&text, &size);
    assert_non_null(file);
    gofh_status status = report_html(file, input, &error);
    if (status) print_error("%s\n", error.message);
    assert_int_equal(status, GOFH_OK);
    fclose(file);
    gofh_study_free(input->study);
    char *copy = strdup(text); /* gcc takes the stream's own buffer for a local one */
    free(text);
    assert_non_null(copy);
    return copy;
}

static inline int occurrences(const char *text, const char *what)
{
    int count = 0;
    for (const char *p = text; (p = strstr(p, what)); p++) count++;
    return count;
}

#endif

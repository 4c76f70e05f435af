/* The style sheet and the script of the report, which are files of this folder (cmake/embed.cmake). */
#ifndef REPORT_PAGE_STYLE_H
#define REPORT_PAGE_STYLE_H

#include <stddef.h>
#include <stdio.h>

extern const char PALETTE_STYLE[], CHART_STYLE[], PAGE_STYLE[];
/* Sorts and filters tables; zoom, hints and picking in charts. The page is whole without it. */
extern const char PAGE_SCRIPT[], PAGE_SCRIPT_SHA256[];

/* The style of the page, as the text of a <style>. */
void page_style_write(FILE *file);
/* That of a chart that is a file of its own: in the light colours, for a paper, and without what only
 * browsers know. */
void page_style_figure(FILE *file);
/* The hash of the script as a Content-Security-Policy has it: in base64. */
enum { PAGE_SCRIPT_HASH = 48 };
void page_script_hash(char text[PAGE_SCRIPT_HASH]);

#endif

/* The style sheet of the report, for light, dark, paper and narrow screens. */
#ifndef REPORT_PAGE_STYLE_H
#define REPORT_PAGE_STYLE_H

extern const char PAGE_STYLE[];

#endif

/* SVG to a stream, one element per call. Colours follow the reader's light or dark theme, where the
 * viewer knows it. */
#ifndef REPORT_SVG_H
#define REPORT_SVG_H

#include <stdio.h>

/* Classes of elements: axis and grid for lines; label (axes), small (ticks, legends) and title for
 * texts. */
void svg_begin(FILE *file, double width, double height, const char *title);
void svg_end(FILE *file);

/* attributes: more of them, as in SVG; NULL for none. */
void svg_line(FILE *file, const char *class, double x1, double y1, double x2, double y2);
void svg_rectangle(FILE *file, const char *class, double x, double y, double width, double height);
/* Lines through the points; a point that is not finite interrupts them. */
void svg_path(FILE *file, const double *x, const double *y, int count, const char *attributes);
/* The area between (x, low) and (x, high); points that are not finite are left out. */
void svg_band(FILE *file, const double *x, const double *low, const double *high, int count,
              const char *attributes);
/* anchor: start, middle or end. turn: degrees, clockwise, around (x, y). */
void svg_text(FILE *file, const char *class, double x, double y, const char *anchor, double turn,
              const char *text);

/* The text with what XML reserves written as entities. */
void svg_escape(FILE *file, const char *text);

#endif

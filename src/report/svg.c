#include "report/svg.h"

#include "base/number.h"
#include "base/printable.h"

#include <math.h>

void svg_escape(FILE *file, const char *text)
{
    for (; *text; text++) {
        int control = *text != '\n' && *text != '\t' ? printable_control(text) : 0;
        if (control > 0) {
            fputc(' ', file);
            text += control - 1;
            continue;
        }
        int bytes = printable_bytes(text);
        if (bytes > 1) {
            fwrite(text, 1, (size_t)bytes, file);
            text += bytes - 1;
            continue;
        }
        switch (*text) {
        case '&':
            fputs("&amp;", file);
            break;
        case '<':
            fputs("&lt;", file);
            break;
        case '>':
            fputs("&gt;", file);
            break;
        case '"':
            fputs("&quot;", file);
            break;
        default:
            fputc((unsigned char)*text < 0x80 ? *text : '?', file);
        }
    }
}

void svg_begin(FILE *file, double width, double height, const char *title)
{
    number_print(file,
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" viewBox=\"0 0 %g %g\" "
                 "font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\">\n<title>",
                 width, height, width, height);
    svg_escape(file, title);
    fputs("</title>\n<style>\n"
          ".paper { fill: #ffffff; }\n"
          ".axis { stroke: #444444; stroke-width: 1; fill: none; }\n"
          ".grid { stroke: #e4e4e4; stroke-width: 1; }\n"
          "text { fill: #222222; }\n"
          ".title { font-size: 15px; font-weight: bold; }\n"
          ".label { font-size: 13px; }\n"
          ".small { font-size: 12px; }\n"
          "@media (prefers-color-scheme: dark) {\n"
          "  .paper { fill: #16191d; }\n"
          "  .axis { stroke: #aaaaaa; }\n"
          "  .grid { stroke: #30353b; }\n"
          "  text { fill: #dddddd; }\n"
          "}\n"
          "</style>\n",
          file);
    svg_rectangle(file, "paper", 0.0, 0.0, width, height);
}

void svg_end(FILE *file)
{
    fputs("</svg>\n", file);
}

void svg_line(FILE *file, const char *class, double x1, double y1, double x2, double y2)
{
    number_print(file, "<line class=\"%s\" x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\"/>\n", class, x1,
                 y1, x2, y2);
}

void svg_rectangle(FILE *file, const char *class, double x, double y, double width, double height)
{
    number_print(file, "<rect class=\"%s\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/>\n", class,
                 x, y, width, height);
}

void svg_path(FILE *file, const double *x, const double *y, int count, const char *attributes)
{
    int drawing = 0;
    fprintf(file, "<path fill=\"none\" stroke-linejoin=\"round\" %s d=\"", attributes ? attributes : "");
    for (int i = 0; i < count; i++) {
        if (isfinite(x[i]) && isfinite(y[i])) {
            number_print(file, "%s%.2f %.2f", drawing ? " L" : " M", x[i], y[i]);
            drawing = 1;
        } else {
            drawing = 0;
        }
    }
    fputs("\"/>\n", file);
}

void svg_band(FILE *file, const double *x, const double *low, const double *high, int count,
              const char *attributes)
{
    int drawn = 0;
    fprintf(file, "<path stroke=\"none\" %s d=\"", attributes ? attributes : "");
    for (int i = 0; i < 2 * count; i++) {
        int at = i < count ? i : 2 * count - 1 - i;
        const double *y = i < count ? high : low;
        if (!isfinite(x[at]) || !isfinite(low[at]) || !isfinite(high[at])) continue;
        number_print(file, "%s%.2f %.2f", drawn++ ? " L" : "M", x[at], y[at]);
    }
    fputs(drawn ? " Z\"/>\n" : "\"/>\n", file);
}

void svg_text(FILE *file, const char *class, double x, double y, const char *anchor, double turn,
              const char *text)
{
    number_print(file, "<text class=\"%s\" x=\"%.2f\" y=\"%.2f\" text-anchor=\"%s\"", class, x, y, anchor);
    if (turn != 0.0) number_print(file, " transform=\"rotate(%g %.2f %.2f)\"", turn, x, y);
    fputc('>', file);
    svg_escape(file, text);
    fputs("</text>\n", file);
}

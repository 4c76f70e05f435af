/* Each pair of parameters given the data, their correlations, and the combinations that the data tell. */
#include "report/figure_posterior.h"

#include "base/number.h"
#include "report/chart_axis.h"
#include "report/svg.h"

#include <math.h>
#include <string.h>

enum { SHOWN_MAX = 8, BINS = 28, CELL = 92, GAP = 6, MARGIN = 62, LEVELS = 3 };

/* Shares of the samples that the darkest, the middle and the lightest area hold. */
static const double HELD[LEVELS] = {0.5, 0.8, 0.95};
static const double SHADE[LEVELS] = {0.85, 0.5, 0.22};

static void square(FILE *file, double x, double y, double width, double height, double opacity)
{
    number_print(file,
                 "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
                 "style=\"fill:var(--model);opacity:%.2f\"/>",
                 x, y, width, height, opacity);
}

/* Smooths counts in both directions by 1 2 1, so that areas hang together. */
static void smooth(double (*count)[BINS])
{
    double next[BINS][BINS];
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < BINS; i++)
            for (int j = 0; j < BINS; j++) {
                double left = j > 0 ? count[i][j - 1] : count[i][j],
                       right = j + 1 < BINS ? count[i][j + 1] : count[i][j],
                       below = i > 0 ? count[i - 1][j] : count[i][j],
                       above = i + 1 < BINS ? count[i + 1][j] : count[i][j];
                next[i][j] = 0.25 * count[i][j] + 0.1875 * (left + right + below + above);
            }
        memcpy(count, next, sizeof next);
    }
}

/* The least count that a bin of each area has. */
static void find_levels(double (*count)[BINS], double *level)
{
    double total = 0.0;
    for (int i = 0; i < BINS * BINS; i++) total += count[i / BINS][i % BINS];
    for (int l = 0; l < LEVELS; l++) {
        double low = 0.0, high = total;
        for (int step = 0; step < 40; step++) {
            double middle = 0.5 * (low + high), held = 0.0;
            for (int i = 0; i < BINS * BINS; i++)
                if (count[i / BINS][i % BINS] >= middle) held += count[i / BINS][i % BINS];
            if (held > HELD[l] * total)
                low = middle;
            else
                high = middle;
        }
        level[l] = low;
    }
}

static void draw_pair(const posterior_figure *f, int a, int b, const chart_axis *axis, double left,
                      double top)
{
    static double count[BINS][BINS];
    double level[LEVELS], step = CELL / (double)BINS;
    int d = f->found.parameters;
    memset(count, 0, sizeof count);
    for (int i = 0; i < f->found.samples; i++) {
        int x = posterior_bin(&axis[a], f->x[i * d + a], BINS),
            y = posterior_bin(&axis[b], f->x[i * d + b], BINS);
        if (x >= 0 && y >= 0) count[y][x] += 1.0;
    }
    smooth(count);
    find_levels(count, level);
    for (int i = 0; i < BINS; i++)
        for (int j = 0, end; j < BINS; j = end) {
            int shade = 0;
            while (shade < LEVELS && !(count[i][j] >= level[shade] && count[i][j] > 0.0)) shade++;
            for (end = j + 1; end < BINS; end++) { /* equal neighbours are one */
                int own = 0;
                while (own < LEVELS && !(count[i][end] >= level[own] && count[i][end] > 0.0)) own++;
                if (own != shade) break;
            }
            if (shade < LEVELS)
                square(f->r->file, left + j * step, top + CELL - (i + 1) * step, (end - j) * step + 0.1,
                       step + 0.1, SHADE[shade]);
        }
    fputc('\n', f->r->file);
}

static void draw_column(const posterior_figure *f, int k, const chart_axis *axis, double left, double top)
{
    double share[BINS], most = 0.0, step = CELL / (double)BINS;
    posterior_histogram(f, k, axis, BINS, share);
    for (int i = 0; i < BINS; i++) most = fmax(most, share[i]);
    for (int i = 0; i < BINS && most > 0.0; i++) {
        double height = 0.92 * CELL * share[i] / most;
        if (height > 0.0) square(f->r->file, left + i * step, top + CELL - height, step + 0.1, height, 0.6);
    }
    fputc('\n', f->r->file);
}

/* The correlation, larger where it is stronger. */
static void draw_correlation(const posterior_figure *f, int a, int b, double left, double top)
{
    char text[16];
    double value = f->found.correlation[a * f->found.parameters + b];
    number_format(text, sizeof text, "%.2f", value);
    number_print(f->r->file,
                 "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" "
                 "style=\"font-size:%.1fpx;fill:var(--ink);opacity:%.2f\">%s</text>\n",
                 left + 0.5 * CELL, top + 0.5 * CELL + 5.0, 12.0 + 8.0 * fabs(value), 0.4 + 0.6 * fabs(value),
                 text);
}

static void draw_ends(const posterior_figure *f, const chart_axis *axis, double x, double y, int upright)
{
    char text[48];
    for (int end = 0; end < 2; end++) {
        const double last = axis->first + axis->word_count - 1.0;
        if (axis->words)
            axis_number(axis, end ? &last : &axis->first, 1, 0, upright ? 9 : 7, text, sizeof text);
        else
            number_format(text, sizeof text, "%.3g", end ? axis->high : axis->low);
        if (upright)
            svg_text(f->r->file, "tick", x - 4.0, y + (end ? 9.0 : (double)CELL), "end", 0.0, text);
        else
            svg_text(f->r->file, "tick", x + (end ? (double)CELL : 0.0), y, end ? "end" : "start", 0.0, text);
    }
}

void posterior_corner(const posterior_figure *f)
{
    FILE *file = f->r->file;
    int d = f->found.parameters, shown = d;
    chart_axis axis[SHOWN_MAX];
    if (d < 2) return;
    if (shown > SHOWN_MAX) shown = SHOWN_MAX;
    for (int k = 0; k < shown; k++) axis[k] = posterior_axis(f, k);
    double side = MARGIN + shown * (CELL + GAP);
    fputs("<h3>Pairs of parameters</h3>\n<p class=\"note\">Below the diagonal the areas that hold 50, 80 and "
          "95 % of the posterior, above it the correlation.",
          file);
    if (d > SHOWN_MAX) fprintf(file, " The first %d of %d parameters.", (int)SHOWN_MAX, d);
    number_print(
        file,
        "</p><figure class=\"corner\"><div class=\"scroll\"><svg style=\"max-width:%.0fpx;--least:%.0fpx\" "
        "viewBox=\"0 0 %.0f %.0f\" "
        "role=\"img\" aria-label=\"Posterior of each pair of parameters\">\n",
        1.25 * (side + 4.0), side + 4.0, side + 4.0, side - MARGIN + 40.0);
    for (int row = 0; row < shown; row++)
        for (int column = 0; column < shown; column++) {
            double left = MARGIN + column * (CELL + GAP), top = row * (CELL + GAP) + 2.0;
            number_print(file,
                         "<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\" "
                         "style=\"fill:none;stroke:var(--rule)\"/>",
                         left, top, CELL, CELL);
            if (column < row)
                draw_pair(f, column, row, axis, left, top);
            else if (column == row)
                draw_column(f, row, &axis[row], left, top);
            else
                draw_correlation(f, row, column, left, top);
        }
    for (int k = 0; k < shown; k++) {
        const char *name = f->r->input->parameters[k].name;
        double at = k * (CELL + GAP) + 2.0, low = shown * (CELL + GAP) + 10.0;
        svg_text(file, "name", MARGIN + at + 0.5 * CELL - 2.0, low + 17.0, "middle", 0.0, name);
        draw_ends(f, &axis[k], MARGIN + k * (CELL + GAP), low, 0);
        if (k == 0) continue;
        svg_text(file, "name", 13.0, at + 0.5 * CELL, "middle", -90.0, name);
        draw_ends(f, &axis[k], MARGIN, at, 1);
    }
    fputs("</svg></div></figure>\n", file);
}

/* What is drawn of a combination: its weights, and how well it is known. */
static void draw_direction(const posterior_figure *f, int e, int shown, double top, double width)
{
    FILE *file = f->r->file;
    int d = f->found.parameters;
    const double *vector = f->found.direction + (size_t)e * (size_t)d;
    double most = 0.0, sign = 1.0;
    for (int k = 0; k < d; k++)
        if (fabs(vector[k]) > most) {
            most = fabs(vector[k]);
            sign = vector[k] < 0.0 ? -1.0 : 1.0;
        }
    for (int k = 0; k < shown; k++) {
        double centre = (k + 0.5) * width, value = sign * vector[k], reach = 0.46 * width * fabs(value);
        number_print(file,
                     "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"14\" style=\"fill:var(--%s)\"/>",
                     value < 0.0 ? centre - reach : centre, top, reach, value < 0.0 ? "star" : "model");
        svg_line(file, "axis", centre, top - 3.0, centre, top + 17.0);
    }
    double known = fmin(fmax(f->found.direction_deviation[e], 1e-4), 1.5), left = shown * width + 20.0;
    double reach = 150.0 * (log10(known) + 4.0) / (log10(1.5) + 4.0);
    number_print(file,
                 "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"14\" style=\"fill:var(--behind)\"/>",
                 left, top, reach);
    char text[64];
    number_format(text, sizeof text, "%.2g %%", 100.0 * f->found.direction_deviation[e]);
    svg_text(file, "tick", left + reach + 5.0, top + 11.0, "start", 0.0, text);
}

void posterior_directions(const posterior_figure *f)
{
    enum { ROW = 26, LEAST = 44 };
    FILE *file = f->r->file;
    int d = f->found.parameters, shown = d < SHOWN_MAX ? d : SHOWN_MAX;
    if (d < 2) return;
    double width = fmax(LEAST, 480.0 / shown), all = shown * width + 240.0;
    fprintf(file,
            "<h3>What the data tell</h3>\n<p class=\"note\">Combinations of the parameters%s, the best known "
            "first: the weight of each parameter, and the deviation that is left of the prior's. A long bar "
            "to the right is a combination of which the data tell nothing.</p><figure><div class=\"scroll\">",
            f->found.direction_logarithms ? " (their logarithms, where they have one)" : "");
    number_print(file,
                 "<svg style=\"max-width:%.0fpx;--least:%.0fpx\" viewBox=\"0 0 %.0f %d\" role=\"img\" "
                 "aria-label=\"Combinations of parameters and how well they are known\">\n",
                 1.1 * all, all, all, 24 + ROW * shown);
    for (int k = 0; k < shown; k++)
        svg_text(file, "name", (k + 0.5) * width, 13.0, "middle", 0.0, f->r->input->parameters[k].name);
    svg_text(file, "name", shown * width + 20.0, 13.0, "start", 0.0, "deviation left");
    for (int e = 0; e < shown; e++)
        draw_direction(f, e < shown - 1 || shown == d ? e : d - 1, shown, 24.0 + ROW * e, width);
    fputs("</svg></div></figure>\n", file);
}

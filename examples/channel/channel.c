/* Two spills of a pollutant in a long, narrow channel.
 *
 *   channel PARAMETERS RESULTS
 *
 * PARAMETERS holds four numbers: the mass M of each spill, the diffusion rate D, and the place L and time tau of the
 * second spill; the first was at place 0 and time 0. RESULTS gets 12 concentrations, at three places and for each of
 * them at four times, a number a line. */
#include <math.h>
#include <stdio.h>

static const double places[] = {0.0, 1.0, 2.5}, times[] = {15.0, 30.0, 45.0, 60.0};

/* At distance s from a spill of mass M, a time t after it. */
static double one_spill(double s, double t, double M, double D)
{
    const double pi = 3.14159265358979323846;
    if (t <= 0.0) return 0.0;
    return M / sqrt(4.0 * pi * D * t) * exp(-s * s / (4.0 * D * t));
}

int main(int count, char **arguments)
{
    if (count != 3) return fprintf(stderr, "usage: channel PARAMETERS RESULTS\n"), 2;

    double M, D, L, tau;
    FILE *parameters = fopen(arguments[1], "r");
    if (!parameters) return perror(arguments[1]), 1;
    int read = fscanf(parameters, "%lf %lf %lf %lf", &M, &D, &L, &tau);
    fclose(parameters);
    if (read != 4)
        return fprintf(stderr, "%s: 4 numbers expected, %d found\n", arguments[1], read < 0 ? 0 : read), 1;

    FILE *results = fopen(arguments[2], "w");
    if (!results) return perror(arguments[2]), 1;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 4; j++) {
            double c = one_spill(places[i], times[j], M, D) + one_spill(places[i] - L, times[j] - tau, M, D);
            fprintf(results, "%.17g\n", c);
        }
    }
    if (ferror(results) | fclose(results)) return perror(arguments[2]), 1;
    return 0;
}

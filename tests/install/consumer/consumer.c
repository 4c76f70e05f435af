/* A program of a user, in the common part of C and C++. */
#include <gofh.h>
#include <gofh_expression.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    char expected[32];
    snprintf(expected, sizeof expected, "%d.%d.%d", GOFH_VERSION_MAJOR, GOFH_VERSION_MINOR,
             GOFH_VERSION_PATCH);
    if (strcmp(gofh_version(), expected) != 0) {
        printf("the library is %s, its header %s\n", gofh_version(), expected);
        return 1;
    }
#if GOFH_VERSION_HEX < 0x000200
#    error "GOFH_VERSION_HEX is too small"
#endif
    if (GOFH_VERSION_HEX / 0x10000 != GOFH_VERSION_MAJOR ||
        GOFH_VERSION_HEX / 0x100 % 0x100 != GOFH_VERSION_MINOR ||
        GOFH_VERSION_HEX % 0x100 != GOFH_VERSION_PATCH) {
        printf("GOFH_VERSION_HEX is %#x\n", (unsigned)GOFH_VERSION_HEX);
        return 1;
    }
    if (strcmp(gofh_status_text(GOFH_OK), "done") != 0) {
        printf("the text of GOFH_OK is \"%s\"\n", gofh_status_text(GOFH_OK));
        return 1;
    }
    gofh_symbols *symbols = gofh_symbols_create();
    gofh_expression *g = NULL;
    double y[2] = {3.0, 4.0}, f = 0.0;
    gofh_symbols_add_output(symbols, "y", 2, NULL);
    if (gofh_expression_compile(&g, "sum(y^2)", symbols, GOFH_MINIMIZE, NULL) != GOFH_OK ||
        gofh_expression_evaluate(g, y, NULL, 1, &f) != GOFH_OK || f != 25.0) {
        printf("sum(y^2) of 3 and 4 is %g\n", f);
        return 1;
    }
    gofh_expression_free(g);
    gofh_symbols_free(symbols);
    return 0;
}

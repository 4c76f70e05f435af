/* Loaded before a program (LD_PRELOAD), makes it one that has set the locale of its environment, as
 * programs with windows do. DECIMAL_POINT: what that locale must have; if not, the program ends
 * with status 98. */
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((constructor)) static void set_locale(void)
{
    const char *point = getenv("DECIMAL_POINT");
    if (!setlocale(LC_ALL, "") || (point && strcmp(point, localeconv()->decimal_point) != 0)) _exit(98);
}

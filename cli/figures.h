/* The figures of a report as files. */
#ifndef CLI_FIGURES_H
#define CLI_FIGURES_H

#include "cli/described.h"

/* Writes them to a folder, which it makes, and says which files there are. */
int figures_write(const session *s, const described *d, const char *folder, int json);

#endif

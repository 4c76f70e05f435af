/* The files of a run that the simulator section names. */
#ifndef PROBLEM_SIMULATOR_FILES_H
#define PROBLEM_SIMULATOR_FILES_H

#include "problem/reader.h"

/* The name of a file in the run's folder: relative, and not above it. */
gofh_status simulator_name(reader *r, const yaml_node *node, const char *what, char **name);
/* templates, files and instructions. */
gofh_status read_simulator_files(reader *r, const yaml_node *section);

#endif

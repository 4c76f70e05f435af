/* A session as the report and the live page take it. */
#ifndef CLI_DESCRIBED_H
#define CLI_DESCRIBED_H

#include "cli/session.h"
#include "report/html.h"

typedef struct {
    report_input input;
    report_parameter *parameters;
    report_output *outputs;
    report_data *data;
    report_run *runs;
    char **folders; /* addresses in runs */
    int count, parameter_count;
    char made[64];
} described;

/* Fills it from the study as it is now. runs: the address of the folder of runs for links; NULL:
 * without them. described_free frees, whatever the outcome. */
int described_gather(const session *s, const char *runs, described *d);
void described_free(described *d);

/* The name of the last run of a trial in `directory`/runs, such as "0017-2"; "": there is none. */
enum { DESCRIBED_FOLDER = 48 };
void described_folder(const char *directory, long long trial, char name[DESCRIBED_FOLDER]);

#endif

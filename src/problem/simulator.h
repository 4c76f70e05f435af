/* How the simulator is called: what a problem file says under `simulator:`, with the names that it
 * exchanges. Filled in by src/problem, carried out by src/run. All texts are owned by the problem
 * file that they were read from. */
#ifndef PROBLEM_SIMULATOR_H
#define PROBLEM_SIMULATOR_H

#include "problem/parameter.h"

typedef enum {
    PARAMS_JSON,   /* one object, parameter name to value */
    PARAMS_PLAIN,  /* one value per line, in the order of the parameters */
    PARAMS_DAKOTA, /* Dakota's standard format */
    PARAMS_APREPRO,
    PARAMS_TEMPLATE /* only the templates below */
} params_format;

typedef enum {
    RESULTS_JSON,  /* one object, output name to number or array */
    RESULTS_PLAIN, /* numbers between blanks, in the order of the outputs */
    RESULTS_CSV,   /* columns named like the outputs, or the one column chosen */
    RESULTS_DAKOTA,
    RESULTS_STDOUT,      /* plain numbers on standard output */
    RESULTS_INSTRUCTION, /* PEST's .ins files */
    RESULTS_NPY,         /* NumPy's .npy file, one array in the order of the outputs */
    RESULTS_RAW          /* doubles, the lowest byte first, in the order of the outputs */
} results_format;

typedef enum { FAILURE_LEARN, FAILURE_RETRY, FAILURE_ABORT } failure_rule;

/* A file filled in with the parameters: {{name}} or {{name:%.6g}}, or PEST's format if it begins
 * with "ptf". */
typedef struct {
    char *from; /* relative to the problem file */
    char *to;   /* in the run's folder */
} simulator_template;

/* What the run's folder gets besides. */
typedef struct {
    char *from; /* relative to the problem file */
    char *to;   /* in the run's folder */
    int link;   /* a symbolic link instead of a copy */
} simulator_file;

/* A .ins file and the file of the run's folder that it reads. */
typedef struct {
    char *instruction; /* relative to the problem file */
    char *file;
} simulator_instruction;

/* An output that comes with places of its own. */
typedef struct {
    const char *at_name; /* of the places in the results; NULL: the output is no curve */
    const double *at;    /* where it is wanted: as many as the output's size */
    int extend;          /* beyond its end it has its last value */
} simulator_curve;

typedef enum {
    EXECUTOR_LOCAL,  /* processes of this machine */
    EXECUTOR_SLURM,  /* one job of Slurm per run */
    EXECUTOR_SRUN,   /* one step of the job that we are in per run */
    EXECUTOR_COMMAND /* one job per run, by the commands below */
} executor_kind;

/* Texts in the order of the problem file. */
typedef struct {
    char **items;
    int count;
} simulator_list;

/* What a run asks of its queue. */
typedef struct {
    char *partition, *memory; /* NULL: the queue's own choice */
    int cpus;                 /* 0: the same */
    double time;              /* seconds; 0: the same */
    simulator_list extra;     /* options, as they are */
    double grace;             /* seconds that the files of a job that is over may take to be seen */
    /* Of EXECUTOR_COMMAND: for the shell, with places (docs/clusters.md) */
    char *submit, *status, *cancel;
} simulator_queue;

typedef struct {
    char *directory; /* that of the problem file, absolute */
    char *command;   /* for the shell, with {params}, {results}, {trial}, {a parameter's name} */
    params_format params;
    results_format results;
    char *params_file;  /* in the run's folder */
    char *results_file; /* in the run's folder; NULL for stdout and instructions */
    char *column;       /* of CSV results; NULL: columns named like the outputs */
    simulator_template *templates;
    int template_count;
    simulator_file *files;
    int file_count;
    simulator_instruction *instructions;
    int instruction_count;
    double timeout; /* seconds; 0: none */
    int parallel;   /* runs at once */
    executor_kind executor;
    simulator_list setup; /* lines for the shell before the command */
    simulator_queue queue;
    failure_rule on_failure;
    int retries; /* for FAILURE_RETRY */
    int parameter_count;
    char **parameter_names;
    const problem_parameter *parameters; /* borrowed; NULL: all are numbers */
    int output_count;
    char **output_names;
    int *output_sizes;
    int *output_missing;            /* whether values may be missing from results */
    simulator_curve *output_curves; /* one per output: see results_is_curve; NULL: none is one */
} simulator;

#endif

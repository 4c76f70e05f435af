#include "run/executor.h"

#include "base/error.h"
#include "run/local.h"
#include "run/queue.h"

#include <stdlib.h>

const executor *executor_open(const simulator *sim, gofh_error *error)
{
    const executor *opened = &LOCAL_EXECUTOR;
    if (sim->executor == EXECUTOR_SRUN && !getenv("SLURM_JOB_ID")) {
        error_set(error, GOFH_ERROR_PROBLEM,
                  "executor: srun runs steps of the job that gofh itself is in, but this is none: start "
                  "it by sbatch or salloc, or write executor: slurm");
        return NULL;
    }
    if (sim->executor == EXECUTOR_SLURM) opened = queue_open(&SLURM_SYSTEM, sim);
    if (sim->executor == EXECUTOR_COMMAND) opened = queue_open(&TEMPLATE_SYSTEM, sim);
    if (!opened) error_memory(error);
    return opened;
}

void executor_close(const executor *e)
{
    if (e && e->close) e->close(e);
}

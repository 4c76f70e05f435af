#include "problem/presets.h"

#include <stddef.h>

/* A status that fails says nothing; so none may fail only because there are no jobs. */
const queue_preset QUEUE_PRESETS[] = {
    /* Names above 15 characters are refused by Torque and older PBS; the id is what counts.
     * Slurm's commands for users of PBS have no qselect; C and F are jobs that have ended. */
    {"pbs", "qsub -V -N \"$(printf %.15s {name})\" -j oe -o {output} {extra} {script}",
     "if command -v qselect > /dev/null; then exec qselect -u \"$(id -un)\"; fi\n"
     "jobs=$(qstat -u \"$(id -un)\") || exit 1\n"
     "printf '%s\\n' \"$jobs\" | awk '$1 ~ /^[0-9]/ && $10 !~ /^[CF]$/ { print $1 }'",
     "qdel {id}"},
    /* A shell reads the words of a command once more, so that the script comes as the input. */
    {"lsf",
     "answer=$(bsub -J {name} -o {output} {extra} < {script}) || exit\n"
     "printf '%s\\n' \"$answer\" | sed -n 's/^Job <\\([0-9]*\\)>.*/\\1/p'",
     "jobs=$(bjobs -noheader -o 'jobid' 2>&1) ||\n"
     "case $jobs in *'job found'*) jobs= ;; *) exit 1 ;; esac\n"
     "printf '%s\\n' \"$jobs\"",
     "bkill {id}"},
    {"sge", "qsub -terse -V -S /bin/sh -N {name} -j y -o {output} {extra} {script}",
     "jobs=$(qstat -u \"$(id -un)\") || exit 1\n"
     "printf '%s\\n' \"$jobs\" | awk 'NR > 2 { print $1 }'",
     "qdel {id}"},
    {"htcondor",
     /* In double quotes, arguments in single ones may hold blanks, and two of these are one. */
     "script=$(printf '%s\\n' {script} | sed \"s/'/''/g\")\n"
     "printf '%s\\n' 'executable = /bin/sh' \"arguments = \\\"'$script'\\\"\" output={output} error={output} "
     "'getenv = true' {extra} queue | condor_submit -terse -",
     "condor_q -format '%d.' ClusterId -format '%d\\n' ProcId", "condor_rm {id}"},
    /* In base 58 an id begins with another letter in each locale; more than 1000 are not listed unless
     * asked for. */
    {"flux",
     "id=$(flux submit --job-name={name} --output={output} -n1 {extra} sh {script}) &&\n"
     "flux job id --to=dec \"$id\"",
     "flux jobs --no-header --count=0 --format='{id.dec}'", "flux cancel {id}"},
    /* `extra` is the host, after options of ssh. The job is known by its name, the last word of what
     * runs; paths are sent as lines, because ssh would let a shell read them again. */
    {"ssh",
     "printf '%s\\n' {script} {output} | ssh -o BatchMode=yes {extra} 'IFS= read -r script; IFS= read -r "
     "output; setsid sh \"$script\" '{name}' >> \"$output\" 2>&1 < /dev/null &' && echo {name}",
     "jobs=$(ssh -o BatchMode=yes {extra} ps -e -o args= < /dev/null) || exit 1\n"
     "printf '%s\\n' \"$jobs\" | awk '$1 == \"sh\" && $NF ~ /^gofh-/ { print $NF }'",
     "printf '%s\\n' {folder} | ssh -o BatchMode=yes {extra} 'IFS= read -r folder; "
     "kill -s TERM -- -\"$(cat \"$folder/job_claim/pid\")\"'"},
    {NULL, NULL, NULL, NULL},
};

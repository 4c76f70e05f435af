#!/usr/bin/env bash
# A queue that takes no more jobs than three, ended ones that it remembers included: gofh waits for its
# turn, and each trial is run once.
set -uo pipefail
gofh=$1
# shellcheck source=tests/slurm/slurm_tools.sh
. "$(dirname "$0")/slurm_tools.sh"
slurm_or_skip sbatch
sed -i 's/^MinJobAge=.*/MinJobAge=2/' "$SLURM_CONF"
echo MaxJobCount=3 >> "$SLURM_CONF"
scontrol reconfigure
make_logged
queued full 6 "./logged.sh full {trial} {x} {y} {results} 0.5"
expect 0 "6 evaluations done, 0 failed" run full.yaml
ran_once full 6
grep -q "MaxJobCount limit" "$slurm/log/slurmctld.log" || fail "the queue was never full: $(tail -n 3 "$slurm/log/slurmctld.log")"
exit $failed

#!/usr/bin/env bash
# What breaks below Slurm: a daemon, a node, a controller that stays away longer than every grace. No
# evaluation is lost, none is run twice but those whose job was really lost, and the reason is right.
# shellcheck disable=SC2317 # functions that `await` calls
set -uo pipefail
gofh=$1
# shellcheck source=tests/slurm/slurm_tools.sh
. "$(dirname "$0")/slurm_tools.sh"
slurm_or_skip srun
node=$(hostname -s)

make_logged

# begun NAME COUNT MOST: so many trials, and so many begins at most.
begun() {
    [ "$(sort -u "log.$1" | wc -l)" = "$2" ] || fail "$1: $(sort -u "log.$1" | wc -l) trials were begun, not $2"
    [ "$(wc -l < "log.$1")" -le "$3" ] || fail "$1: $(wc -l < "log.$1") runs were begun, more than $3: $(sort -n "log.$1" | uniq -d)"
}

# The node's daemon is killed and started again: the jobs it had go on.
queued daemon 4 './logged.sh daemon {trial} {x} {y} {results} 8'
"$gofh" run daemon.yaml > daemon.out 2> daemon.err &
process=$!
await is_running daemon
slurm_end slurmd KILL
sleep 2
slurmd
finish daemon 0 "4 evaluations done, 0 failed"
begun daemon 4 4

# A node that goes down ends its jobs (NODE_FAIL); when it is back they are run again, all of them.
queued node 3 './logged.sh node {trial} {x} {y} {results} 12'
"$gofh" run node.yaml > node.out 2> node.err &
process=$!
await is_running node
scontrol update nodename="$node" state=down reason=test
await grep -q "is lost and is run again: NODE_FAIL (job" node.err
scontrol update nodename="$node" state=resume
finish node 0 "3 evaluations done, 0 failed"
begun node 3 6

# The rest takes minutes.
[ -n "${GOFH_TORTURE:-}" ] || exit $failed

# A controller that is away while jobs end, for longer than every grace (30 s and `grace`): that costs
# the time, and nothing else.
queued away 12 './logged.sh away {trial} {x} {y} {results} 3' '  slurm: {grace: 5s}'
"$gofh" run away.yaml > away.out 2> away.err &
process=$!
await is_running away
slurm_end slurmctld
sleep 300
kill -0 $process || fail "gofh gave up without its controller: $(cat away.out away.err)"
slurmctld
finish away 0 "12 evaluations done, 0 failed"
begun away 12 12
exit $failed

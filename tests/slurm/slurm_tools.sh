# A real Slurm of one machine for tests of whole studies (study_tools.sh), on loopback and without
# systemd: source it with $gofh set. It needs root, slurm-wlm and munge.
# shellcheck shell=bash disable=SC2154
# shellcheck source=tests/cli/study_tools.sh
. "$(dirname "${BASH_SOURCE[0]}")/../cli/study_tools.sh"

# What is missing for it, or nothing.
slurm_missing() {
    [ "$(id -u)" = 0 ] || { echo "it needs root"; return; }
    local program
    for program in slurmctld slurmd sbatch munged; do
        command -v "$program" > /dev/null || { echo "$program is not installed (slurm-wlm, munge)"; return; }
    done
}

# A port that nobody listens on, with a free one after it: below those that the kernel hands out, and
# not the same for two tests at once, so that nobody takes it while a daemon is away.
free_port() {
    python3 - "$$" << 'PYTHON'
import socket, sys
port = 10000 + 2 * int(sys.argv[1]) % 20000
while True:
    with socket.socket() as one, socket.socket() as two:
        try:
            one.bind(("127.0.0.1", port))
            two.bind(("127.0.0.1", port + 1))
        except OSError:
            port = 10000 + (port - 9998) % 20000
            continue
        print(port)
        break
PYTHON
}

# Whether the kernel can be asked to limit the memory of processes, by the first version of its groups.
has_groups() {
    local group=/sys/fs/cgroup/memory/gofh-test-$$
    [ -d /sys/fs/cgroup/freezer ] && mkdir "$group" 2> /dev/null && rmdir "$group"
}

# slurm_start CPUS [memory|groups]: the node pretends to have so many. Finished jobs are forgotten after
# 15 s, there is no accounting, and memory is not limited, unless that is asked for: then jobs have 50 MB
# if they do not say. With `memory` what is seen above it, once a second, is ended; with `groups` the
# kernel does that.
slurm_start() {
    slurm=$work/slurm
    local port host memory=
    local select=CR_Core gather=none track=linuxproc plugin=none
    port=$(free_port)
    host=$(hostname -s)
    if [ "${2:-}" = memory ]; then
        select=CR_Core_Memory gather=linux
        memory=$'JobAcctGatherParams=OverMemoryKill\nJobAcctGatherFrequency=1\nDefMemPerNode=50'
    elif [ "${2:-}" = groups ]; then
        select=CR_Core_Memory gather=cgroup track=cgroup plugin=cgroup memory=DefMemPerNode=50
    fi
    mkdir -p "$slurm"/{state,spool,log,run}
    # munged trusts no folder that others may write, up to the root, and runs as its own user.
    chmod 755 "$work" "$slurm" "$slurm/run" "$slurm/log"
    chown munge "$slurm/run" "$slurm/log"
    (umask 077 && head -c 1024 /dev/urandom > "$slurm/munge.key")
    chown munge "$slurm/munge.key"
    cat > "$slurm/slurm.conf" << CONFIGURATION
ClusterName=gofh
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$slurm/run/munge.sock
CredType=cred/munge
StateSaveLocation=$slurm/state
SlurmdSpoolDir=$slurm/spool
SlurmctldPidFile=$slurm/run/slurmctld.pid
SlurmdPidFile=$slurm/run/slurmd.pid
SlurmctldLogFile=$slurm/log/slurmctld.log
SlurmdLogFile=$slurm/log/slurmd.log
ProctrackType=proctrack/$track
TaskPlugin=task/$plugin
SelectType=select/cons_tres
SelectTypeParameters=$select
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/$gather
$memory
SchedulerParameters=batch_sched_delay=0,sched_interval=2
MinJobAge=15
KillWait=2
InactiveLimit=0
MessageTimeout=5
ReturnToService=2
SlurmdParameters=config_overrides
NodeName=$host NodeAddr=127.0.0.1 CPUs=$1 RealMemory=1000 State=UNKNOWN
PartitionName=main Nodes=$host Default=YES MaxTime=60 OverTimeLimit=0 State=UP
CONFIGURATION
    printf 'CgroupPlugin=cgroup/v1\nConstrainRAMSpace=yes\nConstrainSwapSpace=yes\nAllowedSwapSpace=0\n' > "$slurm/cgroup.conf"
    su -s /bin/sh munge -c "exec munged --key-file='$slurm/munge.key' --socket='$slurm/run/munge.sock' \
        --pid-file='$slurm/run/munged.pid' --log-file='$slurm/log/munged.log' --seed-file='$slurm/run/munge.seed'"
    export SLURM_CONF=$slurm/slurm.conf
    slurmctld
    slurmd
    await slurm_is_up
}

slurm_is_up() { [ "$(sinfo --noheader --format=%T 2> /dev/null)" = idle ]; }

# slurm_end NAME [SIGNAL]: ends slurmctld, slurmd or munged and waits until it is gone.
slurm_end() {
    local process
    process=$(cat "$slurm/run/$1.pid" 2> /dev/null) || return 0
    kill -s "${2:-TERM}" "$process" 2> /dev/null || return 0
    while kill -0 "$process" 2> /dev/null; do sleep 0.05; done
}

slurm_stop() {
    scancel --user=root 2> /dev/null
    local end=$((SECONDS + 20))
    while [ -n "$(squeue --noheader 2> /dev/null)" ] && [ "$SECONDS" -lt "$end" ]; do sleep 0.2; done
    slurm_end slurmd
    slurm_end slurmctld
    slurm_end munged
}

# slurm_or_skip COMMAND [memory|groups]: a Slurm of eight places, which ends with the test. Where there can be
# none, or no COMMAND, the test is skipped.
slurm_or_skip() {
    local missing
    missing=$(slurm_missing)
    if [ -z "$missing" ] && ! command -v "$1" > /dev/null; then missing="$1 is not installed"; fi
    if [ -z "$missing" ] && [ "${2:-}" = groups ] && ! has_groups; then missing="the kernel has no groups that limit memory"; fi
    if [ -n "$missing" ]; then
        echo "SKIPPED: no Slurm can be started: $missing"
        exit 77
    fi
    trap 'slurm_stop; rm -rf "$work"' EXIT
    slurm_start 8 "${2:-}" || { fail "Slurm does not start: $(tail -n 5 "$slurm"/log/*.log)"; exit 1; }
}

# queued NAME BUDGET COMMAND [LINES]: a problem for Slurm, eight jobs at once.
queued() {
    problem "$1" "budget: $2, stop: never" "$3" "  executor: slurm
  parallel: 8${4:+$'\n'$4}"
}

# ran_once NAME COUNT: all trials were begun, each once.
ran_once() {
    local begun
    begun=$(sort -n "log.$1" | uniq -c | awk '{ print $1 }' | sort -u)
    [ "$begun" = 1 ] || fail "$1: trials were begun more than once: $(sort -n "log.$1" | uniq -c | awk '$1 > 1')"
    [ "$(sort -u "log.$1" | wc -l)" = "$2" ] || fail "$1: $(sort -u "log.$1" | wc -l) trials were begun, not $2"
}

job_of() { squeue --noheader --format='%i %j' | awk -v name="gofh-$1-" 'index($2, name) { print $1; exit }'; }
is_running() { squeue --noheader --states=RUNNING --format=%j | grep -q "gofh-$1-"; }

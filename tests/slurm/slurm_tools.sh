# A real Slurm of one machine for tests, on loopback and without systemd: source it in a folder of
# its own, $work. It needs root, slurm-wlm and munge.
# shellcheck shell=bash disable=SC2154

# What is missing for it, or nothing.
slurm_missing() {
    [ "$(id -u)" = 0 ] || { echo "it needs root"; return; }
    local program
    for program in slurmctld slurmd sbatch munged; do
        command -v "$program" > /dev/null || { echo "$program is not installed (slurm-wlm, munge)"; return; }
    done
}

# A port that nobody listens on, with a free one after it.
free_port() {
    python3 - << 'PYTHON'
import socket
while True:
    with socket.socket() as one, socket.socket() as two:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
        try:
            two.bind(("127.0.0.1", port + 1))
        except (OSError, OverflowError):
            continue
        print(port)
        break
PYTHON
}

# slurm_start CPUS: the node pretends to have so many. Finished jobs are forgotten after 15 s, and
# there is no accounting.
slurm_start() {
    slurm=$work/slurm
    local port host
    port=$(free_port)
    host=$(hostname -s)
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
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
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

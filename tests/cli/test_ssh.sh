#!/usr/bin/env bash
# The preset ssh of executor: command, with an sshd of our own on loopback.
set -uo pipefail
gofh=$1
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/cli/study_tools.sh
. "$here/study_tools.sh"
sshd=$(PATH=$PATH:/usr/sbin command -v sshd)
if [ -z "$sshd" ] || ! command -v ssh > /dev/null || [ "$(id -u)" != 0 ]; then
    echo "SKIPPED: no sshd can be started: it needs root and openssh-server"
    exit 77
fi
mkdir -p /run/sshd
ssh-keygen -q -t ed25519 -N '' -f host_key
ssh-keygen -q -t ed25519 -N '' -f key
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
cat > sshd_config << CONFIGURATION
ListenAddress 127.0.0.1
Port $port
HostKey $work/host_key
AuthorizedKeysFile $work/key.pub
PidFile $work/sshd.pid
PermitRootLogin prohibit-password
PasswordAuthentication no
StrictModes no
UsePAM no
CONFIGURATION
"$sshd" -f "$work/sshd_config" -E "$work/sshd.log"
trap 'kill "$(cat "$work/sshd.pid")"; rm -rf "$work"' EXIT
cat > ssh_config << CONFIGURATION
Host node
    HostName 127.0.0.1
    Port $port
    User root
    IdentityFile $work/key
    IdentitiesOnly yes
    StrictHostKeyChecking no
    UserKnownHostsFile $work/known
    LogLevel ERROR
CONFIGURATION
await ssh -F ssh_config node true || fail "sshd does not answer: $(cat sshd.log)"

# A folder whose name the shells of both sides could read as something else.
mkdir "it's a \$folder"
cp sim.sh "it's a \$folder"
cd "it's a \$folder" || exit 1
queued() {
    problem "$1" "budget: $2" "$3" "  executor: command
  queue: {preset: ssh, extra: [-F, $work/ssh_config, node], grace: 3s}
  parallel: 4"
}
queued plain 8 './sim.sh {x} {y} {results} 0.3; echo {trial} >> "$GOFH_PROBLEM_DIR/../log"'
expect 0 "8 evaluations done, 0 failed" run plain.yaml
[ "$(sort -n ../log | tr '\n' ' ')" = "1 2 3 4 5 6 7 8 " ] || fail "not every trial was run once: $(cat ../log)"

# It is known to be alive, and can be cancelled.
queued long 1 'touch began; sleep 12; echo 3.14 > done; exit 3'
"$gofh" run long.yaml > long.out 2> long.err &
process=$!
await test -e long.gofh/runs/0001/began
finish long 1 "exit status 3"
queued twice 1 'touch began; exec sleep 600'
"$gofh" run twice.yaml > twice.out 2> twice.err &
process=$!
await test -e twice.gofh/runs/0001/job_claim/pid
await test -e twice.gofh/runs/0001/began
leader=$(cat twice.gofh/runs/0001/job_claim/pid)
interrupt_twice twice
finish twice 130 "1 open"
# shellcheck disable=SC2317 # await calls it
is_gone() { ! kill -0 "$leader" 2> /dev/null; }
await is_gone || fail "^C twice left the job"
exit $failed

#!/usr/bin/env bash
# Completion in bash offers the commands, options and files that there are; every option of every
# command's help is offered, in zsh's file too.
#
#   test_completion.sh GOFH COMPLETIONS
set -euo pipefail
gofh=$1
completions=$2
# shellcheck source=tests/cli/study_tools.sh
. "$(dirname "$0")/study_tools.sh"
# shellcheck source=completions/gofh.bash
. "$completions/gofh.bash"
compopt() { :; } # only for a real completion

# offers EXPECTED WORDS...: completing the last of the words offers EXPECTED, sorted
offers() {
    COMP_WORDS=("${@:2}")
    COMP_CWORD=$(($# - 2))
    _gofh
    local found
    found=$(printf '%s\n' "${COMPREPLY[@]}" | sort -u | tr '\n' ' ')
    [ "${found% }" = "$1" ] || fail "${*:2}: \"${found% }\", not \"$1\""
}
touch a.yaml b.json c.csv d.txt
mkdir folder
[[ $(complete -p gofh) == *_gofh* ]] || fail "nothing completes gofh"
offers 'report reread rerun run' gofh r
offers 'ask' gofh as
offers '--version' gofh --v
offers 'a.yaml b.json folder' gofh run ''
offers 'a.yaml' gofh run a
offers '--json --json-lines' gofh run a.yaml --j
offers '--log' gofh status a.yaml --l
offers 'c.csv folder' gofh import a.yaml ''
offers 'd.txt' gofh report a.yaml --output d
offers '' gofh ask a.yaml -n ''
offers 'list' gofh bench l
offers 'many one' gofh bench run --draws ''
offers '' gofh nonsense ''

offers 'show status' gofh help s
commands=$("$gofh" --help | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p')
offers "$(printf -- '--help\n--version\nhelp\n%s\n' "$commands" | sort -u | tr '\n' ' ' | sed 's/ $//')" gofh ''
for command in $commands; do
    grep -q "^    '$command:" "$completions/_gofh" || fail "zsh: no command $command"
    for option in $("$gofh" "$command" --help | grep -oE -- '(^|[[ ])-(-[a-z0-9-]+|n)' | tr -d '[ ' | sort -u); do
        COMP_WORDS=(gofh "$command" "$option")
        COMP_CWORD=2
        _gofh
        [[ " ${COMPREPLY[*]} " == *" $option "* ]] || fail "bash: gofh $command has no $option"
        grep -qF -- "'${option}[" "$completions/_gofh" || fail "zsh: no $option of $command"
    done
done
if command -v zsh > /dev/null; then
    zsh -n "$completions/_gofh" || fail "zsh can't read its completion"
fi

exit $failed

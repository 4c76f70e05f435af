#!/usr/bin/env bash
# All checks that read the code without running it. `make lint` calls it.
#
#   scripts/lint.sh BUILD    BUILD: a folder configured with clang, for its compile_commands.json
#
# Each check runs even when one before it failed; the last line says how many did.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2
build=${1:?usage: scripts/lint.sh BUILD}
jobs=${JOBS:-2}
passed=0
failed=0

check() {
    local name=$1 output start=$SECONDS
    shift
    if output=$("$@" 2>&1); then
        passed=$((passed + 1))
        echo "passed  $name ($((SECONDS - start)) s)"
    else
        failed=$((failed + 1))
        echo "$output"
        echo "FAILED  $name"
    fi
}

# Files known to git or about to be.
files() {
    git ls-files --cached --others --exclude-standard "$@" | while read -r file; do [ -e "$file" ] && echo "$file"; done
}

# The C files of the product that are compiled, the tests left out: cmocka's macros are not ours to
# tidy.
compiled() {
    local root
    root=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$build/CMakeCache.txt")
    sed -n "s|^ *\"file\": \"$root/\(.*\)\",\{0,1\}\$|\1|p" "$build/compile_commands.json" | grep -E '^(src|cli|bench)/' | sort -u
}

format() {
    local wrong=0 file
    while read -r file; do
        clang-format --dry-run -Werror "$file" 2> /dev/null || { echo "$file: \`make format\` would change it"; wrong=1; }
    done < <(files '*.c' '*.h')
    return $wrong
}
# A file at a time: clang-tidy 14 treats a va_list of the second file it reads as one that was never
# started. Most of its time goes into paths through the longest functions: after some thousands it
# has seen each turn in many ways.
tidy() {
    local paths=(-Xclang -analyzer-config -Xclang max-nodes=20000)
    compiled | xargs -P "$jobs" -n 1 clang-tidy --quiet -p "$build" "${paths[@]/#/--extra-arg=}"
}
cpp_check() {
    compiled | xargs cppcheck --quiet --error-exitcode=1 -j "$jobs" --std=c11 --enable=warning,style,performance,portability \
        --inline-suppr --suppressions-list=scripts/cppcheck_suppressions.txt -D_POSIX_C_SOURCE=200809L \
        -I include -I src -I .
}
shell() { files '*.sh' '*.bash' .ci/run | xargs shellcheck; }

check "clang-format" format
check "layers" scripts/check_layers.py
check "locale" scripts/check_locale.py
check "shellcheck" shell
check "cppcheck" cpp_check
check "clang-tidy" tidy

echo "lint: $passed passed, $failed failed"
[ "$failed" -eq 0 ]

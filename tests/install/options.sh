#!/usr/bin/env bash
# How others configure gofh: the library alone, which needs BLAS, LAPACK and SQLite and nothing else, and as a part of a project
# of theirs. Nothing is compiled.
#
#   options.sh SOURCE
set -euo pipefail
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

fail() {
    echo "FAILED: $1"
    failed=1
}

# A pkg-config that knows what the library needs, and no libfyaml, jansson or cmocka.
mkdir "$work/pc"
for module in openblas sqlite3; do ln -s "$(pkg-config --variable=pcfiledir $module)/$module.pc" "$work/pc/"; done
configure() {
    PKG_CONFIG_LIBDIR=$work/pc cmake -S "$1" -B "$work/$2" "${@:3}" > "$work/$2.log" 2>&1
}
has_target() { cmake --build "$work/$1" --target help > "$work/targets" && grep -qE "$2" "$work/targets"; }

configure "$source" alone -DGOFH_CLI=OFF -DGOFH_BENCH=OFF -DGOFH_TESTS=OFF || fail "the library alone: $(cat "$work/alone.log")"
has_target alone gofh_shared || fail "the library alone has no library"
! has_target alone 'gofh_problem|gofh_run|gofh_bench|unit_' || fail "the library alone has more: $(cat "$work/targets")"
! configure "$source" all || fail "the program is configured without libfyaml"
! configure "$source" tests -DGOFH_CLI=OFF || fail "the tests are configured without the program"
grep -q 'GOFH_TESTS needs GOFH_CLI' "$work/tests.log" || fail "tests without a program: $(cat "$work/tests.log")"

# Warnings are errors where it is asked for, and nowhere else.
! grep -q -e '-Werror' "$work/alone/compile_commands.json" || fail "a warning is an error though nobody asked for that"
configure "$source" alone -DGOFH_WERROR=ON
grep -q -e '-Werror' "$work/alone/compile_commands.json" || fail "GOFH_WERROR does nothing"

mkdir "$work/theirs"
cat > "$work/theirs/CMakeLists.txt" << PROJECT
cmake_minimum_required(VERSION 3.25)
project(theirs LANGUAGES C)
add_subdirectory("$source" gofh)
add_executable(program program.c)
target_link_libraries(program PRIVATE gofh::gofh)
add_executable(program_static program.c)
target_link_libraries(program_static PRIVATE gofh::gofh_static)
PROJECT
printf '#include <gofh.h>\nint main(void) { return gofh_version()[0] == 0; }\n' > "$work/theirs/program.c"
configure "$work/theirs" part || fail "as a part of another project: $(cat "$work/part.log")"
! has_target part 'gofh_problem|gofh_bench|unit_' || fail "as a part of another project it is more than the library"
exit $failed

#!/usr/bin/env bash
# Builds a program against the copy of gofh installed in PLACE, checks which library it uses, and runs it.
#
#   use_installed.sh pkg_config_shared|pkg_config_static|cmake_shared|cmake_static|cplusplus PLACE SOURCE
set -euo pipefail
way=$1
place=$2
source=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PKG_CONFIG_PATH=$place/lib/pkgconfig
warnings="-Wall -Wextra -Wpedantic -Werror"
here=$(cd "$(dirname "$0")" && pwd)

# shellcheck disable=SC2046,SC2086  # the flags are words of their own
case $way in
    pkg_config_shared)
        gcc -std=c11 $warnings "$source" -o "$work/program" $(pkg-config --cflags --libs gofh) -lm
        ;;
    pkg_config_static)
        # The linker prefers the shared one where both are found.
        flags=$(pkg-config --cflags --libs --static gofh)
        gcc -std=c11 $warnings "$source" -o "$work/program" ${flags/-lgofh /-l:libgofh.a }
        ;;
    cplusplus)
        g++ -std=c++11 $warnings -x c++ "$source" -o "$work/program" $(pkg-config --cflags --libs gofh) -lm
        ;;
    cmake_shared | cmake_static)
        cmake -S "$here/consumer" -B "$work/build" -DSOURCE="$source" -DWAY="${way#cmake_}" -DVERSION=0.2 \
            -DCMAKE_PREFIX_PATH="$place" > "$work/log" ||
            { cat "$work/log"; exit 1; }
        cmake --build "$work/build" > "$work/log" || { cat "$work/log"; exit 1; }
        mv "$work/build/program" "$work/program"
        ;;
    *)
        echo "unknown way $way" >&2
        exit 2
        ;;
esac

needed=$(readelf -d "$work/program" | grep -c 'NEEDED.*libgofh' || true)
case $way in
    *static) expected=0 ;;
    *) expected=1 ;;
esac
[ "$needed" = $expected ] || { echo "FAILED: the program is not linked to the library that was asked for"; exit 1; }
if [ $expected = 1 ]; then export LD_LIBRARY_PATH=$place/lib; fi
"$work/program"

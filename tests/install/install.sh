#!/usr/bin/env bash
# Installs a build into PLACE, by way of DESTDIR as packagers do, and moves it: nothing may depend on where it was.
#
#   install.sh BUILD PLACE VERSION
set -euo pipefail
build=$1
place=$2
version=$3
compatible=${version%.*} # 0.x: every minor version breaks programs

rm -rf "$place" "$place.stage"
DESTDIR=$place.stage cmake --install "$build" --prefix /opt/gofh > /dev/null
mv "$place.stage/opt/gofh" "$place"
rm -rf "$place.stage"

failed=0
for file in include/gofh.h include/gofh_expression.h lib/libgofh.so "lib/libgofh.so.$compatible" "lib/libgofh.so.$version" lib/libgofh.a lib/pkgconfig/gofh.pc \
    lib/cmake/gofh/gofhConfig.cmake lib/cmake/gofh/gofhConfigVersion.cmake \
    share/man/man1/gofh.1; do
    [ -e "$place/$file" ] || { echo "FAILED: $file is not installed"; failed=1; }
done
others=$(cd "$place/include" && find . -type f ! -path ./gofh.h ! -path ./gofh_expression.h)
[ -z "$others" ] || { echo "FAILED: headers that are nobody's business are installed: $others"; failed=1; }
readelf -d "$place/lib/libgofh.so" | grep -qF "[libgofh.so.$compatible]" ||
    { echo "FAILED: the soname is not libgofh.so.$compatible"; failed=1; }
# What CMake's package says is compatible is what the soname says.
here=$(cd "$(dirname "$0")" && pwd)
accepts() {
    cmake -S "$here/consumer" -B "$place.asks" -DSOURCE="$here/consumer/consumer.c" -DWAY=shared -DVERSION="$1" \
        -DCMAKE_PREFIX_PATH="$place" > /dev/null 2>&1
}
accepts "$compatible" || { echo "FAILED: find_package(gofh $compatible) does not find $version"; failed=1; }
for other in 0.1 "0.$((${compatible#0.} + 1))" 1.0; do
    ! accepts "$other" || { echo "FAILED: find_package(gofh $other) finds $version, which is not compatible"; failed=1; }
done
rm -rf "$place.asks"
strangers=$(nm --defined-only --extern-only --format=posix "$place/lib/libgofh.a" | awk 'NF > 1 && $1 !~ /^gofh_/ { print $1 }')
[ -z "$strangers" ] || { echo "FAILED: libgofh.a defines what others may want to call so: $strangers"; failed=1; }
if [ -e "$build/gofh" ]; then
    "$place/bin/gofh" --version > /dev/null || { echo "FAILED: the installed program does not run"; failed=1; }
fi
exit $failed

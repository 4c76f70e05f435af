#!/usr/bin/env bash
# Installs what is missing of the Debian packages that gofh needs. Silent when nothing is.
#
#   scripts/setup.sh [--dry-run|--missing] [build|check]
#
# build: to build the library, the program and the tests (the default); check: also to run all
# checks. --dry-run prints the command and runs nothing. --missing installs nothing either: it says
# what is missing and how to get it.
set -euo pipefail

BUILD_PACKAGES=(gcc libc6-dev make cmake ninja-build pkg-config libopenblas-dev libcmocka-dev
                libsqlite3-dev libfyaml-dev libjansson-dev libmicrohttpd-dev)
CHECK_PACKAGES=(g++ clang clang-tidy clang-format libclang-rt-14-dev cppcheck shellcheck valgrind gcovr python3 python3-dev
                python3-venv librsvg2-bin chromium ngspice calculix-ccx groff-base procps sqlite3
                locales slurm-wlm slurm-wlm-torque munge openssh-server)

dry_run=no
only_say=no
group=build
for argument in "$@"; do
    case $argument in
        --dry-run) dry_run=yes ;;
        --missing) only_say=yes ;;
        build | check) group=$argument ;;
        *)
            echo "usage: scripts/setup.sh [--dry-run|--missing] [build|check]" >&2
            exit 2
            ;;
    esac
done

packages=("${BUILD_PACKAGES[@]}")
if [ "$group" = check ]; then packages+=("${CHECK_PACKAGES[@]}"); fi

if ! command -v dpkg-query > /dev/null; then
    if [ $only_say = yes ]; then exit 0; fi # CMake says it
    echo "setup: not a Debian system; these Debian packages, or what they are called here, are needed: ${packages[*]}" >&2
    exit 0
fi

# dpkg-query fails when it knows nothing of a package; those are not in its answer, so they count as
# missing.
installed=$(dpkg-query --show --showformat='${db:Status-Status} ${Package}\n' "${packages[@]}" 2> /dev/null || true)
missing=()
for package in "${packages[@]}"; do
    grep -qxF "installed $package" <<< "$installed" || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then exit 0; fi

install="apt-get update && apt-get install --yes --no-install-recommends ${missing[*]}"
if [ $only_say = yes ]; then
    if [ "$group" = check ]; then target="make setup CHECKS=1"; else target="make setup"; fi
    echo "setup: not installed: ${missing[*]}. \"$target\" installs what is missing; it runs:" >&2
    echo "  $install" >&2
    exit 1
elif [ $dry_run = yes ]; then
    echo "$install"
elif [ "$(id -u)" -eq 0 ]; then
    echo "setup: installing ${missing[*]}"
    DEBIAN_FRONTEND=noninteractive sh -c "$install"
elif command -v sudo > /dev/null && { [ -t 0 ] || sudo --non-interactive true 2> /dev/null; }; then
    echo "setup: installing ${missing[*]} through sudo"
    sudo env DEBIAN_FRONTEND=noninteractive sh -c "$install"
else
    echo "setup: some packages are missing. Run this as root, then try again:" >&2
    echo "  $install" >&2
    exit 1
fi

#!/bin/sh
# SPDX-License-Identifier: MIT
# Writes what the programs are built from to a header, unless it says so already: revision.sh SOURCES
# HEADER. It runs in each build, so that it is no Python.
set -eu
header=$(realpath "$2")
cd "$1"
# An archive of git has the commit in that file. A copy inside another repository has none.
revision=unknown
[ ! -e .revision ] || read -r revision <.revision
case $revision in
[0-9a-f]*) revision=$(echo "$revision" | cut -c 1-12) ;;
*)
    revision=unknown
    if prefix=$(git rev-parse --show-prefix 2>/dev/null) && [ -z "$prefix" ]; then
        revision=$(git describe --always --dirty --abbrev=12 2>/dev/null) || revision=unknown
    fi
    ;;
esac
# Of the files as they are, committed or not: `actorlab` and `actorlab-sim` have the same.
sources=$(find core schedulers benchmarks/workloads benchmarks/harness -name '*.[ch]' | LC_ALL=C sort |
    xargs cat | sha256sum | cut -c 1-16)
text="#define AL_REVISION \"$revision\"
#define AL_SOURCES \"$sources\""
[ "$text" = "$(cat "$header" 2>/dev/null)" ] || echo "$text" >"$header"

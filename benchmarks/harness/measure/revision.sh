#!/bin/sh
# SPDX-License-Identifier: MIT
# Writes what the programs are built from to a header, unless it says so already: revision.sh SOURCES
# HEADER. It runs in each build, so that it is no Python.
set -eu
header=$(realpath "$2")
cd "$1"
revision=$(git describe --always --dirty --abbrev=12 2>/dev/null) || revision=unknown
# Of the files as they are, committed or not: `actorlab` and `actorlab-sim` have the same.
sources=$(find core schedulers benchmarks/workloads benchmarks/harness -name '*.[ch]' | LC_ALL=C sort |
    xargs cat | sha256sum | cut -c 1-16)
text="#define AL_REVISION \"$revision\"
#define AL_SOURCES \"$sources\""
[ "$text" = "$(cat "$header" 2>/dev/null)" ] || echo "$text" >"$header"

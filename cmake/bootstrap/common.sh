# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
# shellcheck shell=bash disable=SC2034,SC2154
#
# Messages, folders and helpers that the other parts of bootstrap.sh share.

started=$SECONDS

say() { printf 'lacuna [%3ds] %s\n' "$((SECONDS - started))" "$*"; }

stop() {
  printf 'lacuna: error: %s\n' "$*" >&2
  exit 1
}

cache=${LACUNA_CACHE:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/lacuna}
build_root=${LACUNA_BUILD:-$lacuna_root/build}
mkdir -p "$cache" "$build_root" 2>/dev/null || stop "cannot write to $cache or $build_root (set LACUNA_CACHE, LACUNA_BUILD)"
cache=$(cd "$cache" && pwd)
build_root=$(cd "$build_root" && pwd)

# One job a core, and no more than there is memory for (about 2 GB each).
if [[ -z ${LACUNA_JOBS:-} ]]; then
  jobs=$(nproc)
  memory_jobs=$(awk '/MemAvailable/ { print int($2 / 2000000) }' /proc/meminfo 2>/dev/null || echo "$jobs")
  ((memory_jobs >= jobs)) || jobs=$memory_jobs
  ((jobs >= 1)) || jobs=1
else
  jobs=$LACUNA_JOBS
fi

# run_logged <what> <command...>: the output goes to a file of the cache and its end is shown when the command fails.
run_logged() {
  local what=$1 log
  shift
  mkdir -p "$cache/log"
  log="$cache/log/${what//[^A-Za-z0-9._-]/_}.log"
  if ! "$@" >"$log" 2>&1; then
    tail -n 25 "$log" >&2
    stop "$what failed, the whole output is in $log"
  fi
}

hash_text() { printf '%s' "$*" | sha256sum | cut -c 1-10; }

sha256_of() { sha256sum "$1" | cut -d ' ' -f 1; }

# with_lock <name> <command...>: two bootstraps may share a cache; the second waits for what the first builds.
with_lock() {
  local name=$1
  shift
  mkdir -p "$cache/lock"
  exec 9>"$cache/lock/$name"
  flock 9
  "$@"
  exec 9>&-
}

set_threads() {
  export OMP_NUM_THREADS=${OMP_NUM_THREADS:-$(nproc)}
  export OMP_PROC_BIND=${OMP_PROC_BIND:-spread} OMP_PLACES=${OMP_PLACES:-cores}
}

# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
# shellcheck shell=bash disable=SC2034,SC2154
#
# Tools and libraries of the system: what is missing is installed through apt.

missing_packages=()

have_command() { command -v "$1" >/dev/null 2>&1; }

have_header() {
  printf '#if !__has_include(<%s>)\n#error\n#endif\n' "$1" | "${LACUNA_CXX:-g++}" -E -x c++ - >/dev/null 2>&1
}

want_command() { have_command "$1" || missing_packages+=("$2"); }

want_header() { have_header "$1" || missing_packages+=("${@:2}"); }

apt_install() {
  have_command apt-get || stop "missing here: $*; there is no apt-get to install them with, so please do it by hand"
  local prefix=()
  if [[ $(id -u) -ne 0 ]]; then
    have_command sudo || stop "missing here: $*; installing them needs root or sudo"
    prefix=(sudo)
  fi
  say "installing through apt: $*"
  local install=("${prefix[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@")
  mkdir -p "$cache/log"
  if ! "${install[@]}" >"$cache/log/apt.log" 2>&1; then
    run_logged "apt-get update" "${prefix[@]}" apt-get update
    if ! "${install[@]}" >"$cache/log/apt.log" 2>&1; then
      tail -n 15 "$cache/log/apt.log" >&2
      stop "apt-get could not install: $*"
    fi
  fi
}

# need_packages bench|test|petsc|all|docs: everything that the command needs before Kokkos, in one go.
need_packages() {
  missing_packages=()
  [[ -n ${LACUNA_CXX:-} ]] || want_command g++ g++
  want_command cmake cmake
  want_command ninja ninja-build
  want_command git git
  want_command python3 python3
  want_header zlib.h zlib1g-dev
  if [[ $1 == test || $1 == petsc || $1 == all ]]; then want_header gmock/gmock.h libgtest-dev libgmock-dev; fi
  if [[ $1 == bench || $1 == all ]]; then
    want_header benchmark/benchmark.h libbenchmark-dev
    want_header CLI/CLI.hpp libcli11-dev
    want_header nlohmann/json.hpp nlohmann-json3-dev
  fi
  if [[ $1 == petsc ]]; then
    want_command pkg-config pkg-config
    want_command make make
    [[ -n $(compgen -G '/usr/lib*/*/liblapack.so') ]] || missing_packages+=(liblapack-dev libblas-dev)
  fi
  if [[ $1 == docs ]]; then want_command doxygen doxygen; fi
  if [[ $backend == hip && ! -x ${ROCM_PATH:-/opt/rocm}/bin/hipcc ]]; then
    [[ -n ${LACUNA_HIP_CXX:-} ]] || want_command clang++-19 clang-19
    want_command clang-offload-bundler-19 clang-tools-19
    want_command llvm-objcopy-19 llvm-19
    want_command ld.lld-19 lld-19
    [[ -f /usr/include/hip/hip_runtime.h ]] || missing_packages+=(libamdhip64-dev)
    compgen -G "/usr/lib/*/amdgcn/bitcode/ocml.bc" >/dev/null || missing_packages+=(rocm-device-libs)
    compgen -G "/usr/lib/llvm-19/lib/clang/19/lib/*/libclang_rt.builtins*" >/dev/null ||
      missing_packages+=(libclang-rt-19-dev)
  fi
  ((${#missing_packages[@]} == 0)) || apt_install "${missing_packages[@]}"
  local version
  version=$(cmake --version | sed -n '1s/[^0-9]*//p')
  [[ $(printf '%s\n' 3.22 "$version" | sort -V | head -n 1) == 3.22 ]] || stop "CMake 3.22 or newer is needed, here is $version"
  host_cxx=$(command -v "${LACUNA_CXX:-g++}") || stop "there is no compiler ${LACUNA_CXX:-g++}"
}

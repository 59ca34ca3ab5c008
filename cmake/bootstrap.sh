#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
# shellcheck disable=SC2154

set -euo pipefail

lacuna_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
for part in common packages sources toolchains kokkos petsc; do
  # shellcheck source=/dev/null
  . "$lacuna_root/cmake/bootstrap/$part.sh"
done

usage() {
  cat <<'TEXT'
usage: bash cmake/bootstrap.sh run [FILE.mtx ...]   build lacuna-bench and run it on the files (default: a mesh)
       bash cmake/bootstrap.sh test [TARGET ...] [CTEST OPTION ...]
                                                    build and run the test suite, or only the named tests, such as
                                                    test_spmm_choice; all from the first '-' on goes to ctest
       bash cmake/bootstrap.sh cuda [TARGET ...]    build everything for NVIDIA GPUs (no GPU needed)
       bash cmake/bootstrap.sh hip [TARGET ...]     build everything for AMD GPUs (no GPU needed)
       bash cmake/bootstrap.sh petsc [--cached] [TARGET ...]
                                                    build PETSc and MPICH (once, 12 minutes), Lacuna::petsc and its tests,
                                                    and run these; with --cached only where the two are built already
       bash cmake/bootstrap.sh docs                 the guide and the reference, as HTML (Doxygen)

Missing tools come from apt, Kokkos and Kokkos Kernels from (the first that serves): an installed pair (Kokkos_ROOT,
KokkosKernels_ROOT, CMAKE_PREFIX_PATH), source folders that you name, a pinned source package of PyPI. Environment:
  LACUNA_BACKEND=auto|serial|openmp|threads|cuda   of run and test (auto: CUDA where a toolkit and a GPU are, else OpenMP)
  LACUNA_CUDA_ARCH=90  LACUNA_HIP_ARCH=gfx90a    what is compiled for (cuda with a GPU present: that GPU)
  LACUNA_HOST_ARCH=native|generic          instruction set of host code (default native; generic with CUDA and HIP)
  LACUNA_SANITIZE=thread|address,undefined   sanitizers of host code, Kokkos included (thread: with serial or threads)
  LACUNA_KOKKOS_SOURCE=DIR LACUNA_KOKKOS_KERNELS_SOURCE=DIR   build these sources
  LACUNA_KOKKOS_FROM=auto|installed|source|sdist|release      use only this way (release: the official repositories)
  LACUNA_CACHE=DIR   built dependencies (default: ~/.cache/lacuna)    LACUNA_BUILD=DIR   builds (default: ./build)
  LACUNA_CXX=g++  LACUNA_HIP_CXX=clang++-19   compilers               LACUNA_JOBS=N      parallel jobs
TEXT
}

# configure_lacuna <build folder> <extra CMake arguments...>
configure_lacuna() {
  local build=$1
  shift
  local arguments=(-S "$lacuna_root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release
    "-DCMAKE_CXX_COMPILER=$compiler" "-DCMAKE_CXX_FLAGS=$lacuna_cxx_flags" "-DCMAKE_PREFIX_PATH=$kokkos_prefix_path"
    "-Dfast_matrix_market_ROOT=$fast_matrix_market_dir" "${kokkos_cmake_arguments[@]}" "$@")
  # The same arguments as last time: ninja configures again by itself where a CMake file changed.
  local stamp="$build/lacuna_configure_arguments"
  if [[ -f $build/build.ninja && -f $stamp && $(cat "$stamp") == "${arguments[*]}" ]]; then return; fi
  say "configuring $build"
  rm -f "$build/CMakeCache.txt"
  run_logged "configure" cmake "${arguments[@]}"
  echo "${arguments[*]}" >"$stamp"
}

build_lacuna() {
  local build=$1
  shift
  say "building ${*:-everything} in $build ($jobs jobs)"
  ninja -C "$build" -j "$jobs" "$@" || stop "the build in $build failed, see above"
}

prepare() {
  purpose=$1 # bench, test, petsc, all or docs
  choose_backend "$2"
  need_packages "$purpose"
  use_toolchain
  get_fast_matrix_market
  get_kokkos
  say "backend $backend, Kokkos $kokkos_version ($kokkos_devices) from $kokkos_origin"
}

command_run() {
  local file
  for file in "$@"; do [[ $file == -* || -r $file ]] || stop "cannot read $file"; done
  prepare bench auto
  local build="$build_root/$build_name-run"
  configure_lacuna "$build" -DLACUNA_ENABLE_PERF_TESTS=ON
  build_lacuna "$build" lacuna-bench
  say "running lacuna-bench run $*"
  set_threads
  "$build/perf_tests/lacuna-bench" run "$@"
}

command_test() {
  local targets=() only=()
  while [[ $# -gt 0 && $1 != -* ]]; do
    targets+=("$1")
    shift
  done
  # A test has the name of its target.
  if ((${#targets[@]} > 0)); then only=(--tests-regex "^($(IFS='|' && echo "${targets[*]}"))\$"); fi
  prepare all auto
  local build="$build_root/$build_name-test" tests_at_once=1
  local options=(-DLACUNA_ENABLE_TESTS=ON -DLACUNA_ENABLE_PERF_TESTS=ON)
  # What only runs tests is compiled at -O1 for hosts, in half the time; what a test needs in full says so
  # (lacuna_optimize). Kernels on a GPU are tested as users run them, one test at a time on the device.
  if [[ $backend == openmp || $backend == serial || $backend == threads ]]; then
    options+=(-DLACUNA_BENCH_SCALARS=float "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG")
    tests_at_once=$jobs
  fi
  configure_lacuna "$build" "${options[@]}"
  build_lacuna "$build" "${targets[@]}"
  say "running ${targets[*]:-the tests}"
  # Kokkos's own threads are one where nobody says.
  if [[ $backend == threads ]]; then export KOKKOS_NUM_THREADS=${KOKKOS_NUM_THREADS:-$(nproc)}; fi
  export TSAN_OPTIONS=${TSAN_OPTIONS:-halt_on_error=1:suppressions=$lacuna_root/unit_tests/reliability/thread_sanitizer.supp}
  ctest --test-dir "$build" --output-on-failure --parallel "$tests_at_once" "${only[@]}" "$@"
}

# PETSc first, if need be (with --cached only where it is there already), then Lacuna::petsc and its tests.
command_petsc() {
  local cached=no
  if [[ ${1:-} == --cached ]]; then
    cached=yes
    shift
  fi
  prepare petsc auto
  name_petsc
  if [[ $cached == yes && ! -f $petsc_prefix/.complete ]]; then
    say "skipped: there is no PETSc in the cache (bash cmake/bootstrap.sh petsc builds it)"
    return
  fi
  get_petsc
  say "PETSc in $petsc_prefix, its MPI in $mpi_prefix"
  local build="$build_root/$build_name-petsc"
  kokkos_prefix_path+=";$petsc_prefix"
  configure_lacuna "$build" -DLACUNA_ENABLE_TESTS=ON -DLACUNA_ENABLE_PETSC=ON "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG"
  build_lacuna "$build" "${@:-lacuna_petsc_tests}"
  ctest --test-dir "$build" --output-on-failure --label-regex petsc
}

command_docs() {
  prepare docs auto
  local build="$build_root/$build_name-docs"
  configure_lacuna "$build"
  build_lacuna "$build" lacuna_doc
  say "documentation in $build/documentation/html/index.html"
}

command_cross() {
  local wanted=$1
  shift
  if [[ $* == lacuna_compile_only ]]; then prepare test "$wanted"; else prepare all "$wanted"; fi
  local build="$build_root/$build_name" options=(-DLACUNA_ENABLE_TESTS=ON -DLACUNA_ENABLE_PERF_TESTS=ON)
  if [[ $# -eq 0 ]]; then
    [[ $backend != cuda ]] || get_cuda_libraries
    set -- all lacuna_compile_only
  elif [[ $* == lacuna_compile_only ]]; then
    build+="-compile-only"
    options=(-DLACUNA_ENABLE_TESTS=ON)
  fi
  configure_lacuna "$build" "${options[@]}"
  build_lacuna "$build" "$@"
  say "built for $backend $gpu_arch in $build"
  if [[ $* == lacuna_compile_only && $gpu_arch =~ ^gfx(90a|942)$ ]]; then
    say "looking for matrix instructions and spills in the generated code"
    python3 "$lacuna_root/cmake/check_amd_code.py" "$build/unit_tests/compile_only" --arch "$gpu_arch" ||
      stop "the code generated for $gpu_arch is not what it should be, see above"
  fi
}

main() {
  if [[ $# -eq 0 ]]; then
    usage >&2
    exit 2
  fi
  local command=$1
  shift
  case $command in
    run) command_run "$@" ;;
    test) command_test "$@" ;;
    cuda | hip) command_cross "$command" "$@" ;;
    petsc) command_petsc "$@" ;;
    docs) command_docs ;;
    help | -h | --help) usage ;;
    *)
      usage >&2
      stop "unknown command '$command'"
      ;;
  esac
  exit # the shell reads nothing more of this file, which may have changed meanwhile
}

main "$@"

# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
# shellcheck shell=bash disable=SC2034,SC2154
#
# Kokkos and Kokkos Kernels: find an installed pair, or build one into the cache.

kokkos_prefix_path=${CMAKE_PREFIX_PATH:-}
kokkos_prefix_path=${kokkos_prefix_path//:/;}
kokkos_cmake_arguments=()

# Only what Lacuna uses of Kokkos Kernels: the sparse part, instantiated where it is used, without vendor libraries.
kernels_flags=(-DKokkosKernels_ENABLE_ALL_COMPONENTS=OFF -DKokkosKernels_ENABLE_COMPONENT_SPARSE=ON
  -DKokkosKernels_ADD_DEFAULT_ETI=OFF -DKokkosKernels_ENABLE_TESTS=OFF
  -DKokkosKernels_ENABLE_TPL_BLAS=OFF -DKokkosKernels_ENABLE_TPL_LAPACK=OFF -DKokkosKernels_ENABLE_TPL_CUBLAS=OFF
  -DKokkosKernels_ENABLE_TPL_CUSPARSE=OFF -DKokkosKernels_ENABLE_TPL_CUSOLVER=OFF)

# Of both: what a shared library links must be independent of its position.
pair_flags=(-DCMAKE_POSITION_INDEPENDENT_CODE=ON)

get_kokkos() {
  local from=${LACUNA_KOKKOS_FROM:-auto}
  case $from in
    auto | installed | source | sdist | release) ;;
    *) stop "LACUNA_KOKKOS_FROM is '$from'; it can be auto, installed, source, sdist, release" ;;
  esac
  if [[ $from == auto || $from == installed ]] && find_installed_pair; then return; fi
  [[ $from != installed ]] || stop "no installed Kokkos 4.5.01 or newer with Kokkos Kernels serves backend $backend (set Kokkos_ROOT and KokkosKernels_ROOT)"
  local kokkos=${LACUNA_KOKKOS_SOURCE:-} kernels=${LACUNA_KOKKOS_KERNELS_SOURCE:-}
  if [[ $from == source || ($from == auto && -n $kokkos$kernels) ]]; then
    [[ -f $kokkos/core/src/Kokkos_Core.hpp ]] || stop "LACUNA_KOKKOS_SOURCE ('$kokkos') is not a source folder of Kokkos"
    [[ -d $kernels/sparse/src ]] || stop "LACUNA_KOKKOS_KERNELS_SOURCE ('$kernels') is not a source folder of Kokkos Kernels"
    build_pair "$(cd "$kokkos" && pwd)" "$(cd "$kernels" && pwd)" "$(sources_id "$kokkos" "$kernels")"
  elif [[ $from == release ]]; then
    get_release kokkos
    kokkos=$release_dir
    get_release kokkos-kernels
    build_pair "$kokkos" "$release_dir" "$release_tag"
  else
    get_sdist "$pair_package" "$pair_sha256"
    build_pair "$sdist_dir/kokkos" "$sdist_dir/kokkos-kernels" "$pair_sha256"
  fi
}

# Names the state of source folders that may change.
sources_id() { find "$@" -name .git -prune -o -type f -printf '%p %s %T@\n' | sort | sha256sum; }

# Asks CMake, with the user's CMAKE_PREFIX_PATH, Kokkos_ROOT and so on, for a pair that serves the backend.
find_installed_pair() {
  local probe answer line device
  probe="$cache/probe/$(hash_text "$lacuna_root $toolchain_id")"
  answer="$probe/answer"
  mkdir -p "$probe"
  rm -f "$answer"
  cmake -S "$lacuna_root/cmake/bootstrap/probe" -B "$probe" -G Ninja -U '*_DIR' "-DCMAKE_CXX_COMPILER=$compiler" \
    "-DCMAKE_PREFIX_PATH=$kokkos_prefix_path" "-DANSWER=$answer" >"$probe/log" 2>&1 || true
  if [[ ! -s $answer ]]; then
    if grep -q 'Kokkos_DIR\|KokkosKernels_DIR' "$probe/log" && [[ -n ${Kokkos_ROOT:-}${Kokkos_DIR:-} ]]; then
      say "the Kokkos that the environment names cannot be used, see $probe/log"
    fi
    return 1
  fi
  { read -r kokkos_version && read -r kokkos_devices && read -r installed_kokkos && read -r installed_kernels; } <"$answer"
  if [[ -z $installed_kernels ]]; then
    say "Kokkos $kokkos_version in $installed_kokkos has no Kokkos Kernels beside it: not used"
    return 1
  fi
  if [[ $(printf '%s\n' 4.5.1 "$kokkos_version" | sort -V | head -n 1) != 4.5.1 ]]; then
    say "Kokkos $kokkos_version in $installed_kokkos is older than 4.5.01: not used"
    return 1
  fi
  device=${backend^^}
  if [[ ";$kokkos_devices;" != *";$device;"* ]]; then
    if [[ $backend_is_fixed == yes || ";$kokkos_devices;" == *";HIP;"* || ";$kokkos_devices;" == *";CUDA;"* ]]; then
      say "Kokkos in $installed_kokkos has the backends $kokkos_devices, not $device: not used"
      return 1
    fi
    build_name=${kokkos_devices//;/-}
    build_name=${build_name,,}
  fi
  kokkos_cmake_arguments=("-DKokkos_DIR=$installed_kokkos" "-DKokkosKernels_DIR=$installed_kernels")
  kokkos_origin="$installed_kokkos (installed)"
}

version_of_sources() {
  sed -n 's/^ *\(set\|SET\)(Kokkos_VERSION_\(MAJOR\|MINOR\|PATCH\) \([0-9]*\)).*/\3/p' "$1/CMakeLists.txt" | head -n 3 | paste -sd .
}

# build_pair <Kokkos sources> <Kokkos Kernels sources> <what names their state>
build_pair() {
  kokkos_version=$(version_of_sources "$1")
  if [[ $backend == cuda && $kokkos_version == 4.7.0 ]]; then
    # Its new View passes wrong kernel arguments with CUDA 13; 4.7.01 went back to the old one.
    kokkos_flags+=(-DKokkos_ENABLE_IMPL_VIEW_LEGACY=ON)
  fi
  # Lacuna uses nothing deprecated, but Kokkos Kernels 4.5 and 4.6 need what 4.7 deprecates.
  if [[ $kokkos_version == 4.[56].* ]]; then kokkos_flags+=(-DKokkos_ENABLE_DEPRECATED_CODE_4=OFF); fi
  local key
  key=$(hash_text "$3 $toolchain_id ${kokkos_flags[*]} ${kernels_flags[*]} ${pair_flags[*]} $(cmake --version | head -n 1)")
  pair_prefix="$cache/kokkos-$kokkos_version-$build_name-$key"
  [[ -f $pair_prefix/.complete ]] || with_lock "kokkos-$key" build_pair_now "$@"
  kokkos_devices="SERIAL"
  [[ $backend == serial ]] || kokkos_devices="${backend^^};SERIAL"
  kokkos_prefix_path="$pair_prefix${kokkos_prefix_path:+;$kokkos_prefix_path}"
  kokkos_cmake_arguments=("-DKokkos_ROOT=$pair_prefix" "-DKokkosKernels_ROOT=$pair_prefix")
  kokkos_origin="$pair_prefix"
}

build_pair_now() {
  [[ ! -f $pair_prefix/.complete ]] || return 0
  local work="$pair_prefix.build" flags=$lacuna_cxx_flags
  [[ $backend != cuda ]] || flags="-include $lacuna_root/cmake/Lacuna_Cuda13.hpp"
  local common=(-G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_STANDARD=20 "-DCMAKE_CXX_COMPILER=$compiler"
    "-DCMAKE_CXX_FLAGS=$flags" "-DCMAKE_INSTALL_PREFIX=$pair_prefix" -DCMAKE_INSTALL_LIBDIR=lib "${pair_flags[@]}")
  rm -rf "$work" "$pair_prefix"
  say "building Kokkos $kokkos_version for $build_name (about a minute)"
  run_logged "Kokkos configure" cmake -S "$1" -B "$work/kokkos" "${common[@]}" "${kokkos_flags[@]}"
  run_logged "Kokkos build" ninja -C "$work/kokkos" -j "$jobs" install
  say "building Kokkos Kernels for $build_name (about a minute)"
  run_logged "Kokkos Kernels configure" cmake -S "$2" -B "$work/kernels" "${common[@]}" "-DKokkos_ROOT=$pair_prefix" "${kernels_flags[@]}"
  run_logged "Kokkos Kernels build" ninja -C "$work/kernels" -j "$jobs" install
  # So that CMAKE_PREFIX_PATH=<this folder> is enough for a build by hand.
  cp -r "$fast_matrix_market_dir"/include/* "$fast_matrix_market_dir"/dependencies/fast_float/include/* "$pair_prefix/include/"
  rm -rf "$work"
  touch "$pair_prefix/.complete"
}

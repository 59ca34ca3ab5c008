# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
# shellcheck shell=bash disable=SC2034,SC2154
#
# Which backend, for which architecture, with which compiler and flags.

# The CUDA compiler of the Python package index, for machines without a toolkit: NVIDIA's own packages, used under
# NVIDIA's licence. It compiles and links against the runtime; libcuda comes from a stub made here.
cuda_packages=(
  nvidia-cuda-nvcc==13.0.88 56fe502eb77625a12f25172caa3cdddb4e4c8ba2c8c17dba44b164761b380f03
  nvidia-nvvm==13.0.88 c5f41ffeb6466944a026dfa5317d7d85355c119bbec279205d22f1869d1054e0
  nvidia-cuda-crt==13.0.88 2c8043c7c9e02492716426e9919fc78d2c5b3b2a7a768a88e952676b08aa55a4
  nvidia-cuda-runtime==13.0.96 7f82250d7782aa23b6cfe765ecc7db554bd3c2870c43f3d1821f1d18aebf0548
  nvidia-cuda-cccl==13.0.85 e0da7ad981f3a8aff08241b5bfc1af868742a63e2762f53a5171c492ef242649
)
# cuSPARSE, which lacuna-bench measures against: fetched only when everything is built.
cusparse_packages=(
  nvidia-cusparse==12.6.3.3 2b3c89c88d01ee0e477cb7f82ef60a11a4bcd57b6b87c33f789350b59759360b
  nvidia-nvjitlink==13.0.88 13a74f429e23b921c1109976abefacc69835f2f433ebd323d3946e11d804e47b
)

pypi_cuda="$cache/cuda-pypi"

find_nvcc() {
  local candidate
  for candidate in "${CUDACXX:-}" "${CUDA_HOME:-/nowhere}/bin/nvcc" "${CUDA_PATH:-/nowhere}/bin/nvcc" \
    "$(command -v nvcc || true)" /usr/local/cuda/bin/nvcc "$pypi_cuda/bin/nvcc"; do
    if [[ -n $candidate && -x $candidate ]] && "$candidate" --version >/dev/null 2>&1; then
      echo "$candidate"
      return 0
    fi
  done
  return 1
}

nvidia_gpu() { have_command nvidia-smi && nvidia-smi -L 2>/dev/null | grep -q '^GPU '; }

# choose_backend auto|cuda|hip
choose_backend() {
  local wanted=${LACUNA_BACKEND:-auto}
  backend_is_fixed=yes
  if [[ $1 != auto ]]; then
    backend=$1
  elif [[ $wanted != auto ]]; then
    backend=$wanted
  elif find_nvcc >/dev/null && [[ $(find_nvcc) != "$cache"/* ]] && nvidia_gpu; then
    backend=cuda
    backend_is_fixed=no
    say "a CUDA toolkit and an NVIDIA GPU are here: backend cuda"
  else
    backend=openmp
    backend_is_fixed=no
    if nvidia_gpu; then say "an NVIDIA GPU is here but no CUDA toolkit (nvcc): backend openmp"; fi
  fi
  case $backend in
    serial | openmp | threads | cuda | hip) ;;
    *) stop "unknown backend '$backend'; there are serial, openmp, threads, cuda, hip" ;;
  esac
}

# Sets compiler, lacuna_cxx_flags, kokkos_flags, gpu_arch, build_name and toolchain_id (everything a binary depends on).
use_toolchain() {
  compiler=$host_cxx
  lacuna_cxx_flags=
  kokkos_flags=(-DKokkos_ENABLE_SERIAL=ON)
  gpu_arch=
  build_name=$backend
  toolchain_id=
  case $backend in
    openmp) kokkos_flags+=(-DKokkos_ENABLE_OPENMP=ON) ;;
    threads) kokkos_flags+=(-DKokkos_ENABLE_THREADS=ON) ;;
    cuda) use_cuda ;;
    hip) use_hip ;;
  esac
  if [[ -n ${LACUNA_SANITIZE:-} ]]; then use_sanitizers; fi
  if [[ -z $gpu_arch && ${LACUNA_HOST_ARCH:-native} == native ]]; then
    kokkos_flags+=(-DKokkos_ARCH_NATIVE=ON)
    toolchain_id+=$(grep -m 1 '^flags' /proc/cpuinfo 2>/dev/null || uname -m)
  fi
  toolchain_id+=" $compiler $("$compiler" --version | head -n 1) ${lacuna_cxx_flags//$lacuna_root/}"
}

# Kokkos is built with the sanitizers too: its memory and locks are a part of what they watch.
use_sanitizers() {
  case $backend in
    serial | threads) ;;
    openmp)
      [[ $LACUNA_SANITIZE != *thread* ]] ||
        stop "LACUNA_SANITIZE=thread needs LACUNA_BACKEND=serial or threads: gcc's OpenMP runtime is not instrumented"
      ;;
    *) stop "LACUNA_SANITIZE is for hosts, not for backend $backend" ;;
  esac
  lacuna_cxx_flags="-fsanitize=$LACUNA_SANITIZE -fno-omit-frame-pointer -g1"
  build_name=$backend-${LACUNA_SANITIZE//,/-}
}

use_cuda() {
  local nvcc capability arch_name
  nvcc=$(find_nvcc) || get_cuda_compiler
  nvcc=$(find_nvcc) || stop "there is no CUDA compiler (nvcc), and it could not be had"
  PATH="$(dirname "$nvcc"):$PATH"
  export PATH CUDAToolkit_ROOT NVCC_WRAPPER_DEFAULT_COMPILER
  CUDAToolkit_ROOT=$("$nvcc" -dryrun -x cu /dev/null 2>&1 | sed -n 's/^#\$ TOP=//p')
  CUDAToolkit_ROOT=$(cd "${CUDAToolkit_ROOT:-$(dirname "$nvcc")/..}" && pwd)
  NVCC_WRAPPER_DEFAULT_COMPILER=$host_cxx
  gpu_arch=${LACUNA_CUDA_ARCH:-}
  if [[ -z $gpu_arch ]] && nvidia_gpu; then
    capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1)
    gpu_arch=${capability/./}
  fi
  gpu_arch=${gpu_arch:-90}
  gpu_arch=${gpu_arch#sm_}
  case $gpu_arch in
    70) arch_name=VOLTA70 ;;
    75) arch_name=TURING75 ;;
    80 | 86) arch_name=AMPERE$gpu_arch ;;
    89) arch_name=ADA89 ;;
    90) arch_name=HOPPER90 ;;
    100 | 120) arch_name=BLACKWELL$gpu_arch ;;
    *) stop "no Kokkos architecture is known for CUDA sm_$gpu_arch (LACUNA_CUDA_ARCH)" ;;
  esac
  kokkos_flags+=(-DKokkos_ENABLE_CUDA=ON "-DKokkos_ARCH_$arch_name=ON")
  toolchain_id+="$("$nvcc" --version | grep release) $(sha256_of "$lacuna_root/cmake/Lacuna_Cuda13.hpp") "
  build_name=cuda-sm$gpu_arch
  gpu_arch=sm_$gpu_arch
  say "CUDA $("$nvcc" --version | sed -n 's/.*release \([0-9.]*\).*/\1/p') of $CUDAToolkit_ROOT, $gpu_arch"
}

get_cuda_compiler() { with_lock cuda-pypi fetch_cuda_compiler; }

fetch_cuda_compiler() {
  local scratch
  [[ ! -f $pypi_cuda/.complete ]] || return 0
  [[ $(uname -m) == x86_64 ]] || stop "there is no CUDA toolkit (nvcc) here, and the one of the Python package index is pinned for x86_64 only"
  say "no CUDA toolkit is here: fetching NVIDIA's compiler packages from the Python package index (about 100 MB)"
  rm -rf "$pypi_cuda"
  mkdir -p "$pypi_cuda/lib/stubs"
  fetch_cuda_packages "${cuda_packages[@]}"
  chmod +x "$pypi_cuda"/bin/* "$pypi_cuda"/nvvm/bin/*
  ln -s lib "$pypi_cuda/lib64"
  # What Kokkos calls of the driver, so that programs link where there is no driver.
  scratch=$(mktemp -d "$cache/fetch.XXXXXX")
  printf 'extern "C" int %s(void) { return 999; }\n' cuCtxGetDevice cuCtxPushCurrent_v2 cuStreamGetCtx >"$scratch/stub.cpp"
  run_logged "stub of libcuda" g++ -shared -fPIC -Wl,-soname,libcuda.so.1 \
    "$scratch/stub.cpp" -o "$pypi_cuda/lib/stubs/libcuda.so"
  rm -rf "$scratch"
  touch "$pypi_cuda/.complete"
}

# The vendor libraries that lacuna-bench links, into the toolkit that came from the package index.
get_cuda_libraries() {
  if [[ $CUDAToolkit_ROOT == "$pypi_cuda" && ! -e $pypi_cuda/include/cusparse.h ]]; then
    say "fetching cuSPARSE from the Python package index (about 190 MB)"
    with_lock cuda-pypi fetch_cuda_packages "${cusparse_packages[@]}"
  fi
}

# fetch_cuda_packages <name==version> <sha256> ...: unpacked into one toolkit folder.
fetch_cuda_packages() {
  local scratch file
  need_pip
  scratch=$(mktemp -d "$cache/fetch.XXXXXX")
  printf '%s --hash=sha256:%s\n' "$@" >"$scratch/requirements.txt"
  run_logged "pip download of CUDA" python3 -m pip download --disable-pip-version-check --no-deps --only-binary :all: \
    --require-hashes --requirement "$scratch/requirements.txt" --dest "$scratch"
  for file in "$scratch"/*.whl; do python3 -m zipfile -e "$file" "$scratch/unpacked"; done
  cp -r "$scratch/unpacked/nvidia/cu13/." "$pypi_cuda/"
  rm -rf "$scratch"
  # The packages name their libraries with versions only; linkers look for the plain name.
  for file in "$pypi_cuda"/lib/*.so.*; do ln -sf "$(basename "$file")" "${file%%.so.*}.so"; done
}

use_hip() {
  local rocm=${ROCM_PATH:-/opt/rocm} bitcode hip_header
  gpu_arch=${LACUNA_HIP_ARCH:-gfx90a}
  case $gpu_arch in
    gfx906 | gfx908 | gfx90a | gfx940 | gfx942 | gfx1030 | gfx1100) ;;
    *) stop "no Kokkos architecture is known for $gpu_arch (LACUNA_HIP_ARCH)" ;;
  esac
  build_name=hip-$gpu_arch
  kokkos_flags+=(-DKokkos_ENABLE_HIP=ON "-DKokkos_ARCH_AMD_${gpu_arch^^}=ON")
  if [[ -x $rocm/bin/hipcc ]]; then
    compiler=${LACUNA_HIP_CXX:-$rocm/bin/hipcc}
    say "ROCm of $rocm, $gpu_arch"
    return
  fi
  # Debian: its clang with its HIP headers and device libraries; rocThrust is not packaged.
  compiler=$(command -v "${LACUNA_HIP_CXX:-clang++-19}") || stop "there is no compiler ${LACUNA_HIP_CXX:-clang++-19}"
  kokkos_flags+=(-DKokkos_ENABLE_ROCTHRUST=OFF)
  bitcode=$(dirname "$(compgen -G '/usr/lib/*/amdgcn/bitcode/ocml.bc' | head -n 1)")
  if [[ ! -f $bitcode/oclc_isa_version_${gpu_arch#gfx}.bc ]]; then
    # Older device libraries than the architecture: the file holds its number and nothing else, and that of the nearest
    # relative serves.
    local relative
    case $gpu_arch in
      gfx942) relative=940 ;;
      gfx1100) relative=1030 ;;
      *) stop "the device libraries in $bitcode do not know $gpu_arch" ;;
    esac
    mkdir -p "$cache/bitcode-$gpu_arch"
    ln -sf "$bitcode"/*.bc "$cache/bitcode-$gpu_arch/"
    cp -f "$bitcode/oclc_isa_version_$relative.bc" "$cache/bitcode-$gpu_arch/oclc_isa_version_${gpu_arch#gfx}.bc"
    bitcode="$cache/bitcode-$gpu_arch"
  fi
  hip_header="$lacuna_root/cmake/bootstrap/hip5_atomics.hpp"
  toolchain_id+="$(sha256_of "$hip_header") "
  lacuna_cxx_flags="--rocm-path=/usr --rocm-device-lib-path=$bitcode -mcode-object-version=4 -include $hip_header"
  say "$("$compiler" --version | head -n 1) with the system's HIP headers, $gpu_arch"
}

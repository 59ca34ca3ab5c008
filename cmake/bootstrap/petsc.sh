# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
# shellcheck shell=bash disable=SC2034,SC2154
#
# PETSc with its Kokkos types, built against the same Kokkos as Lacuna, and an MPI: what kernels/engines/petsc is
# tested with. Both come from the Python package index, whose source package of PETSc is the whole of it.

petsc_package=petsc==3.26.1
petsc_sha256=a4dc46c1b4403545ac2274741ce10801366c4a9a7b2683b678d18f6663b93496
mpich_package=mpich==5.0.2
mpich_sha256=8fed465ebff269ea2ebac179a25de02671ddf8df476e0f115be089015015cfd4

# The key of the folder is that of Kokkos, which names compiler, flags and processor.
name_petsc() {
  mpi_prefix="$cache/${mpich_package/==/-}"
  petsc_prefix="$cache/${petsc_package/==/-}-$(hash_text "$kokkos_origin $petsc_sha256 $mpich_sha256")"
}

get_petsc() {
  name_petsc
  [[ $backend == openmp || $backend == serial ]] || stop "PETSc is built for hosts only (LACUNA_BACKEND=openmp or serial)"
  [[ -n ${pair_prefix:-} ]] || stop "PETSc is built beside the Kokkos that bootstrap builds (LACUNA_KOKKOS_FROM=sdist)"
  [[ -f $mpi_prefix/.complete ]] || with_lock mpich get_mpich_now
  [[ -f $petsc_prefix/.complete ]] || with_lock petsc build_petsc_now
}

get_mpich_now() {
  local scratch
  [[ ! -f $mpi_prefix/.complete ]] || return 0
  [[ $(uname -m) == x86_64 ]] || stop "the MPICH of the Python package index is pinned for x86_64 only"
  need_pip
  say "fetching $mpich_package"
  scratch=$(mktemp -d "$cache/fetch.XXXXXX")
  echo "$mpich_package --hash=sha256:$mpich_sha256" >"$scratch/requirements.txt"
  run_logged "pip download of MPICH" python3 -m pip download --disable-pip-version-check --no-deps \
    --only-binary :all: --require-hashes --requirement "$scratch/requirements.txt" --dest "$scratch"
  python3 -m zipfile -e "$scratch"/*.whl "$scratch/unpacked"
  rm -rf "$mpi_prefix"
  mv "$scratch"/unpacked/*.data/data "$mpi_prefix"
  chmod +x "$mpi_prefix"/bin/*
  rm -rf "$scratch"
  touch "$mpi_prefix/.complete"
}

build_petsc_now() {
  [[ ! -f $petsc_prefix/.complete ]] || return 0
  get_sdist "$petsc_package" "$petsc_sha256"
  local work="$petsc_prefix.build" optimize=-O3 openmp=1
  [[ ${LACUNA_HOST_ARCH:-native} != native ]] || optimize+=" -march=native"
  [[ $backend == openmp ]] || openmp=0
  rm -rf "$work" "$petsc_prefix"
  cp -r "$sdist_dir" "$work"
  say "configuring ${petsc_package/==/ } (about a minute)"
  cd "$work"
  run_logged "PETSc configure" env -u PETSC_DIR -u PETSC_ARCH "MPICH_CXX=$compiler" python3 ./configure \
    "--prefix=$petsc_prefix" PETSC_ARCH=lacuna "--with-mpi-dir=$mpi_prefix" --with-fc=0 --with-cxx-dialect=20 \
    "--with-kokkos-dir=$pair_prefix" "--with-kokkos-kernels-dir=$pair_prefix" "--with-openmp=$openmp" --with-cuda=0 \
    --with-hip=0 --with-debugging=0 --with-shared-libraries=1 --with-x=0 --with-ssl=0 --with-hwloc=0 \
    "--COPTFLAGS=$optimize" "--CXXOPTFLAGS=$optimize"
  say "building ${petsc_package/==/ } (about 11 minutes of one core)"
  local make_petsc=(env "MPICH_CXX=$compiler" make "PETSC_DIR=$work" PETSC_ARCH=lacuna "MAKE_NP=$jobs")
  run_logged "PETSc build" "${make_petsc[@]}" libs
  run_logged "PETSc install" "${make_petsc[@]}" install
  cd "$lacuna_root"
  rm -rf "$work"
  touch "$petsc_prefix/.complete"
}

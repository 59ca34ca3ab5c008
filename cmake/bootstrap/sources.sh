# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
# shellcheck shell=bash disable=SC2034,SC2154
#
# Sources of the dependencies: pinned packages of the Python package index, fetched with pip as it is configured here,
# or the official repositories by release tag.

# pycompadre carries the complete sources of the matched pair Kokkos 4.5.01 and Kokkos Kernels 4.5.01.
pair_package=pycompadre==1.7.6
pair_sha256=c766ec4d445ce076069be4b8c51a23ffac4ee79ea949ca86446bfd8c299b154c
pair_version=4.5.01
fast_matrix_market_package=fast_matrix_market==1.7.6
fast_matrix_market_sha256=38f36d28e780316685b939c439618f06579199d736ebdcda9b9dea8e605c102e
# A release that carries its own cure for CUDA 13.
release_tag=${LACUNA_KOKKOS_RELEASE:-4.7.01}

need_pip() {
  python3 -m pip --version >/dev/null 2>&1 || apt_install python3-pip
}

# get_sdist <name==version> <sha256>: the unpacked source package; pip checks the hash before it looks inside.
get_sdist() {
  sdist_dir="$cache/source/${1/==/-}"
  [[ -f $sdist_dir/.complete ]] || with_lock "source-${1/==/-}" fetch_sdist "$@"
}

fetch_sdist() {
  local package=$1 sha256=$2 name=${1%%==*} scratch archive
  [[ ! -f $sdist_dir/.complete ]] || return 0
  need_pip
  say "fetching the source package $package"
  scratch=$(mktemp -d "$cache/fetch.XXXXXX")
  echo "$package --hash=sha256:$sha256" >"$scratch/requirements.txt"
  run_logged "pip download $package" python3 -m pip download --disable-pip-version-check --no-deps \
    --no-binary "$name" --require-hashes --requirement "$scratch/requirements.txt" --dest "$scratch"
  archive=$(compgen -G "$scratch/*.tar.gz" | head -n 1)
  [[ -n $archive && $(sha256_of "$archive") == "$sha256" ]] || stop "$package is not the file that is pinned (SHA-256 $sha256)"
  mkdir -p "$sdist_dir"
  tar -xzf "$archive" -C "$sdist_dir" --strip-components=1
  rm -rf "$scratch"
  touch "$sdist_dir/.complete"
}

# The folder that has include/ and dependencies/fast_float/include/.
get_fast_matrix_market() {
  get_sdist "$fast_matrix_market_package" "$fast_matrix_market_sha256"
  fast_matrix_market_dir="$sdist_dir/fast_matrix_market"
}

# get_release <repository>: a shallow clone of the release tag. Needs an open network.
get_release() {
  release_dir="$cache/source/$1-$release_tag"
  [[ ! -f $release_dir/.complete ]] || return 0
  say "cloning $1 $release_tag"
  rm -rf "$release_dir"
  run_logged "git clone $1" git clone --quiet --depth 1 --branch "$release_tag" "https://github.com/kokkos/$1.git" "$release_dir"
  touch "$release_dir/.complete"
}

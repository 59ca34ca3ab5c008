# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
# shellcheck shell=bash disable=SC2034,SC2154
#
# A Debian in a folder, for what the Debian of this machine does not have: debootstrap, then chroot with mounts that
# nobody else sees, so it needs root.

# debian_folder <folder>: where it is. LACUNA_DEBIAN says which Debian.
debian_folder() {
  folder=$1
  debian=${LACUNA_DEBIAN:-sid}
  root=$folder/$debian
}

# in_debian <command...>: runs it there, with this checkout as /lacuna. The mounts are gone with the command.
in_debian() {
  mkdir -p "$root"/{lacuna,fast_matrix_market,matrices}
  # shellcheck disable=SC2016
  unshare --mount --propagation private bash -euc '
    root=$1 matrices=$2
    mount --bind "$3" "$root/lacuna"
    [[ -z $4 ]] || mount --bind "$4" "$root/fast_matrix_market"
    [[ -z $matrices ]] || mount --bind "$matrices" "$root/matrices"
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    exec chroot "$root" /usr/bin/env -i HOME=/root LC_ALL=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin \
      DEBIAN_FRONTEND=noninteractive ${matrices:+LACUNA_MATRIX_DIR=/matrices} "${@:5}"
  ' in_debian "$root" "${LACUNA_MATRIX_DIR:-}" "$lacuna_root" "${fast_matrix_market_dir:-}" "${proxies[@]}" "$@"
}

# What apt goes through here serves in the folder too.
find_mirror() {
  local http_proxy=${http_proxy:-} https_proxy=${https_proxy:-}
  proxies=()
  mirror=${LACUNA_DEBIAN_MIRROR:-}
  if have_command apt-config; then
    eval "$(apt-config shell http_proxy Acquire::http::Proxy https_proxy Acquire::https::Proxy)"
    # shellcheck disable=SC2016
    [[ -n $mirror ]] || mirror=$(apt-get indextargets --format '$(REPO_URI)' \
      'Created-By: Packages' 'Origin: Debian' 'Label: Debian' 2>/dev/null | sed -n 1p)
  fi
  mirror=${mirror:-http://deb.debian.org/debian}
  [[ -z $http_proxy || $http_proxy == DIRECT ]] || proxies+=("http_proxy=$http_proxy")
  [[ -z $https_proxy || $https_proxy == DIRECT ]] || proxies+=("https_proxy=$https_proxy")
}

# make_debian <packages...>: makes it where it is not there, and installs what it has not had yet.
make_debian() {
  local stamp=$folder/.$debian-complete
  [[ -f $stamp ]] || unpack_debian
  [[ ! -f $stamp || $(cat "$stamp") != "$*" ]] || return 0
  run_logged "apt-get update in Debian $debian" in_debian apt-get update
  run_logged "apt-get install in Debian $debian" in_debian apt-get install -y --no-install-recommends "$@"
  echo "$*" >"$stamp"
}

unpack_debian() {
  missing_packages=()
  want_command debootstrap debootstrap
  [[ -f /usr/share/keyrings/debian-archive-keyring.gpg ]] || missing_packages+=(debian-archive-keyring)
  ((${#missing_packages[@]} == 0)) || apt_install "${missing_packages[@]}"
  say "Debian $debian in $root (a minute or two)"
  rm -rf "$root"
  mkdir -p "$folder"
  run_logged "debootstrap" env "${proxies[@]}" debootstrap --variant=minbase --include=ca-certificates \
    "$debian" "$root" "$mirror"
  local part
  for part in apt.conf.d auth.conf.d; do
    if [[ -d /etc/apt/$part ]]; then cp -r "/etc/apt/$part" "$root/etc/apt/"; fi
  done
}

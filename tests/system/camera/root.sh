#!/bin/bash
# root.sh ROOT [amd64|arm64]: makes a folder that holds Debian 13's Python, libcamera with its virtual pipeline (from
# trixie-backports), and, from the package index, the real picamera2 and the libraries the companion needs. Nothing of
# this machine's own packages is touched: apt works on lists and a cache of its own, packages are only unpacked.
# About a minute and 0.6 GB; keep ROOT and use it again. Needs apt, dpkg, pip, root rights (device nodes).
set -euo pipefail
root=$(realpath -m "$1")
arch=${2:-amd64}
case $arch in amd64) machine=x86_64 ;; arm64) machine=aarch64 ;; *) echo "root.sh: amd64 or arm64, not $arch" >&2; exit 2 ;; esac
work=$root.work
trap 'rm -rf "$work"' EXIT

mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -v security | head -1)
mkdir -p "$root" "$work/lists/partial" "$work/archives/partial" "$work/none"
: > "$work/status"
key=/usr/share/keyrings/debian-archive-keyring.gpg
printf 'deb [signed-by=%s] %s %s main\n' "$key" "$mirror" trixie "$key" "$mirror" trixie-backports > "$work/sources.list"

own_apt() {
    apt-get -qq -o APT::Architecture="$arch" -o APT::Architectures="$arch" -o APT::Install-Recommends=false \
        -o APT::Sandbox::User=root -o Debug::NoLocking=true -o Dir::State::status="$work/status" \
        -o Dir::State::lists="$work/lists" -o Dir::Cache::archives="$work/archives" -o Dir::Cache="$work" \
        -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts="$work/none" \
        -o Dir::Etc::preferencesparts="$work/none" "$@"
}
own_apt update
# The stable release's own libcamera 0.4 cannot open the virtual camera a second time.
own_apt install -y --download-only -t trixie-backports libcamera0.7 python3-libcamera > /dev/null
own_apt install -y --download-only python3 python3-prctl base-files dash coreutils libc-bin ca-certificates > /dev/null
for package in "$work"/archives/*.deb; do dpkg-deb -x "$package" "$root"; done

mkdir -p "$root/dev" "$root/tmp" "$root/proc"
[ -e "$root/dev/null" ] || mknod -m 666 "$root/dev/null" c 1 3
[ -e "$root/dev/urandom" ] || mknod -m 666 "$root/dev/urandom" c 1 9

python=${PYTHON:-python3}
platforms=()
for glibc in manylinux_2_28 manylinux_2_27 manylinux_2_17 manylinux2014; do platforms+=(--platform "${glibc}_$machine"); done
"$python" -m pip install --quiet --no-deps --only-binary=:all: "${platforms[@]}" --python-version 3.13 \
    --implementation cp --target "$root/opt/site" \
    picamera2==0.3.38 simplejpeg videodev2 pillow piexif numpy opencv-python-headless msgspec waitress segno flask \
    werkzeug jinja2 markupsafe itsdangerous click blinker pytest pluggy iniconfig packaging pygments
touch "$root/ready"

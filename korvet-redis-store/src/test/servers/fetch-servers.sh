#!/usr/bin/env bash
# fetch-servers.sh [FOLDER]: gets Redis and Valkey servers newer than the machine's own out of other Debian suites and
# prints a ':'-separated list of wrapper scripts that can be used as `redis-server`:
#
#   KORVET_TEST_REDIS_SERVERS=$(korvet-redis-store/src/test/servers/fetch-servers.sh) mvn verify
#
# Nothing is installed and the machine's own apt set-up is only read: the mirror and the key ring are those of its Debian
# sources. Packages are unpacked under FOLDER (default: ${XDG_CACHE_HOME:-~/.cache}/korvet-servers) and started with their
# own suite's loader and libraries. What can't be had is said on standard error and left out; a server that was fetched
# before is not fetched again.
set -uo pipefail

target=${1:-${XDG_CACHE_HOME:-$HOME/.cache}/korvet-servers}
libraries="libc6 libstdc++6 libgcc-s1 liblzf1 libjemalloc2 libsystemd0 libatomic1 libcap2 libzstd1 zlib1g liblzma5 liblz4-1
  libgcrypt20 libgpg-error0"

say() { echo "fetch-servers: $*" >&2; }

for tool in apt-get apt-cache dpkg dpkg-deb; do
  command -v "$tool" > /dev/null || { say "no $tool here: only on Debian and its kin"; exit 0; }
done

architecture=$(dpkg --print-architecture)
case $architecture in
  amd64) libraries_in=lib/x86_64-linux-gnu loader=ld-linux-x86-64.so.2 ;;
  arm64) libraries_in=lib/aarch64-linux-gnu loader=ld-linux-aarch64.so.1 ;;
  *) say "no recipe for $architecture"; exit 0 ;;
esac

# The first Debian mirror among the machine's sources, in the deb822 or the one-line form.
mirror() {
  {
    cat /etc/apt/sources.list.d/*.sources 2> /dev/null | sed -n 's/^URIs:[[:space:]]*//p' | tr ' ' '\n'
    cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2> /dev/null |
      sed -n 's/^deb[[:space:]]\{1,\}\(\[[^]]*\][[:space:]]*\)\{0,1\}\([^[:space:]]*\).*/\2/p'
  } | grep -E '/debian/?$' | head -1
}
mirror=$(mirror)
[ -n "$mirror" ] || { say "no Debian mirror among the machine's apt sources"; exit 0; }
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
[ -r "$keyring" ] || { say "no $keyring"; exit 0; }

# apt SUITE COMMAND…: apt with this suite's source and folders only.
apt() {
  local root=$target/apt/$1 command=$2
  shift 2
  "$command" -qq -o Dir::Etc::sourcelist="$root/suite.sources" -o Dir::Etc::sourceparts=/dev/null \
    -o Dir::State="$root/state" -o Dir::State::status="$root/status" -o Dir::Cache="$root/cache" \
    -o Acquire::Check-Valid-Until=false -o APT::Get::List-Cleanup=false -o Acquire::Retries=2 "$@"
}

# prepare SUITE: its package list.
prepare() {
  local root=$target/apt/$1
  [ -e "$root/ready" ] && return
  mkdir -p "$root/state/lists/partial" "$root/cache/archives/partial"
  touch "$root/status"
  printf 'Types: deb\nURIs: %s\nSuites: %s\nComponents: main\nSigned-By: %s\n' "$mirror" "$1" "$keyring" \
    > "$root/suite.sources"
  apt "$1" apt-get update >&2 && touch "$root/ready"
}

# fetch NAME SUITE SERVER BASE OPENSSL: unpacks the server (redis or valkey) of a suite with the libraries of the suite it
# is built for, and prints the path of its wrapper.
fetch() {
  local name=$1 suite=$2 server=$3 base=$4 openssl=$5
  local folder=$target/$name wrapper=$target/$name/redis-server
  if [ ! -x "$wrapper" ]; then
    rm -rf "$folder" && mkdir -p "$folder/packages" && cd "$folder/packages" || return
    # shellcheck disable=SC2086
    { prepare "$suite" && apt "$suite" apt-get download "$server-server" "$server-tools" >&2; } &&
      { prepare "$base" && apt "$base" apt-get download "$openssl" $libraries >&2; } ||
      { say "$name: not to be had from $suite" && return; }
    for file in *.deb; do dpkg-deb -x "$file" "$folder/root" || return; done
    cd "$target" && rm -rf "$folder/packages"
    # Up to Debian 12 some libraries, the loader among them, are packed under /lib.
    local new=$folder/root/usr/$libraries_in old=$folder/root/$libraries_in
    printf '#!/bin/sh\nexec "%s" --library-path "%s" "%s" "$@"\n' "$(ls "$new/$loader" "$old/$loader" 2> /dev/null | head -1)" \
      "$new:$old" "$folder/root/usr/bin/$server-server" > "$wrapper.new"
    chmod +x "$wrapper.new" && mv "$wrapper.new" "$wrapper"
  fi
  if "$wrapper" --version >&2; then echo "$wrapper"; else say "$name doesn't start on this machine"; fi
}

mkdir -p "$target" && target=$(cd "$target" && pwd) || exit 1
{
  fetch valkey-8.0 bookworm-backports valkey bookworm libssl3
  fetch valkey-8.1 trixie valkey trixie libssl3t64
  fetch redis-8.0 trixie redis trixie libssl3t64
  fetch valkey-9 forky valkey forky libssl3t64
  fetch redis-8.6 experimental redis forky libssl3t64
} | paste -s -d :

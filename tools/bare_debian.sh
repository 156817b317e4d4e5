#!/usr/bin/env bash
# bare_debian.sh [--only deb|clone] [--keep] [--ccache DIR] [--deb FILE] [--work DIR]
# Tries what the README promises on a Debian 12 that has nothing else installed:
#   clone  clones this repository into a bare root, runs `make run` and `make test` there;
#   deb    installs the package into a bare root, runs it there. The package is the one of the clone
#          half, else build/package/tyto_*.deb (`make package`), else --deb FILE.
# Roots are made by mmdebstrap, as root, from the sources apt has on this machine.
#   --ccache DIR  a compiler cache to copy in, so that the build need not take long
#   --keep        keeps the roots (in --work DIR, else a folder under /tmp)
# COMMANDS="make run" chooses what the clone half runs; JOBS is handed to make.
set -euo pipefail
repository=$(cd "$(dirname "$0")/.." && pwd)

only=both keep=no ccache= deb= work=
while [ $# -gt 0 ]; do
  case $1 in
    --only) only=${2:?--only deb or --only clone}; shift ;;
    --keep) keep=yes ;;
    --ccache) ccache=$(cd "${2:?--ccache needs a folder}" && pwd); shift ;;
    --deb) deb=$(realpath "${2:?--deb needs a file}"); shift ;;
    --work) work=${2:?--work needs a folder}; shift ;;
    -h | --help) sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) echo "bare_debian.sh: there is no option $1 (--help tells them)" >&2; exit 2 ;;
  esac
  shift
done
case $only in deb | clone | both) ;; *) echo "bare_debian.sh: --only is deb or clone, not $only" >&2; exit 2 ;; esac
[ "$(id -u)" = 0 ] || { echo "bare_debian.sh: must run as root, to make roots" >&2; exit 1; }
command -v mmdebstrap >/dev/null || { echo "bare_debian.sh: needs mmdebstrap (apt-get install mmdebstrap)" >&2; exit 1; }
if [ -z "$work" ]; then work=$(mktemp -d /tmp/bare_debian.XXXXXX); else mkdir -p "$work"; work=$(cd "$work" && pwd); fi

# Every root is mounted into by `enter` alone; nothing is removed while anything is mounted.
roots=()
clean() {
  for root in ${roots[@]+"${roots[@]}"}; do
    for place in proc dev/pts dev sys; do
      mountpoint -q "$root/$place" && umount "$root/$place"
    done
    if [ $keep = no ]; then rm -rf --one-file-system "$root"; else echo "kept: $root"; fi
  done
  if [ $keep = no ]; then rmdir --ignore-fail-on-non-empty "$work"; fi
}
trap clean EXIT

make_root() {  # make_root NAME: a bare root that fetches packages as this machine does
  local root=$work/$1
  echo "== bare Debian 12: $1"
  local settings=$work/apt.conf
  apt-config dump Acquire >"$settings"
  # All of apt's sources of this machine, whatever their form; `:` would fetch from the archive's own.
  mmdebstrap --quiet --variant=minbase --aptopt="$settings" bookworm "$root" $(apt_sources)
  cp "$settings" "$root/etc/apt/apt.conf.d/99as-the-host"
  rm -f "$settings"
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  cp /etc/hosts "$root/etc/hosts"
  roots+=("$root")
  mount -t proc proc "$root/proc"
  mount --bind /dev "$root/dev"
  mount -t devpts devpts "$root/dev/pts" 2>/dev/null || true
  mount -t sysfs sysfs "$root/sys"
  echo "packages: $(chroot "$root" dpkg-query -f '.\n' -W | wc -l)"
}

apt_sources() {
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
    [ -s "$file" ] && echo "$file"
  done
  return 0
}

inside() {  # inside ROOT COMMAND: by a shell with nothing of this environment but what is named
  local root=$1
  echo "\$ $2"
  chroot "$root" env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    TERM=dumb LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive ${JOBS:+JOBS="$JOBS"} \
    ${OMP_NUM_THREADS:+OMP_NUM_THREADS="$OMP_NUM_THREADS"} ${http_proxy:+http_proxy="$http_proxy"} \
    ${https_proxy:+https_proxy="$https_proxy"} sh -euc "cd /root; $2"
}

if [ $only != deb ]; then
  make_root clone
  root=$work/clone
  inside "$root" "apt-get update -qq && apt-get install -y -qq --no-install-recommends ca-certificates git make >/dev/null"
  git clone --quiet --no-local --depth 1 "file://$repository" "$root/root/tyto"
  if [ -n "$ccache" ]; then
    mkdir -p "$root/root/.cache"
    cp -a "$ccache" "$root/root/.cache/ccache"
  fi
  IFS=, read -ra commands <<<"${COMMANDS:-make run,make test}"
  for command in "${commands[@]}"; do inside "$root" "cd tyto; $command"; done
  if [ $only = both ]; then
    inside "$root" "cd tyto; make package"
    deb=$(ls "$root"/root/tyto/build/package/tyto_*.deb)
  fi
fi

if [ $only != clone ]; then
  if [ -z "$deb" ]; then deb=$(ls -t "$repository"/build/package/tyto_*.deb 2>/dev/null | head -1); fi
  [ -f "$deb" ] || { echo "bare_debian.sh: there is no package; \`make package\` makes it" >&2; exit 1; }
  make_root deb
  root=$work/deb
  cp "$deb" "$root/root/"
  inside "$root" "apt-get update -qq && apt-get install -y -qq --no-install-recommends ./tyto_*.deb >/dev/null"
  inside "$root" "tyto --version"
  inside "$root" "tyto list | head -n 12"
  inside "$root" "tyto data list"
  # A user's own copy of an experiment, in a folder that holds nothing else; `ann` is a network. The
  # other modules opened on demand are asked for once each: videos, neighbours in bulk, HTTP.
  inside "$root" "mkdir mine; cd mine; cp /usr/share/tyto/experiments/quickstart.yaml .
tyto run quickstart.yaml --quiet --set world.increments=2 --set 'predictors=[tyto, ann]' --set 'feedback=[0.5]' | head -n 12"
  inside "$root" "cd mine; tyto data make clips --as videos --set classes=2 --out clips; ls clips | head -n 3"
  inside "$root" "cd mine; tyto cluster letters --set neighbours=approximate --out groups.csv | head -n 8"
  inside "$root" "cd mine; tyto agent --server http://127.0.0.1:9 --features letters --lists none 2>&1 | head -n 2"
  inside "$root" "ldd /usr/lib/tyto/*.so* /usr/bin/tyto | grep 'not found' && exit 1 || echo 'every library is found'"
fi
echo "== done"

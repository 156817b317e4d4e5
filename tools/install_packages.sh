#!/bin/sh
# install_packages.sh FILE: installs the Debian packages listed in FILE (first word of a line) that
# are missing, as root or by sudo. With everything present it only asks dpkg, some 60 ms.
set -eu
wanted=$(sed -e 's/#.*//' -e 's/[[:space:]].*//' -e '/^$/d' "$1")
# A newer node than Debian's is often there without a package, and then Debian's would be in its way.
if command -v node >/dev/null; then wanted=$(printf '%s\n' "$wanted" | sed '/^nodejs$/d'); fi
if command -v npm >/dev/null; then wanted=$(printf '%s\n' "$wanted" | sed '/^npm$/d'); fi
installed=$(dpkg-query -W -f='${db:Status-Abbrev} ${Package}\n' $wanted 2>/dev/null |
  sed -n 's/^ii *//p') || true
missing=
for package in $wanted; do
  printf '%s\n' "$installed" | grep -qx "$package" || missing="$missing $package"
done
[ -n "$missing" ] || exit 0
echo "installing:$missing"
if [ "$(id -u)" = 0 ]; then
  as_root=
elif command -v sudo >/dev/null; then
  as_root=sudo
else
  echo "missing packages:$missing; install them as root (apt-get install), or install sudo" >&2
  exit 1
fi
$as_root apt-get update -qq
DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends $missing

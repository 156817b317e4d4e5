#!/bin/sh
# check_page.sh: builds the report page into a temporary folder and compares it, byte for byte, with
# the committed one. The lock file must not name a registry: which one is used is the machine's choice.
set -eu
cd "$(dirname "$0")/../web"
if grep -q '"resolved"' package-lock.json; then
  echo "web/package-lock.json names a registry; npm reads web/.npmrc, which leaves that out" >&2
  exit 1
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
TYTO_PAGE="$folder/report.html" npm run --silent build
if ! cmp "$folder/report.html" page/report.html; then
  echo "web/page/report.html is not what its sources give: run make web and commit it" >&2
  exit 1
fi

#!/bin/sh
# make_pages.sh TYTO FOLDER: runs small experiments and leaves their report pages in FOLDER, one of
# them a comparison, for the tests in a browser and the picture in the README.
set -eu
tyto=$1
out=$2
mkdir -p "$out"
"$tyto" run experiments/quickstart.yaml --out "$out/runs/quickstart" --force --quiet >/dev/null
"$tyto" run web/tests/seeds.yaml --out "$out/runs/seeds" --force --quiet >/dev/null
"$tyto" run experiments/reliability.yaml --out "$out/runs/reliability" --force --quiet >/dev/null
for tests in ond condda detect; do
  "$tyto" run "web/tests/$tests.yaml" --out "$out/runs/$tests" --force --quiet >/dev/null
  cp "$out/runs/$tests/report.html" "$out/$tests.html"
done
"$tyto" run experiments/discover.yaml --out "$out/runs/discover" --force --quiet >/dev/null
cp "$out/runs/discover/report.html" "$out/discover.html"
cp "$out/runs/quickstart/report.html" "$out/quickstart.html"
cp "$out/runs/reliability/report.html" "$out/reliability.html"
cp "$out/runs/seeds/report.html" "$out/seeds.html"
"$tyto" report "$out/runs/quickstart:tyto-50pct" "$out/runs/seeds" --out "$out/compare.html" --force >/dev/null
ls "$out"/*.html

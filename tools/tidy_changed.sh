#!/usr/bin/env bash
# tidy_changed.sh [BASE]: clang-tidy, by .clang-tidy, on the sources of src that differ from BASE, those not committed
# included; exit code 1 if it finds something. BASE is what tools/landed_before.sh prints unless given.
# At most TYTO_TIDY_FILES of them (20), the last changed first. Needs the configured preset release.
set -euo pipefail
cd "$(dirname "$0")/.."
most=${TYTO_TIDY_FILES:-20}
build=build/release
base=${1:-$(tools/landed_before.sh)}
if [ -z "$base" ]; then
  echo "tidy: no commit to compare with"
  exit 0
fi
base=$(git merge-base "$base" HEAD)
if [ ! -e "$build/compile_commands.json" ]; then
  echo "tidy: there is no $build/compile_commands.json; configure with: cmake --preset release" >&2
  exit 2
fi

# Changed and still there, by the last commit that touched them.
changed=$({ git diff --name-only HEAD -- 'src/*.cpp'; git ls-files --others --exclude-standard -- 'src/*.cpp'
            git log -m --first-parent --name-only --format= "$base..HEAD" -- 'src/*.cpp'; } |
          awk '!seen[$0]++' | while read -r file; do [ ! -e "$file" ] || echo "$file"; done)
if [ -z "$changed" ]; then
  echo "tidy: no source of src differs from $(git rev-parse --short "$base")"
  exit 0
fi
count=$(wc -l <<< "$changed")
if [ "$count" -gt "$most" ]; then
  echo "tidy: $count sources differ from $(git rev-parse --short "$base"), the last $most are looked at (TYTO_TIDY_FILES)"
  changed=$(head -n "$most" <<< "$changed")
else
  echo "tidy: $count sources differ from $(git rev-parse --short "$base")"
fi

rm -rf "$build/tidy"
xargs -d '\n' python3 tools/tidy_batches.py "$build" "$build/tidy" <<< "$changed" ||
  { echo "tidy: findings above; a check is turned off in .clang-tidy, with its reason, or by NOLINT(check)" >&2; exit 1; }

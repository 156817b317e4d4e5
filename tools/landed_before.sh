#!/usr/bin/env bash
# landed_before.sh: prints the commit whose checks this tree builds upon: the last tag, or the last merge before this commit,
# or the commit before. Checks of single files look at what differs from it. Prints nothing where history ends here.
set -euo pipefail
cd "$(dirname "$0")/.."
base=$(git describe --tags --abbrev=0 HEAD^ 2> /dev/null || git rev-list --first-parent --merges -1 HEAD^ 2> /dev/null || true)
base=${base:-$(git rev-parse --verify --quiet HEAD^ || true)}
[ -z "$base" ] || git merge-base "$base" HEAD

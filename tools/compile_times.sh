#!/usr/bin/env bash
# compile_times.sh [TARGET...]: compiles from nothing, past the compiler cache, in build/times, and
# prints the processor time of every object, the dearest first, and of all together. Without a
# target, those of `make build`. An object is a target too: src/tyto/CMakeFiles/tyto.dir/NAME.o.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
if [ "${TYTO_TIMES_LOG:-}" ]; then  # as the compiler's launcher
  object=
  previous=
  for word in "$@"; do
    if [ "$previous" = -o ]; then object=$word; fi
    previous=$word
  done
  cd "$TYTO_TIMES_FOLDER"
  exec /usr/bin/time --append --output="$TYTO_TIMES_LOG" --format="%U %S %M $object" "$@"
fi
folder=$root/build/times
rm -rf "$folder"
cmake --preset release -B "$folder" -DTYTO_CCACHE=OFF \
  -DCMAKE_CXX_COMPILER_LAUNCHER="$root/tools/compile_times.sh" > /dev/null
targets=("$@")
if [ $# = 0 ]; then targets=(tyto_program tyto_nn tyto_client); fi
export TYTO_TIMES_LOG=$folder/times.txt TYTO_TIMES_FOLDER=$folder
cmake --build "$folder" -j "${JOBS:-$(nproc)}" --target "${targets[@]}" > "$folder/build.log" ||
  { tail -40 "$folder/build.log"; exit 1; }
echo "seconds, megabytes, object"
awk '{printf "%7.1f %6.0f  %s\n", $1 + $2, $3 / 1024, $4; all += $1 + $2}
     END {printf "%7.1f         all\n", all}' "$TYTO_TIMES_LOG" | sort -rn

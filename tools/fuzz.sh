#!/usr/bin/env bash
# Builds the fuzz targets of what comes over the wire and of files of tensors with clang and libFuzzer,
# and runs each for so many seconds (60 if none are named), as many at a time as there are cores. Exit code 1 and the
# input's file if one of them fails.
# Usage: tools/fuzz.sh [SECONDS] [multipart|results|json|tensors|pickle ...]; new inputs go to build/fuzz.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-60}
shift || true
targets=${*:-multipart results json tensors pickle}
out=build/fuzz
mkdir -p "$out"

sources=(core/csv/csv_header core/error core/files/destination core/files/files core/named
         sail_on/csv_rows sail_on/data_folder sail_on/dealt sail_on/domains sail_on/edit_distance
         sail_on/feedback sail_on/feedback_lines sail_on/names sail_on/posted_results
         sail_on/posted_rows sail_on/released_evaluation sail_on/result_rules sail_on/test_metadata
         sail_on/unicode nn/tensors/element_type nn/tensors/pickle nn/tensors/pickle_calls
         nn/tensors/pickle_words nn/tensors/printable nn/tensors/safetensors
         nn/tensors/safetensors_header nn/tensors/state_dictionary nn/tensors/tensor_file
         nn/tensors/torch_file nn/tensors/zip_records server/multipart server/session_state server/wire_request server/wire_text)
export flags="-std=c++20 -O1 -g -fsanitize=fuzzer-no-link,address,undefined
       -fno-sanitize-recover=undefined -Isrc -Itests -I/usr/include/eigen3"
export compiler=clang++
if command -v ccache > /dev/null; then
  export compiler="ccache clang++" CCACHE_BASEDIR="$PWD" CCACHE_NOHASHDIR=1
fi

build() {  # source, object, flags of its own
  if [ ! -e "$2" ] || [ -n "$(find src/tyto tests/fuzz tests/support -newer "$2" -print -quit)" ]; then
    $compiler $flags "${@:3}" -c "$1" -o "$2"
  fi
}
export -f build

objects=()
work=()  # what is to be compiled, a line each
for source in "${sources[@]}"; do
  object="$out/${source//\//-}.o"
  work+=("src/tyto/$source.cpp $object")
  objects+=("$object")
done
for entry in multipart results json tensors pickle; do  # one may use another
  work+=("tests/fuzz/$entry.cpp $out/$entry.o")
  objects+=("$out/$entry.o")
done
work+=("tests/fuzz/write_seeds.cpp $out/write_seeds.o")
for target in $targets; do
  work+=("tests/fuzz/main.cpp $out/$target-main.o -DTYTO_FUZZ_ENTRY=fuzz_$target")
done
printf '%s\n' "${work[@]}" | xargs -P "$(nproc)" -L 1 bash -c 'build "$@"' build

# Seeds that are no text are made by a program.
clang++ -fsanitize=address,undefined "$out/write_seeds.o" "${objects[@]}" -lfmt -lz -o "$out/write_seeds"
"$out/write_seeds" "$out/seeds"
for target in $targets; do
  clang++ -fsanitize=fuzzer,address,undefined "$out/$target-main.o" "${objects[@]}" \
    -lfmt -lz -o "$out/$target"
done

run() {  # target
  mkdir -p "$out/found-$1"
  local seeds="tests/fuzz/seeds/$1"
  [ -d "$seeds" ] || seeds="$out/seeds/$1"
  "$out/$1" -max_total_time="$seconds" -max_len=8192 -timeout=10 -rss_limit_mb=1024 \
    -print_final_stats=1 -artifact_prefix="$out/" "$out/found-$1" "$seeds" 2> "$out/$1.log" ||
    { echo "== $1 failed"; tail -40 "$out/$1.log"; return 1; }
  echo "== $1, $seconds s"
  grep -E "stat::number_of_executed_units|stat::average_exec|stat::new_units" "$out/$1.log"
}
export -f run
export out seconds
printf '%s\n' $targets | xargs -P "$(nproc)" -I '{}' bash -c 'run {}'

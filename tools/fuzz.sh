#!/usr/bin/env bash
# Builds the fuzz targets of what comes over the wire or from a file with clang and libFuzzer, and runs each for so
# many seconds (60 if none are named), as many at a time as there are cores. Exit code 1 and the input's file if one of
# them fails.
# Usage: tools/fuzz.sh [SECONDS] [TARGET ...]; new inputs go to build/fuzz. Targets: multipart results json (requests and
# state files of the server), tensors pickle (checkpoints), tables (CSV), settings (YAML), archive (models, records),
# files (.npy, run.json, states of NovelCraft).
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-60}
shift || true
all="multipart results json tensors pickle tables settings archive files"
targets=${*:-$all}
out=build/fuzz
mkdir -p "$out"

sources=(core/config core/csv/csv core/csv/csv_header core/csv/csv_stream core/csv/separator core/error
         core/files/archive core/files/destination core/files/files core/named core/options core/random
         sail_on/csv_rows sail_on/data_folder sail_on/dealt sail_on/domains sail_on/edit_distance
         sail_on/feedback sail_on/feedback_lines sail_on/names sail_on/posted_results
         sail_on/posted_rows sail_on/released_evaluation sail_on/result_rules sail_on/test_metadata
         sail_on/unicode nn/tensors/element_type nn/tensors/pickle nn/tensors/pickle_calls
         nn/tensors/pickle_words nn/tensors/printable nn/tensors/safetensors
         nn/tensors/safetensors_header nn/tensors/state_dictionary nn/tensors/tensor_file
         nn/tensors/torch_file nn/tensors/zip_records server/multipart server/session_state server/wire_request
         server/wire_text sample/label_space sample/feature_store sample/stores/mapped_store sample/stores/npy_store
         record/record record/phase_order record/run_folder record/foreign/known_list
         record/foreign/prediction_columns record/foreign/prediction_table data/table_roles data/tasks/task_list
         data/novelcraft/block_grid data/novelcraft/state_file engine/run/run_info)
export flags="-std=c++20 -O1 -g1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined
       -ffunction-sections -DEIGEN_MAX_ALIGN_BYTES=64 -Isrc -Itests -I/usr/include/eigen3"
link="-fsanitize=address,undefined -Wl,--gc-sections"
libraries="-lfmt -lz -lyaml-cpp"
export compiler=clang++
if command -v ccache > /dev/null; then
  export compiler="ccache clang++" CCACHE_BASEDIR="$PWD" CCACHE_NOHASHDIR=1
fi

build() {  # source, object, flags of its own
  if [ ! -e "$2" ] || [ -n "$(find src/tyto tests/fuzz tests/support "$1" -newer "$2" -print -quit)" ]; then
    $compiler $flags "${@:3}" -c "$1" -o "$2"
  fi
}
export -f build

batch() {  # name, then lines: what one compiler run reads, so that it reads common headers once
  local file="$out/batch-$1.cpp"
  printf '#include "%s"\n' "${@:2}" > "$file.new"
  if cmp -s "$file.new" "$file"; then rm "$file.new"; else mv "$file.new" "$file"; fi
  work+=("$file $out/batch-$1.o")
  objects+=("$out/batch-$1.o")
}

objects=()
work=()  # what is to be compiled, a line each
for module in $(printf '%s\n' "${sources[@]%%/*}" | sort -u); do
  own=()
  for source in "${sources[@]}"; do
    if [ "${source%%/*}" = "$module" ]; then own+=("tyto/$source.cpp"); fi
  done
  batch "$module" "${own[@]}"
done
batch entries $(printf 'fuzz/%s.cpp ' $all)
work+=("tests/fuzz/write_seeds.cpp $out/write_seeds.o")
for target in $targets; do
  work+=("tests/fuzz/main.cpp $out/$target-main.o -DTYTO_FUZZ_ENTRY=fuzz_$target")
done
printf '%s\n' "${work[@]}" | xargs -P "$(nproc)" -L 1 bash -c 'build "$@"' build

# Seeds that are no text are made by a program.
clang++ $link "$out/write_seeds.o" "${objects[@]}" $libraries -o "$out/write_seeds"
"$out/write_seeds" "$out/seeds"
for target in $targets; do
  clang++ $link -fsanitize=fuzzer "$out/$target-main.o" "${objects[@]}" $libraries -o "$out/$target"
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

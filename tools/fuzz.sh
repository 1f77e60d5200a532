#!/usr/bin/env bash
# Builds the fuzz targets of tests/fuzz and runs them, two at a time. What a target has learned
# stays in build/fuzz/corpus. A failure leaves the input that caused it in build/fuzz/failures.
# Usage: tools/fuzz.sh [--seconds N] [target...]; without targets, all of them, a minute each.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
dir=build/fuzz
seconds=60
mapfile -t known < <(sed -n 's/^baton_fuzz_target(\([a-z_]*\).*/\1/p' tests/fuzz/CMakeLists.txt)

die() { echo "fuzz: $*" >&2; exit 2; }

targets=()
while [[ $# -gt 0 ]]; do
  case "$1" in
    --seconds)
      [[ "${2:-}" =~ ^[1-9][0-9]*$ ]] || die "--seconds needs a whole number"
      seconds="$2"
      shift
      ;;
    -*) die "unknown option $1" ;;
    *)
      [[ " ${known[*]} " == *" $1 "* ]] || die "there is no target '$1' (${known[*]})"
      targets+=("$1")
      ;;
  esac
  shift
done
[[ ${#targets[@]} -gt 0 ]] || targets=("${known[@]}")

mkdir -p "$dir"
cmake --preset fuzz >"$dir/configure.log" 2>&1 || { cat "$dir/configure.log" >&2; exit 1; }
cmake --build --preset fuzz --target "${targets[@]/#/fuzz_}"

files_in() { find "$1" -type f | wc -l; }
stat_of() { sed -n "s/^stat::$1: *//p" "$2"; }

run_one() {
  local target="$1" program="$dir/fuzz_$1" log="$dir/$1.log" corpus="$dir/corpus/$1"
  local seeds="$dir/seeds/$1" failures="$dir/failures/$1" before outcome=ok
  mkdir -p "$corpus" "$failures"
  rm -rf "$seeds"
  /usr/bin/python3 tests/fuzz/seeds.py "$target" "$seeds"
  before="$(files_in "$corpus")"
  "$program" -max_total_time="$seconds" -max_len=4096 -timeout=20 -rss_limit_mb=2048 \
    -print_final_stats=1 -dict="$seeds.dict" -artifact_prefix="$failures/" "$corpus" "$seeds" \
    >"$log" 2>&1 || outcome=failed
  printf '%-12s %11s runs %7s/s %6d inputs (%d new)  %s\n' "$target" \
    "$(stat_of number_of_executed_units "$log")" "$(stat_of average_exec_per_sec "$log")" \
    "$(files_in "$corpus")" "$(($(files_in "$corpus") - before))" "$outcome"
  [[ $outcome == failed ]] || return 0
  grep -E "assertion failed|ERROR: |runtime error|SUMMARY" "$log" | sed 's/^/  /' || tail -n 20 "$log"
  local input
  input="$(sed -n 's/.*Test unit written to //p' "$log" | tail -n 1)"
  echo "  all of it: $log"
  [[ -z "$input" ]] || printf '  input:     %s\n  again:     %s %s\n' "$input" "$program" "$input"
  return 1
}

export -f run_one files_in stat_of
export dir seconds
export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_stack_use_after_return=1:strict_string_checks=1}"
export UBSAN_OPTIONS="${UBSAN_OPTIONS:-print_stacktrace=1}"
if symbolizer="$(command -v llvm-symbolizer-14)"; then export ASAN_SYMBOLIZER_PATH="$symbolizer"; fi
# shellcheck disable=SC2016  # The inner shell expands it.
printf '%s\n' "${targets[@]}" | xargs -P2 -I{} bash -c 'run_one "$1"' run_one {} || exit 1

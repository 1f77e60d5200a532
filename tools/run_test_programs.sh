#!/usr/bin/env bash
# Builds and runs whole test programs of a preset, two at a time; a program is quiet unless it
# fails. Quicker than ctest, which starts a process for every single test.
# Usage: tools/run_test_programs.sh <preset> <label>...
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
preset="$1"
shift
dir="build/$preset"
labels="$(IFS='|'; echo "$*")"

mkdir -p "$dir"
cmake --preset "$preset" >"$dir/configure.log" 2>&1 || { cat "$dir/configure.log" >&2; exit 1; }
mapfile -t programs < <(awk -v labels="^($labels)\$" '$1 ~ labels { print $2 }' "$dir/test-programs.txt")
[[ ${#programs[@]} -gt 0 ]] || { echo "no test program has the label $labels" >&2; exit 1; }
cmake --build --preset "$preset" --target "${programs[@]}"

# The thread sanitizer of g++ 12 cannot start where the kernel spreads addresses too widely.
fixed_addresses=""
if [[ $preset == tsan ]] && setarch "$(uname -m)" -R true 2>/dev/null; then
  fixed_addresses="setarch $(uname -m) -R"
fi

run_one() {
  local program="$dir/$1" log="$dir/$1.log" start=$SECONDS
  # shellcheck disable=SC2086  # A command of several words, or none.
  if timeout 900 $fixed_addresses "$program" --gtest_brief=1 >"$log" 2>&1; then
    echo "$1: $(grep -F '[  PASSED  ]' "$log" | tail -n 1) ($((SECONDS - start)) s)"
  else
    tail -n 200 "$log"
    echo "$1: failed ($((SECONDS - start)) s), see $log"
    return 1
  fi
}
export -f run_one
export dir fixed_addresses
export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_stack_use_after_return=1:strict_string_checks=1}"
export UBSAN_OPTIONS="${UBSAN_OPTIONS:-print_stacktrace=1}"
export TSAN_OPTIONS="${TSAN_OPTIONS:-halt_on_error=1:second_deadlock_stack=1}"
# shellcheck disable=SC2016  # The inner shell expands it.
printf '%s\n' "${programs[@]}" | xargs -P2 -I{} bash -c 'run_one "$1"' run_one {}

#!/usr/bin/env bash
# Builds the program of a preset and runs the scripts that drive it: over HTTP, and as its commands.
# With sanitizers, whatever they report fails the test in which it happens; leaks are found when the
# server or the command ends.
# Usage: tools/run_e2e.sh <preset>
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
preset="$1"
dir="build/$preset"

mkdir -p "$dir"
cmake --preset "$preset" >"$dir/configure.log" 2>&1 || { cat "$dir/configure.log" >&2; exit 1; }
cmake --build --preset "$preset" --target baton
export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_stack_use_after_return=1:strict_string_checks=1}"
export UBSAN_OPTIONS="${UBSAN_OPTIONS:-print_stacktrace=1}"
# What is left out: sanitizers take memory of their own, which is what e2e.bounds and e2e.soak count,
# and suffer no other library before theirs, which is how e2e.files turns the clock.
ctest --test-dir "$dir" -j2 --output-on-failure --no-tests=error -E '^e2e\.(bounds|files|soak)$' \
  -R '^(e2e\.|cli\.(server|work_exec)$)'

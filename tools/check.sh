#!/usr/bin/env bash
# Every check, one stage after the other; a failed stage does not keep the next from running.
# Usage: tools/check.sh [stage...], or tools/check.sh --fuzz, which is the stage "fuzz" alone: it
# takes minutes and is never the same twice, so that it runs only when it is asked for.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
stages=(format tidy includes sizes words names purity generated guarantees asan tsan)
python=/usr/bin/python3

check_format() {
  mapfile -t sources < <(tools/tracked.sh '*.cc' '*.h')
  [[ ${#sources[@]} -eq 0 ]] || clang-format --dry-run -Werror "${sources[@]}"
}
check_tidy() { tools/tidy.sh; }
check_includes() { $python tools/check_includes.py; }
check_sizes() { $python tools/check_sizes.py; }
check_names() { $python tools/check_names.py; }
check_words() { $python tools/check_words.py; }
check_purity() { $python tools/check_purity.py; }
check_generated() {
  [[ -d src/cli ]] || { echo "no program yet"; return 0; }
  ./dev build release baton && $python tools/check_generated.py build/release/baton
}
check_guarantees() { $python tools/check_guarantees.py; }
check_asan() { tools/run_test_programs.sh asan unit conformance && tools/run_e2e.sh asan; }
check_tsan() { tools/run_test_programs.sh tsan unit conformance; }
check_fuzz() { tools/fuzz.sh --seconds 60; }

[[ "$*" != --fuzz ]] || set -- fuzz
[[ $# -eq 0 ]] || stages=("$@")
failed=()
summary=()
for stage in "${stages[@]}"; do
  declare -F "check_$stage" >/dev/null || { echo "check: there is no stage '$stage'" >&2; exit 2; }
done
for stage in "${stages[@]}"; do
  echo "== $stage"
  start=$SECONDS
  outcome=ok
  "check_$stage" || { outcome=failed; failed+=("$stage"); }
  summary+=("$(printf '%-12s %-7s %4d s' "$stage" "$outcome" $((SECONDS - start)))")
  echo "== ${summary[-1]}"
done
echo "== check"
printf '%s\n' "${summary[@]}"
if [[ ${#failed[@]} -gt 0 ]]; then
  echo "failed: ${failed[*]}"
  exit 1
fi

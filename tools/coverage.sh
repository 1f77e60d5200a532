#!/usr/bin/env bash
# Prints the line coverage of src/lifecycle by its own tests; fails below 95 %.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
dir=build/coverage

./dev build coverage lifecycle_test
find "$dir" -name '*.gcda' -delete
"$dir/lifecycle_test" --gtest_brief=1
# Only files with code in the library count, so that the tests' own headers add nothing. The counts
# of an inline function may stand in the test's objects, so those are read as well.
library="$dir/src/lifecycle/CMakeFiles/baton_lifecycle.dir"
filters=()
while IFS=, read -r file _; do
  filters+=(--filter "$file\$")
done < <(gcovr --root . --filter 'src/lifecycle/' --csv - "$library" | tail -n +2)
[[ ${#filters[@]} -gt 0 ]] || { echo "no coverage data in $library" >&2; exit 1; }
gcovr --root . "${filters[@]}" --fail-under-line 95 --print-summary "$dir/src/lifecycle" || exit 1

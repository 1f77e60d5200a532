#!/usr/bin/env bash
# Prints the line coverage of src/lifecycle by its own tests; fails below 95 %.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
dir=build/coverage

./dev build coverage lifecycle_test
find "$dir" -name '*.gcda' -delete
"$dir/lifecycle_test" --gtest_brief=1
gcovr --root . --object-directory "$dir" --filter 'src/lifecycle/' --exclude '.*_test\.cc' \
  --fail-under-line 95 --print-summary "$dir" || exit 1

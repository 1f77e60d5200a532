#!/usr/bin/env bash
# Runs clang-tidy on the sources that changed: against origin/main where there is one that is not
# this very commit, else in the last commits; and whatever is not committed yet. At most 60 files.
# Usage: tools/tidy.sh [file...]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
max_files=60
max_commits=10

git() { command git -c safe.directory='*' "$@"; }

# The commit to compare with; the empty tree where history is shorter than max_commits.
base_commit() {
  local base
  if base="$(git merge-base HEAD origin/main 2>/dev/null)" &&
    [[ "$base" != "$(git rev-parse HEAD)" ]]; then
    echo "$base"
  else
    git rev-parse -q --verify "HEAD~$max_commits^{commit}" || git hash-object -t tree /dev/null
  fi
}

# A changed header is examined through a source of the same name, if there is one.
changed_sources() {
  git diff --name-only "$(base_commit)" -- '*.cc' '*.h' | sed 's/\.h$/.cc/' | sort -u |
    while read -r file; do
      [[ -f "$file" ]] && grep -qF "\"$PWD/$file\"" build/debug/compile_commands.json && echo "$file"
      true
    done
}

# Always anew: a source that was added since is not yet in the compile commands. The debug build,
# because it compiles every source by itself.
mkdir -p build/debug
cmake --preset debug >build/debug/configure.log 2>&1 ||
  { cat build/debug/configure.log >&2; exit 1; }
if [[ $# -gt 0 ]]; then
  files=("$@")
elif ! git rev-parse -q --verify HEAD >/dev/null 2>&1; then
  echo "no git history: nothing to compare with"
  exit 0
else
  mapfile -t files < <(changed_sources)
fi
[[ ${#files[@]} -gt 0 ]] || { echo "no source changed"; exit 0; }
if [[ ${#files[@]} -gt $max_files ]]; then
  # A different part for each commit, the same for everybody who looks at one commit.
  echo "${#files[@]} sources changed, looking at $max_files of them"
  mapfile -t files < <(printf '%s\n' "${files[@]}" |
    shuf -n "$max_files" --random-source=<(git rev-parse HEAD{,,,,,,,,,,,,,,,} | tr -d '\n'))
fi
echo "clang-tidy on ${#files[@]} sources"
# -Wno-unknown-warning-option: the compile commands are g++'s.
# A copy too many matters in the program, not in its tests.
# shellcheck disable=SC2016  # The inner shell expands it.
printf '%s\n' "${files[@]}" | xargs -P2 -n1 bash -c '
  case "$1" in
    *_test.cc | src/store/conformance/* | sim/* | tests/* | bench/*) checks="-performance-*" ;;
    *) checks="" ;;
  esac
  out="$(clang-tidy --quiet -p build/debug --checks="$checks" --extra-arg=-Wno-unknown-warning-option "$1" 2>&1)" ||
    { printf "%s\n" "$out" | grep -vE "warnings? (treated as errors|generated)|^Suppressed|^Use -header"; exit 1; }
' tidy

#!/usr/bin/env bash
# Prints the files that git tracks and that exist, one a line, from the root of the tree.
# Usage: tools/tracked.sh [pathspec...]. Without git, every file outside build/ counts.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# A clone may belong to another user, as in a container: that is no danger when only listing.
if ! files="$(git -c safe.directory='*' ls-files -- "$@" 2>/dev/null)"; then
  names=()
  for pattern in "$@"; do
    names+=(${names[0]+-o} -name "$pattern")
  done
  files="$(find . -path ./build -prune -o -path ./.git -prune -o -type f \
    ${names[0]+\( "${names[@]}" \)} -print | sed 's|^\./||' | sort)"
fi
while read -r file; do
  [[ -f "$file" ]] && printf '%s\n' "$file"
done <<<"$files"
true

#!/usr/bin/env bash
# Installs what a purpose needs and is missing: Debian packages and, for tests, packages of npm.
# Usage: tools/setup.sh [run|test|check|examples]; without an argument: test.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"

lists_of() {
  case "$1" in
    run) echo run ;;
    test) echo run test ;;
    check) echo run test check ;;
    examples) echo run examples ;;
    *) echo "setup: unknown purpose '$1' (run, test, check or examples)" >&2; return 2 ;;
  esac
}

is_installed() {
  [[ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" == installed ]]
}

missing_packages() {
  local list package
  for list in "$@"; do
    while read -r package; do
      is_installed "$package" || echo "$package"
    done < <(sed 's/#.*//; /^[[:space:]]*$/d' "$here/packages/$list.txt")
  done
}

as_root() {
  if [[ $EUID -eq 0 ]]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    echo "setup: not root, and sudo is not installed; as root, run: $*" >&2
    return 1
  fi
}

apt() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 "$@" </dev/null
}

# Some packages start a service when they are installed; this policy forbids it meanwhile.
policy=/usr/sbin/policy-rc.d
forbid_services() {
  [[ -e $policy ]] && return
  trap 'as_root rm -f "$policy"' EXIT
  as_root sh -c "printf '#!/bin/sh\nexit 101\n' > $policy && chmod 755 $policy"
}

install_packages() {
  local options=(install -y --no-install-recommends)
  if ! apt --simulate "${options[@]}" "$@" >/dev/null 2>&1; then
    apt update
  fi
  forbid_services
  # Package lists that are older than the mirror name files that are gone: refresh them once.
  apt "${options[@]}" "$@" || { apt update && apt "${options[@]}" "$@"; }
}

# What tests/openapi needs, in build/npm. Node.js may be there from elsewhere, and has npm then.
install_node_packages() {
  local source="$here/../tests/openapi" place="$here/../build/npm"
  if cmp -s "$source/package-lock.json" "$place/package-lock.json" && [[ -d $place/node_modules ]]; then
    return
  fi
  command -v npm >/dev/null || install_packages nodejs npm
  rm -rf "$place"
  mkdir -p "$place"
  cp "$source/package.json" "$source/package-lock.json" "$place/"
  if ! npm ci --prefix "$place" --ignore-scripts --no-audit --no-fund --loglevel=error </dev/null; then
    rm -rf "$place"
    echo "setup: npm could not install what tests/openapi needs" >&2
    return 1
  fi
}

main() {
  local purpose="${1:-test}" names missing
  names="$(lists_of "$purpose")"
  command -v apt-get >/dev/null || { echo "setup: needs Debian's apt-get" >&2; exit 1; }
  # shellcheck disable=SC2086  # The names are words of ours.
  mapfile -t missing < <(missing_packages $names)
  if [[ ${#missing[@]} -eq 0 ]]; then
    echo "setup $purpose: every package is installed"
  else
    echo "setup $purpose: installing ${missing[*]}"
    install_packages "${missing[@]}"
  fi
  if [[ " $names " == *" test "* ]]; then install_node_packages; fi
}

main "$@"

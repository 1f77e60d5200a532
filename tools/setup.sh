#!/usr/bin/env bash
# Installs the Debian packages that a purpose needs and that are missing.
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

main() {
  local purpose="${1:-test}" names missing
  names="$(lists_of "$purpose")"
  command -v apt-get >/dev/null || { echo "setup: needs Debian's apt-get" >&2; exit 1; }
  # shellcheck disable=SC2086  # The names are words of ours.
  mapfile -t missing < <(missing_packages $names)
  if [[ ${#missing[@]} -eq 0 ]]; then
    echo "setup $purpose: every package is installed"
    return
  fi
  echo "setup $purpose: installing ${missing[*]}"
  install_packages "${missing[@]}"
}

main "$@"

#!/usr/bin/env bash
# Lists the missing tools for building and running Tidemark, and how to install them.
set -euo pipefail
missing=0

# need NAME WANTED FOUND ANYWHERE DEBIAN FEDORA MACOS: reports that FOUND (a major or
# minor version number, empty if the tool is missing) is below WANTED. ANYWHERE is the download
# page. If packages of a system are too old, its text has the first release with a newer one.
need() {
  if [[ -n "$3" ]] && (( $3 >= $2 )); then return; fi
  missing=1
  printf 'missing: %s%s or newer (found: %s)\n' "$1" "$2" "${3:-none}"
  printf '  any     %s\n  Debian  %s\n  Fedora  %s\n  macOS   %s\n' "$4" "$5" "$6" "$7"
}

major() { grep -oE '[0-9]+' <<<"$1" | head -n 1; }

go_minor=$( (go env GOVERSION 2>/dev/null || true) | sed -nE 's/^go1\.([0-9]+).*/\1/p')
# Go 1.21 and later downloads the toolchain that go.mod requires.
need 'Go 1.' 21 "$go_minor" 'https://go.dev/dl' \
  'sudo apt install golang-go   (Debian 13 and newer)' 'sudo dnf install golang' 'brew install go'
need 'Node ' 20 "$(major "$(node --version 2>/dev/null || true)")" 'https://nodejs.org/en/download' \
  'sudo apt install nodejs npm   (Debian 13 and newer)' 'sudo dnf install nodejs' 'brew install node'
# Homebrew keeps a named version of Java off the PATH.
need 'Java ' 17 "$(major "$(java -version 2>&1 | grep -i version || true)")" 'https://adoptium.net' \
  'sudo apt install default-jre-headless' 'sudo dnf install java-latest-openjdk-headless' \
  'brew install openjdk@17 && export PATH="$(brew --prefix openjdk@17)/bin:$PATH"'
exit "$missing"

#!/usr/bin/env bash
# Lists the missing tools for building and testing Tidemark, what each adds, and how to install it. Go runs
# Tidemark. With the argument "go", only Go is required.
set -euo pipefail
missing=0
required=${1:-all}

# need NAME WANTED FOUND ADDS ANYWHERE DEBIAN FEDORA MACOS: reports that FOUND (a major or
# minor version number, empty if the tool is missing) is below WANTED, and what the tool ADDS.
# ANYWHERE is the download page. If packages of a system are too old, its text has the first release
# with a newer one.
need() {
  if [[ -n "$3" ]] && (( $3 >= $2 )); then return; fi
  missing=1
  printf 'missing: %s%s or newer (found: %s): %s\n' "$1" "$2" "${3:-none}" "$4"
  printf '  any     %s\n  Debian  %s\n  Fedora  %s\n  macOS   %s\n' "$5" "$6" "$7" "$8"
}

major() { grep -oE '[0-9]+' <<<"$1" | head -n 1; }

go_minor=$( (go env GOVERSION 2>/dev/null || true) | sed -nE 's/^go1\.([0-9]+).*/\1/p')
# Go 1.21 and later downloads the toolchain that go.mod requires.
need 'Go 1.' 21 "$go_minor" 'builds and runs everything' 'https://go.dev/dl' \
  'sudo apt install golang-go   (Debian 13 and newer)' 'sudo dnf install golang' 'brew install go'
[[ "$required" == go ]] && exit "$missing"
need 'Node ' 20 "$(major "$(node --version 2>/dev/null || true)")" 'adds the infrastructure, the pages, the browser and the jar of DynamoDB Local to make test' 'https://nodejs.org/en/download' \
  'sudo apt install nodejs npm   (Debian 13 and newer)' 'sudo dnf install nodejs' 'brew install node'
# Homebrew keeps a named version of Java off the PATH.
need 'Java ' 17 "$(major "$(java -version 2>&1 | grep -i version || true)")" "adds DynamoDB Local, the engine's referee, to make test" 'https://adoptium.net' \
  'sudo apt install default-jre-headless' 'sudo dnf install java-latest-openjdk-headless' \
  'brew install openjdk@17 && export PATH="$(brew --prefix openjdk@17)/bin:$PATH"'
exit "$missing"

#!/usr/bin/env bash
# Says what this machine lacks to build and run Tidemark, with the line that installs it.
set -euo pipefail
missing=0

# need NAME WANTED FOUND DEBIAN FEDORA MACOS: complains where FOUND (a major or minor
# version number, empty where the tool is absent) is below WANTED.
need() {
  if [[ -n "$3" ]] && (( $3 >= $2 )); then return; fi
  missing=1
  printf 'missing: %s %s or newer (found: %s)\n' "$1" "$2" "${3:-none}"
  printf '  Debian  %s\n  Fedora  %s\n  macOS   %s\n' "$4" "$5" "$6"
}

major() { grep -oE '[0-9]+' <<<"$1" | head -n 1; }

go_minor=$( (go env GOVERSION 2>/dev/null || true) | sed -nE 's/^go1\.([0-9]+).*/\1/p')
# An older Go fetches the toolchain that go.mod asks for by itself, from 1.21 on.
need 'Go 1.' 21 "$go_minor" 'sudo apt install golang-go   (or https://go.dev/dl)' 'sudo dnf install golang' 'brew install go'
need 'Node' 20 "$(major "$(node --version 2>/dev/null || true)")" 'sudo apt install nodejs npm' 'sudo dnf install nodejs' 'brew install node'
need 'Java' 17 "$(major "$(java -version 2>&1 | grep -i version || true)")" 'sudo apt install openjdk-17-jre-headless' 'sudo dnf install java-17-openjdk-headless' 'brew install openjdk@17'
exit "$missing"

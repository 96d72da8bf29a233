#!/usr/bin/env bash
# gofmt, vet and staticcheck (of the infrastructure too) at its pinned version, and govulncheck if it is given and its database can be reached.
set -euo pipefail
export CGO_ENABLED=0 # as the programs are built
staticcheck=$1
govulncheck=${2:-}

unformatted=$(git ls-files '*.go' | xargs gofmt -l)
if [[ -n "$unformatted" ]]; then
  printf 'not gofmt-ed (run gofmt -w):\n%s\n' "$unformatted"
  exit 1
fi
go vet ./...
go run "$staticcheck" ./...
(cd infra && go vet ./... && go run "$staticcheck" ./...)
if [[ -z "$govulncheck" ]]; then
  vulnerabilities='not run'
elif output=$(timeout 120 go run "$govulncheck" ./... 2>&1); then
  vulnerabilities='none known'
elif grep -qE 'fetching vulnerabilities|vuln\.go\.dev|dial tcp|no such host|connection refused|Forbidden|not found: module' <<<"$output"; then
  vulnerabilities='skipped: its database cannot be reached from here'
else
  printf '%s\n' "$output"
  exit 1
fi
printf 'lint    gofmt, vet, staticcheck clean; govulncheck: %s (%d s)\n' "$vulnerabilities" "$SECONDS"

#!/usr/bin/env bash
# Runs every fuzzer of the repository for the given time, one after the other.
set -euo pipefail
for file in $(git ls-files '*_test.go' | xargs grep -l '^func Fuzz'); do
  for name in $(sed -nE 's/^func (Fuzz[A-Za-z0-9_]*)\(.*/\1/p' "$file"); do
    printf '%s %s\n' "$(dirname "$file")" "$name"
    go test "./$(dirname "$file")" -run '^$' -fuzz "^$name\$" -fuzztime "$1" -fuzzminimizetime 10x | tail -n 2
  done
done

#!/usr/bin/env bash
# Builds dynoxide, a second implementation of DynamoDB that test/dynoxide runs on, into the user's cache directory:
# its server alone, and optimised little, which takes a quarter of the time. It needs cargo and does nothing if it
# is built. Its output is in build/dynoxide.log.
set -euo pipefail
cd "$(dirname "$0")/.."
version=3.2.0 root=${XDG_CACHE_HOME:-$HOME/.cache}/tidemark/dynoxide-$version
[[ -x "$root/bin/dynoxide" ]] && exit 0
mkdir -p build
export CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 CARGO_PROFILE_RELEASE_OPT_LEVEL=1
cargo install dynoxide-rs --version "$version" --locked --root "$root" \
  --no-default-features --features native-sqlite,http-server,cli >build/dynoxide.log 2>&1

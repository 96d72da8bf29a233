#!/usr/bin/env bash
# Builds a release into build/release: for each system an archive with the command line and the
# functions that tidemark dev runs, for Lambda a zip file of each function, a list of all modules
# (CycloneDX), and checksums. The same commit makes the same files. With RELEASE_KEY, the file of an
# SSH key, the checksums are signed.
#
#   scripts/release.sh VERSION [SYSTEM…]     systems such as linux/amd64; all by default
set -euo pipefail
cd "$(dirname "$0")/.."
export GOWORK=off # the same modules as for a user of the published one
version=$1
shift
systems=("$@")
[[ ${#systems[@]} -gt 0 ]] || systems=(linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64)
out=build/release
stamp="-X github.com/tidemark-db/tidemark/internal/base/release.version=$version"
touched="@$(git log -1 --format=%ct)"
gnutar=$(command -v gtar || command -v tar)
"$gnutar" --version | grep -q GNU || { echo "a release needs GNU tar: brew install gnu-tar" >&2; exit 2; }
if [[ -n "${RELEASE_KEY:-}" ]]; then
  command -v ssh-keygen >/dev/null || { echo "a signature needs ssh-keygen: sudo apt-get install openssh-client" >&2; exit 2; }
  [[ -r "$RELEASE_KEY" ]] || { echo "RELEASE_KEY names $RELEASE_KEY, which cannot be read: name the file of an SSH key" >&2; exit 2; }
fi
command -v zip >/dev/null || { echo "a release needs zip: sudo apt-get install zip" >&2; exit 2; }

build() { # SYSTEM FLAGS… : go build without what differs between machines
  local system=$1
  shift
  GOOS=${system%/*} GOARCH=${system#*/} CGO_ENABLED=0 go build -trimpath -buildvcs=false "$@"
}
functions() { # SYSTEM DIR
  for path in functions/*; do
    build "$1" -tags lambda.norpc -ldflags "-s -w $stamp" -o "$2/${path#*/}/bootstrap" "./$path"
  done
}
pack() { # ARCHIVE DIR : the contents of a directory
  find "$2" -exec touch -d "$touched" {} +
  case $1 in
    *.zip) (cd "$2" && find . -type f | LC_ALL=C sort | TZ=UTC zip -q -X -@ "$OLDPWD/$1") ;;
    *) "$gnutar" --sort=name --owner=0 --group=0 --numeric-owner -C "$2" -c . | gzip -n -9 >"$1" ;;
  esac
}

rm -rf "$out"
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
SOURCE_DATE_EPOCH=${touched#@} go run -ldflags "$stamp" ./cmd/tidemark generate man "$work/man"
node scripts/notices.mjs ./cmd/tidemark ./functions/... >"$work/NOTICES"
for system in "${systems[@]}"; do
  dir=$work/$system name=tidemark_${version}_${system/\//_}
  mkdir -p "$dir"
  cp LICENSE "$work/NOTICES" README.md tidemark.yaml "$dir"
  if [[ $system == windows/* ]]; then # tidemark dev does not run there
    build "$system" -ldflags "-s -w $stamp" -o "$dir/tidemark.exe" ./cmd/tidemark
    pack "$out/$name.zip" "$dir"
  else
    build "$system" -ldflags "-s -w $stamp" -o "$dir/tidemark" ./cmd/tidemark
    functions "$system" "$dir/functions"
    cp -r "$work/man" "$dir"
    pack "$out/$name.tar.gz" "$dir"
  fi
  node scripts/sbom.mjs "$version" "$dir"/tidemark* >"$out/$name.cdx.json"
done
functions linux/arm64 "$work/lambda"
for dir in "$work"/lambda/*; do
  cp tidemark.yaml LICENSE "$work/NOTICES" "$dir"
  pack "$out/tidemark-function-$(basename "$dir")_${version}_arm64.zip" "$dir"
done
(cd "$out" && sha256sum -- * >SHA256SUMS)
signed=unsigned
if [[ -n "${RELEASE_KEY:-}" ]]; then
  ssh-keygen -q -Y sign -f "$RELEASE_KEY" -n tidemark-release "$out/SHA256SUMS"
  signed=signed
fi
echo "$out: $(wc -l <"$out/SHA256SUMS") files of release $version, $signed"

#!/usr/bin/env bash
# Makes the tags of a release in this repository, and pushes nothing.
#
#   scripts/tag.sh VERSION     such as v0.1.0
#
# VERSION is the tag of the root module, at the commit that is checked out. infra/VERSION is the tag of the
# module infra, at a commit of its own that requires the root at VERSION instead of the folder above it: go get
# ignores a replacement in a module that it fetches. CHANGELOG.md has a section for VERSION.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
export GOWORK=off
module=github.com/tidemark-db/tidemark
version=${1:-}
fail() { echo "$1" >&2; exit 2; }
[[ "$version" =~ ^v[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "no version: make tag RELEASE=v0.1.0"
[[ -z "$(git status --porcelain --untracked-files=no)" ]] || fail "there are uncommitted changes: commit them first"
grep -q "^## $version\b" CHANGELOG.md || fail "CHANGELOG.md has no section for $version: rename Unreleased, and begin a new one"
for tag in "$version" "infra/$version"; do
  ! git rev-parse -q --verify "refs/tags/$tag" >/dev/null || fail "the tag $tag exists: a release never changes"
done

work=$(mktemp -d)
git tag -a "$version" -m "Tidemark $version"
undo() {
  status=$?
  cd "$root"; chmod -R u+w "$work"; rm -rf "$work"; git worktree prune
  [[ $status == 0 ]] || git tag -d "$version" >/dev/null
}
trap undo EXIT
git worktree add -q --detach "$work/tree" "$version"
repository=$(git rev-parse --path-format=absolute --git-common-dir)
cd "$work/tree/infra"
go mod edit -dropreplace "$module" -require "$module@$version"
# The checksums of the root, as go get computes them from the published tag.
sums=$(cd "$work" && env GIT_CONFIG_COUNT=1 "GIT_CONFIG_KEY_0=url.file://$repository.insteadOf" "GIT_CONFIG_VALUE_0=https://$module" \
  GOPRIVATE="$module" GOMODCACHE="$work/modules" go mod download -json "$module@$version")
field() { sed -nE "s/.*\"$1\": \"([^\"]+)\".*/\1/p" <<<"$sums"; }
printf '%s %s %s\n' "$module" "$version" "$(field Sum)" "$module" "$version/go.mod" "$(field GoModSum)" >>go.sum
LC_ALL=C sort -o go.sum go.sum
git add go.mod go.sum
git -c core.hooksPath=/dev/null commit -q -m "Require the root at $version in infra"
git tag -a "infra/$version" -m "Tidemark's CDK construct $version"
echo "tags    $version, infra/$version; publish both: git push origin $version infra/$version"

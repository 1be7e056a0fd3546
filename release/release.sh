#!/usr/bin/env bash
# Makes dist/, everything that a release has, from build/ and a clean tree; ./build.sh release calls it once build/ is built. The same
# commit gives the same files: no time, no path of the machine and no cache of Go's gets into them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. release/owner.env

fail() {
	printf 'release.sh: %s\n' "$*" >&2
	exit 1
}

changed=$(git status --porcelain) || fail "this is no clone of git, so nobody could make the release again"
[[ -z $changed ]] || fail "the tree has changes, so nobody could make the release again; commit them first, or put them aside with 'git stash -u'"
commit=$(git rev-parse --short=12 HEAD)

rm -rf dist
mkdir dist
overlay=$(mktemp)
trap 'rm "$overlay"' EXIT
# The module and the page are put inside the program where wasmtest/built looks for them.
{
	comma=''
	printf '{"Replace":{'
	for file in build/page/*.bin; do
		printf '%s"%s/wasmtest/built/inside/%s":"%s/%s"' "$comma" "$PWD" "${file##*/}" "$PWD" "$file"
		comma=,
	done
	printf '}}'
} >"$overlay"

for platform in linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64; do
	GOOS=${platform%/*} GOARCH=${platform#*/}
	name=edgelingua-$GOOS-$GOARCH
	[[ $GOOS != windows ]] || name+=.exe
	echo "==> dist/$name" >&2
	CGO_ENABLED=0 GOOS=$GOOS GOARCH=$GOARCH go build -tags release -overlay "$overlay" -trimpath -buildvcs=false \
		-ldflags "-s -w -buildid= -X main.releaseVersion=$VERSION -X main.releaseCommit=$commit" -o "dist/$name" ./wasmtest
done
[[ ! -f release/npm/pack.mjs ]] || node release/npm/pack.mjs build dist
[[ -z $GO_MODULE || ! -d release/gomodule ]] || go run ./release/gomodule "$GO_MODULE" "$VERSION" dist

# Each file, but for the template's, which is a folder.
(cd dist && find . -maxdepth 1 -type f ! -name SHA256SUMS | sed 's#^\./##' | LC_ALL=C sort | while read -r file; do
	if command -v sha256sum >/dev/null; then sha256sum "$file"; else shasum -a 256 "$file"; fi
done >SHA256SUMS)
cat dist/SHA256SUMS

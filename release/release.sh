#!/usr/bin/env bash
# usage: release/release.sh [GOOS/GOARCH...]
# Makes dist/, the files of a release, from build/ and a clean tree. ./build.sh release calls the
# script after the build. The same commit gives the same files. The arguments are the platforms to
# build programs for; the default is all platforms.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
say() { printf '==> %s\n' "$*" >&2; }

release/ready.sh
. release/owner.env

# shellcheck disable=SC2046 # a word for each platform
(($#)) || set -- $(node --input-type=module -e '
	import { platforms } from "./release/npm/bin/platforms.mjs";
	for (const to of Object.values(platforms)) console.log(to.replace("-", "/"));
')
rm -rf dist
mkdir dist
for platform in "$@"; do
	name=edgelingua-${platform/\//-}
	[[ $platform != windows/* ]] || name+=.exe
	say "building dist/$name"
	release/host.sh "$platform" "dist/$name"
done
go run ./release/headers dist/edgelingua-*
say "packing dist/ for npm and Cloudflare"
node release/npm/pack.mjs build dist
if [[ -n $GO_MODULE ]]; then
	say "writing the Go module $GO_MODULE"
	go run ./release/gomodule -module "$GO_MODULE" -version "$VERSION" -out dist/go
	go run ./release/gomodule -root wasmtest/conform -module "$GO_MODULE/conform" -version "$VERSION" \
		-out dist/go/conform
fi

say "listing the components in dist/edgelingua.cdx.json"
go run ./release/sbom -version "$VERSION" >dist/edgelingua.cdx.json

(cd dist && find . -type f ! -name SHA256SUMS | sed 's#^\./##' | LC_ALL=C sort | while read -r file; do
	if command -v sha256sum >/dev/null; then sha256sum "$file"; else shasum -a 256 "$file"; fi
done >SHA256SUMS)
say "dist/ is complete; dist/SHA256SUMS has the hash of each file"

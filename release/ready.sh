#!/usr/bin/env bash
# usage: release/ready.sh
# Fails if a release can't be made. build.sh calls the script before the build, and release.sh
# before packing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
	printf 'release.sh: %s\n' "$*" >&2
	exit 1
}

# release.sh sources owner.env; npm's packer and the code for the README's lines parse the file.
# With only these characters in values, all three read the same.
while IFS= read -r line; do
	[[ $line =~ ^(#.*)?$ || $line =~ ^[A-Z_]+=[A-Za-z0-9@/._:-]*$ ]] ||
		fail "release/owner.env has a line that is not NAME=VALUE," \
			"with letters, digits and @ / . _ : - in the value: $line"
done <release/owner.env
. release/owner.env
[[ $VERSION =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$ ]] ||
	fail "release/owner.env: VERSION is $VERSION, and must be like 1.2.3"
[[ $NPM_SCOPE =~ ^(@[a-z0-9][a-z0-9._-]*)?$ ]] ||
	fail "release/owner.env: NPM_SCOPE is $NPM_SCOPE, and must be like @owner"
if [[ -n $GO_MODULE ]]; then
	wrong=$(go run ./release/gomodule -module "$GO_MODULE" -version "$VERSION" 2>&1) ||
		fail "release/owner.env has a GO_MODULE that can't be: ${wrong%%$'\n'*}"
fi

changed=$(git status --porcelain) || fail "this is no clone of git, so nobody could make the release again"
[[ -z $changed ]] || fail "the tree has changes, so nobody could make the release again:" \
	"commit them first, or put them aside with 'git stash -u'"
node -e 'require("node:util").parseEnv || process.exit(1)' 2>/dev/null ||
	fail "release/npm/pack.mjs needs Node 20.12 or later: https://nodejs.org/"
command -v npm >/dev/null ||
	fail "npm, which packs the packages, is not installed. Install Node 20 or later: https://nodejs.org/"

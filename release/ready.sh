#!/usr/bin/env bash
# usage: release/ready.sh
# Fails where a release can't be made, before anything is built for it: build.sh and release.sh ask.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
	printf 'release.sh: %s\n' "$*" >&2
	exit 1
}

changed=$(git status --porcelain) || fail "this is no clone of git, so nobody could make the release again"
[[ -z $changed ]] || fail "the tree has changes, so nobody could make the release again: commit them first, or put them aside with 'git stash -u'"
command -v npm >/dev/null || fail "npm, which packs the packages, is not installed. Install Node 20 or later: https://nodejs.org/"

#!/usr/bin/env bash
# usage: release/host.sh GOOS/GOARCH FILE
# Builds the program for a platform into FILE, with the module and the page of build/ inside, where wasmtest/built looks for them. The
# commit and the version of Go decide its bytes: no time, no path of the machine and nothing that a person has set for Go gets into them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. release/owner.env
platform=$1 out=$2

overlay=$(mktemp)
trap 'rm "$overlay"' EXIT
{
	comma=''
	printf '{"Replace":{'
	for file in build/page/*.bin; do
		printf '%s"%s/wasmtest/built/inside/%s":"%s/%s"' "$comma" "$PWD" "${file##*/}" "$PWD" "$file"
		comma=,
	done
	printf '}}'
} >"$overlay"
commit=$(git rev-parse --short=12 HEAD)
# Go's defaults (1.26, `go help environment`), set here since each changes the bytes. GOFLAGS is not empty: `go env -w` wins over that.
export GOFLAGS=-mod=readonly GOEXPERIMENT='' GOFIPS140=off GOWORK=off GOAMD64=v1 GOARM64=v8.0
CGO_ENABLED=0 GOOS=${platform%/*} GOARCH=${platform#*/} go build -tags release -overlay "$overlay" -trimpath -buildvcs=false \
	-ldflags "-s -w -buildid= -X edgelingua/wasmtest/cli.releaseVersion=$VERSION -X edgelingua/wasmtest/cli.releaseCommit=$commit" -o "$out" ./wasmtest

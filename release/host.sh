#!/usr/bin/env bash
# usage: release/host.sh GOOS/GOARCH FILE
# Builds the program for a platform into FILE. The program embeds the module and the page of build/,
# in wasmtest/built. Only the commit and the version of Go decide the bytes of FILE: no time, no
# path of the machine and no Go setting of a person changes them.
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
# Go's defaults (1.26, `go help environment`). They are set here because each changes the bytes.
# GOFLAGS is not empty: an empty GOFLAGS would lose to `go env -w`.
export GOFLAGS=-mod=readonly GOEXPERIMENT='' GOFIPS140=off GOWORK=off GOAMD64=v1 GOARM64=v8.0
cli=edgelingua/wasmtest/cli
CGO_ENABLED=0 GOOS=${platform%/*} GOARCH=${platform#*/} \
	go build -tags release -overlay "$overlay" -trimpath -buildvcs=false \
	-ldflags "-s -w -buildid= -X $cli.releaseVersion=$VERSION -X $cli.releaseCommit=$commit" \
	-o "$out" ./wasmtest

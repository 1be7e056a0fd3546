#!/usr/bin/env bash
# Looks for mistakes that compile, and for known vulnerabilities of what is used: the latter where their databases can be reached.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

bin=$(mktemp -d)
trap 'rm -r "$bin"' EXIT
go build -modfile=toolchain/lint/go.mod -o "$bin/" honnef.co/go/tools/cmd/staticcheck golang.org/x/vuln/cmd/govulncheck

# Errors here are sentences for users: they begin with a capital and end with a full stop (ST1005).
checks=inherit,-ST1005
"$bin/staticcheck" -checks "$checks" ./...
# Of the worker's exports only the host knows that they are used (U1000).
export GOOS=js GOARCH=wasm
"$bin/staticcheck" -checks "$checks,-U1000" ./worker/bridge
go list ./worker/... ./translator/... | grep -v /bridge$ | xargs "$bin/staticcheck" -checks "$checks"
unset GOOS GOARCH

# audit runs a command that exits with 0 where it finds nothing, and skips it where its output says that it asked in vain.
audit() {
	local name=$1 unreachable=$2 out
	shift 2
	if out=$("$@" 2>&1); then return; fi
	if grep -q "$unreachable" <<<"$out"; then
		echo "lint.sh: $name is skipped: its database can't be reached" >&2
		return
	fi
	printf '%s\n' "$out" >&2
	return 1
}
audit govulncheck 'fetching vulnerabilities' "$bin/govulncheck" ./...
audit 'npm audit' 'audit endpoint returned an error\|ENOTFOUND\|EAI_AGAIN' npm audit --prefix e2e --audit-level=high

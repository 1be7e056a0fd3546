#!/usr/bin/env bash
# Finds mistakes that the compiler and `go vet ./...` accept. Also finds known vulnerabilities of
# the dependencies, if the databases of vulnerabilities can be reached.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

bin=$(mktemp -d)
trap 'rm -r "$bin"' EXIT
go build -modfile=toolchain/lint/go.mod -o "$bin/" \
	honnef.co/go/tools/cmd/staticcheck golang.org/x/vuln/cmd/govulncheck \
	github.com/rhysd/actionlint/cmd/actionlint

"$bin/actionlint" .github/workflows/*.yml

# ST1005 is off: errors in this project are sentences for users, with a capital and a full stop.
checks=inherit,-ST1005
"$bin/staticcheck" -checks "$checks" ./...
(cd toolchain && "$bin/staticcheck" -checks "$checks" ./pausing ./wasm ./mutate ./words)

# Only worker/bridge has files that are not for this machine. U1000 is off: only the host uses the
# exports, and staticcheck does not see the host.
export GOOS=js GOARCH=wasm
go vet ./worker/bridge
"$bin/staticcheck" -checks "$checks,-U1000" ./worker/bridge
unset GOOS GOARCH

# Comments and documents with few pronouns, and lines of at most 110 columns.
go -C toolchain run ./words

# audit NAME UNREACHABLE COMMAND... runs a command that exits with 0 if it finds nothing. If the
# output of the command matches the pattern UNREACHABLE, the command could not reach its database,
# and the audit is skipped.
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
audit 'npm audit' 'audit endpoint returned an error\|ENOTFOUND\|EAI_AGAIN' \
	npm audit --prefix e2e --audit-level=high

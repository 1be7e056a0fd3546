#!/usr/bin/env bash
# Looks for mistakes that the compiler accepts, beside those that `go vet ./...` finds, and for known vulnerabilities of the dependencies where
# the databases of these can be reached.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

bin=$(mktemp -d)
trap 'rm -r "$bin"' EXIT
go build -modfile=toolchain/lint/go.mod -o "$bin/" honnef.co/go/tools/cmd/staticcheck golang.org/x/vuln/cmd/govulncheck \
	github.com/rhysd/actionlint/cmd/actionlint

"$bin/actionlint" .github/workflows/*.yml

# ST1005 is off: errors of this project are sentences for users, with a capital and a full stop.
checks=inherit,-ST1005
"$bin/staticcheck" -checks "$checks" ./...
(cd toolchain && "$bin/staticcheck" -checks "$checks" ./pausing ./wasm ./mutate)

# files prints each package of the module with its files. Those that have the same files for the module as here have been looked at.
files() {
	go list -f '{{.ImportPath}} {{.GoFiles}} {{.TestGoFiles}} {{.XTestGoFiles}}' ./worker/... ./translator/...
}
files >"$bin/files"
export GOOS=js GOARCH=wasm
others=$(files | grep -Fxv -f "$bin/files" | cut -d ' ' -f 1)
# No name of a package has a space in it.
go vet $others
# U1000 is off for this package: its exports are used by the host only, which staticcheck does not see.
"$bin/staticcheck" -checks "$checks,-U1000" ./worker/bridge
others=$(grep -v /bridge$ <<<"$others")
"$bin/staticcheck" -checks "$checks" $others
unset GOOS GOARCH

# audit NAME UNREACHABLE COMMAND... runs a command that exits with 0 where it finds nothing. Where the command's output matches the
# pattern UNREACHABLE, it could not reach its database, and the audit is skipped.
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

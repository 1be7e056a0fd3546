#!/usr/bin/env bash
# Builds, runs and tests edgelingua. `./build.sh help` lists the commands.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

tinygo_version=0.41.1
# The most that app.wasm may take, in KB after gzip -9. Whoever raises it adds a line to RATIONALE.md.
budget=620

cache=${XDG_CACHE_HOME:-${HOME:?is not set. Set it, or name a folder for the toolchain with the variable XDG_CACHE_HOME}/.cache}/edgelingua

usage() {
	cat <<-EOF
		usage: ./build.sh [command]

		  build            build/: the module and what wrangler needs beside it (the default)
		  run [--demo]     serve the module on http://127.0.0.1:8787, without Node and without an account;
		                   the upstream is that of wrangler.toml, .dev.vars and EDGELINGUA_SET_UPSTREAM_*, or an embedded demo where there
		                   is neither of the last two;
		                   further flags go to the host, see 'edgelingua serve -h'
		  test             run every test
		  dev [--personal] wrangler dev: the worker on this machine, in workerd; with --personal it serves personal endpoints
		  deploy           bring the worker to your Cloudflare account, and see that it works; 'deploy -h' says more
		  release          dist/: the programs, packages and the template of a release, from a clean tree
		  login            wrangler login: let wrangler into your Cloudflare account
		  secret put NAME  wrangler secret: set a secret of the deployed worker
		  help             this text

		Every command sets up what it needs first. The toolchain is kept in $cache.
	EOF
}

if [[ -t 2 && -z ${NO_COLOR-} ]]; then
	bold=$'\e[1m' red=$'\e[31m' plain=$'\e[0m'
else
	bold='' red='' plain=''
fi
say() { printf '%s==>%s %s\n' "$bold" "$plain" "$*" >&2; }
fail() {
	printf '%sbuild.sh: %s%s\n' "$red" "$*" "$plain" >&2
	exit 1
}

# What runs in the background ends with this script: bash has it ignore Ctrl-C. That of asides, which begin with a "-", ends with all that
# it has started.
ticker='' host='' asides=''
trap 'kill -- $ticker $host $asides 2>/dev/null || true' EXIT

# patiently LABEL COMMAND... runs a command that takes its time. At a terminal the label's line counts the seconds, and the lines that the
# command writes to stderr stand above it.
patiently() {
	local label=$1 line code=0
	shift
	if [[ ! -t 2 || ${TERM-} == dumb ]]; then
		say "$label"
		"$@"
		return
	fi
	SECONDS=0
	while kill -0 $$ 2>/dev/null; do
		printf '\r\e[K%s==>%s %s: %d s' "$bold" "$plain" "$label" "$SECONDS" >&2
		sleep 1
	done &
	ticker=$!
	{ "$@" 2>&1 >&3 | while IFS= read -r line; do printf '\r\e[K%s\n' "$line" >&2; done; } 3>&1 || code=$?
	kill "$ticker" 2>/dev/null || true
	wait "$ticker" 2>/dev/null || true
	ticker=''
	printf '\r\e[K%s==>%s %s: %d s\n' "$bold" "$plain" "$label" "$SECONDS" >&2
	return "$code"
}

# hash prints the SHA-256 of its input, or of each file among its arguments.
hash() {
	if command -v sha256sum >/dev/null; then sha256sum "$@"; else shasum -a 256 "$@"; fi
}

need() {
	command -v "$1" >/dev/null || fail "$1 is not installed. $2"
}

# at_least reports whether version $2 is $1 or later.
at_least() {
	[[ $(printf '%s\n' "$1" "$2" | sort -V | head -n 1) == "$1" ]]
}

# writable makes the folder $1. $2 is the way out where it can't be written to.
writable() {
	mkdir -p "$1" 2>/dev/null && [[ -w $1 ]] || fail "can't write to the folder $1. $2"
}

writable_cache() {
	writable "$cache" "Name another one with the variable XDG_CACHE_HOME."
}

# writable_build looks at the folder $1, which a build is about to change, and at the folders in it: a run as root may have left them.
writable_build() {
	local folder
	writable "$1" "Remove it, or make it yours."
	for folder in "$1"/*/; do
		[[ ! -d $folder ]] || writable "$folder" "Remove $1, or make it yours."
	done
}

# need_go makes sure that there is a Go that takes go.mod, and that it can write to its caches. An old one downloads another by itself, or
# fails with the reason (https://go.dev/doc/toolchain).
need_go() {
	local wanted found
	wanted=$(sed -n 's/^go //p' go.mod)
	need go "Install Go $wanted or later: https://go.dev/dl/"
	found=$(go env GOVERSION 2>&1 | tail -n 1) || fail "Go $wanted or later is needed: https://go.dev/dl/ ($found)" # it may say first that it downloads
	at_least "$wanted" "${found#go}" || fail "Go $wanted or later is needed, and ${found#go} is there: https://go.dev/dl/"
	writable "$(go env GOCACHE)" "Name another one with the variable GOCACHE."
	# Where it has all that is needed, it may be there to read only.
	mkdir -p "$(go env GOMODCACHE)" 2>/dev/null || fail "can't make the folder $(go env GOMODCACHE). Name another one with the variable GOMODCACHE."
}

# find_tinygo sets the variables compiler, version, tinygo (the command, with its flags) and root (its TINYGOROOT). A release of TinyGo on PATH is used
# with toolchain/net/http in place of its own.
find_tinygo() {
	need_go
	local found stamp dir
	found=$(tinygo version 2>/dev/null | cut -d ' ' -f 3 || true)
	if [[ -n $found ]] && at_least "$tinygo_version" "$found"; then
		[[ $found == "$tinygo_version" ]] || say "TinyGo $found is newer than $tinygo_version, which the tests are run with"
		dir=$(tinygo env TINYGOROOT) compiler=$(command -v tinygo) version=$found
		PATH=$PATH:$dir/bin command -v wasm-opt >/dev/null || fail "wasm-opt, which TinyGo runs, is not installed. Install Binaryen: https://github.com/WebAssembly/binaryen/releases"
		stamp=$({ echo "$dir $found" && go version && cat toolchain/bootstrap.sh toolchain/go.mod toolchain/net/http/*.go; } | hash | cut -c 1-12)
		root=$cache/tinygoroot-$found-$stamp
		if [[ ! -d $root ]]; then
			writable_cache
			toolchain/bootstrap.sh overlay "$found" "$dir" "$root"
		fi
		tinygo=(env "TINYGOROOT=$root" "PATH=$PATH:$dir/bin" "WASMOPT=$PWD/toolchain/wasm-opt" "$compiler" build -target wasm)
		return
	fi
	command -v apt-get >/dev/null || fail "TinyGo $tinygo_version or later is needed on PATH, and ${found:-none} is there: https://tinygo.org/getting-started/install/"
	toolchain/bootstrap.sh packages
	stamp=$({ go version && cat toolchain/bootstrap.sh toolchain/go.mod toolchain/go.sum toolchain/net/http/*.go; } | hash | cut -c 1-12)
	dir=$cache/tinygo-$tinygo_version-$stamp
	if [[ ! -x $dir/tinygo ]]; then
		writable_cache
		patiently "building TinyGo $tinygo_version into $dir (about a minute, once)" toolchain/bootstrap.sh build "$dir"
	fi
	root=$dir/tinygoroot compiler=$dir/tinygo version=$tinygo_version
	tinygo=(env "TINYGOROOT=$root" "WASMOPT=$PWD/toolchain/wasm-opt" "$compiler" build -target "$PWD/toolchain/edgelingua.json")
}

# compile builds the worker into the folder $1, with the other arguments as flags for TinyGo. It does nothing where no source has
# changed.
compile() {
	local out=$1 stamp
	shift
	stamp=$({
		echo "${tinygo[*]}" "$@"
		go version
		# No name of a source has a space in it.
		hash $(find build.sh go.mod go.sum toolchain worker translator wasmtest/apis -type f ! -name '*_test.go' ! -path '*/testdata/*' ! -path 'worker/page/*' | LC_ALL=C sort)
	} | hash)
	if [[ -f $out/app.wasm && -f $out/.stamp && $(<"$out/.stamp") == "$stamp" ]]; then
		pack "$out"
		return
	fi
	writable_build "$out"
	rm -rf "$out/.stamp" "$out/.assets" "$out"/*.mjs
	patiently "generating $out/*.mjs" go run github.com/syumai/workers/cmd/workers-assets-gen -mode=tinygo -o "$out/.assets" # it would empty $out
	rm "$out/.assets/wasm_exec.js"
	mv "$out/.assets"/* "$out"
	rmdir "$out/.assets"
	cp worker/workerd/*.mjs "$out"
	printf 'export const { source, date, providers } = %s;\n' "$(<worker/prices/table.json)" >"$out/price_table.mjs"
	rm -rf "$out/views"
	mkdir "$out/views"
	patiently "generating $out/views" go run "$@" ./wasmtest/apis "$out"
	# RATIONALE.md gives the reasons for these flags.
	# TinyGo alone sees a go.mod in which the package of toolchain/pretty takes the place of gjson's.
	cp go.sum "$out/module.sum"
	{
		cat go.mod
		echo "replace github.com/tidwall/pretty => ./toolchain/pretty"
	} >"$out/module.mod"
	GOFLAGS="${GOFLAGS-} -modfile=$out/module.mod" patiently "building $out/app.wasm" "${tinygo[@]}" -gc=leaking -scheduler=asyncify -stack-size=12KB -opt=s -panic=print -no-debug -ldflags="-extldflags '-z stack-size=12288'" "$@" -o "$out/app.wasm" ./worker
	rm "$out"/module.*
	pack "$out"
	echo "$stamp" >"$out/.stamp"
}

# pack compresses the files of the page into $1/page, and writes $1/pages.mjs, by which the worker imports them. It does nothing
# where no file has changed.
pack() {
	local out=$1 file name stamp imports='' table='' n=0
	stamp=$(hash build.sh worker/page/* "$out"/views/* worker/workerd/{gojs,exchange}.mjs "$out/app.wasm" | hash)
	if [[ -f $out/pages.mjs && -d $out/page && -f $out/.packed && $(<"$out/.packed") == "$stamp" ]]; then return; fi
	writable_build "$out"
	rm -rf "$out/page" "$out/.packed"
	mkdir "$out/page"
	for file in worker/page/* "$out"/views/* worker/workerd/{gojs,exchange}.mjs "$out/app.wasm"; do
		name=${file##*/}
		gzip -9nc "$file" >"$out/page/$name.bin"
		n=$((n + 1))
		imports+="import f$n from \"./page/$name.bin\";"$'\n'
		table+="  \"$name\": f$n,"$'\n'
	done
	printf '// Made by build.sh of worker/page and translator/*/page.mjs.\n%sexport const files = {\n%s};\n' "$imports" "$table" >"$out/pages.mjs"
	echo "$stamp" >"$out/.packed"
}

build() {
	find_tinygo
	compile build
	local raw packed
	raw=$(($(wc -c <build/app.wasm)))
	packed=$(($(gzip -9c build/app.wasm | wc -c)))
	printf 'build/app.wasm: %d bytes, %d compressed (budget: %d)\n' "$raw" "$packed" $((budget * 1024))
	if ((packed <= budget * 1024)); then return; fi
	local over="app.wasm is $((packed - budget * 1024)) bytes over its budget of $budget KB"
	# The budget is for the code of this project. A release has a libc and an LLVM of its own, and so another size.
	if [[ ${tinygo[*]} == *"-target wasm" ]]; then say "$over, which is for the TinyGo that build.sh builds"; else fail "$over"; fi
}

# ended waits until the process $1 is gone.
ended() {
	while kill -0 "$1" 2>/dev/null; do sleep 0.2; done
}

# build_host builds build/edgelingua while it builds the module.
build_host() {
	need_go
	writable_build build
	go build -o build/edgelingua ./wasmtest 2>build/.host.log &
	host=$!
	build
	if kill -0 "$host" 2>/dev/null; then patiently "building build/edgelingua" ended "$host"; fi
	wait "$host" || fail "build/edgelingua can't be built: $(<build/.host.log)"
	host=''
	rm build/.host.log
}

run() {
	build_host
	if [[ ! -f .dev.vars && ! -f .env && -z $(compgen -e EDGELINGUA_SET_UPSTREAM_) && ! " $*" =~ \ --?(config|dev-vars|env|secret)(=|\ |$) && $* != *UPSTREAM_URL* ]]; then
		say "no .dev.vars: serving the embedded demo upstream. For a real one: cp .dev.vars.example .dev.vars, and fill it in."
		set -- --demo "$@"
	fi
	exec build/edgelingua serve "$@"
}

# node_modules installs the npm packages of the lock file, unless they are installed.
node_modules() {
	need npm "Install Node 20 or later: https://nodejs.org/"
	local stamp
	stamp=$(hash e2e/package-lock.json)
	if [[ -f e2e/node_modules/.stamp && $(<e2e/node_modules/.stamp) == "$stamp" ]]; then return; fi
	say "installing the npm packages of e2e/package-lock.json"
	npm ci --prefix e2e --no-audit --no-fund --loglevel=error >&2
	echo "$stamp" >e2e/node_modules/.stamp
}

# clients installs the command-line clients that e2e/clients/clients.test.mjs runs, unless they are installed. Their packages' scripts do not
# run: Grok Build's would put its program into the user's home. Where npm lacks a client, the test skips it, and says so. `npm ci` would
# refuse the lock file where npm lacks Grok Build's package for another platform.
clients() {
	local stamp modules=e2e/clients/node_modules
	stamp=$(hash e2e/clients/package-lock.json)
	if [[ -f $modules/.stamp && $(<$modules/.stamp) == "$stamp" ]]; then return; fi
	say "installing the clients of e2e/clients/package-lock.json"
	if npm install --prefix e2e/clients --no-save --ignore-scripts --no-audit --no-fund --loglevel=error >&2; then
		echo "$stamp" >$modules/.stamp
	else
		say "npm lacks them: no test runs them"
	fi
}

# browser makes sure that the tests of the page have a browser: one of the names that e2e/lib/browser.mjs tries, or Debian's headless
# shell of Chromium.
browser() {
	local name
	for name in "${CHROMIUM:-chromium-headless-shell}" chromium chromium-browser google-chrome google-chrome-stable chrome; do
		if command -v "$name" >/dev/null; then return; fi
	done
	command -v apt-get >/dev/null || fail "Chromium is needed for the tests of the page: install it, or name it with the variable CHROMIUM."
	toolchain/bootstrap.sh browser
}

# with_npm runs a command with the pinned wrangler, and the Node that wrangler needs, first on its PATH.
with_npm() {
	node_modules
	PATH=$PWD/e2e/node_modules/.bin:$PATH exec "$@"
}

# dev and deploy build first, at the terminal, so that the progress is seen. wrangler runs ./build.sh as well ([build] in wrangler.toml), which
# finds nothing left to build.
dev() {
	if [[ ${1-} != --personal ]]; then
		build
	else
		local config
		build_host
		config=$(build/edgelingua deploy --prepare)
		set -- --config "$config" "${@:2}"
	fi
	with_npm wrangler dev "$@"
}

deploy() {
	build_host
	with_npm build/edgelingua deploy "$@"
}

# reproduce builds the module once more, with an empty cache of TinyGo's, and fails where the two builds differ. The second build is by a
# compiler on PATH that looks like a release of TinyGo whose net/http does not compile, as that of 0.41.1.
reproduce() {
	local clean release
	clean=$(mktemp -d)
	release=$clean/release
	toolchain/bootstrap.sh overlay "$version" "$root" "$release"
	[[ ${tinygo[*]} == *"-target wasm" ]] || cp toolchain/edgelingua.json "$release/targets/wasm.json"
	printf 'package http\n\nvar _ = t.roundTrip\n' >"$release/src/net/http/roundtrip_js.go"
	mkdir "$release/bin"
	printf '#!/bin/sh\nexec env "TINYGOROOT=${TINYGOROOT:-%s}" %q "$@"\n' "$release" "$compiler" >"$release/bin/tinygo"
	chmod +x "$release/bin/tinygo"
	(
		PATH=$release/bin:$PATH cache=$clean
		find_tinygo
		# TinyGo has its cache in this folder. Go's holds nothing of the module.
		GOCACHE=$(go env GOCACHE) XDG_CACHE_HOME=$clean/caches compile "$clean/build"
	)
	cmp build/app.wasm "$clean/build/app.wasm" || fail "two builds of app.wasm differ"
	rm -r "$clean"
}

# packages installs what the tests need beside the toolchain.
packages() {
	node_modules
	clients
	node --input-type=module -e 'import { unpack } from "./e2e/lib/clis.mjs"; await unpack();'
	browser
}

# linted fails where a file is not formatted, or holds a mistake that a program finds, beside those of `go vet ./...`.
linted() {
	local unformatted
	unformatted=$(gofmt -l worker translator wasmtest toolchain release)
	[[ -z $unformatted ]] || fail "not formatted: $unformatted"
	go -C toolchain vet ./pausing ./wasm
	toolchain/lint.sh
}

# end_to_end runs the tests of the runtime $1.
end_to_end() { TARGET=$1 npm --prefix e2e test; }

reproduced_and_wazero() {
	reproduce
	end_to_end wazero
}

# aside runs a function in the background, in a process group of its own. What it prints is in the file $log/FUNCTION, and the variable
# last is its process.
aside() {
	set -m
	"$1" >"$log/$1" 2>&1 </dev/null &
	set +m
	last=$!
	asides+=" -$last"
}

# joined waits for what aside has begun with the process $1 and the function $2, prints what that has printed, and fails where it has.
joined() {
	local code=0
	wait "$1" || code=$?
	cat "$log/$2"
	return "$code"
}

faults() { compile build/faults -tags faults; }

# check has the machine do two things at once: each has stretches in which it waits, or uses one processor.
check() {
	local log last installing
	log=$(mktemp -d)
	find_tinygo
	aside packages
	installing=$last
	# A release's programs are built so (release/host.sh): with the same flags Go compiles each package once for them and for the tests.
	export CGO_ENABLED=0 GOFLAGS="${GOFLAGS-} -trimpath"
	say "vet" # compiles what the rest needs, before two of them would at once
	go vet ./...
	aside faults
	build
	joined "$last" faults
	joined "$installing" packages
	say "formatting and lint; go test"
	aside linted
	go test -vet=off ./... # it would run a part of vet again
	go -C toolchain test -vet=off ./pausing
	joined "$last" linted
	say "end to end on workerd; in the background a second build of the module, and the wazero host"
	export PROGRAM=$log/edgelingua # what e2e/lib/target.mjs starts
	go build -o "$PROGRAM" ./wasmtest
	aside reproduced_and_wazero
	end_to_end workerd
	joined "$last" reproduced_and_wazero
	rm -r "$log"
}

command=${1-build}
shift || true
case $command in
build) build ;;
run) run "$@" ;;
test) check ;;
dev) dev "$@" ;;
deploy) deploy "$@" ;;
release)
	release/ready.sh
	build
	release/release.sh
	;;
login | secret) with_npm wrangler "$command" "$@" ;;
help | -h | --help) usage ;;
*)
	usage >&2
	fail "unknown command: $command"
	;;
esac

#!/usr/bin/env bash
# Builds, runs and tests edgelingua. `./build.sh help` lists the commands.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

tinygo_version=0.41.1
# The most that app.wasm may take, in KB after gzip -9. Whoever raises it adds a line to RATIONALE.md.
budget_bootstrapped=720
budget_official=810

cache=${XDG_CACHE_HOME:-$HOME/.cache}/edgelingua

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

# hash prints the SHA-256 of its input, or of each file among its arguments.
hash() {
	if command -v sha256sum >/dev/null; then sha256sum "$@"; else shasum -a 256 "$@"; fi
}

need() {
	command -v "$1" >/dev/null || fail "$1 is not installed. $2"
}

# find_tinygo sets the variables tinygo (the command, with its flags) and budget.
find_tinygo() {
	need go "Install Go 1.26 or later: https://go.dev/dl/"
	local found
	found=$(tinygo version 2>/dev/null | cut -d ' ' -f 3 || true)
	if [[ $found == "$tinygo_version" ]]; then
		tinygo=(env "PATH=$PATH:$(tinygo env TINYGOROOT)/bin" "WASMOPT=$PWD/toolchain/wasm-opt" tinygo build -target wasm)
		budget=$budget_official
		return
	fi
	command -v apt-get >/dev/null || fail "TinyGo $tinygo_version is needed on PATH, and ${found:-none} is there: https://tinygo.org/getting-started/install/"
	toolchain/bootstrap.sh packages
	local stamp dir
	stamp=$({ go version && cat toolchain/bootstrap.sh toolchain/go.mod toolchain/go.sum toolchain/net/http/*.go; } | hash | cut -c 1-12)
	dir=$cache/tinygo-$tinygo_version-$stamp
	if [[ ! -x $dir/tinygo ]]; then
		say "building TinyGo $tinygo_version into $dir (about a minute, once)"
		mkdir -p "$cache"
		toolchain/bootstrap.sh build "$dir"
	fi
	tinygo=(env "TINYGOROOT=$dir/tinygoroot" "WASMOPT=$PWD/toolchain/wasm-opt" "$dir/tinygo" build -target "$PWD/toolchain/edgelingua.json")
	budget=$budget_bootstrapped
}

# compile builds the worker into the folder $1, with the other arguments as flags for TinyGo. It does nothing where no source has
# changed.
compile() {
	local out=$1 stamp file
	shift
	stamp=$({
		echo "${tinygo[*]}" "$@"
		go version
		find build.sh go.mod go.sum toolchain worker translator wasmtest/apis -type f ! -name '*_test.go' ! -path '*/testdata/*' ! -path 'worker/page/*' | LC_ALL=C sort |
			while read -r file; do hash "$file"; done
	} | hash)
	if [[ -f $out/.stamp && $(<"$out/.stamp") == "$stamp" ]]; then
		pack "$out"
		return
	fi
	say "building $out/app.wasm"
	rm -f "$out/.stamp"
	go run github.com/syumai/workers/cmd/workers-assets-gen -mode=tinygo -o "$out"
	rm "$out/wasm_exec.js"
	cp worker/workerd/*.mjs "$out"
	rm -rf "$out/views"
	mkdir "$out/views"
	go run "$@" ./wasmtest/apis "$out"
	# RATIONALE.md gives the reasons for these flags.
	"${tinygo[@]}" -gc=leaking -scheduler=asyncify -stack-size=16KB -opt=2 -panic=print -no-debug -ldflags="-extldflags '-z stack-size=24576'" "$@" -o "$out/app.wasm" ./worker
	pack "$out"
	echo "$stamp" >"$out/.stamp"
}

# pack compresses the files of the page into $1/page, and writes $1/pages.mjs, by which the worker imports them. It does nothing
# where no file has changed.
pack() {
	local out=$1 file name stamp imports='' table='' n=0
	stamp=$(hash build.sh worker/page/* "$out"/views/* worker/workerd/gojs.mjs "$out/app.wasm" | hash)
	if [[ -f $out/.packed && $(<"$out/.packed") == "$stamp" ]]; then return; fi
	rm -rf "$out/page" "$out/.packed"
	mkdir "$out/page"
	for file in worker/page/* "$out"/views/* worker/workerd/gojs.mjs "$out/app.wasm"; do
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
	((packed <= budget * 1024)) || fail "app.wasm is $((packed - budget * 1024)) bytes over its budget of $budget KB"
}

run() {
	build
	go build -o build/edgelingua ./wasmtest
	if [[ ! -f .dev.vars && ! -f .env && -z $(compgen -e EDGELINGUA_SET_UPSTREAM_) && ! " $*" =~ \ --?(config|dev-vars|env|secret)(=|\ |$) ]]; then
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

# clients installs the command-line clients that e2e/clients.test.mjs runs, unless they are installed. Their packages' scripts do not
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

# browser makes sure that the tests of the page have a browser: one of the names that e2e/lib/browser.mjs tries, or Debian's Chromium.
browser() {
	local name
	for name in "${CHROMIUM:-chromium}" chromium-browser google-chrome google-chrome-stable chrome; do
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

dev() {
	build
	if [[ ${1-} == --personal ]]; then
		local config
		config=$(go run ./wasmtest deploy --prepare)
		set -- --config "$config" "${@:2}"
	fi
	with_npm wrangler dev "$@"
}

deploy() {
	build
	go build -o build/edgelingua ./wasmtest
	with_npm build/edgelingua deploy "$@"
}

# reproduce builds the module once more, with empty caches, and fails where the two builds differ.
reproduce() {
	local clean
	clean=$(mktemp -d)
	GOCACHE=$clean/cache compile "$clean/build"
	cmp build/app.wasm "$clean/build/app.wasm" || fail "two builds of app.wasm differ"
	rm -r "$clean"
}

check() {
	build
	compile build/faults -tags faults
	node_modules
	clients
	browser
	say "formatting, vet and lint"
	local unformatted
	unformatted=$(gofmt -l worker translator wasmtest toolchain)
	[[ -z $unformatted ]] || fail "not formatted: $unformatted"
	go vet ./...
	GOOS=js GOARCH=wasm go vet ./worker/... ./translator/...
	toolchain/lint.sh
	say "go test"
	go test ./...
	say "end to end on workerd"
	reproduce & # at the same time, since the tests use one core only
	local reproducing=$!
	TARGET=workerd npm --prefix e2e test
	wait "$reproducing"
	say "end to end on the wazero host"
	TARGET=wazero npm --prefix e2e test
}

command=${1-build}
shift || true
case $command in
build) build ;;
run) run "$@" ;;
test) check ;;
dev) dev "$@" ;;
deploy) deploy "$@" ;;
login | secret) with_npm wrangler "$command" "$@" ;;
help | -h | --help) usage ;;
*)
	usage >&2
	fail "unknown command: $command"
	;;
esac

#!/usr/bin/env bash
# Builds, runs and tests edgelingua. `./build.sh help` lists the commands. Their parts are in toolchain/.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

cache=${XDG_CACHE_HOME:-${HOME:?is not set. Set it, or name a folder for the toolchain with the variable XDG_CACHE_HOME}/.cache}/edgelingua

for part in terminal tinygo module npm test; do source "toolchain/$part.sh"; done

usage() {
	cat <<-EOF
		usage: ./build.sh [command]

		  build            build/: the module and what wrangler needs beside it (the default)
		  run [--demo]     serve the module on http://127.0.0.1:8787, without Node and without an account;
		                   the upstream is that of wrangler.toml, .dev.vars and EDGELINGUA_SET_UPSTREAM_*, or an embedded demo where there
		                   is neither of the last two;
		                   further flags go to the host, see 'edgelingua serve -h'
		  test             run the tests of every change, as CI does
		  test --full      also every client on every upstream, fuzz tests, mutants and long load tests: FUZZ_SECONDS, MUTANTS and LOAD_SECONDS
		  dev [--personal] wrangler dev: the worker on this machine, in workerd; with --personal it serves personal endpoints
		  deploy           bring the worker to your Cloudflare account, and see that it works; 'deploy -h' says more
		  release          dist/: the programs, packages and the template of a release, from a clean tree
		  login            wrangler login: let wrangler into your Cloudflare account
		  secret put NAME  wrangler secret: set a secret of the deployed worker
		  help             this text

		Every command sets up what it needs first. The toolchain is kept in $cache.
	EOF
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

# with_npm runs a command with the pinned wrangler, and the Node that wrangler needs, first on PATH.
with_npm() {
	node_modules
	PATH=$PWD/e2e/node_modules/.bin:$PATH exec "$@"
}

# dev and deploy build first, so that the terminal shows the progress. wrangler then runs ./build.sh itself ([build] in wrangler.toml),
# with nothing left to build.
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

command=${1-build}
shift || true
case $command in
build) build ;;
run) run "$@" ;;
test) run_tests "$@" ;;
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

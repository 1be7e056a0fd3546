#!/usr/bin/env bash
# Builds, runs and tests edgelingua. `./build.sh help` lists the commands. toolchain/ has their
# parts.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

no_home='is not set. Set it, or name a folder for the toolchain with the variable XDG_CACHE_HOME'
cache=${XDG_CACHE_HOME:-${HOME:?$no_home}/.cache}/edgelingua

for part in terminal tinygo module npm test; do source "toolchain/$part.sh"; done

usage() {
	cat <<-EOF
		usage: ./build.sh [command]

		  build            build the module and wrangler's other inputs into build/ (the default)
		  run [--demo]     serve the module on http://127.0.0.1:8787, without Node and without an account.
		                   wrangler.toml, .dev.vars and EDGELINGUA_SET_UPSTREAM_* configure the upstream;
		                   without .dev.vars and these variables it is an embedded demo.
		                   Other flags go to the host, see 'edgelingua serve -h'
		  test             run the tests of every change, as CI does
		  test --full      also run every client on every upstream, fuzz tests, CPU bounds, mutants and load
		                   tests, see FUZZ_SECONDS, MUTANTS and LOAD_SECONDS in CONTRIBUTING.md
		  dev [--personal] run the worker in workerd on this machine (wrangler dev);
		                   with --personal it serves personal endpoints
		  deploy           deploy the worker to your Cloudflare account and check it, see 'deploy -h'
		  release          build the programs, packages and template of a release into dist/,
		                   from a clean tree
		  login            give wrangler access to your Cloudflare account (wrangler login)
		  secret put NAME  set a secret of the deployed worker (wrangler secret)
		  help             print this text

		It needs Go $(sed -n 's/^go //p' go.mod) to ${newest_go%.*}, and TinyGo $tinygo_version
		or later on PATH. On Debian 12 it builds TinyGo $tinygo_version itself
		if PATH has none. With a version that does not work it stops before
		anything is built.

		Every command first installs what it needs. The toolchain is in $cache.
	EOF
}

# ended waits until the process $1 has ended.
ended() {
	while kill -0 "$1" 2>/dev/null; do sleep 0.2; done
}

# build_host builds build/edgelingua, and the module at the same time.
build_host() {
	check_versions
	writable_build build
	local log said code=0
	log=$(mktemp) # not in build/: a test may be copying that folder
	go build -o build/edgelingua ./wasmtest 2>"$log" &
	host=$!
	build
	if kill -0 "$host" 2>/dev/null; then patiently "building build/edgelingua" ended "$host"; fi
	wait "$host" || code=$?
	host='' said=$(<"$log")
	rm "$log"
	((code == 0)) || fail "build/edgelingua can't be built: $said"
}

run() {
	build_host
	if [[ ! -f .dev.vars && ! -f .env && -z $(compgen -e EDGELINGUA_SET_UPSTREAM_) &&
		! " $*" =~ \ --?(config|dev-vars|env|secret)(=|\ |$) && $* != *UPSTREAM_URL* ]]; then
		say "no .dev.vars: serving the embedded demo upstream." \
			"For a real one: cp .dev.vars.example .dev.vars, and fill it in."
		set -- --demo "$@"
	fi
	exec build/edgelingua serve "$@"
}

# with_npm runs a command. The pinned wrangler and the Node for wrangler come first on PATH.
with_npm() {
	node_modules
	PATH=$PWD/e2e/node_modules/.bin:$PATH exec "$@"
}

# dev and deploy build first, so the terminal shows the progress. wrangler then runs ./build.sh
# itself ([build] in wrangler.toml), with nothing left to build.
dev() {
	if [[ ${1-} != --personal ]]; then
		build
	else
		local config
		build_host
		config=$(build/edgelingua deploy --prepare)
		set -- --config "$config" "${@:2}"
	fi
	# wrangler prefixes each line of ./build.sh and gives the command no terminal. When a source
	# changes, `wrangler dev` runs the command again and ends the run under way (wrangler 4.156.0,
	# BundlerController).
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

# The stages of ./build.sh test. Sourced by build.sh.
# shellcheck shell=bash

# stage NAME COMMAND... runs a command in the foreground, and prints when it starts and how long it
# took.
stage() {
	local name=$1 began
	shift
	began=$(date +%s)
	say "$name"
	"$@"
	say "$name: $(($(date +%s) - began)) s"
}

# in_background NAME FUNCTION starts a function in its own process group. Its output goes to the
# file $log/FUNCTION.
in_background() {
	say "$1 (in the background)"
	set -m
	timed "$2" >"$log/$2" 2>&1 </dev/null &
	set +m
	background+=" -$!"
	echo "$! $1" >"$log/$2.begun"
}

# timed runs the function $1, and writes its duration in seconds to $log/FUNCTION.seconds.
timed() {
	local began code=0
	began=$(date +%s)
	# A subshell: `set -e` would not end a function whose failure is handled here.
	(set -e && "$1") &
	wait $! || code=$?
	echo $(($(date +%s) - began)) >"$log/$1.seconds"
	return "$code"
}

# joined waits for a function that in_background started, prints its duration and then its output,
# and fails if the function failed.
joined() {
	local pid title code=0
	read -r pid title <"$log/$1.begun"
	wait "$pid" || code=$?
	say "$title: $(<"$log/$1.seconds") s"
	cat "$log/$1"
	((code == 0)) || say "$title: failed"
	return "$code"
}

# packages installs everything that the tests need besides the toolchain.
packages() {
	node_modules
	clients
	node --input-type=module -e 'import { unpack } from "./e2e/lib/clis.mjs"; await unpack();'
	browser
}

# linted fails if a file is not formatted, or has mistakes that `go vet ./...` does not find.
linted() {
	local unformatted
	unformatted=$(gofmt -l worker translator wasmtest toolchain release)
	[[ -z $unformatted ]] || fail "not formatted: $unformatted"
	node_modules
	git ls-files '*.mjs' '*.js' | xargs e2e/node_modules/.bin/prettier --log-level warn --check ||
		fail "not formatted: e2e/node_modules/.bin/prettier --write FILE..."
	go -C toolchain vet ./pausing ./wasm ./mutate ./words
	toolchain/lint.sh
}

# reproduced builds the module a second time, with an empty TinyGo cache, and fails if the two
# builds differ. The second compiler on PATH looks like a release of TinyGo whose net/http does not
# compile, like the release of 0.41.1.
reproduced() {
	local clean release
	clean=$(mktemp -d)
	release=$clean/release
	toolchain/bootstrap.sh overlay "$version" "$root" "$release"
	[[ ${tinygo[*]} == *"-target wasm" ]] || cp toolchain/edgelingua.json "$release/targets/wasm.json"
	printf 'package http\n\nvar _ = t.roundTrip\n' >"$release/src/net/http/roundtrip_js.go"
	mkdir "$release/bin"
	printf '#!/bin/sh\nexec env "TINYGOROOT=${TINYGOROOT:-%s}" %q "$@"\n' "$release" "$compiler" \
		>"$release/bin/tinygo"
	chmod +x "$release/bin/tinygo"
	(
		PATH=$release/bin:$PATH cache=$clean
		find_tinygo
		# This folder has TinyGo's cache. Go's own cache has no parts of the module.
		GOCACHE=$(go env GOCACHE) XDG_CACHE_HOME=$clean/caches compile "$clean/build"
	)
	cmp build/app.wasm "$clean/build/app.wasm" || fail "two builds of app.wasm differ"
	rm -r "$clean"
}

faults() { compile build/faults -tags faults; }

go_test() {
	# vet has run; the stage "CPU bounds" has the processors to itself
	SCALING= MODULE_REQUIRED=1 go test -vet=off ./...
	# Requests that are served at once share no variable. The race detector needs a C compiler.
	CGO_ENABLED=1 go test -vet=off -race -run '^TestRequestsAreAlone$' ./worker/serve
	# A reader of JSON that a loop leaves early panics in this build.
	go test -vet=off -tags checkreader ./translator/jsonr
	go test -vet=off -tags checkreader -run '^(TestCorpus|TestMutatedAnswers)$' ./translator
	go -C toolchain test -vet=off ./pausing ./mutate ./words
}

# end_to_end runs the tests of the target $1: the files $2, or all. If tests fail, it writes them to
# $log/failed.$1 and returns 0: the run goes on with the other targets, and then prints all failures.
end_to_end() {
	local tests=$log/failures.$1
	TARGET=$1 FILES=${2-} FAILED=$tests npm --prefix e2e test && return
	{
		echo "end to end on $1:"
		if [[ -s $tests ]]; then cat "$tests"; else echo "npm failed, but no test: see its output"; fi
	} >"$log/failed.$1"
}

# These end-to-end tests of the local host run only with its engine wasm: they are about instances of
# the module, or their results name the engine. The rest runs with the engine native, which needs less
# CPU, and with --full with both.
of_the_module='pairs/abort.test.mjs pairs/bridge.test.mjs pairs/faults.test.mjs pairs/toy.test.mjs
	endpoints/seal.test.mjs endpoints/state.test.mjs endpoints/websocket.test.mjs
	ops/load.test.mjs ops/log.test.mjs ops/tutorial.test.mjs
	clients/*.test.mjs attacks/*.test.mjs'

local_host() {
	local files=$of_the_module
	[[ -z ${FULL-} ]] || files='' # all
	end_to_end wazero "$files"
	end_to_end native "$(rest_of "$of_the_module")"
}

# rest_of prints the test files of e2e that no pattern of $1 matches.
rest_of() (
	cd e2e
	# shellcheck disable=SC2086 # $1 has patterns
	comm -23 <(printf '%s\n' */*.test.mjs | sort) <(printf '%s\n' $1 | sort) | tr '\n' ' '
)

# fuzzed runs each fuzz test for FUZZ_SECONDS (default 30). A signal ends each test, not -fuzztime:
# at the end of -fuzztime Go before 1.27 may fail with "context deadline exceeded" without having
# found a failing input (golang/go#75804).
fuzzed() {
	local package name limit="timeout --preserve-status --signal INT ${FUZZ_SECONDS:-30}"
	go test -vet=off -list '^Fuzz' ./... | awk '
		/^Fuzz/ { name[++n] = $1 }
		/^ok/ { for (i = 1; i <= n; i++) print $2, name[i]; n = 0 }
	' >"$log/fuzz"
	while read -r package name; do
		say "fuzzing $name of $package"
		go test -vet=off -run '^$' -fuzz "^$name\$" -exec "$limit" "$package"
	done <"$log/fuzz"
}

# mutated_answers changes MUTATIONS answers of each upstream (default 20000), by a new seed each time.
mutated_answers() {
	local seed=${SEED:-$RANDOM}
	say "MUTATIONS=${MUTATIONS:-20000} SEED=$seed"
	MUTATIONS=${MUTATIONS:-20000} SEED=$seed \
		go test -vet=off -timeout 60m -tags checkreader -run '^TestMutatedAnswers$' ./translator
}

# judged sends REQUESTS mutated requests of clients (default 20000) to the doubles of all vendors, by a
# new seed each time, and prints how many each was sent and which rules they break.
judged() {
	local seed=${SEED:-$RANDOM}
	say "REQUESTS=${REQUESTS:-20000} SEED=$seed"
	REQUESTS=${REQUESTS:-20000} SEED=$seed \
		go test -vet=off -v -timeout 60m -run '^TestNoRequestIsRejected$|^TestScenarios$' ./wasmtest/vendors \
		>"$log/judged" || { cat "$log/judged" && return 1; }
	grep -E 'requests sent|rules exercised' "$log/judged"
}

# scaled measures how the CPU time of decoders, pages and masks grows with their input: every
# SCALING-th case (default 4), others each time. It prints the worst ten, and fails if one of them
# grows too much (wasmtest/scaling).
scaled() {
	local code=0 seed=${SEED:-$RANDOM}
	say "SCALING=${SCALING:-4} SEED=$seed"
	# one package at a time: they would take the CPU from each other
	SCALING=${SCALING:-4} SEED=$seed go test -vet=off -p 1 -v -timeout 60m -run '^TestScaling$' \
		./translator ./worker/web/page ./worker/web/search ./wasmtest/record/mask >"$log/scaled" || code=$?
	grep -E '^ *[0-9.]+ times: ' "$log/scaled" | sort -rn | head || true
	((code == 0)) || cat "$log/scaled"
	return "$code"
}

# mutated measures the translator's tests with MUTANTS mutants (default 20). It prints a score, and
# never fails because of the score.
mutated() { go -C toolchain run ./mutate -n "${MUTANTS:-20}"; }

# loaded runs the load test for LOAD_SECONDS (default 120) on each runtime, keeps idle WebSockets
# open for five minutes, and prints the benchmark.
loaded() {
	local target
	for target in workerd wazero; do
		(cd e2e && TARGET=$target LOAD_SECONDS=${LOAD_SECONDS:-120} node --test ops/load.test.mjs)
	done
	node e2e/bench/soak.mjs 5
	node e2e/bench.mjs
}

# run_tests runs the stages, two at a time if one of them waits or uses one core. --full adds the
# long stages.
run_tests() {
	local log full='' code=0
	case $* in
	'') ;;
	--full)
		full=1
		export FULL=1 # every client on every upstream
		;;
	*) fail "test takes no argument except --full: $*" ;;
	esac
	log=$(mktemp -d)
	find_tinygo
	in_background "installing the packages of the tests" packages
	# The programs of a release are built with the same flags (release/host.sh), so Go compiles each
	# package once for both.
	export CGO_ENABLED=0 GOFLAGS="${GOFLAGS-} -trimpath"
	stage "go vet" go vet ./... # compiles the packages for the later stages
	in_background "building the module of the tests" faults
	stage "building the module" build
	joined faults
	joined packages
	in_background "formatting and lint" linted
	stage "go test" go_test
	joined linted
	export PROGRAM=$log/edgelingua # e2e/lib/target.mjs starts this program
	go build -o "$PROGRAM" ./wasmtest
	export NATIVE=$log/native # and this one for TARGET=native
	go build -tags faults -o "$NATIVE" ./wasmtest
	export VENDORS=$log/vendord # e2e/lib/vendor.mjs starts this program
	go build -o "$VENDORS" ./wasmtest/vendors/vendord
	export CLIENTS=$log/clientd # e2e/lib/session.mjs starts this program
	go build -o "$CLIENTS" ./wasmtest/clients/clientd
	[[ -z $full ]] || stage "a second build of the module" reproduced
	[[ -z $full ]] || stage "fuzzing" fuzzed
	[[ -z $full ]] || stage "mutated answers" mutated_answers
	[[ -z $full ]] || stage "rules of vendors" judged
	[[ -z $full ]] || stage "CPU bounds" scaled
	[[ -z $full ]] || stage "mutants" mutated
	[[ -z $full ]] || stage "load and benchmark" loaded
	in_background "end to end on the local host" local_host
	stage "end to end on workerd" end_to_end workerd
	joined local_host || code=$?
	if compgen -G "$log/failed.*" >/dev/null; then
		cat "$log"/failed.*
		fail "end-to-end tests failed"
	fi
	((code == 0)) || exit "$code"
	rm -r "$log"
}

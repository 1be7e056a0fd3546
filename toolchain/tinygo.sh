# Finds Go and TinyGo. Sourced by build.sh.
# shellcheck shell=bash

tinygo_version=0.42.0
# The newest Go that was tested with this TinyGo. TinyGo refuses the next minor version.
newest_go=1.27.3

# need_go fails unless Go is new enough for go.mod and can write to its caches. An old Go downloads
# a newer one, or fails with a reason (https://go.dev/doc/toolchain).
need_go() {
	local wanted found
	wanted=$(sed -n 's/^go //p' go.mod)
	need go "Install Go $wanted or later: https://go.dev/dl/"
	# A line about a download may come before the version.
	found=$(go env GOVERSION 2>&1 | tail -n 1) ||
		fail "Go $wanted or later is needed: https://go.dev/dl/ ($found)"
	at_least "$wanted" "${found#go}" ||
		fail "Go $wanted or later is needed, and ${found#go} is there: https://go.dev/dl/"
	writable "$(go env GOCACHE)" "Name another one with the variable GOCACHE."
	# A module cache that has all modules may be read-only.
	mkdir -p "$(go env GOMODCACHE)" 2>/dev/null ||
		fail "can't make the folder $(go env GOMODCACHE). Name another one with the variable GOMODCACHE."
}

# refuse_new_go fails if Go is newer than the pinned TinyGo supports.
refuse_new_go() {
	local most=${newest_go%.*} found
	found=$(go env GOVERSION | tail -n 1)
	! at_least "$most.999" "${found#go}" ||
		fail "TinyGo $tinygo_version takes Go $most at most, and ${found#go} is there." \
			"Set GOTOOLCHAIN=go$newest_go"
}

# find_tinygo sets the variables compiler, version, tinygo (the command with its flags) and root
# (the TINYGOROOT). If PATH has a release of TinyGo, the release is used, with toolchain/net/http
# instead of its own net/http.
find_tinygo() {
	need_go
	local found stamp dir
	found=$(tinygo version 2>/dev/null | cut -d ' ' -f 3 || true)
	if [[ -n $found ]] && at_least "$tinygo_version" "$found"; then
		if [[ $found == "$tinygo_version" ]]; then
			refuse_new_go
		else
			say "TinyGo $found is newer than $tinygo_version, which the tests are run with"
		fi
		dir=$(tinygo env TINYGOROOT) compiler=$(command -v tinygo) version=$found
		PATH=$PATH:$dir/bin command -v wasm-opt >/dev/null ||
			fail "wasm-opt, which TinyGo runs, is not installed." \
				"Install Binaryen: https://github.com/WebAssembly/binaryen/releases"
		stamp=$({
			echo "$dir $found" && go version &&
				cat toolchain/bootstrap.sh toolchain/go.mod toolchain/net/http/*.go
		} | hash | cut -c 1-12)
		root=$cache/tinygoroot-$found-$stamp
		if [[ ! -d $root ]]; then
			writable_cache
			toolchain/bootstrap.sh overlay "$found" "$dir" "$root"
		fi
		tinygo=(
			env "TINYGOROOT=$root" "PATH=$PATH:$dir/bin" "WASMOPT=$PWD/toolchain/wasm-opt"
			"$compiler" build -target wasm
		)
		return
	fi
	command -v apt-get >/dev/null ||
		fail "TinyGo $tinygo_version or later is needed on PATH, and ${found:-none} is there:" \
			"https://tinygo.org/getting-started/install/"
	refuse_new_go
	toolchain/bootstrap.sh packages
	stamp=$({
		go version && cat toolchain/bootstrap.sh toolchain/go.mod toolchain/go.sum toolchain/net/http/*.go
	} | hash | cut -c 1-12)
	dir=$cache/tinygo-$tinygo_version-$stamp
	if [[ ! -x $dir/tinygo ]]; then
		writable_cache
		patiently "building TinyGo $tinygo_version into $dir (about a minute, once)" \
			toolchain/bootstrap.sh build "$dir"
	fi
	root=$dir/tinygoroot compiler=$dir/tinygo version=$tinygo_version
	tinygo=(
		env "TINYGOROOT=$root" "WASMOPT=$PWD/toolchain/wasm-opt"
		"$compiler" build -target "$PWD/toolchain/edgelingua.json"
	)
}

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

# check_versions fails unless the versions of Go and TinyGo work. It installs and builds nothing. It
# sets found_tinygo to the version of the TinyGo on PATH if that works, else to "": then build.sh
# builds the pinned one.
check_versions() {
	need_go
	found_tinygo=$(tinygo version 2>/dev/null | cut -d ' ' -f 3 || true)
	if [[ -n $found_tinygo ]] && at_least "$tinygo_version" "$found_tinygo"; then
		[[ $found_tinygo != "$tinygo_version" ]] || refuse_new_go
		return
	fi
	command -v apt-get >/dev/null ||
		fail "TinyGo $tinygo_version or later is needed on PATH, and ${found_tinygo:-none} is there:" \
			"https://tinygo.org/getting-started/install/"
	refuse_new_go
	found_tinygo=''
}

# find_tinygo sets the variables compiler, version, tinygo (the command with its flags) and root
# (the TINYGOROOT). If PATH has a release of TinyGo, the release is used, with toolchain/net/http
# instead of its own net/http.
find_tinygo() {
	check_versions
	local found=$found_tinygo stamp dir
	if [[ -n $found ]]; then
		[[ $found == "$tinygo_version" ]] ||
			say "TinyGo $found is newer than $tinygo_version, which the tests are run with"
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

#!/usr/bin/env bash
# Prepares TinyGo for ./build.sh. On machines without a release of TinyGo it builds TinyGo from its Go module, with Debian's LLVM, into
# DIR/tinygo and DIR/tinygoroot, and installs the Debian packages that this and the tests need. Of a release it copies the TINYGOROOT, with
# another net/http. RATIONALE.md says why. Its folder also has:
#
#	go.mod, go.sum     pin TinyGo, apart from the project's own modules
#	edgelingua.json    TinyGo's target "wasm", linked with Debian's libc and compiler-rt: the module lacks their sources
#	net/http           the part of net/http that the worker uses: the module lacks it, and that of TinyGo 0.41.1's release does not
#	                   compile for wasm (tinygo-org/net#52)
set -euo pipefail

# The packages with which TinyGo is built, and those whose programs it runs: clang, wasm-ld and wasm-opt.
packages=(g++ llvm-19-dev clang-19 libclang-19-dev lld-19 wasi-libc libclang-rt-19-dev-wasm32 binaryen)

usage() {
	cat <<-EOF
		usage: toolchain/bootstrap.sh packages   install the Debian packages that are missing
		       toolchain/bootstrap.sh browser    install the browser of the tests, if it is missing
		       toolchain/bootstrap.sh build DIR  build TinyGo into DIR, which must not exist
		       toolchain/bootstrap.sh overlay VERSION ROOT DIR
		                                         copy ROOT, the TINYGOROOT of TinyGo VERSION, to DIR, which must not
		                                         exist, with net/http of this folder
	EOF
}

fail() {
	printf 'bootstrap.sh: %s\n' "$*" >&2
	exit 1
}

# install installs the packages among its arguments that are missing.
install() {
	local missing=() package
	for package in "$@"; do
		[[ $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null) == "install ok installed" ]] || missing+=("$package")
	done
	((${#missing[@]})) || return 0
	local root=() quiet=-qq
	[[ ! -t 2 ]] || quiet=-q # who waits sees what apt is at
	if ((EUID != 0)); then
		command -v sudo >/dev/null || fail "these packages must be installed as root: ${missing[*]}"
		root=(sudo)
	fi
	echo "installing Debian packages${root[*]:+ as root}: ${missing[*]}" >&2
	"${root[@]}" apt-get update "$quiet" >&2
	"${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y "$quiet" --no-install-recommends "${missing[@]}" >&2
}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
pinned=$(sed -n 's|.*github.com/tinygo-org/tinygo v\([^ ]*\).*|\1|p' "$here/go.mod")

# begin makes the empty folder $1.new, for what becomes the folder $1.
begin() {
	[[ ! -e $1 ]] || fail "$1 exists already"
	[[ ! -e $1.new ]] || chmod -R u+w "$1.new" # left by a build that was interrupted
	rm -rf "$1.new"
	mkdir -p "$1.new"
}

# copy_root copies the Go sources and targets of $2, the TINYGOROOT of TinyGo $1, into the folder $3. The copy
# has net/http of this folder, and a heap that grows by an eighth instead of doubling. TinyGo's loader does not
# follow links to folders.
copy_root() {
	local version=$1 root=$2 dir=$3 goroot
	goroot=$(go env GOROOT)
	mkdir -p "$dir"
	cp -r "$root/src" "$root/targets" "$dir/"
	chmod -R u+w "$dir"
	rm -rf "$dir/src/net/http"
	mkdir -p "$dir/src/net/http"
	cp "$here"/net/http/*.go "$goroot"/src/net/http/{status,method}.go "$dir/src/net/http/"
	local heap=src/runtime/arch_tinygowasm.go
	local doubles='wasm_memory_grow(wasmMemoryIndex, memorySize)'
	local eighth='wasm_memory_grow(wasmMemoryIndex, memorySize/8+1)'
	[[ ! -f $dir/$heap ]] || sed -i "s|$doubles|$eighth|" "$dir/$heap"
	# A release other than the pinned one may grow its heap elsewhere. That heap doubles.
	[[ $version != "$pinned" ]] || grep -qsF "$eighth" "$dir/$heap" ||
		fail "TinyGo $version has no $doubles in $root/$heap"
}

# overlay takes the C libraries, 100 MB and more in a release, from where they are: clang follows links.
overlay() {
	local version=$1 root=$2 dir=$3
	begin "$dir"
	copy_root "$version" "$root" "$dir.new"
	ln -s "$root/lib" "$dir.new/lib"
	mv "$dir.new" "$dir"
}

build_tinygo() {
	local dir=$1 module
	begin "$dir"
	local new=$dir.new
	cd "$here"
	CGO_ENABLED=1 go build -tags llvm19 -o "$new/tinygo" github.com/tinygo-org/tinygo
	module=$(go list -m -f '{{.Dir}}' github.com/tinygo-org/tinygo)
	copy_root "$pinned" "$module" "$new/tinygoroot"
	mkdir "$new/tinygoroot/lib"
	cp /usr/lib/wasm32-wasi/libc.a /usr/lib/llvm-19/lib/clang/19/lib/wasi/libclang_rt.builtins-wasm32.a "$new/tinygoroot/lib/"
	mv "$new" "$dir"
}

case "${1-} $#" in
"packages 1") install "${packages[@]}" ;;
"browser 1") install chromium-headless-shell fonts-dejavu-core ;;
"build 2") build_tinygo "$2" ;;
"overlay 4") overlay "$2" "$3" "$4" ;;
*)
	usage >&2
	exit 2
	;;
esac

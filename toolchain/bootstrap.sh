#!/usr/bin/env bash
# Prepares TinyGo for ./build.sh. On machines without a release of TinyGo it builds TinyGo from its
# Go module, with Debian's LLVM, into DIR/tinygo and DIR/tinygoroot. It installs the Debian packages
# for this build and for the tests. For a release of TinyGo it copies the TINYGOROOT and replaces
# net/http. RATIONALE.md has the reasons. The folder of this script also has:
#
#	go.mod, go.sum     pin TinyGo, separately from the project's own modules
#	edgelingua.json    TinyGo's target "wasm", linked with Debian's libc and compiler-rt: the
#	                   module lacks their sources
#	net/http           the part of net/http that the worker uses: the module lacks net/http, and
#	                   that of TinyGo 0.41.1's release does not compile for wasm
#	                   (tinygo-org/net#52)
set -euo pipefail

# The packages for building TinyGo, and the packages of the programs that TinyGo runs: clang,
# wasm-ld and wasm-opt.
packages=(g++ llvm-19-dev clang-19 libclang-19-dev lld-19 wasi-libc libclang-rt-19-dev-wasm32 binaryen)

usage() {
	cat <<-EOF
		usage: toolchain/bootstrap.sh packages   install the missing Debian packages
		       toolchain/bootstrap.sh browser    install the browser for the tests, if it is missing
		       toolchain/bootstrap.sh build DIR  build TinyGo into the new folder DIR
		       toolchain/bootstrap.sh overlay VERSION ROOT DIR
		                                         copy ROOT, the TINYGOROOT of TinyGo VERSION, to the new
		                                         folder DIR, with this folder's net/http
	EOF
}

fail() {
	printf 'bootstrap.sh: %s\n' "$*" >&2
	exit 1
}

# install installs the missing packages among its arguments.
install() {
	local missing=() package
	for package in "$@"; do
		[[ $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null) == "install ok installed" ]] ||
			missing+=("$package")
	done
	((${#missing[@]})) || return 0
	local root=() quiet=-qq
	[[ ! -t 2 ]] || quiet=-q # at a terminal, show apt's progress
	if ((EUID != 0)); then
		command -v sudo >/dev/null || fail "these packages must be installed as root: ${missing[*]}"
		root=(sudo)
	fi
	echo "installing Debian packages${root[*]:+ as root}: ${missing[*]}" >&2
	"${root[@]}" apt-get update "$quiet" >&2
	"${root[@]}" env DEBIAN_FRONTEND=noninteractive \
		apt-get install -y "$quiet" --no-install-recommends "${missing[@]}" >&2
}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
pinned=$(sed -n 's|.*github.com/tinygo-org/tinygo v\([^ ]*\).*|\1|p' "$here/go.mod")

# begin makes the empty folder $1.new, to be renamed to $1 at the end.
begin() {
	[[ ! -e $1 ]] || fail "$1 exists already"
	[[ ! -e $1.new ]] || chmod -R u+w "$1.new" # left by an interrupted build
	rm -rf "$1.new"
	mkdir -p "$1.new"
}

# copy_root copies the Go sources and targets of $2, the TINYGOROOT of TinyGo $1, into the folder
# $3. The copy has this folder's net/http, and a heap that grows by an eighth instead of doubling.
# It is a copy because TinyGo's loader does not follow links to folders.
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
	# A release other than the pinned one may grow its heap elsewhere. Then the heap still doubles.
	[[ $version != "$pinned" ]] || grep -qsF "$eighth" "$dir/$heap" ||
		fail "TinyGo $version has no $doubles in $root/$heap"
}

# overlay makes links to the C libraries, at least 100 MB in a release, instead of copying them:
# clang follows links.
overlay() {
	local version=$1 root=$2 dir=$3
	begin "$dir"
	copy_root "$version" "$root" "$dir.new"
	ln -s "$root/lib" "$dir.new/lib"
	mv "$dir.new" "$dir"
}

# comparable_fields changes TinyGo's compiler in the folder $1: only structs that can be compared have
# their fields in the module's data. The runtime needs the fields to compare two interfaces. The
# fields of all other structs are for reflect, which the worker does not use.
comparable_fields() {
	local source=$1/compiler/interface.go
	sed -i 's|typ\.NumFields()|describedFields(typ)|' "$source"
	[[ $(grep -c 'describedFields(typ)' "$source") == 4 ]] ||
		fail "TinyGo $pinned reads fields in other places of compiler/interface.go"
	cat >>"$source" <<-'EOF'

		func describedFields(typ *types.Struct) int {
			if !types.Comparable(typ) {
				return 0
			}
			return typ.NumFields()
		}
	EOF
}

build_tinygo() {
	local dir=$1 module
	begin "$dir"
	local new=$dir.new
	cd "$here"
	go mod download github.com/tinygo-org/tinygo
	module=$(go list -m -f '{{.Dir}}' github.com/tinygo-org/tinygo)
	cp -r "$module" "$new/source"
	chmod -R u+w "$new/source"
	comparable_fields "$new/source"
	cp go.sum "$new/"
	cp go.mod "$new/"
	go mod edit -replace "github.com/tinygo-org/tinygo=$new/source" "$new/go.mod"
	CGO_ENABLED=1 go build -modfile "$new/go.mod" -tags llvm19 -o "$new/tinygo" github.com/tinygo-org/tinygo
	rm -r "$new/source" "$new"/go.{mod,sum}
	copy_root "$pinned" "$module" "$new/tinygoroot"
	mkdir "$new/tinygoroot/lib"
	cp /usr/lib/wasm32-wasi/libc.a /usr/lib/llvm-19/lib/clang/19/lib/wasi/libclang_rt.builtins-wasm32.a \
		"$new/tinygoroot/lib/"
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

#!/usr/bin/env bash
# Builds TinyGo from its Go module, with Debian's LLVM, into DIR/tinygo and DIR/tinygoroot, and installs the Debian packages that
# this and the tests need. It is for machines without an official TinyGo release. ./build.sh calls it; RATIONALE.md says why it
# exists. Its folder also has:
#
#	go.mod, go.sum     pin TinyGo, apart from the project's own modules
#	edgelingua.json    TinyGo's target "wasm", linked with Debian's libc and compiler-rt: the module lacks their sources
#	net/http           the part of net/http that the worker uses: the module lacks it
set -euo pipefail

# The packages with which TinyGo is built, and those whose programs it runs: clang, wasm-ld and wasm-opt.
packages=(g++ llvm-19-dev clang-19 libclang-19-dev lld-19 wasi-libc libclang-rt-19-dev-wasm32 binaryen)

usage() {
	cat <<-EOF
		usage: toolchain/bootstrap.sh packages   install the Debian packages that are missing
		       toolchain/bootstrap.sh browser    install the browser of the tests, if it is missing
		       toolchain/bootstrap.sh build DIR  build TinyGo into DIR, which must not exist
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
	local root=()
	if ((EUID != 0)); then
		command -v sudo >/dev/null || fail "these packages must be installed as root: ${missing[*]}"
		root=(sudo)
	fi
	echo "installing Debian packages${root[*]:+ as root}: ${missing[*]}" >&2
	"${root[@]}" apt-get update -qq >&2
	"${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
}

build_tinygo() {
	local dir=$1 here module goroot
	here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
	goroot=$(go env GOROOT)
	[[ ! -e $dir ]] || fail "$dir exists already"
	local new=$dir.new
	[[ ! -e $new ]] || chmod -R u+w "$new" # left by a build that was interrupted
	rm -rf "$new"
	mkdir -p "$new/tinygoroot/lib"

	cd "$here"
	CGO_ENABLED=1 go build -tags llvm19 -o "$new/tinygo" github.com/tinygo-org/tinygo
	module=$(go list -m -f '{{.Dir}}' github.com/tinygo-org/tinygo)

	# Copies, not links: TinyGo's loader does not follow links to folders.
	cp -r "$module/src" "$module/targets" "$new/tinygoroot/"
	chmod -R u+w "$new/tinygoroot"
	mkdir -p "$new/tinygoroot/src/net/http"
	cp net/http/*.go "$goroot"/src/net/http/{status,method}.go "$new/tinygoroot/src/net/http/"
	cp /usr/lib/wasm32-wasi/libc.a /usr/lib/llvm-19/lib/clang/19/lib/wasi/libclang_rt.builtins-wasm32.a "$new/tinygoroot/lib/"
	mv -T "$new" "$dir"
}

case "${1-} $#" in
"packages 1") install "${packages[@]}" ;;
"browser 1") install chromium fonts-dejavu-core ;;
"build 2") build_tinygo "$2" ;;
*)
	usage >&2
	exit 2
	;;
esac

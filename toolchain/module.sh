# Builds the module and wrangler's other inputs. Sourced by build.sh.
# shellcheck shell=bash

# The maximum size of app.wasm, in KB after gzip -9. A higher budget requires a line in
# e2e/bench/MEASUREMENTS.md.
budget=720

# compile builds the worker into the folder $1. The other arguments are flags for TinyGo. If no
# source has changed, compile does nothing.
compile() {
	local out=$1 stamp
	shift
	stamp=$({
		echo "${tinygo[*]}" "$@"
		go version
		# Names of sources contain no spaces.
		hash $(find build.sh go.mod go.sum toolchain worker translator wasmtest/apis -type f \
			! -name '*_test.go' ! -path '*/testdata/*' ! -path 'worker/page/*' ! -path toolchain/test.sh \
			! -path toolchain/npm.sh ! -path 'toolchain/lint*' | LC_ALL=C sort)
	} | hash)
	if [[ -f $out/app.wasm && -f $out/.stamp && $(<"$out/.stamp") == "$stamp" ]]; then
		pack "$out"
		return
	fi
	writable_build "$out"
	rm -rf "$out/.stamp" "$out/.assets" "$out"/*.mjs
	# workers-assets-gen empties its output folder, so it does not write to $out.
	patiently "generating $out/*.mjs" \
		go run github.com/syumai/workers/cmd/workers-assets-gen -mode=tinygo -o "$out/.assets"
	rm "$out/.assets/wasm_exec.js"
	mv "$out/.assets"/* "$out"
	rmdir "$out/.assets"
	cp worker/workerd/*.mjs "$out"
	printf 'export const { source, date, providers } = %s;\n' "$(<worker/prices/table.json)" \
		>"$out/price_table.mjs"
	rm -rf "$out/views"
	mkdir "$out/views"
	patiently "generating $out/views" go run "$@" ./wasmtest/apis "$out"
	# source and date of the price table, for the page
	sed -n '1s/^{\(.*\),"providers":\[$/export const table = {\1};/p' worker/prices/table.json \
		>"$out/views/price_date.mjs"
	# RATIONALE.md has the reasons for these flags. Only TinyGo gets a go.mod in which
	# toolchain/pretty replaces gjson's package pretty.
	cp go.sum "$out/module.sum"
	{
		# The project's own go.mod replaces nothing: `go install` refuses a module with
		# replacements, and importers of translator get all of gjson.
		cat go.mod
		echo "replace github.com/tidwall/pretty => ./toolchain/pretty"
	} >"$out/module.mod"
	GOFLAGS="${GOFLAGS-} -modfile=$out/module.mod" patiently "building $out/app.wasm" "${tinygo[@]}" \
		-gc=leaking -scheduler=asyncify -stack-size=10.25KB -opt=s -panic=print -no-debug \
		-ldflags="-extldflags '-z stack-size=9216'" "$@" -o "$out/app.wasm" ./worker
	rm "$out"/module.*
	pack "$out"
	echo "$stamp" >"$out/.stamp"
}

# pack compresses the files of the page into $1/page, and writes $1/pages.mjs for the worker to
# import. If no file has changed, pack does nothing. worker/page has a folder for each view, but all
# files are served from /page/, so an import from another folder loses the folder's name. Lines that
# are comments stay out: each browser would load them.
pack() {
	local out=$1 file name stamp imports='' table='' n=0
	stamp=$(hash toolchain/module.sh worker/page/*/* "$out"/views/* \
		worker/workerd/{gojs,exchange}.mjs worker/admin/openapi.json "$out/app.wasm" | hash)
	if [[ -f $out/pages.mjs && -d $out/page && -f $out/.packed && $(<"$out/.packed") == "$stamp" ]]; then
		return
	fi
	writable_build "$out"
	rm -rf "$out/page" "$out/.packed"
	mkdir "$out/page"
	for file in worker/page/*/* "$out"/views/* worker/workerd/{gojs,exchange}.mjs \
		worker/admin/openapi.json "$out/app.wasm"; do
		name=${file##*/}
		[[ ! -e $out/page/$name.bin ]] || fail "$file: another file of the page has this name"
		if [[ $file == worker/page/*.mjs || $file == "$out"/views/*.mjs ]]; then
			sed -e 's|"\.\./[a-z]*/|"./|' -e '/^ *\/\//d' "$file"
		else
			cat "$file"
		fi | gzip -9nc >"$out/page/$name.bin"
		n=$((n + 1))
		imports+="import f$n from \"./page/$name.bin\";"$'\n'
		table+="  \"$name\": f$n,"$'\n'
	done
	printf '// Made by build.sh of worker/page and translator/*/page.mjs.\n%sexport const files = {\n%s};\n' \
		"$imports" "$table" >"$out/pages.mjs"
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
	# The budget is for the code of this project. The libc and LLVM of a release of TinyGo differ,
	# and so does the size.
	if [[ ${tinygo[*]} == *"-target wasm" ]]; then
		say "$over, which is for the TinyGo that build.sh builds"
	else
		fail "$over"
	fi
}

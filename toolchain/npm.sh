# Installs the npm and Debian packages for the tests and wrangler. Sourced by build.sh.
# shellcheck shell=bash

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

# clients installs the command-line clients that e2e/clients/clients.test.mjs runs, and the SDKs of
# sdks.test.mjs, unless they are installed. --full also runs the clients of e2e/clients/full, 1.3 GB,
# and the SDKs of e2e/sdks/full, 870 MB.
clients() {
	extra e2e/clients
	extra e2e/sdks
	[[ -z ${FULL-} ]] || extra e2e/clients/full
	[[ -z ${FULL-} ]] || extra e2e/sdks/full
}

# extra installs the packages of a folder for some tests, unless they are installed. The scripts of
# the packages do not run: Grok Build's would install a program into the user's home. If npm lacks a
# package, its test is skipped with a message. `npm ci` would refuse the lock file if npm lacks Grok
# Build's package for another platform.
extra() {
	local stamp modules=$1/node_modules
	stamp=$(hash "$1/package-lock.json")
	if [[ -f $modules/.stamp && $(<"$modules/.stamp") == "$stamp" ]]; then return; fi
	say "installing the packages of $1/package-lock.json"
	# The folders have separate lock files: the clients take 1.3 GB, too much for a run of wrangler.
	# The tests run the scripts that put programs in place.
	if npm install --prefix "$1" --no-save --ignore-scripts --no-audit --no-fund \
		--loglevel=error >&2; then
		echo "$stamp" >"$modules/.stamp"
	else
		say "npm lacks them: no test runs them"
	fi
}

# browser makes sure that a browser for the tests of the page is installed, under one of the names
# that e2e/lib/browser.mjs tries. On Debian it installs the headless shell of Chromium.
browser() {
	local name
	for name in "${CHROMIUM:-chromium-headless-shell}" chromium chromium-browser \
		google-chrome google-chrome-stable chrome; do
		if command -v "$name" >/dev/null; then return; fi
	done
	command -v apt-get >/dev/null || fail "Chromium is needed for the tests of the page:" \
		"install it, or name it with the variable CHROMIUM."
	toolchain/bootstrap.sh browser
}

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

# clients installs the clients that e2e/clients/clients.test.mjs runs, unless they are installed: with
# FULL also the large ones in e2e/clients/full. The scripts of their packages do not run: Grok
# Build's would install a program into the user's home. If npm lacks a client, its test is skipped
# with a message. `npm ci` would refuse the lock file if npm lacks Grok Build's package for another
# platform. The clients have separate lock files: they take 1.5 GB, too much for a run of wrangler.
# The tests run the scripts that put programs in place.
clients() {
	local folder stamp
	for folder in e2e/clients ${FULL:+e2e/clients/full}; do
		stamp=$(hash "$folder/package-lock.json")
		if [[ -f $folder/node_modules/.stamp && $(<"$folder/node_modules/.stamp") == "$stamp" ]]; then
			continue
		fi
		say "installing the clients of $folder/package-lock.json"
		if npm install --prefix "$folder" --no-save --ignore-scripts --no-audit --no-fund \
			--loglevel=error >&2; then
			echo "$stamp" >"$folder/node_modules/.stamp"
		else
			say "npm lacks them: no test runs them"
		fi
	done
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

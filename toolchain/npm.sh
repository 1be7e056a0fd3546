# Installs what the tests and wrangler need from npm and Debian. Sourced by build.sh.
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

# clients installs the command-line clients that e2e/clients/clients.test.mjs runs, unless they are installed. Their packages' scripts do not
# run: Grok Build's would put its program into the user's home. Where npm lacks a client, the test skips it, and says so. `npm ci` would
# refuse the lock file where npm lacks Grok Build's package for another platform.
clients() {
	local stamp modules=e2e/clients/node_modules
	stamp=$(hash e2e/clients/package-lock.json)
	if [[ -f $modules/.stamp && $(<$modules/.stamp) == "$stamp" ]]; then return; fi
	say "installing the clients of e2e/clients/package-lock.json"
	if npm install --prefix e2e/clients --no-save --ignore-scripts --no-audit --no-fund --loglevel=error >&2; then
		echo "$stamp" >$modules/.stamp
	else
		say "npm lacks them: no test runs them"
	fi
}

# browser makes sure that the tests of the page have a browser: one of the names that e2e/lib/browser.mjs tries, or Debian's headless
# shell of Chromium.
browser() {
	local name
	for name in "${CHROMIUM:-chromium-headless-shell}" chromium chromium-browser google-chrome google-chrome-stable chrome; do
		if command -v "$name" >/dev/null; then return; fi
	done
	command -v apt-get >/dev/null || fail "Chromium is needed for the tests of the page: install it, or name it with the variable CHROMIUM."
	toolchain/bootstrap.sh browser
}

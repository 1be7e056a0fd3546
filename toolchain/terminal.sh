# Output to the terminal, and small helpers. Sourced by build.sh.
# shellcheck shell=bash

if [[ -t 2 && -z ${NO_COLOR-} ]]; then
	bold=$'\e[1m' red=$'\e[31m' plain=$'\e[0m'
else
	bold='' red='' plain=''
fi
say() { printf '%s==>%s %s\n' "$bold" "$plain" "$*" >&2; }
fail() {
	printf '%sbuild.sh: %s%s\n' "$red" "$*" "$plain" >&2
	exit 1
}

# The trap ends background processes with the script: they ignore Ctrl-C in bash. A leading "-"
# marks a process group.
ticker='' host='' background=''
trap 'kill -- $ticker $host $background 2>/dev/null || true' EXIT
# Some commands end after Ctrl-C with an ordinary exit code, which a caller may handle.
trap 'exit 130' INT

# patiently LABEL COMMAND... runs a slow command. At a terminal the line of the label counts the
# seconds, and the command's stderr is printed above this line.
patiently() {
	local label=$1 line code=0
	shift
	if [[ ! -t 2 || ${TERM-} == dumb ]]; then
		say "$label"
		"$@"
		return
	fi
	SECONDS=0
	while kill -0 $$ 2>/dev/null; do
		printf '\r\e[K%s==>%s %s: %d s' "$bold" "$plain" "$label" "$SECONDS" >&2
		sleep 1
	done &
	ticker=$!
	{ "$@" 2>&1 >&3 | while IFS= read -r line; do printf '\r\e[K%s\n' "$line" >&2; done; } 3>&1 || code=$?
	kill "$ticker" 2>/dev/null || true
	wait "$ticker" 2>/dev/null || true
	ticker=''
	printf '\r\e[K%s==>%s %s: %d s\n' "$bold" "$plain" "$label" "$SECONDS" >&2
	return "$code"
}

# hash prints the SHA-256 of its input, or of each file among its arguments.
hash() {
	if command -v sha256sum >/dev/null; then sha256sum "$@"; else shasum -a 256 "$@"; fi
}

need() {
	command -v "$1" >/dev/null || fail "$1 is not installed. $2"
}

# at_least reports whether version $2 is $1 or later.
at_least() {
	[[ $(printf '%s\n' "$1" "$2" | sort -V | head -n 1) == "$1" ]]
}

# writable makes the folder $1. $2 is the advice for the user if the folder can't be written to.
writable() {
	mkdir -p "$1" 2>/dev/null && [[ -w $1 ]] || fail "can't write to the folder $1. $2"
}

writable_cache() {
	writable "$cache" "Name another one with the variable XDG_CACHE_HOME."
}

# writable_build checks the folder $1, which a build is about to change, and the folders in it: a
# run as root may have left them.
writable_build() {
	local folder
	writable "$1" "Remove it, or make it yours."
	for folder in "$1"/*/; do
		[[ ! -d $folder ]] || writable "$folder" "Remove $1, or make it yours."
	done
}

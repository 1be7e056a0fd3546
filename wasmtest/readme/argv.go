package readme

import "regexp"

var (
	block  = regexp.MustCompile("(?ms)^```sh\n(.*?)^```$")
	inline = regexp.MustCompile("`((?:\\./build\\.sh|edgelingua|curl|npx|docker|[A-Z_]+=)[^`]*)`")
	// unseen matches the parts of a command that no process has in its arguments: variables before
	// the program, and here-strings of the shell.
	unseen = regexp.MustCompile(`(?m)^(?:export +.*|(?:[A-Z_]+=(?:'[^']*'|\S*) +)+)|<<<('[^']*'|"[^"]*"|\S+)`)
	// inArgv matches arguments with the form of a key: a secret's value, a key made by a vendor or
	// by edgelingua, and the value of a header, which is the group.
	inArgv = regexp.MustCompile(`--?secret[ =]['"]?\w+=[^@'"\s]\S*|--?var[ ` +
		`=]['"]?\w+_KEY=\S+|\b(?:sk-|gsk_|el_\w+_)[\w.-]+|` +
		`(?i:x-api-key|authorization) *: *(?:Bearer +)?([^\s'"]+)`)
)

// Commands returns the commands of a Markdown document: the lines of shell blocks, and code in the
// text that begins like a command.
func Commands(text string) (commands []string) {
	for _, found := range block.FindAllStringSubmatch(text, -1) {
		commands = append(commands, found[1])
	}
	for _, found := range inline.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
		commands = append(commands, found[1])
	}
	return commands
}

// KeysInArgv returns the arguments of a command that have the form of a key: every user of the
// machine can read arguments. The demo's key does not count.
func KeysInArgv(command string) (keys []string) {
	for _, found := range inArgv.FindAllStringSubmatch(unseen.ReplaceAllString(command, ""), -1) {
		if found[1] != "demo" {
			keys = append(keys, found[0])
		}
	}
	return keys
}

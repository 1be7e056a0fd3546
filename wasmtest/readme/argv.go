package readme

import "regexp"

var (
	block  = regexp.MustCompile("(?ms)^```sh\n(.*?)^```$")
	inline = regexp.MustCompile("`((?:\\./build\\.sh|edgelingua|curl|npx|docker|[A-Z_]+=)[^`]*)`")
	// unseen are the parts of a command that are in no process's arguments: variables before its
	// program, and what a shell writes into its standard input.
	unseen = regexp.MustCompile(`(?m)^(?:export +.*|(?:[A-Z_]+=(?:'[^']*'|\S*) +)+)|<<<('[^']*'|"[^"]*"|\S+)`)
	// inArgv are what has the form of a key among the arguments: a secret's value, what a vendor or
	// edgelingua has made, and the value of a header, which is the group.
	inArgv = regexp.MustCompile(`--?secret[ =]['"]?\w+=[^@'"\s]\S*|--?var[ ` +
		`=]['"]?\w+_KEY=\S+|\b(?:sk-|gsk_|el_\w+_)[\w.-]+|` +
		`(?i:x-api-key|authorization) *: *(?:Bearer +)?([^\s'"]+)`)
)

// Commands returns the commands of a document in Markdown: those of its blocks for a shell, and
// what stands in a text as code and begins like one.
func Commands(text string) (commands []string) {
	for _, found := range block.FindAllStringSubmatch(text, -1) {
		commands = append(commands, found[1])
	}
	for _, found := range inline.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
		commands = append(commands, found[1])
	}
	return commands
}

// KeysInArgv returns what a command hands to a program as arguments and has the form of a key:
// every user of the machine can read it. The key of the demo is none.
func KeysInArgv(command string) (keys []string) {
	for _, found := range inArgv.FindAllStringSubmatch(unseen.ReplaceAllString(command, ""), -1) {
		if found[1] != "demo" {
			keys = append(keys, found[0])
		}
	}
	return keys
}

// Command words checks how the comments and documents of the repository read.
//
//	go -C toolchain run ./words [DIR]
//
// A comment full of pronouns makes its reader look for the nouns. The command counts pronouns and
// relatives among the words of comments and documents, and fails if they are more than 6 % in a
// folder or more than 5 % in all folders together. Measured the same way, connect-go 1.21.1 has
// 3.3 %, hpack (x/net 0.62.0) 3.2 %, wazero 1.12.0 3.5 %, caddy 2.11.9 4.1 %, expfmt 0.73.1 2.8 %
// and jsontext (Go 1.26) 4.0 %. A folder with fewer than 300 words counts with the folder above.
//
// The command also fails for a line of more than 110 columns. A tab has 4 columns. Lines of test
// data may be longer: files in testdata, and lines of tests with a string, a pattern or JSON.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

const (
	folderLimit = 6 // percent
	totalLimit  = 5 // percent
	fewWords    = 300
)

func main() {
	root := ".."
	if len(os.Args) > 1 {
		root = os.Args[1]
	}
	complaints, summary, err := check(root)
	if err != nil {
		fmt.Fprintln(os.Stderr, "words:", err)
		os.Exit(1)
	}
	for _, c := range complaints {
		fmt.Println(c)
	}
	fmt.Println(summary)
	if len(complaints) > 0 {
		os.Exit(1)
	}
}

// check reads all files of the work tree at root that Git lists. The result has a complaint for
// each line over the limit and for each folder over the limit, and one line with the totals.
func check(root string) (complaints []string, summary string, err error) {
	out, err := exec.Command("git", "-C", root, "ls-files", "-z").Output()
	if err != nil {
		return nil, "", fmt.Errorf("git ls-files: %w", err)
	}
	folders := map[string]*tally{}
	for name := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
		if strings.Contains(name, "testdata/") || kindOf(name) == "" || path.Base(name) == "CHANGELOG.md" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		if os.IsNotExist(err) {
			continue // deleted in the work tree
		}
		if err != nil {
			return nil, "", err
		}
		file := read(name, string(text))
		for _, line := range file.long {
			complaints = append(complaints, fmt.Sprintf("%s:%d has more than %d columns", name, line,
				columns))
		}
		dir := path.Dir(name)
		if folders[dir] == nil {
			folders[dir] = &tally{}
		}
		folders[dir].add(file.tally)
	}
	total := tally{}
	for _, t := range folders {
		total.add(*t)
	}
	for _, dir := range mergeSmall(folders) {
		if t := folders[dir]; t.pronouns*100 > t.words*folderLimit {
			complaints = append(complaints,
				fmt.Sprintf("%s/ has %.1f %% pronouns and relatives, more than %d %%",
					dir, t.share(), folderLimit))
		}
	}
	if total.pronouns*100 > total.words*totalLimit {
		complaints = append(complaints,
			fmt.Sprintf("all folders have %.1f %% pronouns and relatives, more than %d %%",
				total.share(), totalLimit))
	}
	return complaints, fmt.Sprintf("%d words of comments and documents, %.1f %% pronouns and relatives",
		total.words, total.share()), nil
}

// mergeSmall adds folders with few words to the folders above them, and returns the names of the
// folders that are left, sorted.
func mergeSmall(folders map[string]*tally) []string {
	names := []string{}
	for name := range folders {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return strings.Count(b, "/") - strings.Count(a, "/") })
	for i := 0; i < len(names); i++ {
		t := folders[names[i]]
		if t.words >= fewWords || names[i] == "." {
			continue
		}
		above := path.Dir(names[i])
		if folders[above] == nil {
			folders[above] = &tally{}
			names = append(names, above)
		}
		folders[above].add(*t)
		delete(folders, names[i])
	}
	names = slices.DeleteFunc(names, func(name string) bool { return folders[name] == nil })
	slices.Sort(names)
	return names
}

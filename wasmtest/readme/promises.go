package readme

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Promises checks the table of SECURITY.md that names the tests of each promise. promises is the
// text of the section with the promises, one per list item, and table the text of the section with
// the table. A row's first cell is the beginning of its promise. Promises returns what is wrong:
// promises without a row, rows without a promise or a test, and tests that do not exist in the
// repository at root.
func Promises(root, promises, table string) (wrong []string, err error) {
	tests, err := testsOf(root)
	if err != nil {
		return nil, err
	}
	var items []string
	for _, item := range listItem.FindAllString(promises, -1) {
		items = append(items, strings.Join(strings.Fields(item[2:]), " "))
	}
	held := map[string]int{} // number of rows by promise
	for _, row := range tableRow.FindAllStringSubmatch(table, -1) {
		found := ""
		for _, item := range items {
			if !strings.HasPrefix(item, row[1]) {
				continue
			}
			if found != "" {
				wrong = append(wrong, fmt.Sprintf("two promises begin with %q", row[1]))
			}
			found = item
		}
		if found == "" {
			wrong = append(wrong, fmt.Sprintf("no promise begins with %q", row[1]))
		}
		held[found]++
		names := quotedTest.FindAllStringSubmatch(row[2], -1)
		if len(names) == 0 {
			wrong = append(wrong, fmt.Sprintf("%q names no test", row[1]))
		}
		for _, name := range names {
			if !tests[name[1]] {
				wrong = append(wrong, fmt.Sprintf("%q: there is no test %s", row[1], name[1]))
			}
		}
	}
	for _, item := range items {
		if n := held[item]; n != 1 {
			wrong = append(wrong, fmt.Sprintf("the promise %.60q has %d rows in the table", item, n))
		}
	}
	return wrong, nil
}

var (
	listItem   = regexp.MustCompile(`(?m)^- .*(?:\n  .*)*`)
	tableRow   = regexp.MustCompile("(?m)^\\| ([^-|][^|]*?) \\| ([^|]*`[^|]*|) ?\\|$")
	quotedTest = regexp.MustCompile("`([^`]+)`")
	goTest     = regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\)`)
	nodeTest   = regexp.MustCompile(`(?m)^\s*(?:test|describe)\("((?:[^"\\]|\\.)*)"`)
)

// testsOf returns the names of all tests: FOLDER.TestNAME in Go, FILE: NAME in e2e/.
func testsOf(root string) (map[string]bool, error) {
	tests := map[string]bool{}
	for _, folder := range []string{"worker", "translator", "wasmtest", "e2e", "release"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, entry os.DirEntry,
			err error) error {
			switch {
			case err != nil:
				return err
			case entry.Name() == "node_modules" || entry.Name() == "testdata":
				return filepath.SkipDir
			case !strings.HasSuffix(path, "_test.go") && !strings.HasSuffix(path, ".test.mjs"):
				return nil
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for _, found := range goTest.FindAllStringSubmatch(string(text), -1) {
				tests[filepath.Base(filepath.Dir(path))+"."+found[1]] = true
			}
			file, _ := filepath.Rel(filepath.Join(root, "e2e"), strings.TrimSuffix(path, ".test.mjs"))
			for _, found := range nodeTest.FindAllStringSubmatch(string(text), -1) {
				tests[filepath.ToSlash(file)+": "+found[1]] = true
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return tests, nil
}

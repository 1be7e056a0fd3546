package readme

import (
	"fmt"
	"strings"
)

// Replace returns a text with a new section of a name. The section is between two comments.
func Replace(text, name, section string) (string, error) {
	begin, end := "<!-- begin "+name+" -->\n", "<!-- end "+name+" -->\n"
	before, rest, found := strings.Cut(text, begin)
	if !found {
		return "", fmt.Errorf("there is no %s", strings.TrimSpace(begin))
	}
	_, after, found := strings.Cut(rest, end)
	if !found {
		return "", fmt.Errorf("there is no %s", strings.TrimSpace(end))
	}
	return before + begin + section + end + after, nil
}

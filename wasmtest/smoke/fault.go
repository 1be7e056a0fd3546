package smoke

import "strings"

// fault is the reason why a check failed.
type fault struct{ expected, got string }

func (f *fault) Error() string { return "expected " + f.expected + ", got " + f.got }

// fail ends the running check.
func fail(expected string, got any) { panic(&fault{expected, show(got)}) }

// attempt runs a check and returns the fault that ended the check, or nil.
func attempt(check func()) (f *fault) {
	defer func() {
		if v := recover(); v != nil {
			var ok bool
			if f, ok = v.(*fault); !ok {
				panic(v)
			}
		}
	}()
	check()
	return nil
}

// maxShown bounds how much of an answer is shown, in characters.
const maxShown = 240

// show returns a value in one line: a string unchanged, other values as JSON.
func show(v any) string {
	text, ok := v.(string)
	if !ok {
		text = encode(v)
	}
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > maxShown {
		text = string(runes[:maxShown]) + " ..."
	}
	return text
}

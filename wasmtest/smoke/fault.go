package smoke

import "edgelingua/wasmtest/conform"

// fault is the reason why a check failed.
type fault struct{ expected, got string }

func (f *fault) Error() string { return "expected " + f.expected + ", got " + f.got }

// fail ends the running check.
func fail(expected string, got any) { panic(&fault{expected, conform.Show(got)}) }

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

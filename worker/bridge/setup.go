//go:build js && wasm

package bridge

// Setup says in a line what the settings of the deployment come to; wrong: why it can't serve.
var Setup func() (line string, wrong bool)

//export setup
func setup() int32 {
	line, wrong := Setup()
	return result([]byte(line), wrong)
}

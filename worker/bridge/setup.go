//go:build js && wasm

package bridge

// Setup says in a line what the settings of the deployment come to.
var Setup func() string

//export setup
func setup() int32 { return result([]byte(Setup()), false) }

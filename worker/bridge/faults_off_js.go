//go:build js && wasm && !faults

package bridge

func faultAtPush() {}

func faultAtEnd() {}

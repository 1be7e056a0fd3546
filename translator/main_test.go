package translator_test

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestMain lets the heap grow to five times the live memory before a collection. The tests make
// many short-lived values, and with the default of two times TestCorpus takes a quarter more CPU
// time.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}

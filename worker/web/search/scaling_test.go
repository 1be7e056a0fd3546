//go:build unix

package search

import (
	"slices"
	"strings"
	"testing"

	"edgelingua/wasmtest/scaling"
)

// TestScaling: the CPU time of a provider's answer grows about linearly, whatever repeats in it.
func TestScaling(t *testing.T) {
	scaling.Check(t, func(yield func(scaling.Case) bool) {
		for name, answer := range answers {
			for _, place := range scaling.Places(answer) {
				for _, in := range place.Inputs(strings.HasPrefix(place.Path, ".results")) {
					if !yield(scaling.Case{Name: name + in.Name, Of: func(size int) func() {
						body := slices.Clip([]byte(in.Of(size)))
						q := &Query{Blocked: []string{"b.example"}}
						return func() { (&Provider{Name: name}).Read(q, 200, body) }
					}}) {
						return
					}
				}
			}
		}
	})
}

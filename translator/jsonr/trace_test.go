//go:build checkreader

package jsonr

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLeftEarly leaves the inner one of two loops early. The outer loop may end, but not read on.
func TestLeftEarly(t *testing.T) {
	read := func(readOn bool) (keys []string) {
		r := NewReader(`{"a":[[1,2],3],"b":4}`)
		for r.OpenObject(); r.Member(); {
			keys = append(keys, r.Key())
			for r.OpenArray(); r.Element(); {
				break
			}
			if !readOn {
				break
			}
		}
		return keys
	}
	require.Equal(t, []string{"a"}, read(false))
	require.Panics(t, func() { read(true) })
}

// TestCopy reads on with a copy, and then with the Reader itself.
func TestCopy(t *testing.T) {
	r := NewReader(`[1,[2,3],4]`)
	r.OpenArray()
	for n := 0; r.Element(); n++ {
		for c := r.Copy(); c.Element(); {
			n++
		}
		for r.OpenArray(); r.Element(); {
		}
	}
	require.Equal(t, Missing, r.Kind())
}

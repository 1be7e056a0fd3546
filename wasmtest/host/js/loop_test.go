package js

import (
	"runtime"
	"testing"
	"time"
	"weak"

	"github.com/stretchr/testify/assert"
)

// TestTimersAfterTheEnd: a loop that has ended is not retained by its timers.
func TestTimersAfterTheEnd(t *testing.T) {
	ended := func() weak.Pointer[Loop] {
		l := NewLoop()
		timers := []*Timer{}
		for range 4 {
			timers = append(timers, l.After(time.Hour, func() { panic("the loop has ended") }))
		}
		assert.True(t, timers[1].End())
		assert.False(t, timers[1].End(), "twice")
		l.Post(func() {})
		assert.NoError(t, l.Run(func() bool { return true }))
		for _, timer := range timers {
			assert.False(t, timer.End())
		}
		return weak.Make(l)
	}()
	runtime.GC()
	assert.Nil(t, ended.Value())
}

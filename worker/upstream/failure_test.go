package upstream

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestRetryAfter(t *testing.T) {
	for value, want := range map[string]int64{"7": 7, "1.5": 2, "0.2": 1, "0": 0, "-1": 0, "": 0, "NaN": 0,
		"Inf": 0, "1e9": 0, "soon": 0, "Fri, 31 Dec 2027 23:59:59 GMT": 0} {
		assert.Equal(t, want, RetryAfter("date: x\nretry-after: "+value+"\n"), value)
	}
	assert.Zero(t, RetryAfter("date: x\n"))
}

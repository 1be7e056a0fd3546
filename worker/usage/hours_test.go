package usage

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/tidwall/gjson"
)

// TestHours: each request also counts in its hour, for eight days. An owner sees the own key's id only.
func TestHours(t *testing.T) {
	o := newObject(t)
	read := func(at Clock, span Span, own string) gjson.Result {
		return gjson.ParseBytes(Append(nil, o.Run(Read(at, span, own, 0)), span.Hours, &Limits{}))
	}
	for _, at := range []Clock{start - 1, start, start + 3599, start + 3600} {
		o.close(Request{Model: "m", Key: "k", Clock: at}, Outcome{Cost: 1e9, First: 100, Total: 200})
	}
	o.close(Request{Model: "m", Key: "l", Clock: start + 3601}, Outcome{Cost: Unknown, Status: 500})
	seen := read(start+3700, Span{Days: 2, Hours: true}, "")
	const midnight = int64(start)
	assert.Equal(t, "["+strconv.FormatInt(midnight-3600, 10)+","+strconv.FormatInt(midnight, 10)+","+
		strconv.FormatInt(midnight+3600, 10)+","+strconv.FormatInt(midnight+3600, 10)+"]",
		seen.Get("hours.#.time").Raw)
	assert.Equal(t, "[1,2,1,1]", seen.Get("hours.#.requests").Raw)
	assert.Equal(t, "[1,2,1,0]", seen.Get("hours.#.usd").Raw)
	assert.Equal(t, "[0,0,0,1]", seen.Get("hours.#.unpriced").Raw)
	assert.Equal(t, `{"112":2}`, seen.Get("hours.1.first_byte_ms").Raw)
	assert.Equal(t, `["k","k","k","l"]`, seen.Get("hours.#.key").Raw)
	assert.Equal(t, midnight+3599, seen.Get("hours.1.last_used").Int())
	assert.Equal(t, "[1,3,1]", seen.Get("days.#.requests").Raw)
	assert.Equal(t, `["","","","l"]`, read(start+3700, Span{Days: 2, Hours: true}, "l").Get("hours.#.key").Raw)
	assert.False(t, read(start+3700, Span{Days: 2}, "").Get("hours").Exists())
	assert.Equal(t, "[1]", read(start+3700, Span{From: "2026-11-20", To: "2026-11-20", Hours: true},
		"").Get("hours.#.requests").Raw)

	o.close(Request{Model: "m", Clock: start + 192*3600}, Outcome{})
	assert.Equal(t, "[1,1,1]", read(start+192*3600, Span{Days: 90, Hours: true}, "").Get("hours.#.requests").Raw)
}

// TestHoursAreBounded: the models of an hour beyond 100 are one row.
func TestHoursAreBounded(t *testing.T) {
	o := newObject(t)
	for i := range 120 {
		o.close(Request{Model: strconv.Itoa(i), Clock: start}, Outcome{})
	}
	span := Span{Days: 1, Hours: true}
	seen := gjson.ParseBytes(Append(nil, o.Run(Read(start, span, "", 0)), true, &Limits{}))
	assert.Len(t, seen.Get("hours").Array(), 101)
	assert.Equal(t, int64(20), seen.Get(`hours.#(model="other").requests`).Int())
}

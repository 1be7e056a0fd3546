package host

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// laneFrames are frames and their lanes.
var laneFrames = map[string]string{
	`{}`:                "",
	`{"stream_id":"a"}`: "a",
	` { "x":[1,{"stream_id":"no"}] , "stream_id" : "Main.1_a-b" , "y":"}" }`: "Main.1_a-b",
	`{"input":"\"stream_id\":\"no\"","stream_id":"a"}`:                       "a",
	`{"stream_id":"a","stream_id":"b"}`:                                      "b",
	`{"stream_id":"a","stream_id":null}`:                                     "",
	`{"stream_id":""}`:                                                       "",
	`{"stream_id":"a b"}`:                                                    "",
	`{"stream_id":7}`:                                                        "",
	`{"stream\u005fid":"a"}`:                                                 "",
	`{"stream_id":"` + strings.Repeat("x", 256) + `"}`:                       strings.Repeat("x", 256),
	`{"stream_id":"` + strings.Repeat("x", 257) + `"}`:                       "",
	`["stream_id"]`:                                                          "",
	`{"stream_id"`:                                                           "",
}

// TestLaneOf: a frame in pieces has the lane of the whole frame.
func TestLaneOf(t *testing.T) {
	for frame, lane := range laneFrames {
		assert.Equal(t, lane, laneOf([]byte(frame)), frame)
		for cut := range len(frame) {
			var scan laneScan
			scan.push([]byte(frame[:cut]))
			scan.push([]byte(frame[cut:]))
			require.Equal(t, lane, scan.lane(), "%s at %d", frame, cut)
		}
	}
}

// FuzzLaneOf: for any JSON the two ways to find the lane agree.
func FuzzLaneOf(f *testing.F) {
	for frame := range laneFrames {
		f.Add(frame)
	}
	f.Fuzz(func(t *testing.T, frame string) {
		var scan laneScan
		scan.push([]byte(frame))
		lane := scan.lane()
		if json.Valid([]byte(frame)) {
			require.Equal(t, laneOf([]byte(frame)), lane)
		}
	})
}

package translator_test

import (
	"bytes"
	"encoding/json"
	"sort"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/translator/sse"
	"edgelingua/wasmtest/answers"
)

// maxEveryByte is the maximum size in bytes of a stream that is cut at every byte. A larger stream
// is cut only after every event, since the work grows with the square.
const maxEveryByte = 700

// checkTruncated cuts an answer's stream off and checks that the client learns of the cut: its
// stream follows its grammar and ends as a failure, unless the upstream has already said why it
// stopped. A plain answer from the same stream fails at the same cuts (FAULTS 39, 40).
func checkTruncated(t *testing.T, x *translator.Exchange, stream, whole []byte) {
	upstream := x.Upstream()
	closed := sort.Search(len(stream), func(i int) bool { return saysWhy(t, upstream, stream[:i], true) })
	reset := sort.Search(len(stream), func(i int) bool { return saysWhy(t, upstream, stream[:i], false) })
	ends := !isFailure(x, answers.Frames(t, whole))
	seen := map[string]bool{} // the outputs so far: most cuts inside an event give the same
	for i := range stream {
		boundary := bytes.HasSuffix(stream[:i], []byte("\n\n"))
		if !boundary && len(stream) > maxEveryByte {
			continue
		}
		for _, cause := range []*ir.Error{nil, {Kind: ir.Unavailable, Message: "The connection was reset."}} {
			s := again(x).Stream()
			out, done := s.Push(bytes.Clone(stream[:i]))
			require.True(t, bytes.HasPrefix(whole, out), "a cut at %d changes what came before: %s", i, out)
			out = append(bytes.Clone(out), s.Close(cause)...)
			// the translator itself ended the answer at a stop sequence
			stopped := len(x.Request.Stop) > 0 && (done || bytes.Equal(out, whole))
			says := stopped || i >= reset || cause == nil && i >= closed
			key := string(out)
			if says {
				key += "!"
			}
			if seen[key] {
				continue
			}
			seen[key] = true
			answers.CheckStream(t, x.Request.API.Name, x.Request.StreamUsage, out)
			failed := isFailure(x, answers.Frames(t, lastEvents(out)))
			if !says {
				require.True(t, failed, "cut at %d, and a clean end: %s", i, out)
			} else if ends {
				require.False(t, failed, "cut at %d, behind the end: %s", i, out)
			}
			if cause == nil {
				body, failure := again(x).AppendFolded(nil, stream[:i])
				require.Equal(t, failed, failure != nil, "cut at %d, streamed and plain differ: %s", i, body)
			}
		}
	}
}

// lastEvents returns the last two events of a stream.
func lastEvents(stream []byte) []byte {
	end := bytes.TrimSuffix(stream, []byte("\n\n"))
	for range 2 {
		end = end[:max(bytes.LastIndex(end, []byte("\n\n")), 0)]
	}
	return bytes.TrimLeft(stream[len(end):], "\n")
}

// checkCutBody cuts a plain answer off at every byte: each cut is a failure.
func checkCutBody(t *testing.T, x *translator.Exchange, body []byte) {
	if !json.Valid(body) {
		return
	}
	for i := range bytes.TrimSpace(body) {
		_, failure := again(x).AppendBody(nil, body[:i])
		require.NotNil(t, failure, "cut at %d", i)
	}
}

// again returns x for one more answer, with its own Lost.
func again(x *translator.Exchange) *translator.Exchange {
	y, _ := x.As(x.Request.API.Name)
	y.Request.Echo, y.Request.Legacy = x.Request.Echo, x.Request.Legacy
	return y
}

// isFailure reports whether a client's stream ends as a failure.
func isFailure(x *translator.Exchange, frames []answers.Frame) bool {
	last := frames[len(frames)-1]
	switch x.Request.API.Name {
	case "anthropic":
		return last.Name == "error"
	case "chat":
		return last.Data != "[DONE]"
	case "gemini":
		return last.JSON["error"] != nil
	case "interactions":
		return last.Name == "error"
	}
	return last.Name == "response.failed"
}

// saysWhy reports whether an upstream's stream says why the answer stopped. ended means that the
// connection was closed properly: the last event then needs no blank line after it.
func saysWhy(t *testing.T, upstream string, stream []byte, ended bool) bool {
	var r sse.Reader
	says, flat := false, false // flat: Cloudflare's older form, without choices, which only [DONE] ends
	read := func() {
		for name, data, ok := r.Next(); ok; name, data, ok = r.Next() {
			var event struct {
				Type    string
				Delta   struct{ Stop_reason string }
				Choices []struct {
					Index         int
					Finish_reason string
				}
				Finish_reason  string
				Response       any
				Candidates     []struct{ FinishReason string }
				PromptFeedback struct{ BlockReason string }
			}
			if data == "[DONE]" {
				says = says || flat
			}
			if json.Unmarshal([]byte(data), &event) != nil {
				continue
			}
			if event.Type == "" {
				event.Type = name
			}
			switch upstream {
			case "anthropic":
				says = says || event.Type == "message_stop" || event.Type == "message_delta" &&
					event.Delta.Stop_reason != ""
			case "chat":
				flat = flat || event.Response != nil
				says = says || flat && event.Finish_reason != ""
				for _, choice := range event.Choices {
					says = says || choice.Index == 0 && choice.Finish_reason != "" &&
						choice.Finish_reason != "null"
				}
			case "gemini":
				says = says || event.PromptFeedback.BlockReason != ""
				for _, candidate := range event.Candidates {
					says = candidate.FinishReason != ""
				}
			case "interactions":
				says = says || event.Type == "interaction.completed"
			case "responses":
				says = says || event.Response != nil && (event.Type == "response.completed" ||
					event.Type == "response.incomplete")
			}
		}
	}
	r.Push(stream)
	read()
	if ended {
		r.End()
		read()
	}
	require.NoError(t, r.Err())
	return says
}

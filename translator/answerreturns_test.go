package translator_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/translator/ir/irtest"
	"edgelingua/translator/jsonw"
)

// checkAnswerReturns reads the client's answer as if it were an upstream's answer; client and
// upstream speak the same protocol. The hub must hold the same blocks, calls, stop reason and
// usage, and a client must get the same bytes again. Differences by design:
//
//   - An unknown count of tokens is 0 for a client; in a stream of Messages an unknown input count
//     is an estimate. Chat has usage only if the client asked for usage.
//   - Messages limits the characters of ids (FAULTS 15). A call without arguments has {} (FAULTS
//     25).
//   - Chat has no form for a stop sequence, for a full context window, or for a citation's quote. In
//     Chat and Responses a citation without a range cites the whole block.
//   - Signatures of a Chat upstream reach Chat clients in another form: TestSecondTurn covers them.
//   - Messages has no calls with free text.
//   - Unsigned reasoning has ir.Unsigned in Responses.
//   - A call that a limit has cut has no form in Interactions.
//   - If a call was demanded, text instead of the call is buffered until the answer's end.
//   - A policy changes names and ids, and would change them once more.
func checkAnswerReturns(t *testing.T, x *translator.Exchange, stream, whole []byte) {
	// Gemini's filters have text
	if x.Upstream() == "gemini" && bytes.Contains(whole, []byte(`"SAFETY"`)) {
		return
	}
	if x.Upstream() != x.Request.API.Name || x.WatchesStops() || x.AsksInOtherWords() || x.Policy != nil {
		return
	}
	first, second := heardOf(again(x), stream), heardOf(again(x), whole)
	if x.Upstream() == "interactions" {
		first = withoutCutCalls(first)
	}
	end, secondEnd := &first[len(first)-1], &second[len(second)-1]
	if x.Upstream() == "chat" && !x.Request.StreamUsage {
		end.Usage = secondEnd.Usage
	}
	if end.Usage.Input == 0 && x.Upstream() == "anthropic" {
		secondEnd.Usage.Input = 0
	}
	require.Equal(t, first, second, "%s", whole)
	if end.Failure == "" && end.Usage.Input > 0 && !bytes.Contains(whole, []byte(`"reasoning_details"`)) {
		require.Equal(t, string(whole), string(pushed(again(x), whole, len(whole))))
	}
}

// heard is a block of an answer, or the answer's end.
type heard struct {
	Kind              ir.BlockKind
	CallID, Name      string
	Text              string
	Signature, Origin string
	Citations         []ir.Citation
	Raw               string
	Stop              ir.StopReason
	StopSequence      string
	Usage             ir.Usage
	Failure           string
}

// heardOf returns the blocks and the end of an answer, without values that its protocol can't
// express.
func heardOf(x *translator.Exchange, answer []byte) (list []heard) {
	var r irtest.Recorder
	translator.ForWorker(x).Record(&r, answer, false)
	for _, b := range r.Blocks() {
		h := heardBlock(x.Upstream(), &b)
		lacks := x.Upstream() == "chat" && h.Kind == ir.RedactedBlock ||
			x.Upstream() == "anthropic" && h.Kind == ir.CustomToolCallBlock
		if b.Stop.Kind != ir.BlockStop || !lacks {
			list = append(list, h)
		}
	}
	return append(list, heardEnd(x.Upstream(), r.Last()))
}

func heardBlock(protocol string, b *irtest.Block) heard {
	id := b.Start.CallID
	if protocol == "anthropic" && id != "" {
		id = ir.Identifier(id, 0)
	}
	h := heard{Kind: b.Start.Block, CallID: string(id), Name: string(b.Start.Name), Text: string(b.Text())}
	for _, ev := range b.Deltas {
		switch {
		case ev.Delta == ir.SignatureDelta && protocol != "chat" && ev.Text != ir.Unsigned:
			h.Signature, h.Origin = string(ev.Text), ev.Origin
		case ev.Delta == ir.CitationDelta:
			c := *ev.Citation
			if protocol == "chat" {
				c.Quote, c.Raw, c.Start, c.End = "", "", 0, 0
			}
			h.Citations = append(h.Citations, c)
		case ev.Delta == ir.OpaqueDelta:
			h.Raw = string(ev.Raw)
		}
	}
	if b.Stop.Kind != ir.BlockStop {
		return h
	}
	for i := range h.Citations {
		if c := &h.Citations[i]; c.Start < 0 && protocol == "responses" {
			c.Start, c.End = 0, int64(utf8.RuneCountInString(jsonw.Unescape(ir.Escaped(h.Text))))
		}
	}
	if h.Kind == ir.ToolCallBlock {
		if h.Text = strings.TrimSpace(jsonw.Unescape(ir.Escaped(h.Text))); h.Text == "" {
			h.Text = "{}"
		}
	}
	return h
}

func heardEnd(protocol string, ev ir.Event) heard {
	if ev.Kind == ir.Failure {
		return heard{Failure: ev.Err.Message}
	}
	u := ev.Usage
	end := heard{Stop: ev.Stop, StopSequence: string(ev.StopSequence), Usage: ir.Usage{
		Input: max(u.Input, 0), CacheRead: max(u.CacheRead, 0), CacheWrite: max(u.CacheWrite, 0),
		Output: max(u.Output, 0), Reasoning: max(u.Reasoning, 0),
	}}
	switch {
	case protocol == "chat" && end.Stop == ir.StopSequence:
		end.Stop, end.StopSequence = ir.EndTurn, ""
	case protocol != "anthropic" && end.Stop == ir.ContextWindow:
		end.Stop = ir.MaxTokens
	}
	return end
}

// withoutCutCalls returns a list without the calls whose arguments are not JSON.
func withoutCutCalls(list []heard) []heard {
	return slices.DeleteFunc(list, func(h heard) bool {
		return h.Kind == ir.ToolCallBlock && !json.Valid([]byte(h.Text))
	})
}

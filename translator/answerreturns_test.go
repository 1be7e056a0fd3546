package translator_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// checkAnswerReturns takes a client whose upstream speaks the same protocol, and reads what the client gets as if it were an
// upstream's answer: the hub then holds the same blocks, calls, stop reason and usage, and a client would get the same bytes
// again. Differences by design:
//
//   - An unknown count of tokens is 0 for a client; that of the input is an estimate in a stream of Messages. Chat has usage where
//     the client asked for it.
//   - Messages takes ids of its own characters only (FAULTS 15). A call without arguments has {} (FAULTS 25).
//   - Chat has no place for a stop sequence, for a full context window, or for the words that a citation quotes. A citation
//     without a range stands for the whole block, in Responses too.
//   - Signatures of a Chat upstream reach Chat clients in another form: TestSecondTurn covers them.
//   - Messages has no calls with free text.
//   - Reasoning that nobody signed has ir.Unsigned in Responses.
//   - Text in place of a call that was demanded is held back until the answer's end.
//   - A policy changes names and ids, and would change them once more.
func checkAnswerReturns(t *testing.T, x *translator.Exchange, stream, whole []byte) {
	if x.Upstream() == "gemini" && bytes.Contains(whole, []byte(`"SAFETY"`)) { // whose filters' words are text
		return
	}
	if x.Upstream() != x.Request.API.Name || x.WatchesStops() || x.AsksInOtherWords() || x.Policy != nil {
		return
	}
	first, second := &blocks{protocol: x.Upstream()}, &blocks{protocol: x.Upstream()}
	again(x).Record(first, stream, false)
	again(x).Record(second, whole, false)
	if n := len(first.list) - 1; x.Upstream() == "chat" && !x.Request.StreamUsage {
		first.list[n].Usage = second.list[len(second.list)-1].Usage
	}
	if first.list[len(first.list)-1].Usage.Input == 0 && x.Upstream() == "anthropic" {
		second.list[len(second.list)-1].Usage.Input = 0
	}
	require.Equal(t, first.list, second.list, "%s", whole)
	if end := first.list[len(first.list)-1]; end.Failure == "" && end.Usage.Input > 0 && !bytes.Contains(whole, []byte(`"reasoning_details"`)) {
		require.Equal(t, string(whole), string(pushed(again(x), whole, len(whole))))
	}
}

// blocks is a sink that gathers an answer's blocks, each as a whole, without what the protocol has no place for.
type blocks struct {
	protocol string
	list     []heard
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

func (b *blocks) Event(ev *ir.Event) {
	chat := b.protocol == "chat"
	switch ev.Kind {
	case ir.BlockStart:
		id := ev.CallID
		if b.protocol == "anthropic" && id != "" {
			id = ir.Identifier(id, 0)
		}
		b.list = append(b.list, heard{Kind: ev.Block, CallID: strings.Clone(string(id)), Name: strings.Clone(string(ev.Name))})
	case ir.Delta:
		switch block := &b.list[len(b.list)-1]; {
		case ev.Delta == ir.TextDelta:
			block.Text += strings.Clone(string(ev.Text))
		case ev.Delta == ir.SignatureDelta && !chat && ev.Text != ir.Unsigned:
			block.Signature, block.Origin = strings.Clone(string(ev.Text)), ev.Origin
		case ev.Delta == ir.CitationDelta:
			c := *ev.Citation
			c.URL, c.Title = ir.Escaped(strings.Clone(string(c.URL))), ir.Escaped(strings.Clone(string(c.Title)))
			c.Quote, c.Raw = ir.Escaped(strings.Clone(string(c.Quote))), ir.Raw(strings.Clone(string(c.Raw)))
			if chat {
				c.Quote, c.Raw, c.Start, c.End = "", "", 0, 0
			}
			block.Citations = append(block.Citations, c)
		case ev.Delta == ir.OpaqueDelta:
			block.Raw = strings.Clone(string(ev.Raw))
		}
	case ir.BlockStop:
		n := len(b.list) - 1
		for i := range b.list[n].Citations {
			if c := &b.list[n].Citations[i]; c.Start < 0 && b.protocol == "responses" {
				c.Start, c.End = 0, int64(utf8.RuneCountInString(jsonw.Unescape(ir.Escaped(b.list[n].Text))))
			}
		}
		if block := &b.list[n]; block.Kind == ir.ToolCallBlock {
			if block.Text = strings.TrimSpace(jsonw.Unescape(ir.Escaped(block.Text))); block.Text == "" {
				block.Text = "{}"
			}
		} else if chat && block.Kind == ir.RedactedBlock || b.protocol == "anthropic" && block.Kind == ir.CustomToolCallBlock {
			b.list = b.list[:n]
		}
	case ir.Finish:
		u := ev.Usage
		end := heard{Stop: ev.Stop, StopSequence: strings.Clone(string(ev.StopSequence)), Usage: ir.Usage{Input: max(u.Input, 0),
			CacheRead: max(u.CacheRead, 0), CacheWrite: max(u.CacheWrite, 0), Output: max(u.Output, 0), Reasoning: max(u.Reasoning, 0)}}
		switch {
		case chat && end.Stop == ir.StopSequence:
			end.Stop, end.StopSequence = ir.EndTurn, ""
		case b.protocol != "anthropic" && end.Stop == ir.ContextWindow:
			end.Stop = ir.MaxTokens
		}
		b.list = append(b.list, end)
	case ir.Failure:
		b.list = append(b.list, heard{Failure: ev.Err.Message})
	}
}

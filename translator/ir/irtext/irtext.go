// Package irtext writes events of the hub as text for people: in the section "events" of the
// corpus, in `replay`, and in tests. The edge program does not import irtext.
package irtext

import (
	"fmt"
	"strings"

	"edgelingua/translator/ir"
)

var blocks = [...]string{
	"", "text", "reasoning", "redacted", "refusal", "tool", "custom", "search", "hosted", "server",
	"compaction",
}

// Block returns the name of a kind of block.
func Block(kind ir.BlockKind) string { return blocks[kind] }

var stops = [...]string{
	"", "end_turn", "max_tokens", "stop_sequence", "tool_use", "refusal", "pause_turn", "context_window",
	"compacted",
}

// Stop returns the name of a stop reason.
func Stop(reason ir.StopReason) string { return stops[reason] }

// AppendLine appends an event as one short line, in the form of the section "events" of the corpus.
func AppendLine(dst []byte, ev *ir.Event) []byte {
	return append(append(dst, line(ev)...), '\n')
}

func line(ev *ir.Event) string {
	switch ev.Kind {
	case ir.Start:
		return fmt.Sprintf("start %s %s", ev.ID, ev.Model)
	case ir.BlockStart:
		words := fmt.Sprintf("  %s %s %s %s", Block(ev.Block), ev.ID, ev.CallID, ev.Name)
		return strings.TrimRight(words, " ")
	case ir.Delta:
		switch ev.Delta {
		case ir.SignatureDelta:
			return fmt.Sprintf("    signature of %s %q", ev.Origin, ev.Text)
		case ir.CitationDelta:
			c := ev.Citation
			return fmt.Sprintf("    citation %s %q %q %d-%d %s",
				c.URL, c.Title, c.Quote, c.Start, c.End, c.Raw)
		case ir.HostedDelta:
			h := ev.Hosted
			return fmt.Sprintf("    server %q name %q input %s found %q output %q failed %t",
				h.Server, h.Name, h.Input, h.FoundTools, h.Output, h.Failed)
		case ir.SummaryDelta:
			return fmt.Sprintf("    summary %q sealed %q", ev.Text, ev.Envelope)
		case ir.OpaqueDelta:
			return fmt.Sprintf("    %s", ev.Raw)
		}
		return fmt.Sprintf(`    "%s"`, ev.Text)
	case ir.BlockStop:
		return "  end"
	case ir.Finish:
		u := ev.Usage
		return fmt.Sprintf("finish %s input=%d read=%d written=%d output=%d reasoning=%d",
			Stop(ev.Stop), u.Input, u.CacheRead, u.CacheWrite, u.Output, u.Reasoning)
	case ir.Failure:
		return fmt.Sprintf("failure %d: %s", ev.Err.HTTPStatus(), ev.Err.Message)
	}
	return "?"
}

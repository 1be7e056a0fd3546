package irtest

import (
	"fmt"
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/ir/irtext"
)

// Line returns an event as one line, short enough for a table in a test: "tool call_1 search",
// `+{\"q\":1}`, "end", "finish tool_use". The lines of irtext describe whole answers: they have the
// usage, the IDs of blocks, and the status of a failure instead of its kind.
func Line(ev *ir.Event) string {
	switch ev.Kind {
	case ir.Start:
		return words("start", string(ev.ID), string(ev.Model))
	case ir.BlockStart:
		return words(irtext.Block(ev.Block), string(ev.CallID), string(ev.Name))
	case ir.Delta:
		return delta(ev)
	case ir.BlockStop:
		return words("end", ev.Code)
	case ir.Finish:
		return words("finish", irtext.Stop(ev.Stop), string(ev.StopSequence))
	case ir.Failure:
		return fmt.Sprintf("failure %v %s", ev.Err.Kind, ev.Err.Message)
	}
	return "no event"
}

func delta(ev *ir.Event) string {
	switch ev.Delta {
	case ir.TextDelta:
		return "+" + string(ev.Text)
	case ir.SignatureDelta:
		return fmt.Sprintf("signed %s by %s", ev.Text, ev.Origin)
	case ir.CitationDelta:
		c := ev.Citation
		where := fmt.Sprintf("(%s) %d-%d", c.Title, c.Start, c.End)
		return words("cites", string(c.URL), where, string(c.Quote), string(c.Raw))
	case ir.LogprobsDelta:
		return "logprobs " + string(ev.Raw)
	case ir.OpaqueDelta:
		return "opaque " + string(ev.Raw)
	case ir.HostedDelta:
		h := ev.Hosted
		return words("hosted", string(h.Server), string(h.Name), string(h.Input), string(h.Output))
	case ir.SummaryDelta:
		return words("summary", string(ev.Text), string(ev.Envelope))
	}
	return "no delta"
}

// words joins the non-empty strings with spaces.
func words(list ...string) string {
	kept := list[:0]
	for _, word := range list {
		if word != "" {
			kept = append(kept, word)
		}
	}
	return strings.Join(kept, " ")
}

func lines(events []ir.Event) (list []string) {
	for i := range events {
		list = append(list, Line(&events[i]))
	}
	return list
}

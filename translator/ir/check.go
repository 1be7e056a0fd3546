package ir

import "errors"

// Checker checks a sequence of events against the grammar of the package comment. The zero value is
// ready.
type Checker struct {
	started, ended bool
	open           BlockKind
	signed         bool // the open block has its signature: no more deltas may follow
}

// Check checks the next event. It returns nil if the event may follow here, else an error that says
// why not.
func (c *Checker) Check(ev *Event) error {
	if c.ended {
		return errors.New("ir: an event after the end")
	}
	if ev.Kind != Start && ev.Kind != Failure && !c.started {
		return errors.New("ir: an event before Start")
	}
	switch ev.Kind {
	case Start:
		if c.started {
			return errors.New("ir: a second Start")
		}
		c.started = true
	case BlockStart:
		if c.open != 0 {
			return errors.New("ir: BlockStart inside a block")
		}
		if ev.Block == 0 || ev.Block > CompactionBlock {
			return errors.New("ir: BlockStart without a kind")
		}
		if (ev.Block == ToolCallBlock || ev.Block == CustomToolCallBlock) && (ev.CallID == "" ||
			ev.Name == "") {
			return errors.New("ir: a tool call without id or name")
		}
		c.open, c.signed = ev.Block, false
	case Delta:
		if c.open == 0 {
			return errors.New("ir: Delta outside a block")
		}
		if !c.open.accepts(ev.Delta) {
			return errors.New("ir: a Delta of a kind that the block does not accept")
		}
		if c.signed {
			return errors.New("ir: a Delta after the signature")
		}
		c.signed = ev.Delta == SignatureDelta
		if c.signed && ev.Origin == "" {
			return errors.New("ir: a signature without an origin")
		}
		if (ev.Delta == CitationDelta) != (ev.Citation != nil) {
			return errors.New("ir: a citation in another Delta, or none in its own")
		}
	case BlockStop:
		if c.open == 0 {
			return errors.New("ir: BlockStop outside a block")
		}
		c.open = 0
	case Finish:
		if c.open != 0 {
			return errors.New("ir: Finish inside a block")
		}
		if ev.Stop == 0 || ev.Stop > Compacted {
			return errors.New("ir: Finish without a stop reason")
		}
		c.ended = true
	case Failure:
		if ev.Err == nil {
			return errors.New("ir: Failure without an error")
		}
		c.ended = true
	default:
		return errors.New("ir: an event without a kind")
	}
	return nil
}

// End returns an error if the sequence has neither a Finish nor a Failure.
func (c *Checker) End() error {
	if !c.ended {
		return errors.New("ir: the sequence has no Finish and no Failure")
	}
	return nil
}

func (b BlockKind) accepts(d DeltaKind) bool {
	switch d {
	case TextDelta:
		return b != RedactedBlock && b < HostedBlock
	case SignatureDelta:
		return b == ReasoningBlock || b == RedactedBlock
	case CitationDelta:
		return b == TextBlock || b == WebSearchBlock
	case LogprobsDelta:
		return b == TextBlock
	case OpaqueDelta:
		return b == ServerToolBlock
	case SummaryDelta:
		return b == CompactionBlock
	case HostedDelta:
		return b == HostedBlock
	}
	return false
}

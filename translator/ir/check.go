package ir

import "errors"

// Checker holds a sequence of events against the grammar of the package comment. The zero value is ready.
type Checker struct {
	started, ended bool
	open           BlockKind
}

// Check returns why ev may not come here, or nil.
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
		if ev.Block == 0 || ev.Block > ServerToolBlock {
			return errors.New("ir: BlockStart without a kind")
		}
		if (ev.Block == ToolCallBlock || ev.Block == CustomToolCallBlock) && (ev.CallID == "" || ev.Name == "") {
			return errors.New("ir: a tool call without id or name")
		}
		c.open = ev.Block
	case Delta:
		if c.open == 0 {
			return errors.New("ir: Delta outside a block")
		}
		if !c.open.takes(ev.Delta) {
			return errors.New("ir: a Delta of a kind that the block does not take")
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
		if ev.Stop == 0 || ev.Stop > ContextWindow {
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

// End returns why the sequence may not end here, or nil.
func (c *Checker) End() error {
	if !c.ended {
		return errors.New("ir: the sequence has no Finish and no Failure")
	}
	return nil
}

func (b BlockKind) takes(d DeltaKind) bool {
	switch d {
	case TextDelta:
		return b != RedactedBlock && b != ServerToolBlock
	case SignatureDelta:
		return b == ReasoningBlock
	case CitationDelta:
		return b == TextBlock
	case OpaqueDelta:
		return b == RedactedBlock || b == ServerToolBlock
	}
	return false
}

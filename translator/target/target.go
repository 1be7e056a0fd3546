// Package target knows what some upstreams accept. It is data: the table in table.go.
package target

import (
	"strings"

	"edgelingua/translator/ir"
)

// For returns what an upstream accepts that speaks protocol at host, which may have a port, when it is asked for model. Of the
// rows that match, one with a host is more specific than one without, and then the one with the longer prefix of the model's
// name. Where no row matches it is the safe set, the zero Target.
func For(protocol, host, model string) ir.Target {
	speaks := protocols(0)
	switch protocol {
	case "anthropic":
		speaks = messages
	case "chat":
		speaks = chat
	case "responses":
		speaks = responses
	}
	host, model = strings.ToLower(host), family(strings.ToLower(model))
	var best *row
	for i := range table {
		r := &table[i]
		if r.speaks&speaks != 0 && r.isAt(host) && r.isOf(model) && (best == nil || best.host == "" && r.host != "" ||
			(best.host == "") == (r.host == "") && len(r.model) > len(best.model)) {
			best = r
		}
	}
	if best == nil {
		return ir.Target{}
	}
	has := best.has
	if speaks == messages && !isHost(host, anthropicHost) {
		lacks := vendorOnly
		if isHost(host, openRouterHost) {
			lacks &^= caching
		}
		has &^= lacks
	}
	if speaks == chat {
		has &^= search
	} else {
		has &^= toolsWithoutEffort
	}
	return has.target(best.output, best.efforts)
}

// family returns a model's name as the table has it: without the vendor or the path that gateways put in front (openai/gpt-5,
// us.anthropic.claude-opus-4-5-v1:0), and without the mark of a fine-tuned model.
func family(model string) string {
	if i := strings.LastIndexByte(model, '/'); i >= 0 {
		model = model[i+1:]
	}
	if i := strings.Index(model, "claude-"); i > 0 {
		model = model[i:]
	}
	return strings.TrimPrefix(model, "ft:")
}

// isAt reports whether the row is for a host, or for any.
func (r *row) isAt(host string) bool { return r.host == "" || isHost(host, r.host) }

// isHost reports whether host is name or one below it, with or without a port.
func isHost(host, name string) bool {
	host, _, _ = strings.Cut(host, ":")
	rest, ok := strings.CutSuffix(host, name)
	return ok && (rest == "" || rest[len(rest)-1] == '.')
}

// isOf reports whether the row's prefix is one of model, up to the end of a word or a number. The row's "-" also stands for a
// dot: gateways write claude-opus-4.5.
func (r *row) isOf(model string) bool {
	n := len(r.model)
	if len(model) < n {
		return false
	}
	for i := 0; i < n; i++ {
		if c := r.model[i]; c != model[i] && (c != '-' || model[i] != '.') {
			return false
		}
	}
	return n == 0 || n == len(model) || !isWord(r.model[n-1]) || !isWord(model[n])
}

func isWord(c byte) bool { return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' }

// target spells out a row.
func (f facts) target(output int64, efforts string) ir.Target {
	t := ir.Target{
		MaxOutputTokens:     output,
		MaxCompletionTokens: f&completionTokens != 0,
		NoToolEffort:        f&toolsWithoutEffort != 0,
		Files:               f&files != 0,
		SystemTurns:         f&systemTurns != 0,
		ParallelFlag:        f&parallel != 0,
		WebSearch:           f&(search|chatSearch) != 0,
		Strict:              f&strict != 0,
		PlainRoot:           f&plainRoot != 0,
		NoForcedTool:        f&noForcedTool != 0,
		NoFormat:            f&noFormat != 0,
		NoSampling:          f&noSampling != 0,
		NoStop:              f&noStop != 0,
		OpenAI:              f&isOpenAI != 0,
		ShortCallIDs:        f&shortCallIDs != 0,
		UnsignedCalls:       f&unsigned != 0,
		OmitStreamUsage:     f&usageUnasked != 0,
	}
	if f&caching != 0 {
		t.Caching = ir.AutoCaching
	}
	if efforts != "" {
		t.Efforts = strings.Fields(efforts)
	}
	switch {
	case f&budget != 0:
		t.Thinking = ir.BudgetThinking
	case f&alwaysThinks != 0:
		t.Thinking = ir.AlwaysThinking
	case f&adaptive != 0:
		t.Thinking = ir.AdaptiveThinking
	}
	switch {
	case f&echoContent != 0:
		t.ReasoningEcho = ir.EchoContent
	case f&echoDetails != 0:
		t.ReasoningEcho = ir.EchoDetails
	case f&echoExtra != 0:
		t.ReasoningEcho = ir.EchoExtra
	}
	return t
}

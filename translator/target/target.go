// Package target finds what an upstream accepts, in tables of what is known of servers and models.
// The tables are in targets.go of each protocol's folder; openai/targets.go has the rows that hold
// for both of OpenAI's protocols.
package target

import (
	"strings"

	"edgelingua/translator/ir"
)

// Row is what one kind of upstream accepts. The zero value of a field is "any" for Host and Model,
// and unknown for the rest.
type Row struct {
	Host    string // the server's host name, or several with spaces between them; hosts below them count, too
	Model   string // beginning of the model's name, as Family returns that
	Output  int32  // the most tokens that an answer may have
	Efforts string // the efforts of reasoning that are taken, with spaces between them
	Has     Facts
}

// Find returns what an upstream accepts at host, which may have a port, when it is asked for model,
// by the rows of some tables. Of the rows that match, one with a host is more specific than one
// without, and then the one with the longer prefix of the model's name. The facts in lacks are
// taken away from those of the row. Where no row matches, the result is the safe set, the zero
// Target.
func Find(host, model string, lacks Facts, tables ...[]Row) *ir.Target {
	host, model = strings.ToLower(host), Family(strings.ToLower(model))
	var best *Row
	for _, table := range tables {
		for i := range table {
			r := &table[i]
			if r.isAt(host) && r.isOf(model) && (best == nil || best.Host == "" && r.Host != "" ||
				(best.Host == "") == (r.Host == "") && len(r.Model) > len(best.Model)) {
				best = r
			}
		}
	}
	if best == nil {
		return &ir.Target{}
	}
	return (best.Has &^ lacks).target(int64(best.Output), best.Efforts)
}

// Family returns a model's name, in lower case, as the tables have it: without the vendor or the
// path that gateways put in front (OpenRouter's openai/gpt-5, Bedrock's
// us.anthropic.claude-opus-4-5-v1:0 and openai.gpt-oss-120b-1:0), and without the "ft:" of OpenAI's
// fine-tuned models.
func Family(model string) string {
	if i := strings.LastIndexByte(model, '/'); i >= 0 {
		model = model[i+1:]
	}
	if i := strings.Index(model, "claude-"); i > 0 {
		model = model[i:]
	}
	model = strings.TrimPrefix(model, "ft:")
	for i := 0; i+1 < len(model) && (isLetter(model[i]) || i > 0 && model[i] == '.'); i++ {
		if model[i] == '.' && isLetter(model[i+1]) {
			model, i = model[i+1:], -1
		}
	}
	return model
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' }

// isAt reports whether the row is for a host, or for any.
func (r *Row) isAt(host string) bool { return r.Host == "" || IsHost(host, r.Host) }

// IsHost reports whether host, in lower case, is one of names, which have spaces between them, or
// below one, with or without a port.
func IsHost(host, names string) bool {
	host, _, _ = strings.Cut(host, ":")
	for names != "" {
		name, others, _ := strings.Cut(names, " ")
		if rest, ok := strings.CutSuffix(host, name); ok && (rest == "" || rest[len(rest)-1] == '.') {
			return true
		}
		names = others
	}
	return false
}

// isOf reports whether the row is for a model, as Family returns its name, or for any.
func (r *Row) isOf(model string) bool { return r.Model == "" || isNamed(model, r.Model) }

// IsModel reports whether a model's name, in lower case, is name or begins with it, as Row.Model does.
func IsModel(model, name string) bool { return isNamed(Family(model), name) }

// isNamed reports whether model begins with name, and goes on there with no more of the same word
// or number: gpt-5 is a prefix of gpt-5-mini and not of gpt-50. The "-" of a name also stands for a
// dot, since OpenRouter writes claude-opus-4.5.
func isNamed(model, name string) bool {
	n := len(name)
	if len(model) < n {
		return false
	}
	for i := 0; i < n; i++ {
		if c := name[i]; c != model[i] && (c != '-' || model[i] != '.') {
			return false
		}
	}
	return n == len(model) || !isWord(name[n-1]) || !isWord(model[n])
}

func isWord(c byte) bool { return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' }

// target returns the Target of a row.
//
//go:noinline
func (f Facts) target(output int64, efforts string) *ir.Target {
	t := &ir.Target{
		MaxOutputTokens:     output,
		MaxCompletionTokens: f&CompletionTokens != 0,
		NoToolEffort:        f&ToolsWithoutEffort != 0,
		Files:               f&Files != 0,
		FileURLs:            f&FileURLs != 0,
		SystemTurns:         f&SystemTurns != 0,
		ParallelFlag:        f&Parallel != 0,
		WebSearch:           f&(Search|ChatSearch) != 0,
		ToolSearch:          f&ToolSearch != 0,
		Strict:              f&Strict != 0,
		PlainRoot:           f&PlainRoot != 0,
		DefinedRequired:     f&DefinedRequired != 0,
		NoForcedTool:        f&NoForcedTool != 0,
		NoFormat:            f&NoFormat != 0,
		NoSampling:          f&NoSampling != 0,
		NoStop:              f&NoStop != 0,
		TopK:                f&TopK != 0,
		NoPenalties:         f&NoPenalties != 0,
		RandomSeed:          f&RandomSeed != 0,
		NoLogprobs:          f&NoLogprobs != 0,
		OpenAI:              f&IsOpenAI != 0,
		ShortCallIDs:        f&ShortCallIDs != 0,
		UnsignedCalls:       f&Unsigned != 0,
		OmitStreamUsage:     f&UsageUnasked != 0,
		ThinkTags:           f&ThinkTags != 0,
		FlatAnswers:         f&Cloudflare != 0,
		TextContent:         f&Cloudflare != 0,
	}
	if f&AnswerTool != 0 {
		t.Structured = ir.ByTool
	}
	switch {
	case f&Caching != 0:
		t.Caching = ir.AutoCaching
	case f&Breakpoints != 0:
		t.Caching = ir.FullCaching
	}
	if efforts != "" {
		t.Efforts = strings.Fields(efforts)
	}
	switch {
	case f&Budget != 0:
		t.Thinking = ir.BudgetThinking
	case f&AlwaysThinks != 0:
		t.Thinking = ir.AlwaysThinking
	case f&Adaptive != 0:
		t.Thinking = ir.AdaptiveThinking
	}
	switch {
	case f&Anew != 0:
		t.Prefill = ir.NoPrefill
	case f&Prefix != 0:
		t.Prefill = ir.PrefixPrefill
	}
	switch {
	case f&ThinkingObject != 0:
		t.ThinkingSwitch = ir.ObjectSwitch
	case f&ThinkingFlag != 0:
		t.ThinkingSwitch = ir.FlagSwitch
	case f&ThinkingTemplate != 0:
		t.ThinkingSwitch = ir.TemplateSwitch
	}
	switch {
	case f&EchoContent != 0:
		t.ReasoningEcho = ir.EchoContent
	case f&EchoBoth != 0:
		t.ReasoningEcho = ir.EchoBoth
	case f&EchoDetails != 0:
		t.ReasoningEcho = ir.EchoDetails
	case f&EchoExtra != 0:
		t.ReasoningEcho = ir.EchoExtra
	}
	return t
}

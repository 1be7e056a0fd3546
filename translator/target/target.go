// Package target looks up what an upstream accepts, in tables of known servers and models. Each
// protocol's tables are in targets.go of its folder; openai/targets.go has the rows shared by both
// of OpenAI's protocols.
package target

import (
	"strings"

	"edgelingua/translator/ir"
)

// Row describes one kind of upstream. The zero value of Host and Model means any; the zero value of
// other fields means unknown.
type Row struct {
	Host    string // the server's host name, or several, separated by spaces; subdomains match too
	Model   string // prefixes of the model's name, in the form Family returns, separated by spaces
	Output  int32  // the maximum number of tokens of an answer
	Efforts string // the reasoning efforts accepted, separated by spaces
	Has     Facts
}

// Find returns what an upstream accepts, by its host, which may include a port, and the requested
// model. It searches all rows of tables. A matching row with a host beats one without; among
// equals, the longer prefix of the model's name wins. The facts in lacks are removed from the
// row's, and the model's traits are added. If no row matches, Find returns the safe set, the zero
// Target with the model's traits. UnknownModel is set only for the vendors' own hosts.
func Find(host, model string, lacks Facts, tables ...[]Row) *ir.Target {
	host, model = strings.ToLower(host), Family(strings.ToLower(model))
	row := Row{}
	if best := find(host, model, tables...); best != nil {
		row = *best
	}
	row.Has &^= lacks
	row.Has |= traitsOf(model)
	t := row.Has.target(int64(row.Output), row.Efforts)
	t.UnknownModel = IsHost(host, vendors) && !isListed(&row, model)
	return t
}

// find returns the row that Find chooses, or nil. host is in lower case, model as Family returns it.
func find(host, model string, tables ...[]Row) (best *Row) {
	longest := -1
	for _, table := range tables {
		for i := range table {
			r := &table[i]
			if !r.isAt(host) {
				continue
			}
			if n := prefixOf(model, r.Model); n >= 0 && (best == nil || best.Host == "" && r.Host != "" ||
				(best.Host == "") == (r.Host == "") && n > longest) {
				best, longest = r, n
			}
		}
	}
	return best
}

// prefixOf returns the length of the longest of names that is a prefix of model as in isNamed, or -1.
// names are separated by spaces; without any, every model matches with the length 0.
func prefixOf(model, names string) (longest int) {
	if names == "" {
		return 0
	}
	longest = -1
	for names != "" {
		name, others, _ := strings.Cut(names, " ")
		if len(name) > longest && isNamed(model, name) {
			longest = len(name)
		}
		names = others
	}
	return longest
}

// Family returns a model's name in the form used by the tables. The argument is in lower case.
// Family removes the vendor or path added by gateways (OpenRouter's openai/gpt-5, Bedrock's
// us.anthropic.claude-opus-4-5-v1:0 and openai.gpt-oss-120b-1:0), and the "ft:" of OpenAI's
// fine-tuned models. Fireworks writes a "p" instead of a dot (accounts/fireworks/models/glm-5p1).
func Family(model string) string {
	if strings.HasPrefix(model, "accounts/fireworks/") {
		model = dotted(model)
	}
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

// dotted returns a name with a dot for each "p" between two digits.
//
//go:noinline
func dotted(name string) string {
	b := []byte(name)
	for i := 1; i+1 < len(b); i++ {
		if b[i] == 'p' && isDigit(b[i-1]) && isDigit(b[i+1]) {
			b[i] = '.'
		}
	}
	return string(b)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' }

// isAt reports whether the row applies to a host. A row without a host applies to any.
func (r *Row) isAt(host string) bool { return r.Host == "" || IsHost(host, r.Host) }

// IsHost reports whether host is one of names, or a subdomain of one. host is in lower case, with
// or without a port. names are separated by spaces.
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

// IsModel reports whether name is a prefix of a model's name, as in Row.Model. model is in lower
// case.
func IsModel(model, name string) bool { return isNamed(Family(model), name) }

// isNamed reports whether name is a prefix of model and ends at the end of a word or number: gpt-5
// is a prefix of gpt-5-mini but not of gpt-50. A "-" in name also matches a dot, because OpenRouter
// writes claude-opus-4.5.
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

func isWord(c byte) bool { return isLetter(c) || isDigit(c) }

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
		Programs:            f&Programs != 0,
		Strict:              f&Strict != 0,
		PlainRoot:           f&PlainRoot != 0,
		PlainKeys:           f&PlainKeys != 0,
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
		TextOnly:            f&TextOnly != 0,
		Thinks:              f&Thinks != 0,
		ThinksOnRequest:     f&ThinksOnRequest != 0,
		AssistantAfterTool:  f&AssistantAfterTool != 0,
		CoolTemperature:     f&Temperature15 != 0,
		FormatOrTools:       f&FormatOrTools != 0,
		NoEmptyText:         f&Filled != 0,
		Flavored:            f&Flavored != 0,
		NoNamedTool:         f&NoNamedTool != 0,
		NoAudio:             f&NoAudio != 0,
	}
	if f&FourStops != 0 {
		t.MaxStops = 4
	}
	switch {
	case f&PlainImages != 0:
		t.Images = ir.PlainImages
	case f&CommonImages != 0:
		t.Images = ir.CommonImages
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
	case f&ThinkingArgument != 0:
		t.ThinkingSwitch = ir.ArgumentSwitch
	case f&ThinkingMember != 0:
		t.ThinkingSwitch = ir.ReasoningSwitch
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

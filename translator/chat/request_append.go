package chat

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/openai"
)

// requestWriter writes one body of POST /v1/chat/completions (API reference, "Create chat completion").
type requestWriter struct {
	openai.Writer
	shown   []*ir.Content // results whose images and files the next message of the user is to show
	begun   bool          // a message has been written
	offered bool          // a tool has been written
	prefix  bool          // the last message is the beginning of the answer, and says so
	caches  bool          // breakpoints of the prompt cache are placed here, since the client has set none
	// index in Dst of the brace that closes the last part, or message, of the open turn of the
	// user; 0: there is none
	turnEnd int
	turns   [2]int // those of the last two turns before

	searching bool // web_search_options is written
}

func (w *requestWriter) write() *ir.Error {
	if err := w.Begin(); err != nil {
		return err
	}
	w.caches = w.Request.PlacesBreakpoints(w.Target)
	prefill, err := w.Prefill()
	if err != nil {
		return err
	}
	w.prefix = prefill != nil && w.Target.Prefill == ir.PrefixPrefill
	w.Raw(`,"messages":[`)
	if err := w.messages(); err != nil {
		return err
	}
	w.placeInTurns()
	if !w.begun {
		return w.Request.Empty()
	}
	w.Raw(`]`)
	if err := w.tools(); err != nil {
		return err
	}
	if w.Target.MaxCompletionTokens {
		w.Limit(`,"max_completion_tokens":`, 0)
	} else {
		w.Limit(`,"max_tokens":`, 0)
	}
	w.Sampling()
	w.penalties()
	w.Logprobs(`,"logprobs":true`)
	w.stops()
	w.vendor()
	w.effort()
	if err := w.format(); err != nil {
		return err
	}
	w.breakpoint(w.Request.Cache)
	if w.Request.Stream {
		w.Raw(`,"stream":true`)
		if w.Request.StreamUsage && !w.Target.OmitStreamUsage {
			w.Raw(`,"stream_options":{"include_usage":true}`)
		}
	}
	w.Raw(`}`)
	return nil
}

// penalties writes what a text may not repeat, and the seed. Models that take no parameters of
// sampling refuse penalties too.
func (w *requestWriter) penalties() {
	r := w.Request
	if w.Target.NoPenalties || w.Target.NoSampling {
		w.LosePenalties()
	} else {
		w.number(`,"presence_penalty":`, r.Presence)
		w.number(`,"frequency_penalty":`, r.Frequency)
	}
	if w.Target.RandomSeed {
		w.number(`,"random_seed":`, r.Seed)
	} else {
		w.number(`,"seed":`, r.Seed)
	}
}

// number writes a member, unless the client has not sent it.
func (w *requestWriter) number(key string, value ir.Raw) {
	if value != "" {
		w.Raw(key)
		w.Raw(string(value))
	}
}

// stops writes the stop sequences. An upstream that refuses them, or so many, is not told of any:
// package translator then watches the answer for them and cuts it.
func (w *requestWriter) stops() {
	if len(w.Request.Stop) == 0 || !w.Target.TakesStops(len(w.Request.Stop)) {
		return
	}
	separator := `,"stop":[`
	for _, s := range w.Request.Stop {
		w.Next(&separator)
		w.Literal(s)
	}
	w.Raw(`]`)
}

// switchedOff are the members by which an upstream is told not to think. Templates know one of two
// names for it: enable_thinking in those of Qwen, GLM and Gemma, thinking in those of DeepSeek,
// Kimi and Granite (docs.vllm.ai, "Reasoning Outputs"; SGLang, "Separate Reasoning"). A template
// passes over the other name.
var switchedOff = [...]string{
	ir.ObjectSwitch:   `,"thinking":{"type":"disabled"}`,
	ir.FlagSwitch:     `,"enable_thinking":false`,
	ir.TemplateSwitch: `,"chat_template_kwargs":{"enable_thinking":false,"thinking":false}`,
}

// effort writes reasoning_effort where the upstream takes one: the nearest value that it knows
// (FAULTS 80). Where that is not what the client asked for, the effort is lost. An upstream with
// NoToolEffort refuses tools beside any effort: with tools it is asked for "none", also where the
// client has said nothing. Many servers are told in other words not to think.
func (w *requestWriter) effort() {
	want := w.Request.Effort
	if w.offered && w.Target.NoToolEffort {
		want = "none"
	}
	if want == "none" && w.Target.ThinkingSwitch != ir.EffortSwitch {
		w.Raw(switchedOff[w.Target.ThinkingSwitch])
		return
	}
	if want == "" {
		return
	}
	e, same := ir.NearestEffort(want, w.Target.Efforts)
	if (!same || want != w.Request.Effort) && w.Request.Effort != "" {
		w.Lose(ir.FieldEffort)
	}
	w.Member(`,"reasoning_effort":`, ir.Escaped(e))
}

// format writes response_format.
func (w *requestWriter) format() *ir.Error {
	f := &w.Request.Format
	if f.Schema == "" {
		if f.Object {
			w.Raw(`,"response_format":{"type":"json_object"}`)
		}
		return nil
	}
	if w.Target.NoFormat {
		return w.RefuseOrLose(w.Request.FieldPath(ir.FieldFormat), "a JSON Schema for its answer")
	}
	w.Raw(`,"response_format":{"type":"json_schema","json_schema":{`)
	w.Schema()
	w.Raw(`}}`)
	return nil
}

// vendor writes what only OpenAI's own service knows. metadata is never written: OpenAI refuses it
// unless it may store the answer.
func (w *requestWriter) vendor() {
	r := w.Request
	if r.Metadata != "" && !jsonr.IsNothing(r.Metadata) {
		w.Lose(ir.FieldMetadata)
	}
	// any other server that speaks Chat Completions shows what it reasons unasked
	if r.Summary != "" && r.Effort != "none" && (r.Summary != "auto" || w.Target.OpenAI) {
		w.Lose(ir.FieldSummary)
	}
	w.User()
	if w.Target.OpenAI || r.Verbosity != "medium" {
		w.vendorField(`,"verbosity":`, r.Verbosity, true, ir.FieldVerbosity)
	}
	if tier := r.ServiceTier; w.Target.OpenAI || tier != "auto" && tier != "default" {
		w.vendorField(`,"service_tier":`, tier, isTier(tier), ir.FieldServiceTier)
	}
	w.CacheKey()
}

// vendorField writes a field for OpenAI's own service, where that knows the value. Elsewhere the
// field is lost.
func (w *requestWriter) vendorField(key string, value ir.Escaped, known bool, field ir.Field) {
	switch {
	case value == "":
	case w.Target.OpenAI && known:
		w.Member(key, value)
	default:
		w.Lose(field)
	}
}

func isTier(tier ir.Escaped) bool {
	return tier == "auto" || tier == "default" || tier == "flex" || tier == "scale" || tier == "priority"
}

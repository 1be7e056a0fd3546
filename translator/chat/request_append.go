package chat

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/openai"
)

// requestWriter writes one body of POST /v1/chat/completions (API reference, "Create chat
// completion").
type requestWriter struct {
	openai.Writer
	ids   ir.CallIDs
	sent  []ir.Escaped  // the ids of the open turn's calls
	shown []shownResult // results whose images and files go into the user's next message
	begun bool          // a message has been written
	last  string        // the role of the last message
	// system messages are accepted anywhere, and messages of one role in a row
	anywhere bool
	offered  bool // a tool has been written
	prefix   bool // the last message is the beginning of the answer, and says so
	caches   bool // breakpoints of the prompt cache are placed here, since the client has set none
	// index in Dst of the brace that closes the last part, or message, of the user's open turn; 0
	// for none
	turnEnd int
	turns   [2]int // turnEnd of the last two turns

	searching bool // web_search_options has been written
	forced    bool // tool_choice requires a call, and so the model must not think
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
	if err := w.Logprobs(`,"logprobs":true`); err != nil {
		return err
	}
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

// penalties writes the penalties and the seed. Models that reject sampling parameters reject
// penalties too.
func (w *requestWriter) penalties() {
	r := w.Request
	if w.Target.NoPenalties || w.Target.NoSampling {
		w.LosePenalties()
	} else {
		w.number(`,"presence_penalty":`, r.Presence)
		w.number(`,"frequency_penalty":`, r.Frequency)
	}
	if w.Target.RandomSeed && strings.HasPrefix(string(r.Seed), "-") { // Mistral's begin at 0
		w.LoseSeed()
	} else if w.Target.RandomSeed {
		w.number(`,"random_seed":`, r.Seed)
	} else {
		w.number(`,"seed":`, r.Seed)
	}
}

// number writes a member, if the client has sent a value.
func (w *requestWriter) number(key string, value ir.Raw) {
	if value != "" {
		w.Raw(key)
		w.Raw(string(value))
	}
}

// stops writes the stop sequences. If the upstream rejects stop sequences, or so many, none is
// written: package translator then watches for them in the answer and cuts it.
func (w *requestWriter) stops() {
	if len(w.Request.Stop) == 0 || !w.Target.AcceptsStops(len(w.Request.Stop)) {
		return
	}
	separator := `,"stop":[`
	for _, s := range w.Request.Stop {
		w.Next(&separator)
		w.Literal(s)
	}
	w.Raw(`]`)
}

// switchedOff are the members that turn thinking off. Templates know one of two names:
// enable_thinking in templates of Qwen, GLM and Gemma, thinking in templates of DeepSeek, Kimi and
// Granite (docs.vllm.ai, "Reasoning Outputs"; SGLang, "Separate Reasoning"). Both names are sent: a
// template ignores the name that it does not know.
var switchedOff = [...]string{
	ir.ObjectSwitch:   `,"thinking":{"type":"disabled"}`,
	ir.FlagSwitch:     `,"enable_thinking":false`,
	ir.TemplateSwitch: `,"chat_template_kwargs":{"enable_thinking":false,"thinking":false}`,

	ir.ArgumentSwitch:  `,"chat_template_args":{"enable_thinking":false}`,
	ir.ReasoningSwitch: `,"reasoning":{"enabled":false}`,
}

// switchedOn are the members that turn thinking on. Servers with the other switches think unless
// thinking is turned off; some models of Alibaba's, templates of DeepSeek, DeepSeek V3.1 at Together,
// and Kimi and GLM at Baseten do not. The sources are at the servers' rows in targets.go.
var switchedOn = [...]string{
	ir.FlagSwitch:     `,"enable_thinking":true`,
	ir.TemplateSwitch: `,"chat_template_kwargs":{"enable_thinking":true,"thinking":true}`,

	ir.ArgumentSwitch:  `,"chat_template_args":{"enable_thinking":true}`,
	ir.ReasoningSwitch: `,"reasoning":{"enabled":true}`,
}

// effort writes reasoning_effort if the upstream accepts one: the nearest value that the upstream
// knows (FAULTS 80). If the value differs from the client's, the effort is noted as lost. An
// upstream with NoToolEffort rejects tools beside any effort: with tools it gets "none", even if
// the client has sent no effort. Many servers have other members to turn thinking off.
func (w *requestWriter) effort() {
	r, t := w.Request, w.Target
	if w.offered && t.NoToolEffort {
		e, same := ir.NearestEffort("none", t.Efforts)
		if (!same || r.Effort != "none") && (r.Effort != "" || r.Adaptive) {
			w.Lose(ir.FieldEffort)
		}
		w.Member(`,"reasoning_effort":`, ir.Escaped(e))
		return
	}
	if (r.Effort == "none" || w.forced) && t.ThinkingSwitch != ir.EffortSwitch {
		if r.Effort != "none" && (r.Effort != "" || r.Adaptive || r.Budget > 0) {
			w.Lose(ir.FieldEffort)
		}
		w.Raw(switchedOff[t.ThinkingSwitch])
		return
	}
	e, told := r.EffortFor(t)
	// Alibaba: "parameter.enable_thinking must be set to false for non-streaming calls"
	on := switchedOn[t.ThinkingSwitch]
	if on != "" && (r.Adaptive || r.Budget > 0) && (r.Stream || t.ThinkingSwitch != ir.FlagSwitch) {
		w.Raw(on)
		told = told || r.Budget > 0 && r.Effort == ir.BudgetEffort(r.Budget)
	}
	if !told {
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
		return w.RefuseOrLose(w.Request.FieldPath(ir.FieldFormat), "a JSON Schema as the response format")
	}
	w.Raw(`,"response_format":{"type":"json_schema","json_schema":{`)
	w.Schema()
	w.Raw(`}}`)
	return nil
}

// vendor writes members for OpenAI's own service. metadata is never written: OpenAI rejects it
// unless the answer may be stored.
func (w *requestWriter) vendor() {
	r := w.Request
	if r.Metadata != "" && !jsonr.IsNothing(r.Metadata) {
		w.Lose(ir.FieldMetadata)
	}
	// any other Chat Completions server shows its reasoning without being asked
	if r.ReasoningSummary != "" && r.Effort != "none" && (r.ReasoningSummary != "auto" || w.Target.OpenAI) {
		w.Lose(ir.FieldReasoningSummary)
	}
	w.User()
	if w.Target.OpenAI || r.Verbosity != "medium" {
		w.vendorField(`,"verbosity":`, r.Verbosity, true, ir.FieldVerbosity)
	}
	if tier, field := r.Tier(); w.Target.OpenAI || tier != "auto" && tier != "default" {
		w.vendorField(`,"service_tier":`, tier, openai.IsTier(tier), field)
	}
	w.CacheKey()
}

// vendorField writes a field for OpenAI's own service, if the service knows the value. Elsewhere
// the field is lost.
func (w *requestWriter) vendorField(key string, value ir.Escaped, known bool, field ir.Field) {
	switch {
	case value == "":
	case w.Target.OpenAI && known:
		w.Member(key, value)
	default:
		w.Lose(field)
	}
}

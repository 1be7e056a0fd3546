package anthropic

import (
	"strconv"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/schema"
)

// requestWriter writes one body of POST /v1/messages (Messages API, "Create a Message"). It writes
// messages and tools first, since thinking and sampling depend on them.
type requestWriter struct {
	ir.Writer
	own bool // the client speaks this API: blocks and tools that only Anthropic has are written unchanged

	role    ir.Role    // of the open message, 0 before the first
	blocks  int        // how many blocks the open message has
	inside  bool       // a tool result is open in the open message
	parts   int        // how many parts the open tool result has
	text    ir.Escaped // of the open message's last block
	textAt  int        // index in Dst of the beginning of text; 0 if the last block is not a text
	textEnd int        // index in Dst of the end of text
	// the container of a program that waits for the results in the last message, "" for none
	container ir.Escaped
	mixed     map[ir.Escaped]bool // the ids of programs that notePrograms has noted
	calls     []sentCall          // of the last message of the assistant, in their order
	ids       ir.CallIDs
	again     int    // the number of ids made for searches of tools
	thought   bool   // the last message of the assistant begins with thinking
	summed    bool   // the conversation begins with a compaction block
	forced    bool   // the model has to call a tool
	effort    string // the effort for output_config, set by thinking, "" for none
	// breakpoints of the prompt cache are placed here, since the client has set none
	caches  bool
	schemas schema.Room
	// indexes in Dst of the ends of the last blocks of the user's last two messages; 0 for none
	turns [2]int
}

func (w *requestWriter) write() *ir.Error {
	if err := w.Begin(); err != nil {
		return err
	}
	w.caches = w.Request.PlacesBreakpoints(w.Target)
	if err := w.messages(); err != nil {
		return err
	}
	w.Member(`,"container":`, w.container)
	if err := w.tools(); err != nil {
		return err
	}
	thinks := w.limits()
	if err := w.outputConfig(); err != nil {
		return err
	}
	w.records()
	w.LoseLogprobs()
	w.edits(thinks)
	w.breakpoint(w.Request.Cache)
	if w.own {
		for _, m := range w.Request.Own {
			switch {
			case m.Value == "":
			case w.Target.StoredFiles:
				w.Raw(`,"` + m.Key + `":`)
				w.Raw(string(m.Value))
			default:
				w.Lost.Add(m.Key)
			}
		}
	}
	if w.Request.Stream {
		w.Raw(`,"stream":true`)
	}
	w.Raw(`}`)
	return nil
}

// defaultMaxTokens is max_tokens if neither the client nor the target names a limit: this API
// requires a limit (FAULTS 90). Claude Code sends the same number to an unknown model.
const defaultMaxTokens = 32_000

// edits writes context_management for Anthropic's own service, unchanged from its client. Other
// servers of this API have rejected context_management. The service rejects clear_thinking_20251015
// if Claude does not think ("strategy requires `thinking` to be enabled or adaptive").
func (w *requestWriter) edits(thinks bool) {
	e := w.Request.Edits
	switch {
	case !w.own || e == nil:
	case w.Target.OwnCompaction && (thinks || !e.Thinking):
		w.Raw(`,"context_management":`)
		w.Raw(string(e.Raw))
	case !e.Made && len(e.Clear)+len(e.Only) > 0:
		w.Lost.Add("context_management")
	}
}

// limits writes thinking, max_tokens, the sampling parameters, and stop_sequences. It reports
// whether the model thinks.
func (w *requestWriter) limits() (thinks bool) {
	n, most := w.Request.MaxTokens, w.Target.MaxOutputTokens
	switch {
	case n == 0 && most == 0:
		n = defaultMaxTokens
	case n == 0 || most > 0 && n > most:
		n = most
	}
	thinks = w.thinking(n)
	w.Raw(`,"max_tokens":`)
	w.Dst = strconv.AppendInt(w.Dst, n, 10)
	w.sampling(thinks)
	if w.Target.AcceptsStops(len(w.Request.Stop)) {
		w.stop()
	}
	return thinks
}

// one is the result of ir.Millionths for 1.
const one = 1_000_000

// sampling writes temperature, top_p and top_k. A parameter that is not written is lost, except a
// temperature or top_p of 1, the default:
//   - Beside thinking the API accepts only a top_p of at least 0.95 ("Extended thinking", "Feature
//     compatibility"). Thinking stays.
//   - Anthropic's temperatures end at 1, OpenAI's at 2: a higher temperature is written as 1.
//   - Newer models reject temperature and top_p together, but clients of OpenAI's APIs send both:
//     then only the temperature is written.
func (w *requestWriter) sampling(thinks bool) {
	r := w.Request
	temperature, known := ir.Millionths(r.Temperature)
	switch {
	case r.Temperature == "":
	case w.Target.NoSampling || thinks:
		if !known || temperature != one {
			w.Lose(ir.FieldTemperature)
		}
	case known && temperature > one:
		w.Raw(`,"temperature":1`)
		w.Lose(ir.FieldTemperature)
	default:
		w.Raw(`,"temperature":`)
		w.Raw(string(r.Temperature))
	}
	topP, known := ir.Millionths(r.TopP)
	switch {
	case r.TopP == "" || known && topP == one && (r.Temperature != "" || thinks || w.Target.NoSampling):
	case w.Target.NoSampling, thinks && (!known || topP < 950_000), !thinks && r.Temperature != "":
		w.Lose(ir.FieldTopP)
	default:
		w.Raw(`,"top_p":`)
		w.Raw(string(r.TopP))
	}
	switch {
	case r.TopK == "":
	case w.Target.NoSampling, thinks, r.TopKIsNegative():
		w.Lose(ir.FieldTopK)
	default:
		w.Raw(`,"top_k":`)
		w.Raw(string(r.TopK))
	}
	w.LosePenalties()
	w.LoseSeed()
}

// stop writes stop_sequences, except blank sequences, which the API rejects: package translator
// watches the answer for blank sequences and truncates the answer.
func (w *requestWriter) stop() {
	separator := `,"stop_sequences":[`
	for _, s := range w.Request.Stop {
		if jsonr.IsBlank(s) {
			continue
		}
		w.Next(&separator)
		w.Literal(s)
	}
	if separator == `,` {
		w.Raw(`]`)
	}
}

// outputConfig writes output_config: the effort, and the schema of the answer. The API has no form
// for "any JSON object".
func (w *requestWriter) outputConfig() *ir.Error {
	f := &w.Request.Format
	formats := Upstream{}.AcceptsFormat(f, w.Target)
	if !formats && (f.Schema != "" || f.Object) {
		if err := w.RefuseOrLose(w.Request.FieldPath(ir.FieldFormat),
			"this response format"); err != nil {
			return err
		}
	}
	if !formats && w.effort == "" {
		return nil
	}
	separator := `,"output_config":{`
	if w.effort != "" {
		w.Next(&separator)
		w.Raw(`"effort":"`)
		w.Raw(w.effort)
		w.Raw(`"`)
	}
	if formats {
		w.Raw(separator)
		w.Raw(`"format":{"type":"json_schema","schema":`)
		schema.WriteFormat(&w.Writer, schema.Messages)
		if f.Description != "" {
			w.Lose(ir.FieldFormatDescription)
		}
		w.Raw(`}`)
	}
	w.Raw(`}`)
	return nil
}

// maxUserID is the length of the longest user_id ("metadata.user_id: String should have at most 256
// characters"): a longer one becomes its digest.
const maxUserID = 256

// records writes service_tier, speed and metadata. OpenAI's tier "default" is Anthropic's
// standard_only. OpenAI's Fast mode, "fast" or "priority", is the speed "fast" of models that have
// it. Other models refuse the speed, and Anthropic has no flex ("Service tiers", "Fast mode").
// Verbosity is lost unless it is the default, and so is metadata of the OpenAI APIs, except for
// user_id, which clients of gateways send there.
func (w *requestWriter) records() {
	r := w.Request
	switch {
	case w.Target.Fast && (r.Fast || hasFastTier(r)), r.Fast && w.Target.StoredFiles:
		// Anthropic itself decides whether a model that this table does not know has the speed.
		w.Raw(`,"speed":"fast"`)
	case r.Fast:
		w.Lose(ir.FieldSpeed)
	}
	switch r.ServiceTier {
	case "":
	case "fast", "priority":
		if !w.Target.Fast {
			w.Lose(ir.FieldServiceTier)
		}
	case "auto":
		w.Raw(`,"service_tier":"auto"`)
	case "default", "standard", "standard_only":
		w.Raw(`,"service_tier":"standard_only"`)
	default:
		w.Lose(ir.FieldServiceTier)
	}
	user, more := r.UserID, false
	m := jsonr.NewReader(string(r.Metadata))
	for m.OpenObject(); m.Member(); {
		if id, ok := jsonr.Text(m.Value()); m.Key() == "user_id" && ok && user == "" {
			user = id
		} else {
			more = true
		}
	}
	if user != "" {
		if len(user) > maxUserID {
			user = ir.Digest(user)
		}
		w.Raw(`,"metadata":{"user_id":`)
		w.Literal(user)
		w.Raw(`}`)
	}
	if more {
		w.Lose(ir.FieldMetadata)
	}
	if r.Verbosity != "" && r.Verbosity != "medium" {
		w.Lose(ir.FieldVerbosity)
	}
}

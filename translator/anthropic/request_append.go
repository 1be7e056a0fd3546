package anthropic

import (
	"strconv"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/schema"
)

// requestWriter writes one body of POST /v1/messages (Messages API, "Create a Message"). The order of the members is its own:
// what is written of thinking and sampling depends on the messages and tools before it.
type requestWriter struct {
	ir.Writer
	own bool // the client speaks this API: what only its vendor knows may go as it stands

	role    ir.Role             // of the open message, 0 before the first one
	blocks  int                 // how many it has
	inside  bool                // a tool result is open in it
	parts   int                 // how many parts that has
	text    int                 // where the text of its last block begins in dst, 0 where that is no text
	textEnd int                 // and where it ends
	calls   []sentCall          // the calls in the last assistant message, in their order
	used    map[ir.Escaped]bool // ids of all calls so far
	again   int                 // how many ids have been made for calls whose own was used
	thought bool                // the last assistant message begins with thinking
	forced  bool                // the model has to call a tool
	effort  string              // for output_config, "" for none
	caches  bool                // breakpoints are placed: the client has set none
	turns   [2]int              // where the last blocks of the last two user messages end in dst, 0 for none
}

func (w *requestWriter) write() *ir.Error {
	if err := w.Begin(); err != nil {
		return err
	}
	w.caches = w.Target.Caching == ir.AutoCaching && !w.own && !w.Request.SetsBreakpoints()
	if err := w.messages(); err != nil {
		return err
	}
	if err := w.tools(); err != nil {
		return err
	}
	w.limits()
	if err := w.outputConfig(); err != nil {
		return err
	}
	w.records()
	w.breakpoint(w.Request.Cache)
	if w.Request.Stream {
		w.Raw(`,"stream":true`)
	}
	w.Raw(`}`)
	return nil
}

// defaultMaxTokens is the limit, which this API demands, where neither the client nor the target names one: what Claude Code
// asks of a model that it doesn't know.
const defaultMaxTokens = 32_000

// limits writes thinking and the length and sampling parameters.
func (w *requestWriter) limits() {
	n, most := w.Request.MaxTokens, w.Target.MaxOutputTokens
	switch {
	case n == 0 && most == 0:
		n = defaultMaxTokens
	case n == 0 || most > 0 && n > most:
		n = most
	}
	thinks := w.thinking(n)
	w.Raw(`,"max_tokens":`)
	w.Dst = strconv.AppendInt(w.Dst, n, 10)
	w.sampling(thinks)
	if w.Target.TakesStops(len(w.Request.Stop)) {
		w.stop()
	}
}

// one is 1 as millionths reads it.
const one = 1_000_000

// sampling writes temperature, top_p and top_k. Where the model thinks, the API refuses most of them ("Extended thinking",
// "Feature compatibility"): thinking stays, since a client that asks for it says more by that. Its scale of temperatures ends at
// 1, where OpenAI's has 2. Newer models refuse temperature and top_p together, as OpenAI's clients send them: then only the first
// goes. A temperature or top_p of 1 is the default, and no loss.
func (w *requestWriter) sampling(thinks bool) {
	r := w.Request
	temperature, known := millionths(r.Temperature)
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
	topP, known := millionths(r.TopP)
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
	case w.Target.NoSampling, thinks:
		w.Lose(ir.FieldTopK)
	default:
		w.Raw(`,"top_k":`)
		w.Raw(string(r.TopK))
	}
}

// millionths returns a number in units of a millionth; ok is false for one with an exponent, or of ten digits and more.
func millionths(v ir.Raw) (n int64, ok bool) {
	if jsonr.KindOf(v) != jsonr.Number || len(v) > 24 {
		return 0, false
	}
	digits, scale, negative := 0, -1, false
	for i := 0; i < len(v); i++ {
		switch c := v[i]; {
		case c == '-' && i == 0:
			negative = true
		case c == '.':
			scale = 0
		case c < '0' || c > '9':
			return 0, false
		case scale < 0:
			if digits++; digits > 9 {
				return 0, false
			}
			n = n*10 + int64(c-'0')
		case scale < 6:
			n = n*10 + int64(c-'0')
			scale++
		}
	}
	for scale = max(scale, 0); scale < 6; scale++ {
		n *= 10
	}
	if negative {
		n = -n
	}
	return n, true
}

// stop writes stop_sequences. The API refuses those that are nothing but space: whoever hands the answer on cuts it there.
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

// outputConfig writes how hard the model is to work and what its answer must look like. There is no form here for "any JSON
// object".
func (w *requestWriter) outputConfig() *ir.Error {
	f := &w.Request.Format
	formats := f.Schema != "" && !w.Target.NoFormat
	if !formats && (f.Schema != "" || f.Object) {
		if err := w.RefuseOrLose(w.Request.FieldPath(ir.FieldFormat), "a format of this kind for its answer"); err != nil {
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
		var repaired bool
		w.Dst, repaired = schema.Append(w.Dst, f.Schema, schema.Rules{Subset: true})
		if repaired {
			w.Lose(ir.FieldFormat)
		}
		if f.Description != "" {
			w.Lose(ir.FieldFormatDescription)
		}
		w.Raw(`}`)
	}
	w.Raw(`}`)
	return nil
}

// records writes what is about the account: service_tier and metadata. OpenAI's default tier is the one that Anthropic
// calls standard; the others can't be bought by the request.
func (w *requestWriter) records() {
	r := w.Request
	switch r.ServiceTier {
	case "":
	case "auto":
		w.Raw(`,"service_tier":"auto"`)
	case "default", "standard", "standard_only":
		w.Raw(`,"service_tier":"standard_only"`)
	default:
		w.Lose(ir.FieldServiceTier)
	}
	if r.UserID != "" {
		w.Raw(`,"metadata":{"user_id":`)
		w.Literal(r.UserID)
		w.Raw(`}`)
	}
	if r.Metadata != "" && jsonr.Asks(r.Metadata) {
		w.Lose(ir.FieldMetadata)
	}
	if r.Verbosity != "" && r.Verbosity != "medium" { // which is how models are without it
		w.Lose(ir.FieldVerbosity)
	}
}

package anthropic

import (
	"strconv"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/schema"
)

// requestWriter writes one body of POST /v1/messages (Messages API, "Create a Message"). The order of the members is its own:
// what is written of thinking and sampling depends on the messages and tools before it.
type requestWriter struct {
	dst     []byte
	r       *ir.Request
	t       *ir.Target
	lost    *ir.Lost
	own     bool          // the client speaks this API: what only its vendor knows may go as it stands
	reasons bool          // reasoning of the history has been reported as lost
	results []*ir.Content // of the tool calls that are still to be written, in their order

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

// raw appends s as it stands. It is not inlined for the size of the module: see the one of package chat.
//
//go:noinline
func (w *requestWriter) raw(s string) { w.dst = append(w.dst, s...) }

// literal appends a JSON string literal.
//
//go:noinline
func (w *requestWriter) literal(e ir.Escaped) { w.dst = jsonw.AppendEscaped(w.dst, e) }

func (w *requestWriter) write() *ir.Error {
	results, err := ir.MatchResults(w.r)
	if err != nil {
		return err
	}
	w.results = results
	w.caches = w.t.Caching == ir.AutoCaching && !w.own && !w.r.SetsBreakpoints()
	w.raw(`{"model":`)
	w.literal(w.r.Model)
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
	w.breakpoint(w.r.Cache)
	if w.r.Stream {
		w.raw(`,"stream":true`)
	}
	w.raw(`}`)
	return nil
}

// defaultMaxTokens is the limit, which this API demands, where neither the client nor the target names one: what Claude Code
// asks of a model that it doesn't know.
const defaultMaxTokens = 32_000

// limits writes thinking and the length and sampling parameters.
func (w *requestWriter) limits() {
	n, most := w.r.MaxTokens, w.t.MaxOutputTokens
	switch {
	case n == 0 && most == 0:
		n = defaultMaxTokens
	case n == 0 || most > 0 && n > most:
		n = most
	}
	thinks := w.thinking(n)
	w.raw(`,"max_tokens":`)
	w.dst = strconv.AppendInt(w.dst, n, 10)
	w.sampling(thinks)
	if w.t.TakesStops(len(w.r.Stop)) {
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
	r := w.r
	temperature, known := millionths(r.Temperature)
	switch {
	case r.Temperature == "":
	case w.t.NoSampling || thinks:
		if !known || temperature != one {
			w.lost.Add(r.FieldPath(ir.FieldTemperature))
		}
	case known && temperature > one:
		w.raw(`,"temperature":1`)
		w.lost.Add(r.FieldPath(ir.FieldTemperature))
	default:
		w.raw(`,"temperature":`)
		w.raw(string(r.Temperature))
	}
	topP, known := millionths(r.TopP)
	switch {
	case r.TopP == "" || known && topP == one && (r.Temperature != "" || thinks || w.t.NoSampling):
	case w.t.NoSampling, thinks && (!known || topP < 950_000), !thinks && r.Temperature != "":
		w.lost.Add(r.FieldPath(ir.FieldTopP))
	default:
		w.raw(`,"top_p":`)
		w.raw(string(r.TopP))
	}
	switch {
	case r.TopK == "":
	case w.t.NoSampling, thinks:
		w.lost.Add(r.FieldPath(ir.FieldTopK))
	default:
		w.raw(`,"top_k":`)
		w.raw(string(r.TopK))
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
	for _, s := range w.r.Stop {
		if jsonr.IsBlank(s) {
			continue
		}
		w.raw(separator)
		separator = `,`
		w.literal(s)
	}
	if separator == `,` {
		w.raw(`]`)
	}
}

// outputConfig writes how hard the model is to work and what its answer must look like. There is no form here for "any JSON
// object".
func (w *requestWriter) outputConfig() *ir.Error {
	f := &w.r.Format
	formats := f.Schema != "" && !w.t.NoFormat
	if !formats && (f.Schema != "" || f.Object) {
		if err := w.refuseOrLose(w.r.FieldPath(ir.FieldFormat), "a format of this kind for its answer"); err != nil {
			return err
		}
	}
	if !formats && w.effort == "" {
		return nil
	}
	separator := `,"output_config":{`
	if w.effort != "" {
		w.raw(separator)
		separator = `,`
		w.raw(`"effort":"`)
		w.raw(w.effort)
		w.raw(`"`)
	}
	if formats {
		w.raw(separator)
		w.raw(`"format":{"type":"json_schema","schema":`)
		var repaired bool
		w.dst, repaired = schema.Append(w.dst, f.Schema, schema.Rules{Subset: true})
		if repaired {
			w.lost.Add(w.r.FieldPath(ir.FieldFormat))
		}
		if f.Description != "" {
			w.lost.Add(w.r.FieldPath(ir.FieldFormatDescription))
		}
		w.raw(`}`)
	}
	w.raw(`}`)
	return nil
}

// records writes what is about the account: service_tier and metadata. OpenAI's default tier is the one that Anthropic
// calls standard; the others can't be bought by the request.
func (w *requestWriter) records() {
	r := w.r
	switch r.ServiceTier {
	case "":
	case "auto":
		w.raw(`,"service_tier":"auto"`)
	case "default", "standard", "standard_only":
		w.raw(`,"service_tier":"standard_only"`)
	default:
		w.lost.Add(r.FieldPath(ir.FieldServiceTier))
	}
	if r.UserID != "" {
		w.raw(`,"metadata":{"user_id":`)
		w.literal(r.UserID)
		w.raw(`}`)
	}
	if r.Metadata != "" && jsonr.Asks(r.Metadata) {
		w.lost.Add(r.FieldPath(ir.FieldMetadata))
	}
	if r.Verbosity != "" && r.Verbosity != "medium" { // which is how models are without it
		w.lost.Add(r.FieldPath(ir.FieldVerbosity))
	}
}

// refuseOrLose deals with what changes the meaning and can't be given to the upstream.
func (w *requestWriter) refuseOrLose(path, what string) *ir.Error {
	return w.lost.AddOrRefuse(w.t, path, what)
}

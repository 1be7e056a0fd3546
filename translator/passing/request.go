package passing

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// Asks returns the operation at a client's path, which may have a query.
func Asks(client *ir.API, path string) ir.Operation {
	path, _, _ = strings.Cut(path, "?")
	operation, _, _ := client.Route(path)
	return operation
}

// Model returns the model name of a client's request, "" if there is none. In a body, ReplaceModel
// replaces the same name. The result stays valid after body changes.
func Model(client *ir.API, path string, body []byte) string {
	return client.Client.Model(path, view(body))
}

// Streams is ir.Client.Streams for a body of bytes.
func Streams(client *ir.API, path string, body []byte) (streams, counted bool) {
	return client.Client.Streams(path, view(body))
}

// HoldsForeign reports whether a client's body seems to contain another vendor's reasoning or web
// search from an earlier translation: an envelope, or the form of a block without an envelope. The
// client's own vendor would reject both, and a translation drops them. HoldsForeign searches for
// bytes: if a text contains the same bytes, the result is also true, and the translation is
// needless but correct.
func HoldsForeign(client *ir.API, body []byte) bool {
	return ir.HoldsEnvelope(view(body)) || client.Client.HoldsForeign(view(body))
}

// MentionsTools reports whether a client's body seems to declare a tool for web searches, for webpages
// or for an advisor. It searches for bytes: the result is also true if a text contains the same bytes.
func MentionsTools(body []byte) (search, fetch, advisor bool) {
	s := view(body)
	return strings.Contains(s, `"web_search`), strings.Contains(s, `"web_fetch`),
		strings.Contains(s, Advisor)
}

// MentionsDeferred reports whether a client's body seems to declare deferred tools and a search for
// them that the upstream is to run. It searches for bytes, as MentionsTools does.
func MentionsDeferred(body []byte) bool {
	s := view(body)
	return strings.Contains(s, `"defer_loading"`) && strings.Contains(s, `"tool_search`) &&
		!jsonr.Shows(s, `"execution"`, `"client"`)
}

// Advisor begins the type of Anthropic's advisor tool, with its quotation mark.
const Advisor = `"advisor_`

// HoldsCustom reports whether a client's body seems to have tools of OpenAI's own types, which LM
// Studio, OpenRouter and others reject. HoldsCustom searches for bytes: the result is also true if a
// text contains the same bytes.
func HoldsCustom(client *ir.API, body []byte) bool {
	return client.HoldsCustom != nil && client.HoldsCustom(view(body))
}

// Compacted reports whether a client's request seems to ask for a compaction or to contain one.
// Only an upstream with its own compaction accepts such a body. Compacted searches for bytes: the
// result is also true if a text contains the same bytes.
func Compacted(client *ir.API, path string, body []byte) bool {
	for _, mark := range client.Compactions {
		if strings.Contains(view(body), mark) {
			return true
		}
	}
	return Asks(client, path) == ir.Compact
}

// ReplaceModel replaces the name in the last top-level "model" of body with rename(name), because
// most JSON readers use the last one. Every other byte stays. If rename returns the same name, or
// "model" is not a string, ReplaceModel returns body unchanged. If body has the capacity, body is
// changed in place.
func ReplaceModel(body []byte, rename func(model string) string) []byte {
	value, offset, _ := jsonr.LastMember(view(body), "model")
	text, ok := jsonr.Text(value)
	if !ok || offset+len(value) == len(body) { // not a string, or a string without an end
		return body
	}
	name := jsonw.Unescape(text)
	renamed := rename(name)
	if renamed == name {
		return body
	}
	return replace(body, offset, offset+len(value), jsonw.AppendString(nil, renamed))
}

// replace returns b with text instead of b[from:to].
func replace(b []byte, from, to int, text []byte) []byte {
	tail, size := b[to:], len(b)+len(text)-(to-from)
	if size > cap(b) {
		grown := make([]byte, size)
		copy(grown, b[:from])
		b = grown
	}
	b = b[:size]
	copy(b[from+len(text):], tail)
	copy(b[from:], text)
	return b
}

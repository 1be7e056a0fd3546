package gemini

import (
	"strings"

	"edgelingua/translator/google"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// requestDecoder reads one body of generateContent (Gemini API, "Generating content"). Like all of
// Google's APIs it accepts members in camelCase and in snake_case (protobuf, "ProtoJSON Format").
// Of several members with one name the last counts.
type requestDecoder struct {
	google.Lists
	lost    *ir.Lost
	request *ir.Request
	counts  bool // the client only asks for the number of input tokens

	system []ir.Content
	calls  answers    // of the model's last turn
	made   int        // the number of ids made for calls of the history
	turn   run        // the message being read
	schema ir.Raw     // generationConfig.responseSchema or responseJsonSchema
	at     string     // the path of schema
	mime   ir.Escaped // generationConfig.responseMimeType
}

// decode reads the whole body.
func (d *requestDecoder) decode(body string) *ir.Error {
	r := jsonr.NewReader(body)
	if r.Kind() != jsonr.Object {
		return google.Invalid("", "The body must be a JSON object.")
	}
	q := d.request
	d.Items.Of = "contents, parts, functions and stop sequences"
	for r.OpenObject(); r.Member(); {
		var err *ir.Error
		if r.Kind() == jsonr.Null {
			continue
		}
		switch key := r.Key(); key {
		case "contents":
			err = d.contents(&r)
		case "systemInstruction", "system_instruction":
			err = d.systemInstruction(&r)
		case "tools":
			if err = d.tools(&r); err == nil {
				d.request.UniqueTools(d.lost)
			}
		case "toolConfig", "tool_config":
			err = d.toolConfig(&r)
		case "generationConfig", "generation_config":
			err = d.config(&r)
		case "serviceTier", "service_tier":
			q.ServiceTier, err = tier(&r)
		case "cachedContent", "cached_content":
			err = google.Invalid("cachedContent",
				"Cached content is stored by Google and not available here: send the content itself.")
		case "continuationToken", "continuation_token":
			err = google.Invalid("continuationToken",
				"Continuation tokens are not supported here: send the answer so far as content with the "+
					"role model.")
		case "safetySettings", "safety_settings":
			d.own("safetySettings", &r)
		case "labels", "store":
			d.own(key, &r)
		case "model": // of generateContentRequest: the path names the model
			r.Value()
		default:
			d.lost.AddMember("", &r)
		}
		if err != nil {
			return err
		}
	}
	if q.Messages == nil && !d.counts {
		return google.Invalid("contents", "contents is not specified")
	}
	if len(d.system) > 0 {
		q.Messages = append([]ir.Message{{Role: ir.System, Content: d.system}}, q.Messages...)
	}
	return d.format()
}

// tier reads serviceTier (Gemini API, "ServiceTier") and returns OpenAI's name of the tier.
func tier(r *jsonr.Reader) (ir.Escaped, *ir.Error) {
	word, err := google.ReadText(r, "serviceTier")
	switch word = ir.Escaped(strings.ToLower(string(word))); word {
	case "standard":
		return "default", err
	case "unspecified", "service_tier_unspecified":
		return "", err
	}
	return word, err
}

// own stores a member that only this API has. Of several the last counts. false stays: a store of false
// takes precedence over the project's setting.
func (d *requestDecoder) own(path string, r *jsonr.Reader) {
	list := &d.request.Own
	for i := range *list {
		if m := &(*list)[i]; m.Key == path {
			m.Value = r.Value()
			return
		}
	}
	*list = append(*list, ir.Member{Key: path, Value: r.Value()})
}

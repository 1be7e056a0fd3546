package gemini

import (
	"strconv"
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// requestDecoder reads one body of generateContent (Gemini API, "Generating content"). Like all of
// Google's APIs it accepts members in camelCase and in snake_case (protobuf, "ProtoJSON Format").
// Of several members with one name the last counts.
type requestDecoder struct {
	lost    *ir.Lost
	request *ir.Request
	items   ir.Items
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
		return invalid("", "The body must be a JSON object.")
	}
	q := d.request
	d.items.Of = "contents, parts, functions and stop sequences"
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
			err = invalid("cachedContent",
				"Cached content is stored by Google and not available here: send the content itself.")
		case "continuationToken", "continuation_token":
			err = invalid("continuationToken",
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
		return invalid("contents", "contents is not specified")
	}
	if len(d.system) > 0 {
		q.Messages = append([]ir.Message{{Role: ir.System, Content: d.system}}, q.Messages...)
	}
	return d.format()
}

// tier reads serviceTier (Gemini API, "ServiceTier") and returns OpenAI's name of the tier.
func tier(r *jsonr.Reader) (ir.Escaped, *ir.Error) {
	word, err := readText(r, "serviceTier")
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

// invalid returns the refusal of the value at a path, "" for the whole body.
//
//go:noinline
func invalid(path, message string) *ir.Error {
	return &ir.Error{Kind: ir.InvalidRequest, Path: path, Message: message}
}

// wrongKind refuses a value of a wrong kind. The value may be a secret, so the message only has the
// kind.
//
//go:noinline
func wrongKind(path, want string, found jsonr.Kind) *ir.Error {
	return invalid(path, "Invalid value: "+want+" is expected."+ir.WrongKind(found))
}

// wrong refuses a value v. rule is what is expected, and known lists the valid words.
//
//go:noinline
func wrong(path, rule string, v ir.Raw, known string) *ir.Error {
	return invalid(path, "Invalid value: "+rule+ir.WrongValue(v, known))
}

// readText reads a string at a path.
func readText(r *jsonr.Reader, path string) (ir.Escaped, *ir.Error) {
	kind := r.Kind()
	e, ok := jsonr.Text(r.Value())
	if !ok {
		return "", wrongKind(path, "a string", kind)
	}
	return e, nil
}

// readNumber reads a number at a path. Like protobuf it also accepts a string.
func readNumber(r *jsonr.Reader, path string) (ir.Raw, *ir.Error) {
	sent := r.Value()
	v := unquoted(sent)
	if jsonr.KindOf(v) != jsonr.Number || jsonr.Check(string(v)) != nil {
		return "", wrong(path, "a number is expected.", sent, "")
	}
	return v, nil
}

// unquoted returns the content of a string, and any other value unchanged.
func unquoted(v ir.Raw) ir.Raw {
	if e, ok := jsonr.Text(v); ok {
		return ir.Raw(e)
	}
	return v
}

// readWhole reads a whole number at a path. Like protobuf it also accepts a string, and 100.0.
func readWhole(r *jsonr.Reader, path string) (int64, *ir.Error) {
	sent := r.Value()
	v := unquoted(sent)
	if whole, fraction, ok := strings.Cut(string(v), "."); ok && fraction != "" && strings.Trim(fraction,
		"0") == "" {
		v = ir.Raw(whole)
	}
	n, ok := jsonr.Int(v)
	if !ok {
		return 0, wrong(path, "a whole number is expected.", sent, "")
	}
	return n, nil
}

// readFlag reads true or false at a path.
func readFlag(r *jsonr.Reader, path string) (bool, *ir.Error) {
	if r.Kind() != jsonr.Bool {
		return false, wrong(path, "true or false is expected.", r.Value(), "")
	}
	return r.Value() == "true", nil
}

// object refuses the next value of r, at a path, unless it is an object.
func object(r *jsonr.Reader, path string) *ir.Error {
	if r.Kind() != jsonr.Object {
		return wrongKind(path, "an object", r.Kind())
	}
	return nil
}

// readTextAt reads a field of the value at at, like readText. This function and the next ones build
// the path only for a refusal.
func readTextAt(r *jsonr.Reader, at ir.Pos, field string) (ir.Escaped, *ir.Error) {
	if r.Kind() != jsonr.String {
		return readText(r, at.Path(field))
	}
	e, _ := jsonr.Text(r.Value())
	return e, nil
}

// readWordAt reads a field whose text is compared or decoded here. It removes needless escapes: PHP
// and Swift write each slash as "\/".
func readWordAt(r *jsonr.Reader, at ir.Pos, field string) (ir.Escaped, *ir.Error) {
	e, err := readTextAt(r, at, field)
	return simple(e), err
}

// simple returns a text without needless escapes.
func simple(e ir.Escaped) ir.Escaped {
	if strings.IndexByte(string(e), '\\') < 0 {
		return e
	}
	return jsonw.Escape(jsonw.Unescape(e))
}

// readEnum reads a value of an enum at a path, by its name in any case or by its number (protobuf,
// "ProtoJSON Format"). names lists the names for the numbers from 0 on. Any other value is refused
// with rule.
func readEnum(r *jsonr.Reader, path, names, rule string) (string, *ir.Error) {
	list, v := strings.Fields(names), r.Value()
	if n := jsonr.Count(v); n >= 0 && n < int64(len(list)) {
		return list[n], nil
	}
	e, _ := jsonr.Text(v)
	for _, name := range list {
		if strings.EqualFold(name, jsonw.Unescape(e)) {
			return name, nil
		}
	}
	return "", wrong(path, rule, v, names)
}

// readFlagAt reads a field like readFlag.
func readFlagAt(r *jsonr.Reader, at ir.Pos, field string) (bool, *ir.Error) {
	if r.Kind() != jsonr.Bool {
		return readFlag(r, at.Path(field))
	}
	return r.Value() == "true", nil
}

// objectAt refuses a field like object.
func objectAt(r *jsonr.Reader, at ir.Pos, field string) *ir.Error {
	if r.Kind() != jsonr.Object {
		return object(r, at.Path(field))
	}
	return nil
}

// listAt refuses the list around at, like list.
func (d *requestDecoder) listAt(r *jsonr.Reader, at ir.Pos) (int, *ir.Error) {
	if r.Kind() != jsonr.Array {
		return d.list(r, at.List().String())
	}
	return d.items.Count(r)
}

// list refuses the next value of r, at a path, unless it is an array. It returns the number of
// elements, and adds them to the items of the body.
func (d *requestDecoder) list(r *jsonr.Reader, path string) (int, *ir.Error) {
	if r.Kind() != jsonr.Array {
		return 0, wrongKind(path, "a list", r.Kind())
	}
	return d.items.Count(r)
}

// texts reads a list of strings at a path.
func (d *requestDecoder) texts(r *jsonr.Reader, path string) ([]ir.Escaped, *ir.Error) {
	n, err := d.list(r, path)
	if err != nil {
		return nil, err
	}
	all := make([]ir.Escaped, 0, n)
	for r.OpenArray(); r.Element(); {
		e, err := readText(r, path+"["+strconv.Itoa(len(all))+"]")
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	return all, nil
}

package anthropic

import (
	"strconv"
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// requestDecoder reads one body of POST /v1/messages (Messages API, "Create a Message").
type requestDecoder struct {
	lost    *ir.Lost
	request *ir.Request
	items   ir.Items
	// defer_loading of each tool of the request: the tool is hidden until a block of the messages
	// names the tool
	deferred []bool
	// one of the tools is tool_search_tool_...: Anthropic searches the deferred tools for the model
	searches bool
	// by name: whether the last block with the tool's name offers or withdraws the tool
	loaded             map[ir.Escaped]bool
	defined            []definition // tools that blocks of the messages define
	scoped             []int        // indexes of system messages with clear_at "next_user_message"
	system             []ir.Content
	servers, container ir.Raw // "mcp_servers", "container"
	// calls of the history that ran at an upstream or here, without a result so far
	ran      []*ir.Hosted
	searched bool // a web search of another vendor in the history has been noted as lost
	cited    bool // citations in the history have been noted as lost
	cites    bool // the last block cites a source
	counts   bool // the client only asks for the number of input tokens

	// The efforts of the request: settleEffort chooses from these.
	general, latest effort // of output_config: in the request, and in the last message with an effort
	budget          effort // of thinking.budget_tokens
	off             bool   // thinking.type is "disabled"
}

// decode reads the whole body. Of several members with the same name the last counts.
func (d *requestDecoder) decode(body string) *ir.Error {
	r := jsonr.NewReader(body)
	if r.Kind() != jsonr.Object {
		return wrongKind("", "dictionary", r.Kind())
	}
	q := d.request
	d.items.Of = "messages, content blocks, tools and stop sequences"
	for r.OpenObject(); r.Member(); {
		var err *ir.Error
		key := r.Key()
		if r.Kind() == jsonr.Null {
			continue // null counts as absent
		}
		switch key {
		case "model":
			q.Model, err = text(&r, key)
		case "max_tokens":
			q.MaxTokens, err = positive(&r, key)
		case "messages":
			err = d.messages(&r)
		case "system":
			err = d.systemPrompt(&r)
		case "stream":
			q.Stream, err = flag(&r, key)
		case "temperature":
			q.Temperature, err = number(&r, key)
		case "top_p":
			q.TopP, err = number(&r, key)
		case "top_k":
			q.TopK, err = number(&r, key)
		case "stop_sequences":
			q.Stop, err = d.texts(&r, key)
		case "tools":
			err = d.tools(&r)
		case "tool_choice":
			err = d.toolChoice(&r)
		case "mcp_servers":
			if d.servers = ""; r.Kind() != jsonr.Array {
				return wrongKind(key, "list", r.Kind())
			}
			if _, err = d.items.Count(&r); err == nil {
				d.servers = r.Value()
			}
		case "thinking":
			err = d.thinking(&r)
		case "output_config":
			d.general = effort{}
			err = d.outputConfig(&r, key, &d.general)
		case "output_format":
			err = d.format(&r, key)
		case "metadata":
			err = d.metadata(&r)
		case "context_management":
			err = d.contextManagement(&r)
		case "service_tier":
			err = d.serviceTier(&r)
		case "speed":
			d.speed(&r)
		case "thread":
			// A thread is a conversation that the server stores. When the tool runner of
			// Anthropic's SDK (1.11 for JavaScript) gets this code, it repeats the request with the
			// whole conversation.
			err = invalid(key, "threads are not supported: send the whole conversation")
			err.Code = threadUnsupported
		case "compaction":
			// requests a summary instead of an answer: other APIs have no such request
			err = invalid(key, "Extra inputs are not permitted") // at these words clients omit the field
		case "cache_control":
			q.Cache = ir.Breakpoint(&r)
		case "container":
			d.container = r.Value()
		default:
			d.lost.AddMember("", &r)
		}
		if err != nil {
			return err
		}
	}
	switch {
	case q.Model == "":
		return invalid("model", "Field required")
	case q.MaxTokens == 0 && !d.counts:
		return invalid("max_tokens", "Field required")
	case len(q.Messages) < 2:
		return invalid("messages", "Field required")
	}
	if d.container != "" && jsonr.Asks(d.container) && d.container != `"`+madeContainer+`"` {
		q.Own = append(q.Own, ir.Member{Key: "container", Value: d.container})
	}
	q.StreamUsage = q.Stream // a stream of this API always has the usage
	if len(d.system) > 0 {
		q.Messages[0] = ir.Message{Role: ir.System, Content: d.system}
	} else {
		q.Messages = q.Messages[1:]
	}
	d.settleEffort()
	return d.settleTools()
}

// outputConfig reads the "output_config" of the request or of a message: its effort into e, its
// format into the request.
func (d *requestDecoder) outputConfig(r *jsonr.Reader, path string, e *effort) *ir.Error {
	if r.Kind() != jsonr.Object {
		return wrongKind(path, "dictionary", r.Kind())
	}
	for r.OpenObject(); r.Member(); {
		key := r.Key()
		if r.Kind() == jsonr.Null {
			continue
		}
		switch key {
		case "effort":
			value, err := text(r, path+".effort")
			if err != nil {
				return err
			}
			*e = effort{value, path + ".effort"}
		case "format":
			if err := d.format(r, path+".format"); err != nil {
				return err
			}
		default:
			d.lost.AddMember(path, r)
		}
	}
	return nil
}

// format reads the format of the answer: {"type":"json_schema","schema":{...}}.
func (d *requestDecoder) format(r *jsonr.Reader, path string) *ir.Error {
	if r.Kind() != jsonr.Object {
		return wrongKind(path, "dictionary", r.Kind())
	}
	var kind ir.Escaped
	var schema ir.Raw
	for r.OpenObject(); r.Member(); {
		var err *ir.Error
		switch r.Key() {
		case "type":
			kind, err = text(r, path+".type")
		case "schema":
			if r.Kind() != jsonr.Object {
				return wrongKind(path+".schema", "dictionary", r.Kind())
			}
			schema = r.Value()
		default:
			d.lost.AddMember(path, r)
		}
		if err != nil {
			return err
		}
	}
	if kind != "json_schema" {
		return wrongWord(path+".type", "'json_schema'", kind)
	}
	if schema == "" {
		return invalid(path+".schema", "Field required")
	}
	d.request.Format = ir.Format{Schema: schema, Strict: ir.True, Enforced: true, Rules: Name, At: path}
	return nil
}

// serviceTier reads "service_tier". OpenAI's name of standard_only is default.
func (d *requestDecoder) serviceTier(r *jsonr.Reader) (err *ir.Error) {
	d.request.ServiceTier, err = text(r, "service_tier")
	if d.request.ServiceTier == "standard_only" {
		d.request.ServiceTier = "default"
	}
	return err
}

// speed reads "speed". Values that are not documented are lost.
func (d *requestDecoder) speed(r *jsonr.Reader) {
	v := r.Value()
	speed, _ := jsonr.Text(v)
	if d.request.Fast = speed == "fast"; !d.request.Fast && speed != "standard" && jsonr.Asks(v) {
		d.lost.Add("speed")
	}
}

// metadata reads "metadata".
func (d *requestDecoder) metadata(r *jsonr.Reader) *ir.Error {
	if r.Kind() != jsonr.Object {
		return wrongKind("metadata", "dictionary", r.Kind())
	}
	for r.OpenObject(); r.Member(); {
		if key := r.Key(); key != "user_id" {
			d.lost.AddMember("metadata", r)
		} else if r.Kind() != jsonr.Null {
			id, err := text(r, "metadata.user_id")
			if err != nil {
				return err
			}
			d.request.UserID, d.request.Session = id, session(id)
			d.request.PrivateUserID = d.request.Session != "" || strings.HasPrefix(string(id), "{")
		}
	}
	return nil
}

// session returns Claude Code's id of the conversation from metadata.user_id: a string with the
// JSON {"device_id":"...","account_uuid":"...","session_id":"..."}, or in older versions
// user_..._account_..._session_.... For other clients' user_id it returns "".
func session(user ir.Escaped) ir.Escaped {
	const newer, older = `\"session_id\":\"`, `_session_`
	if i := strings.Index(string(user), newer); i >= 0 {
		id := user[i+len(newer):]
		return id[:max(strings.IndexByte(string(id), '\\'), 0)]
	}
	if i := strings.Index(string(user), older); i >= 0 {
		return user[i+len(older):]
	}
	return ""
}

// invalid refuses the value at a path. The messages have the API's own wording.
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
	return invalid(path, "Input should be a valid "+want+"."+ir.WrongKind(found))
}

// wrong refuses a value v. should is what the value should be, and known lists its valid words.
//
//go:noinline
func wrong(path, should string, v ir.Raw, known string) *ir.Error {
	return invalid(path, "Input should be "+should+"."+ir.WrongValue(v, known))
}

// wrongWord refuses a word that words lacks; "" is a missing word.
func wrongWord(path, words string, word ir.Escaped) *ir.Error {
	if word == "" {
		return invalid(path, "Input should be "+words)
	}
	return wrong(path, words, ir.Raw(`"`+word+`"`), words)
}

func text(r *jsonr.Reader, path string) (ir.Escaped, *ir.Error) {
	if r.Kind() != jsonr.String {
		return "", wrongKind(path, "string", r.Kind())
	}
	e, _ := jsonr.Text(r.Value())
	return e, nil
}

func (d *requestDecoder) texts(r *jsonr.Reader, path string) ([]ir.Escaped, *ir.Error) {
	if r.Kind() != jsonr.Array {
		return nil, wrongKind(path, "list", r.Kind())
	}
	n, err := d.items.Count(r)
	if err != nil {
		return nil, err
	}
	list := make([]ir.Escaped, 0, n)
	for r.OpenArray(); r.Element(); {
		e, err := text(r, path+"["+strconv.Itoa(len(list))+"]")
		if err != nil {
			return nil, err
		}
		list = append(list, e)
	}
	return list, nil
}

func flag(r *jsonr.Reader, path string) (bool, *ir.Error) {
	if r.Kind() != jsonr.Bool {
		return false, wrong(path, "a valid boolean", r.Value(), "")
	}
	return r.Value() == "true", nil
}

func number(r *jsonr.Reader, path string) (ir.Raw, *ir.Error) {
	if r.Kind() != jsonr.Number {
		return "", wrong(path, "a valid number", r.Value(), "")
	}
	return r.Value(), nil
}

func positive(r *jsonr.Reader, path string) (int64, *ir.Error) {
	v := r.Value()
	n, ok := jsonr.Int(v)
	if !ok {
		return 0, wrong(path, "a valid integer", v, "")
	}
	if n < 1 {
		return 0, wrong(path, "greater than or equal to 1", v, "")
	}
	return n, nil
}

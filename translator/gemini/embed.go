package gemini

import (
	"strconv"
	"strings"

	"edgelingua/translator/google"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// embeddingForm is Google's form of embeddings (Gemini API, "models.embedContent",
// "models.batchEmbedContents").
var embeddingForm = ir.Embeddings{Client: embeddings{}, Upstream: embeddings{}}

type embeddings struct{}

const (
	// the ends of the paths
	embedMethod = ":embedContent"
	batchMethod = ":batchEmbedContents"

	// "BatchEmbedContentsRequest.requests: at most 100 requests can be in one batch"
	// (langchain-ai/langchainjs#4491)
	maxBatch = 100
)

// EmbedPath returns the path of embedContent or batchEmbedContents.
func (embeddings) EmbedPath(model string, single bool) string {
	if single {
		return version + named(model) + embedMethod
	}
	return version + named(model) + batchMethod
}

// IsSingle reports whether path is that of embedContent.
func (embeddings) IsSingle(path string) bool {
	path, _, _ = strings.Cut(path, "?")
	return strings.HasSuffix(path, embedMethod)
}

// RenameModel checks and replaces the model of the body and of each request in a batch. Google
// requires the path's model there.
func (embeddings) RenameModel(body, from, to string) (ir.Raw, *ir.Error) {
	n := embedRename{from: from}
	if from != to {
		n.to = string(jsonw.AppendString(nil, google.ModelLead+to))
	}
	r := jsonr.NewReader(body)
	for r.OpenObject(); r.Member() && n.err == nil; {
		switch r.Key() {
		case "model":
			n.member(&r, "model")
		case "requests":
			i := 0
			for r.OpenArray(); r.Element(); i++ {
				for r.OpenObject(); r.Member(); {
					if r.Key() == "model" {
						n.member(&r, "requests["+strconv.Itoa(i)+"].model")
					}
				}
			}
		}
	}
	if n.err != nil {
		return "", n.err
	}
	return n.edits.Apply(ir.Raw(body)), nil
}

// embedRename renames the model from in a body. to is the new value; "": the model keeps its name.
type embedRename struct {
	from, to string
	edits    jsonr.Edits
	err      *ir.Error
}

// member checks and replaces the value of the member that r is at.
func (n *embedRename) member(r *jsonr.Reader, path string) {
	at := r.Offset()
	value := r.Value()
	if n.err == nil {
		n.err = checkModel(value, n.from, path)
	}
	if n.to != "" {
		n.edits.Add(at, at+len(value), n.to)
	}
}

// checkModel returns an error if the model of a body is not the model of the path.
func checkModel(value ir.Raw, model, path string) *ir.Error {
	text, _ := jsonr.Text(value)
	if name := jsonw.Unescape(text); name != model && !strings.HasSuffix(name, "/"+model) {
		return google.Invalid(path, "is not the model in the URL's path.")
	}
	return nil
}

// DecodeEmbed reads the body of embedContent or batchEmbedContents. The result has the model of the
// path.
func (e embeddings) DecodeEmbed(path, body string, lost *ir.Lost) (*ir.EmbedRequest, *ir.Error) {
	d := embedDecoder{lost: lost, request: &ir.EmbedRequest{InputPath: "requests",
		Single: e.IsSingle(path), Model: jsonw.Escape(Client{}.Model(path, body))}}
	r := jsonr.NewReader(body)
	if r.Kind() != jsonr.Object {
		return nil, google.Invalid("", "The body must be a JSON object.")
	}
	var err *ir.Error
	if d.request.Single {
		d.request.InputPath = "content"
		err = d.one(&r, "")
	} else {
		err = d.batch(&r)
	}
	if err != nil {
		return nil, err
	}
	if len(d.request.Inputs) == 0 {
		return nil, google.Invalid(d.request.InputPath, "is not specified.")
	}
	return d.request, nil
}

// embedDecoder reads a request for embeddings. Members are in camelCase or in snake_case.
type embedDecoder struct {
	lost    *ir.Lost
	request *ir.EmbedRequest
}

func (d *embedDecoder) batch(r *jsonr.Reader) *ir.Error {
	for r.OpenObject(); r.Member(); {
		if r.Key() != "requests" {
			d.lost.AddMember("", r)
			continue
		}
		for r.OpenArray(); r.Element(); {
			n := len(d.request.Inputs)
			if n >= ir.MaxEmbedded {
				return google.Invalid("requests", "at most 2048 requests can be in one batch")
			}
			lead := "requests[" + strconv.Itoa(n) + "]."
			if err := d.one(r, lead); err != nil {
				return err
			}
			if len(d.request.Inputs) == n {
				return google.Invalid(lead+"content", "is not specified.")
			}
		}
	}
	return nil
}

// one reads an EmbedContentRequest. lead is the beginning of its members' paths.
func (d *embedDecoder) one(r *jsonr.Reader, lead string) *ir.Error {
	q, first := d.request, len(d.request.Inputs)
	dimensions := int64(0)
	for r.OpenObject(); r.Member(); {
		var err *ir.Error
		switch key := google.Camel(r.Key()); key {
		case "content":
			q.Inputs = q.Inputs[:first] // of several members the last counts
			err = d.content(r, lead+key)
		case "taskType":
			word, _ := jsonr.Text(r.Value())
			if word != "" && word != "TASK_TYPE_UNSPECIFIED" && q.TaskPath == "" {
				q.TaskPath = lead + key
			}
		case "title":
			if jsonr.Asks(r.Value()) && q.TitlePath == "" {
				q.TitlePath = lead + key
			}
		case "outputDimensionality":
			if r.Kind() == jsonr.Null {
				continue
			}
			if dimensions = jsonr.Count(r.Value()); dimensions <= 0 {
				err = google.Invalid(lead+key, "must be a positive integer.")
			}
			q.DimensionsPath = lead + key
		case "model":
			err = checkModel(r.Value(), jsonw.Unescape(q.Model), lead+key)
		default:
			d.lost.AddMember(strings.TrimSuffix(lead, "."), r)
		}
		if err != nil {
			return err
		}
	}
	if first > 0 && dimensions != q.Dimensions {
		return google.Invalid(lead+"outputDimensionality",
			"must be the same in all requests: the upstream has one number of dimensions for all.")
	}
	q.Dimensions = dimensions
	return nil
}

// content reads a Content, whose texts get one vector.
func (d *embedDecoder) content(r *jsonr.Reader, path string) *ir.Error {
	var all []byte
	text, parts := ir.Escaped(""), 0
	for r.OpenObject(); r.Member(); {
		if r.Key() != "parts" {
			continue // the role means nothing here
		}
		for r.OpenArray(); r.Element(); parts++ {
			one, _, _ := jsonr.LastMember(string(r.Value()), "text")
			part, ok := jsonr.Text(one)
			if !ok {
				return google.Invalid(path+".parts["+strconv.Itoa(parts)+"]",
					"is no text, and this upstream embeds only texts: "+
						"send it to an upstream of Google's own API.")
			}
			if parts == 0 {
				text = part
				continue
			}
			if parts == 1 {
				all = append(all, text...)
			}
			all = append(append(all, `\n`...), part...)
			text = ir.Escaped(jsonw.View(all))
		}
	}
	if parts > 0 {
		d.request.Inputs = append(d.request.Inputs, text)
	}
	return nil
}

// AppendEmbed appends the body of batchEmbedContents.
func (embeddings) AppendEmbed(dst []byte, r *ir.EmbedRequest, _ *ir.Target, _ *ir.Lost) ([]byte, *ir.Error) {
	if err := r.OnlyTexts(maxBatch, "Google"); err != nil {
		return dst, err
	}
	dst = append(dst, `{"requests":[`...)
	for i, text := range r.Inputs {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, `{"model":"`+google.ModelLead...)
		dst = append(dst, r.Model...)
		dst = jsonw.AppendTextMember(dst, `","content":{"parts":[{"text":`, text)
		dst = append(dst, `}]}`...)
		if r.Dimensions > 0 {
			dst = jsonw.AppendIntMember(dst, `,"outputDimensionality":`, r.Dimensions)
		}
		dst = append(dst, '}')
	}
	return append(dst, `]}`...), nil
}

// DecodeVectors reads the answer to batchEmbedContents.
func (e embeddings) DecodeVectors(body string, n int) (v ir.Vectors, ok bool) {
	v = ir.Vectors{List: make([]ir.Raw, 0, n), Input: -1}
	r := jsonr.NewReader(body)
	for r.OpenObject(); r.Member(); {
		switch google.Camel(r.Key()) {
		case "embeddings":
			for r.OpenArray(); r.Element(); {
				values := ir.Raw("")
				for r.OpenObject(); r.Member(); {
					if r.Key() == "values" {
						values = r.Value()
					}
				}
				v.List = append(v.List, values)
			}
		case "usageMetadata":
			v.Input = e.EmbedTokens(string(r.Value()))
		}
	}
	return v, len(v.List) == n
}

// EmbedTokens reads "usageMetadata" (Gemini API, "EmbeddingUsageMetadata"). Not every answer has it.
func (embeddings) EmbedTokens(usage string) int64 {
	count, _, _ := jsonr.LastMember(usage, "promptTokenCount")
	return jsonr.Count(count)
}

// AppendVectors appends the answer.
func (embeddings) AppendVectors(dst []byte, r *ir.EmbedRequest, v *ir.Vectors) (out []byte, ok bool) {
	lead := `{"embeddings":[{"values":`
	if r.Single {
		lead = `{"embedding":{"values":`
	}
	for _, vector := range v.List {
		dst = append(dst, lead...)
		if dst, ok = ir.AppendVector(dst, vector); !ok {
			return dst, false
		}
		lead = `},{"values":`
	}
	if dst = append(dst, '}'); !r.Single {
		dst = append(dst, ']')
	}
	dst = jsonw.AppendIntMember(dst, `,"usageMetadata":{"promptTokenCount":`, v.Input)
	return append(dst, `}}`...), true
}

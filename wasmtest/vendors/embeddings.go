package vendors

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"net/http"
	"strings"
)

// The vendors of Embed.
const (
	EmbedOpenAI     = "openai"     // api.openai.com
	EmbedGoogle     = "google"     // generativelanguage.googleapis.com
	EmbedCloudflare = "cloudflare" // the binding AI, with the body of worker/workerd/ai.mjs
)

// embedWidth is the number of dimensions of a vector without an option. Real models have 384 to 4,096.
const embedWidth = 8

const (
	maxInput     = 8192    // tokens of an input at OpenAI
	maxInputs    = 300_000 // tokens of a request at OpenAI
	googleWidest = 3072    // dimensions at Google
)

// Embed answers a request for embeddings as a vendor does, with the vendor's words for a refusal.
// path is the path below the host, without a query.
//
//   - OpenAI: developers.openai.com/api/reference, "Create embeddings". "You are not allowed to
//     generate embeddings from this model" is the answer for a chat model. The tokens of an input:
//     sbintuitions/JMTEB#15. The tokens of a request: assafelovic/gpt-researcher#1500. The dimensions:
//     openai.com/index/new-embedding-models-and-api-updates, refused in OpenAI's general words.
//   - Google: ai.google.dev/api/embeddings. A vector of gemini-embedding-001 with fewer dimensions has
//     not the length 1 (ai.google.dev/gemini-api/docs/embeddings, "Ensuring quality for smaller
//     dimensions"; at most 3,072). The form of a refused enum: zereight/gitlab-mcp#166.
//     At most 100 requests: langchain-ai/langchainjs#4491, weaviate/weaviate#11277.
//     Numbers are on lines of their own. "-uncounted" in the model's name: an answer as of 2025,
//     without usageMetadata.
//   - Cloudflare: developers.cloudflare.com/workers-ai/models/bge-m3.
func Embed(vendor, path string, body []byte) (status int, answer string) {
	e := &embedder{}
	switch vendor {
	case EmbedOpenAI:
		e.openAI(path, body)
	case EmbedGoogle:
		e.google(path, body)
	case EmbedCloudflare:
		e.cloudflare(body)
	default:
		panic("no such vendor: " + vendor)
	}
	if e.status == 0 {
		e.status = http.StatusOK
	}
	return e.status, e.answer
}

// Vector returns the vector of a text in Embed's answers. truncated: without the length 1.
func Vector(text string, width int, truncated bool) []float32 {
	vector, sum := make([]float32, width), 0.0
	for i := range vector {
		hash := fnv.New32a()
		fmt.Fprint(hash, text, i)
		n := float64(hash.Sum32())/math.MaxUint32*2 - 1
		vector[i] = float32(n)
		sum += n * n
	}
	if !truncated {
		for i := range vector {
			vector[i] = float32(float64(vector[i]) / math.Sqrt(sum))
		}
	}
	return vector
}

// EmbedTokens returns the tokens that Embed counts for a text.
func EmbedTokens(text string) int { return len(strings.Fields(text)) + 1 }

type embedder struct {
	status int
	answer string
}

func (e *embedder) refuse(status int, answer any) {
	e.status = status
	e.send(answer, "")
}

func (e *embedder) send(answer any, indent string) {
	text, err := json.MarshalIndent(answer, "", indent)
	if err != nil {
		panic(err)
	}
	if indent == "" {
		text, _ = json.Marshal(answer)
	}
	e.answer = string(text)
}

func (e *embedder) refuseOpenAI(status int, message string) {
	e.refuse(status, object{"error": object{"message": message, "type": "invalid_request_error", "param": nil,
		"code": nil}})
}

const badInput = "'$.input' is invalid. Please check the API reference: " +
	"https://platform.openai.com/docs/api-reference."

func (e *embedder) openAI(path string, body []byte) {
	var q object
	if json.Unmarshal(body, &q) != nil {
		e.refuseOpenAI(400, "We could not parse the JSON body of your request.")
		return
	}
	for name := range q {
		switch name {
		case "model", "input", "dimensions", "encoding_format", "user":
		default:
			e.refuseOpenAI(400, "Unrecognized request argument supplied: "+name)
			return
		}
	}
	model, _ := q["model"].(string)
	inputs := embedInputs(q["input"])
	width := embedWidth
	switch n, ok := q["dimensions"].(float64); {
	case !strings.HasSuffix(path, "/embeddings"):
		e.refuseOpenAI(404, "Invalid URL (POST "+path+")")
	case model == "":
		e.refuseOpenAI(400, "you must provide a model parameter")
	case !strings.HasPrefix(model, "text-embedding-"):
		e.refuseOpenAI(403, "You are not allowed to generate embeddings from this model")
	case inputs == nil || len(inputs) > 2048:
		e.refuseOpenAI(400, badInput)
	case ok && model == "text-embedding-ada-002":
		e.refuseOpenAI(400, "This model does not support specifying dimensions.")
	case ok && n < 1:
		e.refuseOpenAI(400, fmt.Sprintf("Invalid 'dimensions': integer below minimum value. Expected a "+
			"value >= 1, but got %v instead.", n))
	case ok && n > widest(model):
		e.refuseOpenAI(400, fmt.Sprintf("Invalid 'dimensions': integer above maximum value. Expected a "+
			"value <= %v, but got %v instead.", widest(model), n))
	case ok:
		width = int(n)
	}
	all := 0
	for _, text := range inputs {
		n := EmbedTokens(text)
		if all += n; n > maxInput && e.status == 0 {
			e.refuseOpenAI(400, fmt.Sprintf("This model's maximum context length is %d tokens, however "+
				"you requested %d tokens (%d in your prompt; 0 for the completion). Please reduce your "+
				"prompt; or completion length.", maxInput, n, n))
		}
	}
	if all > maxInputs && e.status == 0 {
		const code = "max_tokens_per_request"
		e.refuse(400, object{"error": object{"type": code, "param": nil, "code": code,
			"message": fmt.Sprintf("Requested %d tokens, max %d tokens per request", all, maxInputs)}})
	}
	if e.status != 0 {
		return
	}
	data, tokens := []any{}, 0
	for i, text := range inputs {
		var value any = Vector(text, width, false)
		if q["encoding_format"] == "base64" {
			value = Base64(value.([]float32))
		}
		data = append(data, object{"object": "embedding", "index": i, "embedding": value})
		tokens += EmbedTokens(text)
	}
	e.send(object{"object": "list", "data": data, "model": model,
		"usage": object{"prompt_tokens": tokens, "total_tokens": tokens}}, "")
}

// widest returns the most dimensions of a model of OpenAI.
func widest(model string) float64 {
	if model == "text-embedding-3-large" {
		return 3072
	}
	return 1536
}

// embedInputs returns the inputs in OpenAI's form, lists of tokens as text; nil if they are invalid.
func embedInputs(input any) (inputs []string) {
	all, ok := input.([]any)
	if !ok {
		all = []any{input}
	}
	if len(all) > 0 {
		if _, ok := all[0].(float64); ok {
			return []string{fmt.Sprint(all)}
		}
	}
	for _, one := range all {
		switch one := one.(type) {
		case string:
			if one == "" {
				return nil
			}
			inputs = append(inputs, one)
		case []any:
			inputs = append(inputs, fmt.Sprint(one))
		default:
			return nil
		}
	}
	return inputs
}

// Base64 returns a vector in OpenAI's base64.
func Base64(vector []float32) string {
	var bytes []byte
	for _, n := range vector {
		bytes = binary.LittleEndian.AppendUint32(bytes, math.Float32bits(n))
	}
	return base64.StdEncoding.EncodeToString(bytes)
}

func (e *embedder) refuseGoogle(status int, name, message string) {
	e.refuse(status, object{"error": object{"code": status, "message": message, "status": name}})
}

func (e *embedder) google(path string, body []byte) {
	_, rest, _ := strings.Cut(path, "/models/")
	model, method, _ := strings.Cut(rest, ":")
	single := method == "embedContent"
	if !strings.HasPrefix(model, "gemini-embedding-") || !single && method != "batchEmbedContents" {
		e.refuseGoogle(404, "NOT_FOUND", "models/"+model+" is not found for API version v1beta, or is not "+
			"supported for "+method+". Call ListModels to see the list of available models and their "+
			"supported methods.")
		return
	}
	var q object
	if json.Unmarshal(body, &q) != nil {
		e.refuseGoogle(400, "INVALID_ARGUMENT", "Invalid JSON payload received.")
		return
	}
	requests := []any{q}
	if !single {
		requests, _ = q["requests"].([]any)
	}
	if len(requests) == 0 || len(requests) > 100 {
		e.refuseGoogle(400, "INVALID_ARGUMENT",
			"* BatchEmbedContentsRequest.requests: at most 100 requests can be in one batch\n")
		return
	}
	embeddings, tokens := []any{}, 0
	for i, one := range requests {
		r, _ := one.(object)
		text := e.googleText(r, i, model, single)
		if e.status != 0 {
			return
		}
		vector := Vector(text, embedWidth, false)
		if n, ok := r["outputDimensionality"].(float64); ok {
			if n < 1 || n > googleWidest {
				e.refuseGoogle(400, "INVALID_ARGUMENT", "Request contains an invalid argument.")
				return
			}
			vector = Vector(text, int(n), model == "gemini-embedding-001")
		}
		embeddings = append(embeddings, object{"values": vector})
		tokens += EmbedTokens(text)
	}
	answer := object{"embeddings": embeddings}
	if single {
		answer = object{"embedding": embeddings[0]}
	}
	if !strings.Contains(model, "-uncounted") {
		answer["usageMetadata"] = object{"promptTokenCount": tokens,
			"promptTokenDetails": []any{object{"modality": "TEXT", "tokenCount": tokens}}}
	}
	e.send(answer, "  ")
}

// googleText returns the text of a request, or refuses the request.
func (e *embedder) googleText(r object, i int, model string, single bool) (text string) {
	for name := range r {
		switch name {
		case "model", "content", "taskType", "title", "outputDimensionality":
		default:
			e.refuseGoogle(400, "INVALID_ARGUMENT", fmt.Sprintf("Invalid JSON payload received. Unknown "+
				"name %q at 'requests[%d]': Cannot find field.", name, i))
			return ""
		}
	}
	if named, _ := r["model"].(string); named != "models/"+model && (named != "" || !single) {
		e.refuseGoogle(400, "INVALID_ARGUMENT", fmt.Sprintf("* BatchEmbedContentsRequest.requests[%d]."+
			"model: must match the model specified in BatchEmbedContentsRequest.model\n", i))
		return ""
	}
	switch r["taskType"] {
	case nil, "TASK_TYPE_UNSPECIFIED", "RETRIEVAL_QUERY", "RETRIEVAL_DOCUMENT", "SEMANTIC_SIMILARITY",
		"CLASSIFICATION", "CLUSTERING", "QUESTION_ANSWERING", "FACT_VERIFICATION", "CODE_RETRIEVAL_QUERY":
	default:
		e.refuseGoogle(400, "INVALID_ARGUMENT", fmt.Sprintf("Invalid value at 'requests[%d].task_type' "+
			"(type.googleapis.com/google.ai.generativelanguage.v1beta.TaskType), %q", i, r["taskType"]))
		return ""
	}
	content, _ := r["content"].(object)
	parts, _ := content["parts"].([]any)
	for _, part := range parts {
		part, _ := part.(object)
		one, _ := part["text"].(string)
		text += one
	}
	if text == "" {
		e.refuseGoogle(400, "INVALID_ARGUMENT", "* EmbedContentRequest.content: content is empty\n")
	}
	return text
}

func (e *embedder) cloudflare(body []byte) {
	var q struct {
		Model string
		Text  []string
	}
	err := json.Unmarshal(body, &q)
	if err != nil || len(q.Text) == 0 || len(q.Text) > 100 || !strings.HasPrefix(q.Model, "@cf/baai/bge-") {
		e.refuse(400, object{"success": false, "errors": []any{object{"code": 5006, "message": "AiError: " +
			"Bad input: Error: oneOf at '/' not met, 0 matches: required properties at '/' are 'text'"}}})
		return
	}
	data := []any{}
	for _, text := range q.Text {
		data = append(data, Vector(text, embedWidth, false))
	}
	e.send(object{"shape": []int{len(q.Text), embedWidth}, "data": data, "pooling": "mean"}, "")
}

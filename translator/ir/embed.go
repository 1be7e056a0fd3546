package ir

// Embeddings is the form in which an API makes embeddings, the vectors of texts. APIs with the same
// form share one Embeddings: requests and answers pass between them unchanged.
type Embeddings struct {
	Client   EmbedClient // nil: no client sends this form
	Upstream EmbedUpstream
}

// MaxEmbedded is the most inputs of a translated request: OpenAI's limit (API reference, "Create
// embeddings").
const MaxEmbedded = 2048

// EmbedRequest is a client's request for embeddings. It views the client's body. A path is "" if the
// client has not sent the field.
type EmbedRequest struct {
	Model  Escaped
	Inputs []Escaped // the texts; each gets one vector

	InputPath  string // of the list of inputs
	TokensPath string // of the first input that is a list of tokens instead of a text
	Tokens     int64  // how many tokens such inputs have

	Dimensions     int64 // numbers in each vector; 0: as the model makes them
	DimensionsPath string
	TaskPath       string // of the use of the vectors, which only Google has
	TitlePath      string // of a document's title, which only Google has

	Base64 bool // the vectors are 32-bit numbers in base64
	Single bool // the answer has one vector instead of a list
}

// Vectors are the embeddings of an upstream's answer. They view its body.
type Vectors struct {
	List  []Raw // arrays of numbers, in the order of the inputs
	Input int64 // the tokens of the inputs; negative: unknown
}

// EmbedClient is the client's side of Embeddings.
type EmbedClient interface {
	// IsSingle reports whether a request at path has one input, whose vector is not in a list.
	IsSingle(path string) bool

	// DecodeEmbed reads a client's body, which jsonr.Check accepted. path is the request's path.
	DecodeEmbed(path, body string, lost *Lost) (*EmbedRequest, *Error)

	// RenameModel returns a body in which every name of the model is the upstream's name to instead
	// of the client's name from. For a form with the model in the path, body has to be JSON, and a
	// name other than from is an error.
	RenameModel(body, from, to string) (Raw, *Error)

	// AppendVectors appends the client's answer: one vector for each input of r. ok is false if a
	// vector is no list of numbers.
	AppendVectors(dst []byte, r *EmbedRequest, v *Vectors) (out []byte, ok bool)
}

// EmbedUpstream is the upstream's side of Embeddings.
type EmbedUpstream interface {
	// EmbedPath returns the path below the base URL. single is EmbedRequest.Single, or false for a
	// translated request. The caller has escaped model as one path segment.
	EmbedPath(model string, single bool) string

	// AppendEmbed appends the upstream's body. After an error it returns dst unchanged.
	AppendEmbed(dst []byte, r *EmbedRequest, t *Target, lost *Lost) ([]byte, *Error)

	// DecodeVectors reads an answer for n inputs, which jsonr.Check accepted. ok is false if the
	// answer has not n vectors.
	DecodeVectors(body string, n int) (v Vectors, ok bool)

	// EmbedTokens returns the tokens of the inputs in the member "usage" or "usageMetadata" of an
	// answer; negative: unknown. usage may be anything.
	EmbedTokens(usage string) int64
}

// OnlyTexts returns the error for a request with tokens or with more than most inputs, which the
// upstream does not accept.
func (r *EmbedRequest) OnlyTexts(most int, vendor string) *Error {
	switch {
	case r.TokensPath != "":
		return &Error{Kind: InvalidRequest, Path: r.TokensPath, Message: vendor +
			" embeds texts, and lists of tokens can't be turned into texts: send strings. LangChain does " +
			"so with check_embedding_ctx_length=False."}
	case len(r.Inputs) > most:
		return &Error{Kind: InvalidRequest, Path: r.InputPath, Message: vendor +
			" embeds at most 100 inputs in a request: send fewer at once. LangChain does so with " +
			"chunk_size=100, LlamaIndex with embed_batch_size=100."}
	}
	return nil
}

// LoseTask reports the fields that change the vectors and that only Google has.
func (r *EmbedRequest) LoseTask(t *Target, lost *Lost) *Error {
	for _, path := range [...]string{r.TaskPath, r.TitlePath} {
		if path == "" {
			continue
		}
		if err := lost.AddOrRefuse(t, path, "task types and titles"); err != nil {
			return err
		}
	}
	return nil
}

// AppendVector appends an array of numbers without space. ok is false for anything else. vector is
// JSON. Google's answers have a line and eight spaces for each number.
func AppendVector(dst []byte, vector Raw) (out []byte, ok bool) {
	if len(vector) < len("[0]") || vector[0] != '[' {
		return dst, false
	}
	dst = append(dst, '[')
	for i := 1; i < len(vector); i++ {
		switch c := vector[i]; c {
		case ' ', '\n', '\r', '\t':
		case '[', '{', '"', 't', 'f', 'n': // a number has none of these
			return dst, false
		default:
			dst = append(dst, c)
		}
	}
	return dst, dst[len(dst)-2] != '['
}

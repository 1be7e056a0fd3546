package bridge

import "net/http"

// Program is the program that a host runs. (Program is an interface for TinyGo: if only one type
// implements an interface, TinyGo calls the methods directly. With a function in a variable, all
// functions of the same signature would count as functions in which a goroutine may pause: see
// toolchain/pausing.)
type Program interface {
	// Serve answers one request.
	Serve(Host, Answerer, *http.Request)
	// Preview returns a translator for a program that calls the upstream itself.
	Preview(Host) Previewer
	// Describe describes the settings of the deployment in a line. wrong: the line says why the
	// deployment can't serve.
	Describe(Host) (line string, wrong bool)
}

// Answerer is the http.ResponseWriter for Program.Serve. WriteRawJSBody writes the body, once,
// after WriteHeader.
type Answerer interface {
	http.ResponseWriter
	// WriteRawJSBody sets the body, NoBody for none.
	WriteRawJSBody(ClientBody)
	// Ready lets the host send the answer before Serve returns.
	Ready()
}

// Previewer translates a request and its answer, for a program that calls the upstream itself.
type Previewer interface {
	// Open translates a client's request for the endpoint of a record. client is the name of the
	// client's protocol; path and body are the request's. The upstream is the first with the
	// request's model. Open returns the body for the upstream, and the stream that translates the
	// answer. If the request is refused, s is nil, and request is the client's error: the status, a
	// space, and the body.
	Open(client, record, path string, body []byte) (request []byte, s Stream)
	// Head returns a line and the head of the upstream request. The line is "1 URL" if the client
	// asks for a stream, else "0 URL". passes: the body and its answer pass unchanged, except for the
	// name of the model.
	Head() (head string, passes bool)
	// Answer translates the upstream's whole answer, with its status, for the client. failed: out
	// is the client's error, in Open's form of a refusal.
	Answer(status int, body []byte) (out []byte, failed bool)
}

// Reporter provides the result of the request for the host's log.
type Reporter interface {
	// AppendReport appends a JSON object. The package comment lists its members.
	AppendReport(dst []byte) []byte
}

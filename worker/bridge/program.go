package bridge

import "net/http"

// Program is what a host runs. (TinyGo calls a method of an interface directly, if one type has it. A function in a variable would make
// others of its signature functions in which a goroutine may pause: see toolchain/pausing.)
type Program interface {
	// Serve answers one request.
	Serve(Host, Answerer, *http.Request)
	// Preview returns what translates for a program that calls the upstream itself.
	Preview(Host) Previewer
	// Setup says in a line what the settings of the deployment come to. wrong: the line says why it can't serve.
	Setup(Host) (line string, wrong bool)
}

// Answerer is the http.ResponseWriter that Program.Serve gets. Bodies are written with WriteRawJSBody, once, after WriteHeader.
type Answerer interface {
	http.ResponseWriter
	// WriteRawJSBody sets the body, NoBody for none.
	WriteRawJSBody(ClientBody)
	// Ready says that the client need not wait until Serve returns.
	Ready()
}

// Previewer translates one request, and the answer to it, for a program that calls the upstream itself.
type Previewer interface {
	// Open translates a request of a client that speaks the protocol called client: its path and its body, for the first upstream that serves its model at the
	// endpoint of a record. It returns the body that this upstream gets, and the stream that translates its answer. s is nil where the
	// request is refused: request then is what the client gets: the status, a space, and the body.
	Open(client, record, path string, body []byte) (request []byte, s Stream)
	// Head returns 1 if the client has asked for a stream, else 0, a space, the upstream's URL, a line break, and the head of the
	// request. passes: the body and its answer go as they are, but for the name of the model.
	Head() (head string, passes bool)
	// Answer translates the upstream's whole answer, with its status, for the client. failed: the client gets an error, and out has
	// the form that Open has for a refusal.
	Answer(status int, body []byte) (out []byte, failed bool)
}

// Reporter tells the host what came of the request, for its log.
type Reporter interface {
	// AppendReport appends one JSON object, whose members the package comment lists.
	AppendReport(dst []byte) []byte
}

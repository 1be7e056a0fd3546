package google

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/schema"
)

// Writer writes the parts of a request's body that both APIs share. A Syntax has the spelling, and
// an API writes the rest. Set the exported fields before the first call, except Functions and
// Hosted. Writer only appends to Dst.
type Writer struct {
	ir.Writer
	Syntax *Syntax
	API    API

	SameAPI   bool // the client speaks the upstream's API
	Continues bool // the model continues its own turn at the end of the history
	Validates bool // the server knows the mode VALIDATED of function calls

	Functions bool // the body has a function
	Hosted    bool // the body has a tool that the upstream runs

	schemas schema.Room
	strict  bool          // a function has a schema that calls must follow
	speaker Speaker       // of the last turn, 0 before the first
	open    bool          // the last turn has a list of parts, and its end is not written
	calls   []Call        // of the model's turn
	shown   []*ir.Content // the results whose files follow in the user's turn
	texts   []ir.Escaped  // the result of Texts
	config  bool          // the object of parameters has a member
}

// API is the part of a request's writer that differs between the two APIs.
type API interface {
	// Model writes a turn of the model: run is its messages up to the next speaker. Model passes
	// its calls to AddCall.
	Model(run []ir.Message) *ir.Error

	// Result writes the result of a call, the next one of NextResult.
	Result(call *Call) *ir.Error

	// Media writes an image, a file or audio as a part, without the comma before it.
	Media(c *ir.Content)
}

// Syntax is one API's spelling of the parts that both APIs share. A key includes its quotes and its
// colon. A start includes everything up to the first element or, for a text, up to its first
// character.
type Syntax struct {
	PromptStart, PromptNext, PromptEnd string // around the texts of the system prompt
	Turns                              string // the start of the list of turns
	User, Model                        string // the start of a turn, up to its first part
	Text                               string // the start of a part that is a text

	Functions, FunctionsEnd string     // around the functions, in the list of tools
	Function                string     // the start of a function, up to its name
	Parameters              string     // the key of a function's schema
	Search, Fetch           string     // the tools that the upstream runs
	Dialect                 schema.API // the schemas that the API accepts

	Config    string // the start of the object with the parameters of the answer
	MaxTokens string // the keys of members of Config
	TopP      string
	TopK      string // "" if the API has none
	Stop      string
}

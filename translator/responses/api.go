// Package responses speaks the Responses API, as OpenAI and the servers that imitate it understand it. Client and Upstream are the
// two sides of it.
package responses

// Name is the protocol's name in paths, options and tests.
const Name = "responses"

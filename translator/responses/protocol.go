// Package responses speaks OpenAI's Responses API.
package responses

// Name is the protocol's name in paths, options and tests.
const Name = "responses"

// Package chat speaks the Chat Completions API, as OpenAI and the many servers that imitate it understand it. Client and Upstream
// are the two sides of it.
package chat

// Name is the protocol's name in paths, options and tests.
const Name = "chat"

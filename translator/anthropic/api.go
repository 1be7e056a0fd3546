// Package anthropic speaks Anthropic's Messages API. Client and Upstream are the two sides of it.
package anthropic

// Name is the protocol's name in paths, options and tests.
const Name = "anthropic"

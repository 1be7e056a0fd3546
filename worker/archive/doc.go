// Package archive keeps the answers of the Responses API, and what was asked, in the database of an endpoint's object: it makes
// the statements, and reads their rows. It does no input or output. Of a conversation each response holds its own input and its
// own output, and the id of the one that it goes on from: they are a tree, from whose leaves the whole history is read.
package archive

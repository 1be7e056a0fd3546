// Package google contains what Google's two APIs share, generateContent and Interactions: the body
// of a request (Writer), the models and their list, the names of functions, the positions of
// citations, and errors.
package google

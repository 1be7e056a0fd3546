// Package google is what Google's two APIs have in common, generateContent and Interactions: the models, names of functions, files, errors and the
// list of models.
package google

// Command apis writes the facts of translator.APIs that JavaScript needs. build.sh runs `go run
// ./wasmtest/apis FOLDER`. The command writes two modules into FOLDER:
//
//   - apis.mjs, for the worker: the path and headers that identify a client's protocol, the form of
//     its errors, and the known forms of keys;
//   - views/apis.mjs, for the page: names, paths, and the exports of translator/NAME/page.mjs, a
//     copy of which is in the same folder as NAME.mjs.
//
// # The exports of translator/NAME/page.mjs
//
// A protocol without clients exports only model. The file imports nothing, because the page serves
// it at another path.
//
//	model                  a usual model of clients
//	anyModel               true if a server of the protocol may be any vendor's, without that model
//	pathOf(model)          the path of a streamed request, if the path has model and stream
//	options                optional members of a request, for askedFields:
//	                       [path, label, kind, hint]. kind is number, line, text, list, flag, json,
//	                       or a list of values, each a value or [label, value]
//	question(model, text, tool)
//	                       the body of a streamed question; tool is { name, description, schema }
//	eventOf(json, event)   one event of a stream, for people: { type, kind, key, text, tokens, args }.
//	                       json is the event's data, and event its name. Consecutive events with
//	                       the same key become one growing entry. kind is text, reasoning, call,
//	                       args, bad, or "" for events that only frame these. tokens is the size
//	                       of the answer, in the event that has it. args is the number of
//	                       characters of the arguments, in an event with whole calls.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/worker/keyforms"
)

// mark is a placeholder for an error's message in a body. No API escapes its characters.
const mark = "MESSAGE"

// api is a protocol in the form for apis.mjs.
type api struct {
	Name   string   `json:"name"`
	Title  string   `json:"title"`
	Path   string   `json:"path"`   // for requests to a model
	Routes []string `json:"routes"` // ir.Route.Path
	// the routes with a request to a model
	Converse []string `json:"converse"`
	Marks    []string `json:"marks"`   // ir.API.Marks
	Headers  []string `json:"headers"` // ir.API.ClientHeaders
	// the parts before and after the message in the body of an error for an unreadable request;
	// empty if no client speaks the protocol
	Invalid []string `json:"invalid,omitempty"`
	Broken  []string `json:"broken,omitempty"` // the same for a failure of the program
}

func main() {
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "apis:", err)
		os.Exit(1)
	}
}

// write writes both modules.
func write(folder string) error {
	const head = "// Made by wasmtest/apis of translator.APIs.\n"
	worker, page, views := head+"export const apis = [\n", "\nexport const apis = [\n", head
	for _, a := range translator.APIs {
		of, err := json.Marshal(describe(a))
		if err != nil {
			return err
		}
		worker += fmt.Sprintf("  %s,\n", of)
		views += fmt.Sprintf("import * as %s from \"./%s.mjs\";\n", a.Name, a.Name)
		page += fmt.Sprintf("  { name: %q, title: %q, path: %q, ...%s },\n", a.Name, a.Title,
			a.ConversePath(), a.Name)
		view, err := os.ReadFile(filepath.Join("translator", a.Name, "page.mjs"))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, "views", a.Name+".mjs"), view, 0o644); err != nil {
			return err
		}
	}
	worker += "];\n" + keys()
	if err := os.WriteFile(filepath.Join(folder, "apis.mjs"), []byte(worker), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "views", "apis.mjs"), []byte(views+page+"];\n"), 0o644)
}

// keys returns the declaration of keyForms, which matches a key like keyforms.Mask.
func keys() string {
	var forms []string
	for i := range keyforms.Forms {
		f := &keyforms.Forms[i]
		dots := ""
		if f.Dots > 0 {
			dots = fmt.Sprintf(`(?=(?:[\w-]*\.){%d})`, f.Dots)
		}
		forms = append(forms, fmt.Sprintf(`%s(?=[%s]*\d|[%s]{%d})%s%s`, regexp.QuoteMeta(f.Lead), f.Set,
			f.Set, keyforms.Enough, dots, f.Pattern()))
	}
	pattern, _ := json.Marshal("(?<![A-Za-z0-9])(?:" + strings.Join(forms, "|") + ")")
	return fmt.Sprintf("export const keyForms = new RegExp(%s, \"g\"); // worker/keyforms\n", pattern)
}

func describe(a *ir.API) api {
	of := api{Name: a.Name, Title: a.Title, Path: a.ConversePath(), Marks: append([]string{}, a.Marks...),
		Headers: append([]string{}, a.ClientHeaders...)}
	for _, to := range a.Routes {
		of.Routes = append(of.Routes, to.Path)
		if to.Operation == ir.Converse {
			of.Converse = append(of.Converse, to.Path)
		}
	}
	if a.HasClients() {
		of.Invalid, of.Broken = around(a, ir.InvalidRequest), around(a, ir.Internal)
	}
	return of
}

// around returns the body of an error in a protocol, split at its message.
func around(a *ir.API, kind ir.ErrorKind) []string {
	before, behind, _ := strings.Cut(string(a.Client.AppendError(nil, &ir.Error{Kind: kind, Message: mark})),
		mark)
	return []string{before, behind}
}

//go:build unix

package scaling

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// Place is the position of a value in a document.
type Place struct {
	// Path has the members from the root to the value, and the types of the objects around the
	// value. Elements of an array have the same path.
	Path string
	// Array has the elements of an array, joined by commas; "" for an empty array and without an
	// array.
	Array      string
	doc        string
	start, end int
	text       bool
}

// free are members with names of the client's in their values, as the parameters of a tool.
var free = []string{"properties", "$defs", "definitions", "metadata", "args", "input", "arguments", "labels"}

// Places returns the places of a JSON document, without the places below a member of free.
func Places(doc string) (all []Place) {
	decoder := json.NewDecoder(strings.NewReader(doc))
	var value func(path string)
	value = func(path string) {
		start := int(decoder.InputOffset())
		for strings.IndexByte(" \t\r\n,:", doc[start]) >= 0 {
			start++
		}
		i := len(all)
		all = append(all, Place{Path: path, doc: doc, start: start})
		token, err := decoder.Token()
		if err != nil {
			panic(err)
		}
		_, all[i].text = token.(string)
		switch token {
		case json.Delim('{'):
			kind := gjson.Get(doc[start:], "type").Str + gjson.Get(doc[start:], "role").Str
			own := i > 0 && slices.Contains(free, path[strings.LastIndexByte(path, '.')+1:])
			for decoder.More() {
				name, _ := decoder.Token()
				if value(path + "." + name.(string)); own { // the names mean nothing
					all = all[:i+1]
				}
			}
			decoder.Token()
			if kind != "" {
				for k := i + 1; k < len(all); k++ {
					all[k].Path = strings.Replace(all[k].Path, path+".", path+"("+kind+").", 1)
				}
			}
		case json.Delim('['):
			for decoder.More() {
				value(path + "[]")
			}
			decoder.Token()
		}
		all[i].end = int(decoder.InputOffset())
		if token == json.Delim('[') {
			all[i].Array = strings.TrimSpace(doc[start+1 : all[i].end-1])
		}
	}
	value("")
	return all
}

// Input is a document of a case.
type Input struct {
	Name string
	Of   func(size int) string
}

// Inputs returns the documents with a suspicious text or value of about size bytes in a place.
// Texts only replace texts: with all, each of Texts, otherwise only usual.
func (p *Place) Inputs(all bool) (list []Input) {
	add := func(name string, of func(n int) string) {
		list = append(list, Input{p.Path + ": " + name, func(size int) string {
			return p.doc[:p.start] + of(size) + p.doc[p.end:]
		}})
	}
	for _, name := range sorted(Texts) {
		if p.text && (all || slices.Contains(usual, name)) {
			add(name, func(n int) string { return `"` + Text(Texts[name], n) + `"` })
		}
	}
	for _, name := range sorted(Values) {
		add(name, Values[name])
	}
	if p.Array != "" {
		add("elements", func(n int) string {
			return "[" + strings.Repeat(p.Array+",", n/(len(p.Array)+1)) + p.Array + "]"
		})
	}
	return list
}

// usual are the texts for places without prose.
var usual = []string{"letters", "line breaks", "quotes", "accents", "open objects", "open arrays",
	"members", "URLs", "base64", "digits"}

func sorted[V any](m map[string]V) (names []string) {
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

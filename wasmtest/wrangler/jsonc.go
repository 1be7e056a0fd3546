package wrangler

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// names are the config files of wrangler, in the order of wrangler 4.156's search.
var names = []string{"wrangler.json", "wrangler.jsonc", "wrangler.toml"}

// Find returns the path of wrangler's config file in a folder, that of wrangler.toml if there is
// none.
func Find(folder string) string {
	for _, name := range names {
		path := filepath.Join(folder, name)
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	return filepath.Join(folder, "wrangler.toml")
}

// IsJSON reports whether the config file at path is JSON with comments.
func IsJSON(path string) bool {
	return strings.HasSuffix(path, ".json") || strings.HasSuffix(path, ".jsonc")
}

// Plain returns JSON without comments and trailing commas. Spaces replace them, so offsets and
// lines stay the same. Errors in the rest of the text are left for the parser.
func Plain(text []byte) []byte {
	text = bytes.Clone(bytes.TrimPrefix(text, []byte("\ufeff")))
	comma := -1 // the offset of a comma, if only spaces have followed
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			comma = -1
		case c == '/' && i+1 < len(text) && (text[i+1] == '/' || text[i+1] == '*'):
			end := endOfComment(text, i)
			for ; i < end; i++ {
				if text[i] != '\n' {
					text[i] = ' '
				}
			}
			i--
		case c == ',':
			comma = i
		case (c == '}' || c == ']') && comma >= 0:
			text[comma] = ' '
			comma = -1
		case c != ' ' && c != '\t' && c != '\n' && c != '\r':
			comma = -1
		}
	}
	return text
}

// endOfComment returns the offset after the comment at an offset.
func endOfComment(text []byte, begin int) int {
	end, skip := "\n", 0
	if text[begin+1] == '*' {
		end, skip = "*/", 2
	}
	if n := bytes.Index(text[begin+2:], []byte(end)); n >= 0 {
		return begin + 2 + n + skip
	}
	return len(text)
}

// Object is a JSON object whose members keep the order of the text: the order of MODELS matters.
type Object []Member

// Member is one member of an Object. Value is an Object, []any, string, bool, json.Number or nil.
type Member struct {
	Name  string
	Value any
}

// Get returns the value of a member, nil if there is none.
func (o Object) Get(name string) any {
	for _, m := range o {
		if m.Name == name {
			return m.Value
		}
	}
	return nil
}

// Set returns o with a member set. A new member is the last.
func (o Object) Set(name string, value any) Object {
	for i, m := range o {
		if m.Name == name {
			o[i].Value = value
			return o
		}
	}
	return append(o, Member{name, value})
}

// MarshalJSON returns o as JSON.
func (o Object) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, m := range o {
		if i > 0 {
			out = append(out, ',')
		}
		name, err := json.Marshal(m.Name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(m.Value)
		if err != nil {
			return nil, err
		}
		out = append(append(append(out, name...), ':'), value...)
	}
	return append(out, '}'), nil
}

// ParseJSON reads a config file's text, JSON with comments.
func ParseJSON(path string, text []byte) (Object, error) {
	d := json.NewDecoder(bytes.NewReader(Plain(text)))
	d.UseNumber()
	wrong := func(err error) error {
		if errors.Is(err, io.EOF) {
			err = errors.New("the file ends too early")
		}
		line := 1 + bytes.Count(text[:min(int(d.InputOffset()), len(text))], []byte("\n"))
		return fmt.Errorf("%s:%d: %s", path, line, oneLine(err.Error()))
	}
	value, err := next(d)
	if err != nil {
		return nil, wrong(err)
	}
	object, ok := value.(Object)
	if !ok {
		return nil, wrong(errors.New("the file is no JSON object"))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, wrong(errors.New("there is something after the object"))
	}
	return object, nil
}

// next reads one value.
func next(d *json.Decoder) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('['):
		list := []any{}
		for d.More() {
			v, err := next(d)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err = d.Token()
		return list, err
	case json.Delim('{'):
		object := Object{}
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return nil, err
			}
			v, err := next(d)
			if err != nil {
				return nil, err
			}
			object = object.Set(name.(string), v)
		}
		_, err = d.Token()
		return object, err
	}
	return token, nil
}

// fromJSON returns a JSON value in the types of package toml, and adds the names of objects to the
// order of the file.
func (c *config) fromJSON(v any, path []string) any {
	switch v := v.(type) {
	case Object:
		table := map[string]any{}
		for _, m := range v {
			at := join(path...)
			c.order[at] = append(c.order[at], m.Name)
			table[m.Name] = c.fromJSON(m.Value, append(path[:len(path):len(path)], m.Name))
		}
		return table
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = c.fromJSON(v[i], path)
		}
		return list
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		n, _ := v.Float64()
		return n
	}
	return v
}

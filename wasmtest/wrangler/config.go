package wrangler

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"edgelingua/translator/jsonw"
)

// config is a parsed wrangler.toml or wrangler.jsonc.
type config struct {
	path  string
	tree  map[string]any
	order map[string][]string // table's path -> its names, in the order of the file
	notes []string
}

func readConfig(path string) (*config, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	c := &config{path: path, order: map[string][]string{}}
	if IsJSON(path) {
		object, err := ParseJSON(path, text)
		if err != nil {
			return nil, err
		}
		c.tree, _ = c.fromJSON(object, nil).(map[string]any)
		return c, nil
	}
	meta, err := toml.Decode(string(text), &c.tree)
	if syntax := (toml.ParseError{}); errors.As(err, &syntax) {
		return nil, fmt.Errorf("%s:%d: %s", path, syntax.Position.Line, oneLine(syntax.Message))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %s", path, oneLine(err.Error()))
	}
	for _, key := range meta.Keys() {
		for i, name := range key {
			table := join(key[:i]...)
			if !slices.Contains(c.order[table], name) {
				c.order[table] = append(c.order[table], name)
			}
		}
	}
	return c, nil
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// join makes the path of a table. The separator is a NUL, since names may have dots.
func join(names ...string) string { return strings.Join(names, "\x00") }

// vars returns the vars of an environment; "" is the top level.
func (c *config) vars(environment string) (map[string]string, error) {
	root, table := c.tree, []string{"vars"}
	if environment != "" {
		own, err := c.environment(environment)
		if err != nil {
			return nil, err
		}
		if own != nil {
			root, table = own, []string{"env", environment, "vars"}
		}
	}
	vars := map[string]string{}
	list, ok := root["vars"].(map[string]any)
	if !ok && root["vars"] != nil {
		if IsJSON(c.path) {
			return nil, fmt.Errorf("%s: %s is no object; write \"vars\": {\"NAME\": \"value\"}", c.path,
				dotted(table))
		}
		return nil, fmt.Errorf("%s: %s is no table; write [%s], and NAME = \"value\" below it", c.path,
			dotted(table), dotted(table))
	}
	for name, v := range list {
		text, err := c.value(v, append(slices.Clone(table), name))
		if err != nil {
			return nil, err
		}
		vars[name] = text
	}
	c.noteMissing(environment, table, vars)
	return vars, nil
}

// environment returns the table of an environment. If the file has no environments at all, it
// returns nil and notes that the top level is used, as wrangler does.
func (c *config) environment(name string) (map[string]any, error) {
	list, _ := c.tree["env"].(map[string]any)
	own, ok := list[name].(map[string]any)
	switch {
	case ok:
		return own, nil
	case len(list) == 0:
		c.notes = append(c.notes, fmt.Sprintf("%s has no %s: its top level is taken", c.path,
			c.table("env", name)))
		return nil, nil
	}
	return nil, fmt.Errorf("%s has no %s; --env takes one of %s", c.path, c.table("env", name),
		strings.Join(slices.Sorted(maps.Keys(list)), ", "))
}

// noteMissing notes the vars of the top level that an environment lacks: environments do not
// inherit vars.
func (c *config) noteMissing(environment string, table []string, vars map[string]string) {
	var missing []string
	for _, name := range c.order["vars"] {
		if _, ok := vars[name]; !ok && len(table) > 1 {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		c.notes = append(c.notes,
			fmt.Sprintf("%s has %s at its top level, and not in %s, which inherits no vars", c.path,
				strings.Join(missing, ", "), c.table(table...)))
	}
}

// table returns the name of a table as the file writes it.
func (c *config) table(path ...string) string {
	if IsJSON(c.path) {
		return dotted(path)
	}
	return "[" + dotted(path) + "]"
}

func dotted(path []string) string { return strings.Join(path, ".") }

// value returns a var for the program: a string unchanged, any other value as JSON.
func (c *config) value(v any, path []string) (string, error) {
	if text, ok := v.(string); ok {
		return text, nil
	}
	text, err := c.appendJSON(nil, v, path)
	return string(text), err
}

// appendJSON appends a value as JSON. The names of tables stay in the order of the file, which
// matters for MODELS.
func (c *config) appendJSON(dst []byte, v any, path []string) ([]byte, error) {
	switch v := v.(type) {
	case string:
		return jsonw.AppendString(dst, v), nil
	case bool:
		return strconv.AppendBool(dst, v), nil
	case int64:
		return strconv.AppendInt(dst, v, 10), nil
	case float64:
		if !math.IsInf(v, 0) && !math.IsNaN(v) {
			text, err := json.Marshal(v)
			return append(dst, text...), err
		}
	case []any:
		return appendList(c, dst, v, path)
	case []map[string]any:
		return appendList(c, dst, v, path)
	case map[string]any:
		return c.appendTable(dst, v, path)
	}
	return dst, fmt.Errorf("%s: %s is of a type that a var can't have; put it in quotes", c.path,
		dotted(path))
}

func appendList[T any](c *config, dst []byte, list []T, path []string) (_ []byte, err error) {
	dst = append(dst, '[')
	for i, v := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = c.appendJSON(dst, v, path); err != nil {
			return dst, err
		}
	}
	return append(dst, ']'), nil
}

func (c *config) appendTable(dst []byte, table map[string]any, path []string) (_ []byte, err error) {
	dst = append(dst, '{')
	first := true
	for _, name := range c.order[join(path...)] {
		v, ok := table[name]
		if !ok {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(jsonw.AppendString(dst, name), ':')
		if dst, err = c.appendJSON(dst, v, append(slices.Clone(path), name)); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}

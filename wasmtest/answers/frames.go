package answers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/stretchr/testify/require"
)

// Frame is an event of a client's stream.
type Frame struct {
	Name string
	Data string
	JSON map[string]any
}

// Frames splits a stream into its events. Each event must be whole, with one line of JSON.
func Frames(t T, stream []byte) (frames []Frame) {
	require.True(t, bytes.HasSuffix(stream, []byte("\n\n")), "%q", stream)
	for _, event := range strings.Split(strings.TrimSuffix(string(stream), "\n\n"), "\n\n") {
		var f Frame
		lines := strings.Split(event, "\n")
		if name, ok := strings.CutPrefix(lines[0], "event: "); ok {
			f.Name, lines = name, lines[1:]
		}
		require.Len(t, lines, 1, event)
		var ok bool
		f.Data, ok = strings.CutPrefix(lines[0], "data: ")
		if n := len(frames); !ok && n > 0 && frames[n-1].Data == f.Data {
			continue // Gemini repeats an error after the stream, without "data: "
		}
		require.True(t, ok, event)
		if f.Data != "[DONE]" {
			require.NoError(t, json.Unmarshal([]byte(f.Data), &f.JSON), f.Data)
		}
		frames = append(frames, f)
	}
	return frames
}

// Number returns the member key of object. The member must be an integer.
func Number(t T, object map[string]any, key string) int {
	n, ok := object[key].(float64)
	require.True(t, ok, "%s in %v", key, object)
	return int(n)
}

// object returns the member key. The member must be an object.
func object(t T, in map[string]any, key string) map[string]any {
	o, ok := in[key].(map[string]any)
	require.True(t, ok, "%s in %v", key, in)
	return o
}

// checkCounts fails on a negative token count. Shapes check the members of other types.
func checkCounts(t T, usage map[string]any) {
	for key, value := range usage {
		switch v := value.(type) {
		case float64:
			require.GreaterOrEqual(t, v, 0.0, key)
		case map[string]any:
			checkCounts(t, v)
		}
	}
}

var halves = regexp.MustCompile(`\\\\|\\u[dD][89a-fA-F][0-9a-fA-F]{2}`)

// HalvesKept escapes the escapes of surrogates in JSON. A delta may hold half of a surrogate pair,
// which encoding/json would replace by U+FFFD; the escaped escape survives encoding/json.
func HalvesKept(text []byte) []byte {
	return halves.ReplaceAllFunc(text, func(escape []byte) []byte {
		if escape[1] == '\\' {
			return escape
		}
		return append([]byte{'\\'}, escape...)
	})
}

// escapedDelta returns the delta of an event, still escaped: a delta may hold half of a surrogate
// pair.
func escapedDelta(t T, f Frame) string {
	var event struct{ Delta json.RawMessage }
	require.NoError(t, json.Unmarshal([]byte(f.Data), &event))
	require.True(t, len(event.Delta) >= 2 && event.Delta[0] == '"', f.Data)
	return string(event.Delta[1 : len(event.Delta)-1])
}

// Unescaped decodes text, the inside of a JSON string without its quotes.
func Unescaped(t T, text string) (s string) {
	require.NoError(t, json.Unmarshal([]byte(`"`+text+`"`), &s))
	return s
}

// CheckKeys fails if an object in a JSON value has a key twice, since readers disagree on the value
// of such a key. It does not look into the arguments of tool calls: the model writes them.
func CheckKeys(t T, text []byte) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	require.NoError(t, keysOnce(d), "%s", text)
}

func keysOnce(d *json.Decoder) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	opening, ok := token.(json.Delim)
	if !ok {
		return nil
	}
	known := map[string]bool{}
	for d.More() {
		if opening == '{' {
			key, err := d.Token()
			if err != nil {
				return err
			}
			if known[key.(string)] {
				return fmt.Errorf("the key %q is there twice", key)
			}
			known[key.(string)] = true
			if key == "input" || key == "arguments" || key == "args" {
				var value json.RawMessage
				if err := d.Decode(&value); err != nil {
					return err
				}
				if value[0] == '[' {
					if err := keysOnce(json.NewDecoder(bytes.NewReader(value))); err != nil {
						return err
					}
				}
				continue
			}
		}
		if err := keysOnce(d); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}

// Decoded decodes a body. The body must be a JSON object.
func Decoded(t T, body []byte) (o map[string]any) {
	require.NoError(t, json.Unmarshal(body, &o), string(body))
	return o
}

// text returns the member key if it is a string, otherwise "".
func text(o map[string]any, key string) string {
	s, _ := o[key].(string)
	return s
}

// child returns the member key if it is an object, otherwise nil.
func child(o map[string]any, key string) map[string]any {
	c, _ := o[key].(map[string]any)
	return c
}

package translator_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator"
)

// checkBody checks a plain answer to the client of x by the types of the client's SDK.
func checkBody(t *testing.T, x *translator.Exchange, body []byte) {
	checkKeys(t, body)
	client := x.Request.API.Name
	v := validator{vendor: client == x.Upstream()}
	name := "answer"
	switch client {
	case "anthropic":
		v.shapes = messagesShapes
	case "chat":
		v.shapes = chatShapes
	case "responses":
		v.shapes, name = responsesShapes, "response"
	case "gemini":
		v.shapes = geminiShapes
	}
	require.Empty(t, v.object(name, decoded(t, body)), "%s", body)
}

// checkErrorBody checks an error's body by what the client's SDK reads.
func checkErrorBody(t *testing.T, client string, body []byte) {
	checkKeys(t, body)
	v, name := validator{shapes: messagesShapes}, "error"
	switch client {
	case "anthropic":
	case "gemini":
		v.shapes, name = geminiShapes, "failure"
	default:
		v.shapes, name = chatShapes, "failure"
	}
	require.Empty(t, v.object(name, decoded(t, body)), "%s", body)
}

// checkKeys sees that no object of a JSON value has a key twice, since readers disagree on which one counts. The arguments of
// tool calls are strings, written by the model, and not looked into.
func checkKeys(t *testing.T, text []byte) {
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

package translator_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"edgelingua/translator"
	"edgelingua/wasmtest/answers"
)

// citedText is a text of an Interactions answer, and the texts that its annotations cite.
type citedText struct {
	text  string
	cited []string
}

// citedTexts returns the texts that a client of Interactions gets for an upstream's stream, as a stream
// and as a plain answer.
func citedTexts(t *testing.T, up, stream string) (streamed, plain []citedText) {
	t.Helper()
	pair, ok := translator.Lookup("interactions", up)
	require.True(t, ok)
	decode := func() *translator.Exchange {
		x, err := pair.Decode("/v1beta/interactions", []byte(
			`{"model":"m","input":"hi","stream":true,"tools":[{"type":"google_search"}],`+
				`"generation_config":{"thinking_summaries":"auto"}}`))
		require.NoError(t, err)
		_, err = x.AppendRequest(nil, pair.Target("api.openai.com", "gpt-5.5"))
		require.NoError(t, err)
		return x
	}
	s := decode().Stream()
	out, _ := s.Push([]byte(stream))
	out = append(append([]byte{}, out...), s.Close(nil)...)
	answers.CheckStream(t, "interactions", false, out)
	type annotation struct {
		Start *int `json:"start_index"`
		End   *int `json:"end_index"`
	}
	add := func(c *citedText, list []annotation) {
		for _, a := range list {
			if a.End == nil {
				c.cited = append(c.cited, "?")
				continue
			}
			c.cited = append(c.cited, c.text[*a.Start:*a.End])
		}
	}
	for _, f := range answers.Frames(t, out) {
		var e struct {
			Step  struct{ Type string }
			Delta struct {
				Text        string
				Annotations []annotation
			}
		}
		if json.Unmarshal([]byte(f.Data), &e) != nil {
			continue
		}
		if e.Step.Type == "model_output" {
			streamed = append(streamed, citedText{})
		}
		if n := len(streamed); n > 0 {
			streamed[n-1].text += e.Delta.Text
			add(&streamed[n-1], e.Delta.Annotations)
		}
	}
	body, err := decode().AppendFolded(nil, []byte(stream))
	require.NoError(t, err)
	answers.CheckBody(t, "interactions", false, body)
	var answer struct {
		Steps []struct {
			Type    string
			Content []struct {
				Text        string
				Annotations []annotation
			}
		}
	}
	require.NoError(t, json.Unmarshal(body, &answer))
	for _, step := range answer.Steps {
		for _, content := range step.Content {
			c := citedText{text: content.Text}
			add(&c, content.Annotations)
			plain = append(plain, c)
		}
	}
	return streamed, plain
}

// TestCitationsOfSteps: the indexes of a citation count the bytes of its step's text. An empty line
// separates only texts that a client joins: not the texts before and after a search.
func TestCitationsOfSteps(t *testing.T) {
	t.Parallel()
	const search = `{"type":"response.output_item.done","output_index":1,"item":{"id":"w","type":` +
		`"web_search_call","status":"completed","action":{"type":"search","query":"q"}}}`
	const thought = `{"type":"response.reasoning_summary_text.delta","item_id":"r","output_index":1,` +
		`"summary_index":0,"delta":"hm"}`
	message := func(index, text string) []string {
		id := `"item_id":"m` + index + `","output_index":` + index + `,"content_index":0`
		annotations := `[]`
		cited := `{"type":"url_citation","start_index":0,"end_index":5,"url":"https://a.example","title":"A"}`
		events := []string{
			`{"type":"response.output_item.added","output_index":` + index + `,"item":{"id":"m` + index +
				`","type":"message","role":"assistant","status":"in_progress","content":[]}}`,
			`{"type":"response.content_part.added",` + id +
				`,"part":{"type":"output_text","text":"","annotations":[]}}`,
		}
		if text != "" {
			events = append(events, `{"type":"response.output_text.delta",`+id+`,"delta":"`+text+`"}`)
		}
		if !strings.HasPrefix(text, "Let") {
			annotations = `[` + cited + `]`
			events = append(events, `{"type":"response.output_text.annotation.added",`+id+
				`,"annotation_index":0,"annotation":`+cited+`}`)
		}
		return append(events, `{"type":"response.output_text.done",`+id+`,"text":"`+text+`"}`,
			`{"type":"response.output_item.done","output_index":`+index+`,"item":{"id":"m`+index+
				`","type":"message","role":"assistant","status":"completed","content":[{"type":"output_text",`+
				`"text":"`+text+`","annotations":`+annotations+`}]}}`)
	}
	for name, c := range map[string]struct {
		between, text string
		want          []citedText
	}{
		"search": {search, "Paris is nice",
			[]citedText{{text: "Let me."}, {"Paris is nice", []string{"Paris"}}}},
		"thought": {thought, "Paris is nice",
			[]citedText{{text: "Let me."}, {"\n\nParis is nice", []string{"Paris"}}}},
		"one step": {"", "Paris is nice", []citedText{{"Let me.\n\nParis is nice", []string{"Paris"}}}},
		// the citation belongs to its own empty text, and not to the next one
		"no text": {search, "", []citedText{{text: "Let me."}, {cited: []string{"?"}}}},
	} {
		events := append([]string{
			`{"type":"response.created","response":{"id":"r","status":"in_progress","output":[]}}`},
			message("0", "Let me.")...)
		if c.between != "" {
			events = append(events, strings.Replace(c.between, ".done", ".added", 1), c.between)
		}
		events = append(events, message("2", c.text)...)
		want := c.want
		if c.text == "" { // a second text after another search
			events = append(append(events, strings.ReplaceAll(search, `"w"`, `"w2"`)), message("4", "Let it.")...)
			want = append(want, citedText{text: "Let it."})
		}
		events = append(events, `{"type":"response.completed","response":{"id":"r","status":"completed",`+
			`"output":[],"usage":{"input_tokens":3,"output_tokens":4,"total_tokens":7}}}`)
		stream := "data: " + strings.Join(events, "\n\ndata: ") + "\n\n"
		streamed, plain := citedTexts(t, "responses", stream)
		assert.Equal(t, want, streamed, name)
		assert.Equal(t, want, plain, name)
	}
}

package vendors

import (
	"net/http"
	"testing"
)

const versionBody = `{"model":"claude-sonnet-4-5","max_tokens":9,"messages":[
	{"role":"user","content":[{"type":"text","text":"Hi"}]},
	{"role":"assistant","content":[{"type":"text","text":"Hello"}]},
	{"role":"user","content":[{"type":"document","source":{"type":"text","media_type":"text/plain","data":"x"}}]}]}`

// versionRules: version 2026-10-21 rejects what 2023-06-01 accepts.
func versionRules() []rules {
	header := func(version string) http.Header { return http.Header{"Anthropic-Version": {version}} }
	const citation = `[{"type":"web_search_result_location","cited_text":"a","encrypted_index":"b",` +
		`"title":"c","url":"https://d.test"}]`
	const document = `{"type":"document","source":{"type":"text","media_type":"text/plain","data":"x"}}`
	return []rules{{
		name: "2026-10-21", protocol: "anthropic", header: header(newVersion), good: versionBody,
		rows: []row{
			{"version-sampling", "a temperature", set("temperature", `1`),
				`temperature: Extra inputs are not permitted`},
			{"version-sampling", "a top_p", set("top_p", `1`), `top_p: Extra inputs are not permitted`},
			{"version-sampling", "a top_k", set("top_k", `4`), `top_k: Extra inputs are not permitted`},
			{"version-documents", "a document of the assistant's", insert("messages[1].content[0]", document),
				`Input tag 'document' found`},
			{"version-citations", "a citation of the user's", set("messages[0].content[0].citations", citation),
				`citations: Extra inputs are not permitted`},
		},
	}, {
		name: "2023-06-01", protocol: "anthropic", header: header(oldVersion),
		good: encode(edited(versionBody, set("temperature", `0.5`).and(set("top_k", `4`)).
			and(set("messages[0].content[0].citations", citation)))),
		rows: []row{{"sampling-range", "a temperature above 1", set("temperature", `2`), `temperature`}},
	}}
}

// TestMessagesVersions: servers know none, one or both of the versions.
func TestMessagesVersions(t *testing.T) {
	header := func(version string) http.Header { return http.Header{"Anthropic-Version": {version}} }
	for _, test := range []struct {
		version string
		options Options
		accepts bool
	}{
		{newVersion, Options{}, true}, {oldVersion, Options{OldVersion: true}, true},
		{newVersion, Options{OldVersion: true}, false}, {"2027-01-01", Options{}, false},
	} {
		v := New("anthropic", test.options, nil)
		err := v.Check(&Request{Header: header(test.version), Body: []byte(versionBody)})
		if (err == nil) != test.accepts {
			t.Errorf("%v: %v", test, err)
		}
	}
}

func edited(text string, change edit) any {
	body := decode(text)
	change(body)
	return body
}

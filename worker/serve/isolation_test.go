package serve_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
)

// clientBodies are one request of each client protocol, with a marker in the text; "MODEL" stands
// for the model.
var clientBodies = map[string]string{
	"/v1/messages": `{"model":"MODEL","max_tokens":10,"messages":[{"role":"user",` +
		`"content":"MARK"}]}`,
	"/v1/chat/completions":                 `{"model":"MODEL","messages":[{"role":"user","content":"MARK"}]}`,
	"/v1/responses":                        `{"model":"MODEL","input":"MARK"}`,
	"/v1beta/models/MODEL:generateContent": `{"contents":[{"role":"user","parts":[{"text":"MARK"}]}]}`,
}

// TestRequestsAreAlone serves 200 requests of ten endpoints at once. Each upstream repeats the text
// and the key of its request. Each client gets its own text, and no request has the upstream key of
// another endpoint. The tests' script runs this under the race detector.
func TestRequestsAreAlone(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	keys := map[string]string{}
	protocols := []string{"chat", "anthropic", "responses", "gemini", "interactions"}
	for i := range 10 {
		name := fmt.Sprintf("e%d", i)
		d.upstreams[name+".test"] = func(r *sent) *reply {
			for _, header := range r.Header {
				for _, value := range header {
					if at := strings.Index(value, "sk-e"); at >= 0 && value[at:] != "sk-"+name {
						return &reply{status: 400,
							chunks: []string{`{"error":{"message":"the key of another endpoint"}}`}}
					}
				}
			}
			mark := r.body[strings.Index(r.body, "mark-"):]
			return echo(protocols[i%len(protocols)], mark[:len("mark-000")])
		}
		keys[name] = d.make(fmt.Sprintf(`{"name":%q,"usage":true,"upstreams":[{"name":"up","protocol":%q,`+
			`"url":"https://%s.test/v1","key":"sk-%s"}]}`,
			name, protocols[i%len(protocols)], name, name))
	}
	var all sync.WaitGroup
	for i := range 200 {
		name := fmt.Sprintf("e%d", i%10)
		paths := []string{"/v1/messages", "/v1/chat/completions", "/v1/responses",
			"/v1beta/models/MODEL:generateContent"}
		path := paths[i/10%len(paths)]
		mark, model := fmt.Sprintf("mark-%03d", i), fmt.Sprintf("model-%03d", i)
		all.Go(func() {
			filled := strings.NewReplacer("MARK", mark, "MODEL", model)
			a := d.ask("POST", "/u/"+name+filled.Replace(path), filled.Replace(clientBodies[path]),
				bearer(keys[name]))
			assert.Equal(t, 200, a.Code, a.text())
			assert.Equal(t, 1, strings.Count(a.text(), "mark-"), a.text())
			assert.Contains(t, a.text(), mark)
			assert.NotContains(t, a.text(), "sk-e")
		})
	}
	all.Wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	assert.Len(t, d.outcomes, 210)
}

// echo is an upstream's answer with a text, in the upstream's protocol.
func echo(protocol, text string) *reply {
	body := map[string]string{
		"chat": strings.Replace(chatAnswer, "hello", text, 1),
		"anthropic": `{"id":"m1","type":"message","role":"assistant","model":"m",` +
			`"content":[{"type":"text","text":"` + text +
			`"}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1}}`,
		"responses": `{"id":"r1","object":"response","created_at":1,"status":"completed","model":"m",` +
			`"output":[{"id":"i1","type":"message","role":"assistant","status":"completed",` +
			`"content":[{"type":"output_text","text":"` + text +
			`","annotations":[]}]}],"usage":{"input_tokens":1,"output_tokens":1,"total_tokens":2}}`,
		"gemini": `{"candidates":[{"content":{"role":"model","parts":[{"text":"` + text +
			`"}]},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":1,` +
			`"candidatesTokenCount":1,"totalTokenCount":2}}`,
		"interactions": `{"id":"x1","status":"completed","model":"m","steps":[{"type":"model_output",` +
			`"content":[{"type":"text","text":"` + text +
			`"}]}],"usage":{"total_input_tokens":1,"total_output_tokens":1}}`,
	}[protocol]
	return says(200, body)(nil)
}

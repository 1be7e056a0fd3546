package serve_test

import (
	"io"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/answers"
	"edgelingua/wasmtest/clients"
)

// Chunks of a Chat Completions stream.
const (
	chatRole = `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"m",` +
		`"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}` + "\n\n"
	chatText = `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"m",` +
		`"choices":[{"index":0,"delta":{"content":"some"},"finish_reason":null}]}` + "\n\n"
	chatStop = `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"m",` +
		`"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	chatDone = "data: [DONE]\n\n"
)

// refuses returns an error of a Chat Completions upstream.
func refuses(words, code string) string {
	return encoded(object{"error": object{"message": words, "type": "some_type", "param": nil,
		"code": codeOf(code)}})
}

// codeOf returns an error code as a value for JSON.
func codeOf(code string) any {
	if code == "" {
		return nil
	}
	return code
}

// TestUpstreamErrors asks for a stream and for a plain answer.
func TestUpstreamErrors(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		status  int
		body    string
		header  map[string]string
		told    int // the client's status
		kind    string
		message string            // a regular expression
		headers map[string]string // headers of the answer
	}{
		{name: "401", status: 401, body: refuses("Incorrect API key provided", ""), told: 401,
			kind: "authentication_error", message: "Incorrect API key provided"},
		{name: "403", status: 403, body: refuses("Not for you", ""), told: 403, kind: "permission_error",
			message: "Not for you"},
		{name: "404", status: 404, body: refuses("No such model", ""), told: 404, kind: "not_found_error",
			message: "No such model"},
		{name: "404 of a path", status: 404, body: "404 page not found", told: 404, kind: "not_found_error",
			message: `The upstream has nothing at https://up\.test/v1/chat/completions: 404\. .*Set ` +
				`UPSTREAM_URL\. Its own words: 404 page not found`},
		{name: "400", status: 400, body: refuses("Bad temperature", ""), told: 400,
			kind: "invalid_request_error", message: "Bad temperature"},
		{name: "an upstream that repeats its key", status: 401,
			body: refuses("Bearer "+upstreamKey+" is no good", ""), told: 401, kind: "authentication_error",
			message: "is no good"},
		{name: "429 with retry-after", status: 429, body: refuses("Slow down", ""),
			header: map[string]string{"Retry-After": "17", "X-Request-Id": "req_up"},
			told:   429, kind: "rate_limit_error", message: "Slow down",
			headers: map[string]string{"Retry-After": "17", "Request-Id": "req_up"}},
		{name: "retry-after as a date", status: 503, body: refuses("Later", ""),
			header: map[string]string{"Retry-After": "Fri, 31 Dec 2027 23:59:59 GMT"},
			told:   529, kind: "overloaded_error", message: "Later",
			headers: map[string]string{"Retry-After": "Fri, 31 Dec 2027 23:59:59 GMT"}},
		{name: "500", status: 500, body: refuses("Broken inside", ""), told: 500, kind: "api_error",
			message: "Broken inside"},
		{name: "503", status: 503, body: refuses("No capacity", ""), told: 529, kind: "overloaded_error",
			message: "No capacity"},
		{name: "context overflow", status: 400,
			body: refuses("This model's maximum context length is 8192 tokens.", "context_length_exceeded"),
			told: 400, kind: "invalid_request_error", message: "prompt is too long"},
		{name: "502 with HTML", status: 502,
			body:   "<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>",
			header: map[string]string{"Content-Type": "text/html"},
			told:   502, kind: "api_error", message: "."},
		{name: "500 with an empty body", status: 500, told: 500, kind: "api_error", message: "."},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := deployTo(t, "chat", nil)
			d.upstreams["up.test"] = func(*sent) *reply {
				return &reply{status: test.status, header: test.header, chunks: []string{test.body}}
			}
			for _, stream := range []bool{false, true} {
				a := d.ask("POST", "/v1/messages",
					with(messagesBody, `{"stream":`+strconv.FormatBool(stream)+`}`))
				e := failure(t, "anthropic", a, test.told)
				assert.Equal(t, test.kind, e["type"])
				assert.Regexp(t, test.message, e["message"])
				assert.NotContains(t, a.text(), upstreamKey)
				for name, value := range test.headers {
					assert.Equal(t, value, a.Header().Get(name), name)
				}
				s := d.sdk("anthropic")
				s.Stream = stream
				_, err := s.Say("hi")
				var failed *clients.APIError
				require.ErrorAs(t, err, &failed)
				assert.Equal(t, test.told, failed.Status)
				assert.Regexp(t, test.message, failed.Message)
			}
		})
	}
}

// TestUpstreamFailures: upstreams break off, or send something other than an answer.
func TestUpstreamFailures(t *testing.T) {
	t.Parallel()
	stream := map[string]string{"Content-Type": "text/event-stream"}
	html := map[string]string{"Content-Type": "text/html"}
	words := "Bearer " + upstreamKey + " is no good"
	for _, test := range []struct {
		name    string
		stream  bool
		reply   reply
		status  int    // 0: any from 500
		kind    string // "": any
		message string // a regular expression, or "" for any words
	}{
		{name: "HTML for JSON", reply: reply{status: 200, header: html,
			chunks: []string{"<html>hello</html>"}}},
		{name: "an empty 200, plain", reply: reply{status: 200, chunks: []string{}}},
		{name: "an empty 200, streamed", stream: true,
			reply: reply{status: 200, header: stream, chunks: []string{}}, status: 200},
		{name: "a redirect", reply: reply{status: 307,
			header: map[string]string{"Location": "https://up.test/elsewhere"}, chunks: []string{""}},
			status: 502, message: "base URL"},
		{name: "an error in a stream", stream: true,
			reply: reply{status: 200, header: stream,
				chunks: []string{chatRole, chatText, "data: " + refuses("Died inside", "") + "\n\n"}},
			status: 200, message: "Died inside"},
		{name: "an error in a stream that repeats the key", stream: true,
			reply: reply{status: 200, header: stream,
				chunks: []string{chatRole, chatText, "data: " + refuses(words, "") + "\n\n"}}, status: 200,
			message: "is no good"},
		{name: "a stream without a finish", stream: true,
			reply: reply{status: 200, header: stream, chunks: []string{chatRole, chatText}}, status: 200,
			kind: "api_error"},
		{name: "a stream that is cut", stream: true,
			reply: reply{status: 200, header: stream, chunks: []string{chatRole, chatText},
				err: io.ErrUnexpectedEOF}, status: 200, kind: "api_error"},
		{name: "a stream that is reset", stream: true,
			reply: reply{status: 200, header: stream, chunks: []string{chatRole, chatText},
				err: syscall.ECONNRESET}, status: 200, kind: "api_error"},
		{name: "a stream that is cut before its first event", stream: true,
			reply:  reply{status: 200, header: stream, chunks: []string{}, err: io.ErrUnexpectedEOF},
			status: 200, kind: "api_error"},
		{name: "a plain answer that is cut",
			reply: reply{status: 200, chunks: []string{`{"id":`}, err: io.ErrUnexpectedEOF}, status: 502,
			kind: "api_error"},
		{name: "a connection that closes before the head", stream: true, reply: reply{err: io.EOF},
			status: 502, kind: "api_error"},
		{name: "no connection, plain", reply: reply{err: syscall.ECONNREFUSED}, status: 502,
			kind: "api_error", message: "base URL"},
		{name: "no connection, streamed", stream: true, reply: reply{err: syscall.ECONNREFUSED}, status: 502,
			kind: "api_error", message: "base URL"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := deployTo(t, "chat", nil)
			d.upstreams["up.test"] = func(*sent) *reply { r := test.reply; return &r }
			a := d.ask("POST", "/v1/messages",
				with(messagesBody, `{"stream":`+strconv.FormatBool(test.stream)+`}`))
			var e object
			if test.status == 200 {
				require.Equal(t, 200, a.Code, a.text())
				_, e, _ = answers.ReadMessages(t, a.Body.Bytes())
				require.NotNil(t, e, a.text())
				assert.Equal(t, len(test.reply.chunks) > 1, strings.Contains(a.text(), "some"),
					"the text before the failure")
			} else {
				if test.status == 0 {
					assert.GreaterOrEqual(t, a.Code, 500)
					test.status = a.Code
				}
				e = failure(t, "anthropic", a, test.status)
			}
			if test.kind != "" {
				assert.Equal(t, test.kind, e["type"])
			}
			assert.Regexp(t, test.message, e["message"])
			assert.NotEmpty(t, e["message"])
			assert.NotContains(t, a.text(), upstreamKey)
			assert.Len(t, d.requests(), 1)
		})
	}
}

// TestRetryAfterInTheBody: an API with the wait in an error's body gets the seconds of the upstream's header.
func TestRetryAfterInTheBody(t *testing.T) {
	t.Parallel()
	for header, delay := range map[string]string{"17": `"17s"`, "1.5": `"2s"`,
		"Fri, 31 Dec 2027 23:59:59 GMT": ""} {
		d := deployTo(t, "chat", nil)
		d.upstreams["up.test"] = func(*sent) *reply {
			return &reply{status: 429, header: map[string]string{"Retry-After": header},
				chunks: []string{refuses("Slow down", "")}}
		}
		a := d.ask("POST", pathOf("gemini", "m", false), smallestOf("gemini", nil))
		failure(t, "gemini", a, 429)
		assert.Equal(t, header, a.Header().Get("retry-after"))
		if delay == "" {
			assert.NotContains(t, a.text(), "retryDelay")
		} else {
			assert.Contains(t, a.text(), `"retryDelay":`+delay)
		}
	}
}

// TestErrorsInEachDialect: each upstream refuses requests of clients of other protocols.
func TestErrorsInEachDialect(t *testing.T) {
	t.Parallel()
	// kind is the type in Messages, openAI the type in OpenAI's APIs. Clients act on the codes in
	// this table; "" is the upstream's code.
	type refusal struct {
		status       int
		kind, openAI string
		code         string
	}
	refusals := []refusal{
		{400, "invalid_request_error", "invalid_request_error", ""},
		{401, "authentication_error", "invalid_request_error", ""},
		{403, "permission_error", "invalid_request_error", ""},
		{404, "not_found_error", "invalid_request_error", ""},
		{413, "request_too_large", "invalid_request_error", ""},
		{422, "invalid_request_error", "invalid_request_error", ""},
		{429, "rate_limit_error", "rate_limit_error", "rate_limit_exceeded"},
		{500, "api_error", "server_error", ""},
		{503, "overloaded_error", "server_error", "server_is_overloaded"},
		{529, "overloaded_error", "server_error", "server_is_overloaded"},
	}
	for _, protocol := range clientProtocols {
		bodyOf := func(r refusal, words string) string {
			if protocol == "anthropic" {
				return encoded(object{"type": "error", "error": object{"type": r.kind, "message": words}})
			}
			return encoded(object{"error": object{"message": words, "type": r.openAI, "param": nil,
				"code": codeOf(r.code)}})
		}
		for _, client := range clientProtocols {
			if client == protocol {
				continue
			}
			t.Run(protocol+" to "+client, func(t *testing.T) {
				t.Parallel()
				d := deployTo(t, protocol, nil)
				for _, r := range refusals {
					words := "Words on " + strconv.Itoa(r.status)
					d.upstreams["up.test"] = func(*sent) *reply {
						return &reply{status: r.status,
							header: map[string]string{"Retry-After": "17", "Request-Id": "req_1"},
							chunks: []string{bodyOf(r, words)}}
					}
					for _, stream := range []string{`{"stream":false}`, `{"stream":true}`} {
						a := d.ask("POST", paths[client], with(smallestOf(client, nil), stream))
						status := r.status
						if status == 503 || status == 529 {
							status = map[bool]int{true: 529, false: 503}[client == "anthropic"]
						}
						e := failure(t, client, a, status)
						assert.Contains(t, e["message"], words)
						if client == "anthropic" {
							assert.Equal(t, r.kind, e["type"])
						} else {
							assert.Equal(t, r.openAI, e["type"])
							if r.code != "" {
								assert.Equal(t, r.code, e["code"])
							}
						}
						assert.Equal(t, "17", a.Header().Get("Retry-After"))
						assert.Equal(t, "req_1", a.Header().Get("X-Request-Id"))
					}
				}
				words := "This model's maximum context length is 8 tokens."
				if protocol == "anthropic" {
					words = "prompt is too long: 9 tokens > 8 maximum"
				}
				d.upstreams["up.test"] = says(400,
					bodyOf(refusal{400, "invalid_request_error", "invalid_request_error",
						"context_length_exceeded"}, words))
				e := failure(t, client, d.ask("POST", paths[client], smallestOf(client, nil)), 400)
				assert.Equal(t, "invalid_request_error", e["type"])
				if client == "anthropic" {
					assert.Regexp(t, "^prompt is too long", e["message"])
				} else {
					assert.Equal(t, "context_length_exceeded", e["code"])
				}
			})
		}
	}
}

// TestSilentUpstream waits for the upstream's timeout.
func TestSilentUpstream(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := deployTo(t, "chat", map[string]string{"UPSTREAM_TIMEOUT": "600"})
		var aborted error
		d.upstreams["up.test"] = func(r *sent) *reply {
			<-r.Context().Done()
			aborted = r.Context().Err()
			return &reply{err: aborted}
		}
		e := failure(t, "anthropic", d.ask("POST", "/v1/messages", messagesBody), 504)
		assert.Contains(t, e["message"], "the upstream's timeout")
		synctest.Wait()
		assert.Error(t, aborted, "the upstream's request")
	})
}

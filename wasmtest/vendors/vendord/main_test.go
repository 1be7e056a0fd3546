package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestServer(t *testing.T) {
	server := httptest.NewServer(newServer())
	defer server.Close()
	post := func(path string, body any, value any) int {
		t.Helper()
		sent, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.Post(server.URL+path, "application/json", bytes.NewReader(sent))
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		if response.StatusCode == 200 {
			if err := json.NewDecoder(response.Body).Decode(value); err != nil {
				t.Fatal(err)
			}
		}
		return response.StatusCode
	}
	var made struct{ ID string }
	post("/vendors", map[string]any{"protocol": "chat", "options": map[string]any{"openAI": true}}, &made)
	exchange := map[string]any{
		"path": "/v1/chat/completions", "header": map[string]string{"x": "y"},
		"body": `{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}],
			"tools":[{"type":"function","function":{"name":"get"}}]}`,
		"turn": json.RawMessage(`{"text":"Hello","calls":[{"id":"1","name":"get","input":{"b":1,"a":2}}]}`),
	}
	var r result
	post("/vendors/"+made.ID+"/check", exchange, &r)
	if r.Refused != "" {
		t.Errorf("a good request: %+v", r)
	}
	post("/vendors/"+made.ID+"/play", exchange, &r)
	if r.Answer == nil || r.Answer.Status != 200 || r.Answer.Type != "text/event-stream" {
		t.Fatalf("%+v", r)
	}
	if body := strings.Join(r.Answer.Pieces, ""); !strings.Contains(body, `{\"b\":`) {
		t.Errorf("the input's members lose their order: %s", body)
	}
	exchange["turn"] = nil
	post("/vendors/"+made.ID+"/play", exchange, &r)
	if r.Answer.Status != 400 || r.Refused == "" {
		t.Errorf("without a turn: %+v", r)
	}
	exchange["body"] = `{"model":"m"}`
	post("/vendors/"+made.ID+"/check", exchange, &r)
	if r.Answer.Status != 400 || r.Refused != "messages: required" {
		t.Errorf("a bad request: %+v", r)
	}
	for _, id := range []string{"0", "2", "x"} {
		if status := post("/vendors/"+id+"/check", exchange, &r); status != http.StatusNotFound {
			t.Errorf("vendor %s: status %d", id, status)
		}
	}
}

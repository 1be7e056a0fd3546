// Command vendord serves the doubles of package vendors over HTTP, for tests in other languages. It
// listens on a free loopback port, prints the URL, and exits when standard input ends.
//
//	POST /vendors {"protocol", "options"}
//	    creates a double: {"id": "1"}
//	POST /vendors/1/check {"path", "header", "body"}
//	    checks a request: {}, or {"refused": reason, "answer": ...}
//	POST /vendors/1/play {"path", "header", "body", "turn"}
//	    plays a turn for a checked request: {"answer": ...}, or as for check
//	POST /embeddings {"vendor", "path", "body"}
//	    answers a request for embeddings (vendors.Embed): {"status": 200, "text": ...}
//	GET /gemini/members
//	    returns vendors.GeminiMembers: the members that a request to Gemini may have
//
// An answer is {"status": 200, "type": ..., "pieces": [...]}, for the caller to send. A body that
// is not JSON gets status 400, an unknown id status 404.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"

	"edgelingua/wasmtest/vendors"
)

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("http://%s\n", listener.Addr())
	go func() {
		log.Fatal(http.Serve(listener, newServer()))
	}()
	_, _ = io.Copy(io.Discard, os.Stdin) // returns when the parent process exits
}

type server struct {
	mu  sync.Mutex
	all []*vendors.Vendor // the index is the id minus 1
}

func newServer() http.Handler {
	s, mux := &server{}, http.NewServeMux()
	mux.HandleFunc("POST /vendors", s.add)
	mux.HandleFunc("POST /vendors/{id}/check", s.with(check))
	mux.HandleFunc("POST /vendors/{id}/play", s.with(play))
	mux.HandleFunc("POST /embeddings", embed)
	mux.HandleFunc("GET /gemini/members", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, vendors.GeminiMembers)
	})
	return mux
}

func (s *server) add(w http.ResponseWriter, r *http.Request) {
	var made struct {
		Protocol string
		Options  vendors.Options
	}
	if !read(w, r, &made) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, vendors.New(made.Protocol, made.Options, nil))
	reply(w, map[string]string{"id": strconv.Itoa(len(s.all))})
}

// command is the body of check and play: a request to a vendor and, for play, a turn.
type command struct {
	Path   string
	Header map[string]string
	Body   string
	Turn   *vendors.Turn
}

func (x *command) request() *vendors.Request {
	header := http.Header{}
	for name, value := range x.Header {
		header.Set(name, value)
	}
	return &vendors.Request{Path: x.Path, Header: header, Body: []byte(x.Body)}
}

type answer struct {
	Status int      `json:"status"`
	Type   string   `json:"type"`
	Pieces []string `json:"pieces"`
}

// result is the answer of check and play.
type result struct {
	Refused string  `json:"refused,omitempty"`
	Answer  *answer `json:"answer,omitempty"`
}

func (s *server) with(handle func(*vendors.Vendor, *command) result) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		id, err := strconv.Atoi(r.PathValue("id"))
		s.mu.Lock()
		all := s.all
		s.mu.Unlock()
		if err != nil || id < 1 || id > len(all) {
			http.Error(w, "no such vendor", http.StatusNotFound)
			return
		}
		var x command
		if read(w, r, &x) {
			reply(w, handle(all[id-1], &x))
		}
	}
}

func check(v *vendors.Vendor, x *command) result {
	if err := v.Check(x.request()); err != nil {
		return refusal(v, err)
	}
	return result{}
}

func play(v *vendors.Vendor, x *command) result {
	a, err := v.Play(x.request(), x.Turn)
	if err != nil {
		return refusal(v, err)
	}
	return result{Answer: answerOf(a)}
}

func refusal(v *vendors.Vendor, err error) result {
	return result{Refused: err.Error(), Answer: answerOf(v.Refusal(err))}
}

func answerOf(a *vendors.Answer) *answer {
	pieces := make([]string, len(a.Pieces))
	for i, piece := range a.Pieces {
		pieces[i] = string(piece)
	}
	return &answer{a.Status, a.Type, pieces}
}

func embed(w http.ResponseWriter, r *http.Request) {
	var x struct{ Vendor, Path, Body string }
	if read(w, r, &x) {
		status, text := vendors.Embed(x.Vendor, x.Path, []byte(x.Body))
		reply(w, map[string]any{"status": status, "text": text})
	}
}

func read(w http.ResponseWriter, r *http.Request, value any) bool {
	if err := json.NewDecoder(r.Body).Decode(value); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return false
	}
	return true
}

func reply(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value) // fails only if the client disconnected
}

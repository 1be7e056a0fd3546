// Command vendord serves the doubles of package vendors to tests in other languages. It listens on a
// free port of the loopback interface, prints its URL, and ends when its standard input does.
//
//	POST /vendors {"protocol": ..., "options": ...}       makes a double: {"id": "1"}
//	POST /vendors/1/check {"path", "header", "body"}      checks a request: {}, or {"refused": why, "answer": ...}
//	POST /vendors/1/play {"path", ..., "turn": ...}       plays a turn for it: {"answer": ...}, or as above
//	GET /gemini/members                                   the members that a request to Gemini may have
//
// An answer is {"status": 200, "type": ..., "pieces": [...]}; the caller sends it.
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
	_, _ = io.Copy(io.Discard, os.Stdin) // ends with the program that started this one
}

type server struct {
	mu  sync.Mutex
	all []*vendors.Vendor // by id - 1
}

func newServer() http.Handler {
	s, mux := &server{}, http.NewServeMux()
	mux.HandleFunc("POST /vendors", s.add)
	mux.HandleFunc("POST /vendors/{id}/check", s.with(check))
	mux.HandleFunc("POST /vendors/{id}/play", s.with(play))
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

// exchange is a request to a vendor, and the turn to play for it.
type exchange struct {
	Path   string
	Header map[string]string
	Body   string
	Turn   *vendors.Turn
}

func (x *exchange) request() *vendors.Request {
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

// result is what comes of an exchange.
type result struct {
	Refused string  `json:"refused,omitempty"`
	Answer  *answer `json:"answer,omitempty"`
}

func (s *server) with(handle func(*vendors.Vendor, *exchange) result) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		id, err := strconv.Atoi(r.PathValue("id"))
		s.mu.Lock()
		all := s.all
		s.mu.Unlock()
		if err != nil || id < 1 || id > len(all) {
			http.Error(w, "no such vendor", http.StatusNotFound)
			return
		}
		var x exchange
		if read(w, r, &x) {
			reply(w, handle(all[id-1], &x))
		}
	}
}

func check(v *vendors.Vendor, x *exchange) result {
	if err := v.Check(x.request()); err != nil {
		return refusal(v, err)
	}
	return result{}
}

func play(v *vendors.Vendor, x *exchange) result {
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

func read(w http.ResponseWriter, r *http.Request, value any) bool {
	if err := json.NewDecoder(r.Body).Decode(value); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return false
	}
	return true
}

func reply(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value) // it fails only if the client left
}

package vendors

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"edgelingua/wasmtest/corpus"
	table "edgelingua/wasmtest/rules"
)

// TestNoRequestIsRejected sends clients' requests through all pairs, and has the doubles judge the
// translated requests. The requests come from the corpus (with recorded clients), the doubles' tests,
// the tests of other projects and the scenarios. In addition there are REQUESTS mutations (default
// 1000), chosen by SEED (default 1). For each server the test prints the number of requests, and the
// rules broken by the server's own clients.
func TestNoRequestIsRejected(t *testing.T) {
	given := givenRequests(t)
	m := mutator{rand.New(rand.NewPCG(uint64(setting(t, "SEED", 1)), 0))}
	j := &judgement{rules: map[string]map[string]bool{}, rejected: map[string]*rejection{}}
	for _, r := range given {
		j.add(t, r)
	}
	for range setting(t, "REQUESTS", 1000) {
		r := *given[m.IntN(len(given))]
		r.body = []byte(encode(m.mutated(r.body)))
		r.name += ", mutated"
		j.add(t, &r)
	}
	for i := range servers {
		s := &servers[i]
		t.Logf("%v: %d requests sent, %d refused by the translator, rules broken by its own clients: %s", s,
			j.sent[i], j.refused[i], strings.Join(slices.Sorted(maps.Keys(j.rules[s.String()])), " "))
	}
	for _, words := range slices.Sorted(maps.Keys(j.rejected)) {
		one := j.rejected[words]
		t.Errorf("%s: %d times, first by %s\n%s\n%s", words, one.times, one.name, one.body, one.sent)
	}
}

// judgement is the result of a test.
type judgement struct {
	sent, refused [32]int // by the server's index
	rules         map[string]map[string]bool
	rejected      map[string]*rejection
}

// rejection is a request rejected by a double.
type rejection struct {
	*clientRequest
	sent  []byte
	times int
}

func (j *judgement) add(t *testing.T, r *clientRequest) {
	t.Helper()
	for i := range servers {
		s := &servers[i]
		if s.protocol == r.client {
			j.own(s, r)
			continue
		}
		o := s.send(t, r)
		switch {
		case strings.Count(string(r.body), "cache_control") > 4:
			// more than four are left to the vendor (request_append_cache.go of both packages)
		case o.refused != nil:
			j.refused[i]++
		case o.judged != nil:
			words := fmt.Sprintf("%v: %s", s, plainly(o.judged))
			if j.rejected[words] == nil {
				j.rejected[words] = &rejection{clientRequest: r, sent: o.body}
			}
			j.rejected[words].times++
			fallthrough
		default:
			j.sent[i]++
		}
	}
}

// own notes the rule of a server broken by a request of the server's own client.
func (j *judgement) own(s *server, r *clientRequest) {
	value := decode(string(r.body))
	body, isObject := value.(object)
	if !isObject {
		return
	}
	if s.protocol != "gemini" {
		body["model"] = s.model
	}
	err := s.judge(body, true, own{})
	if err == nil {
		return
	}
	for _, rule := range table.ByProtocol[s.protocol] {
		if breaks(err, s.protocol+"/"+rule.ID) {
			if j.rules[s.String()] == nil {
				j.rules[s.String()] = map[string]bool{}
			}
			j.rules[s.String()][rule.ID] = true
		}
	}
}

// givenRequests returns the requests of the corpus, of the doubles' tests, of other projects' tests and
// of the scenarios.
func givenRequests(t *testing.T) (given []*clientRequest) {
	all, err := corpus.Load("../../translator/testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		given = append(given, &clientRequest{s.Name, s.Client, s.Path, s.Request})
	}
	for _, r := range allRules() {
		if !slices.Contains(clients, r.protocol) {
			continue
		}
		for _, row := range r.rows {
			body := decode(r.good)
			row.edit(body)
			one := requestOf(r.protocol, body)
			one.name = r.protocol + "/" + row.rule + ", " + row.wrong
			given = append(given, one)
		}
	}
	for _, s := range peerShapes {
		one := requestOf(s.client, decode(s.body))
		one.name = s.name
		given = append(given, one)
	}
	for i := range scenarios {
		for _, client := range clients {
			one := requestOf(client, scenarios[i].of(client, "m"))
			one.name = scenarios[i].name
			given = append(given, one)
		}
	}
	return slices.DeleteFunc(given, func(r *clientRequest) bool { return !json.Valid(r.body) })
}

func setting(t *testing.T, variable string, usual int) int {
	if os.Getenv(variable) == "" {
		return usual
	}
	n, err := strconv.Atoi(os.Getenv(variable))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

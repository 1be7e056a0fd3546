//go:build unix

package translator_test

import (
	"bytes"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/translator/passing"
	"edgelingua/translator/policy"
	"edgelingua/wasmtest/corpus"
	"edgelingua/wasmtest/scaling"
)

// TestScaling: the CPU time of each request, answer and stream grows about linearly, whatever
// repeats in it. Each case goes through one pair; the pairs take turns.
func TestScaling(t *testing.T) {
	scaling.Check(t, scalingRequests(t), scalingBodies(t), scalingStreams(t), scalingUntranslated(t))
}

// prose has the places of texts and of JSON in a text, which get all suspicious texts.
var prose = regexp.MustCompile(`(text|content|input|output|arguments|description|thinking|` +
	`reasoning_content|instructions|system|refusal|summary)$|args|response`)

// inputs yields the inputs at all places of documents. Places with the same path count once.
func inputs(docs []string, yield func(i int, in scaling.Input) bool) {
	seen := map[string]bool{}
	i := 0
	for _, doc := range docs {
		for _, place := range scaling.Places(doc) {
			if seen[place.Path] {
				continue
			}
			seen[place.Path] = true
			for _, in := range place.Inputs(prose.MatchString(place.Path)) {
				if i++; !yield(i, in) {
					return
				}
			}
		}
	}
}

// sectionsOf returns the corpus' sections with this name.
func sectionsOf(t *testing.T, name string) (all []string) {
	err := filepath.WalkDir("testdata", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".txtar" {
			return err
		}
		archive, err := txtar.ParseFile(path)
		require.NoError(t, err)
		for _, file := range archive.Files {
			if file.Name == name {
				all = append(all, string(file.Data))
			}
		}
		return nil
	})
	require.NoError(t, err)
	return all
}

// valid returns the documents that are JSON.
func valid(docs []string) []string {
	return slices.DeleteFunc(docs, func(doc string) bool { return passing.Check([]byte(doc)) != nil })
}

// everyOption is a policy that changes as much as it can.
var everyOption = policy.Policy{ShrinkRequired: true, NoStrict: true, StripFormats: true, PrefixIDs: true,
	Drop: []string{"dropped"}, Guidance: "Guidance.", LoopGuard: true,
	Descriptions: policy.Cut{Max: 1000}}

// scalingTargets are targets with many and with few abilities.
var scalingTargets = []ir.Target{{}, {OpenAI: true, WebSearch: true, ToolSearch: true, Strict: true,
	PlainRoot: true, StrictSubset: true}, {TextCalls: true, ThinkTags: true}}

func scalingRequests(t *testing.T) scaling.Cases {
	return func(yield func(scaling.Case) bool) {
		for _, client := range protocols {
			inputs(valid(sectionsOf(t, "request."+client+".json")), func(i int, in scaling.Input) bool {
				upstream := upstreams[i%len(upstreams)]
				target := scalingTargets[i/len(upstreams)%len(scalingTargets)]
				return yield(scaling.Case{Name: client + " to " + upstream + in.Name,
					Of: func(size int) func() {
						body := []byte(in.Of(size))
						return func() {
							pair, _ := translator.Lookup(client, upstream)
							x, err := pair.Decode(corpus.Path(client, "m", false), body)
							if err != nil {
								return
							}
							x.MaxSearches, x.MaxFetches, x.AskUsage, x.Policy = 5, 5, true, &everyOption
							policy.Loop(x.Request)
							if _, err = x.AppendRequest(nil, &target); err == nil {
								x.InputTokens()
								x.LostHeader()
							}
						}
					}})
			})
		}
	}
}

// withTools are requests with a tool of the client and a search.
var withTools = map[string]string{
	"anthropic": `{"model":"m","max_tokens":64,"messages":[{"role":"user","content":"q"}],"tools":[` +
		`{"name":"f","input_schema":{"type":"object","properties":{"a":{"type":"string"}}}},` +
		`{"type":"web_search_20250305","name":"web_search"}],"stream":`,
	"chat": `{"model":"m","messages":[{"role":"user","content":"q"}],"tools":[{"type":"function",` +
		`"function":{"name":"f","parameters":{"type":"object","properties":{"a":{"type":"string"}}}}}],` +
		`"web_search_options":{},"stream":`,
	"responses": `{"model":"m","input":"q","tools":[{"type":"function","name":"f","parameters":` +
		`{"type":"object","properties":{"a":{"type":"string"}}}},{"type":"web_search"}],"stream":`,
	"gemini": `{"contents":[{"role":"user","parts":[{"text":"q"}]}],"tools":[{"functionDeclarations":[` +
		`{"name":"f","parametersJsonSchema":{"type":"object","properties":{"a":{"type":"string"}}}}]},` +
		`{"googleSearch":{}}],"stream":`,
	"interactions": `{"model":"m","input":"q","tools":[{"type":"function","name":"f","parameters":` +
		`{"type":"object","properties":{"a":{"type":"string"}}}},{"type":"google_search"}],"stream":`,
}

// scalingChunk is the size of a stream's chunks: so small that reading an event anew with each chunk
// would show.
const scalingChunk = 256

// scalingAnswer returns a run of an answer through a client. i chooses the upstream's abilities.
func scalingAnswer(t *testing.T, i int, client, upstream string, text string, stream bool) func() {
	answer := []byte(text)
	request := []byte(withTools[client] + strconv.FormatBool(stream) + "}")
	target := &scalingTargets[i/len(protocols)%len(scalingTargets)]
	return func() {
		pair, _ := translator.Lookup(client, upstream)
		x, err := pair.Decode(corpus.Path(client, "m", stream), request)
		require.NoError(t, err)
		x.MaxSearches, x.AskUsage = 5, true
		_, err = x.AppendRequest(nil, target)
		require.NoError(t, err)
		if stream {
			pushed(x, answer, scalingChunk)
		} else {
			x.AppendBody(nil, answer)
		}
		x.OutputTokens("m")
		x.LostHeader()
	}
}

func scalingBodies(t *testing.T) scaling.Cases {
	return func(yield func(scaling.Case) bool) {
		for _, upstream := range upstreams {
			var docs []string
			for _, a := range answersOf(t, upstream) {
				if !a.stream {
					docs = append(docs, string(a.body))
				}
			}
			inputs(valid(docs), func(i int, in scaling.Input) bool {
				client := protocols[i%len(protocols)]
				return yield(scaling.Case{Name: upstream + " for " + client + in.Name,
					Of: func(size int) func() {
						return scalingAnswer(t, i, client, upstream, in.Of(size), false)
					}})
			})
		}
	}
}

// eventsIn returns the events of a stream.
func eventsIn(stream []byte) []string {
	return slices.DeleteFunc(strings.SplitAfter(string(stream), "\n\n"),
		func(e string) bool { return e == "" })
}

func scalingStreams(t *testing.T) scaling.Cases {
	return func(yield func(scaling.Case) bool) {
		for _, upstream := range upstreams {
			seen := map[string]bool{}
			for _, a := range answersOf(t, upstream) {
				if a.stream && !scalingEvents(t, upstream, eventsIn(a.body), seen, yield) {
					return
				}
			}
		}
	}
}

// scalingEvents yields the cases of a stream's events. seen has the places of earlier streams.
func scalingEvents(t *testing.T, upstream string, events []string, seen map[string]bool,
	yield func(scaling.Case) bool) bool {
	i := 0
	add := func(client, name string, stream func(size int) string) bool {
		i++
		n := i
		return yield(scaling.Case{Name: upstream + " for " + client + name, Of: func(size int) func() {
			return scalingAnswer(t, n, client, upstream, stream(size), true)
		}})
	}
	for k, event := range events {
		lead, data, found := strings.Cut(event, "data: ")
		if !found || passing.Check([]byte(data)) != nil {
			continue
		}
		before, after := strings.Join(events[:k], ""), strings.Join(events[k+1:], "")
		fresh := false
		for _, place := range scaling.Places(strings.TrimSpace(data)) {
			if seen[place.Path] {
				continue
			}
			seen[place.Path], fresh = true, true
			for _, in := range place.Inputs(prose.MatchString(place.Path)) {
				if !add(protocols[i%len(protocols)], in.Name, func(size int) string {
					return before + lead + "data: " + in.Of(size) + "\n\n" + after
				}) {
					return false
				}
			}
		}
		for _, client := range protocols {
			if fresh && !add(client, ": repeats "+event, func(size int) string {
				return before + scaling.Text(event, size) + after
			}) {
				return false
			}
		}
	}
	return true
}

// scalingUntranslated has the functions for bodies that pass unchanged.
func scalingUntranslated(t *testing.T) scaling.Cases {
	secrets := func() []string { return []string{strings.Repeat("a", 40) + "b", "a-secret-of-an-upstream"} }
	return func(yield func(scaling.Case) bool) {
		for _, client := range protocols {
			api := translator.API(client)
			inputs(valid(sectionsOf(t, "request."+client+".json")), func(i int, in scaling.Input) bool {
				if i%8 != 0 { // nothing there depends on the place
					return true
				}
				return yield(scaling.Case{Name: "passing " + client + in.Name, Of: func(size int) func() {
					body := []byte(in.Of(size))
					path := corpus.Path(client, "m", false)
					return func() {
						passing.Single(api, path, body, true)
						passing.Model(api, path, body)
						passing.Streams(api, path, body)
						passing.HoldsForeign(api, body)
						passing.MentionsTools(body)
						passing.Compacted(api, path, body)
						passing.ReplaceModel(bytes.Clone(body), func(string) string { return "other" })
						passing.Redact(string(body), secrets())
					}
				}})
			})
			for _, a := range answersOf(t, client) {
				events := eventsIn(a.body)
				if !a.stream || len(events) < 2 {
					continue
				}
				for _, event := range events {
					if !yield(scaling.Case{Name: "tap of " + client + ": repeats " + event,
						Of: func(size int) func() {
							stream := []byte(scaling.Text(event, size))
							return func() {
								tap := translator.NewTap(api, secrets)
								for rest := stream; len(rest) > 0; {
									n := min(len(rest), scalingChunk)
									tap.Push(rest[:n])
									rest = rest[n:]
								}
								tap.Close(nil)
							}
						}}) {
						return
					}
				}
			}
		}
	}
}

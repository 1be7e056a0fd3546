package conform

import (
	"fmt"
	"net/http"
)

// optional ends the case if the server does not have an optional feature.
func (r *Reply) optional() {
	if r.Status == http.StatusNotFound || r.Status == http.StatusMethodNotAllowed ||
		r.Status == http.StatusNotImplemented {
		panic(&notServed{fmt.Sprintf("it answered %d", r.Status)})
	}
}

// countTokens asks for the tokens of a text, and of a text with tools if tools is true.
func (c *client) countTokens(text string, tools bool) {
	q := c.question(text)
	if tools {
		q.tools = []Tool{weather, clock}
	}
	body := c.api.body(q)
	path := c.api.path(c.prefix, q.model, false)
	switch c.api.name {
	case "messages":
		path += "/count_tokens"
		delete(body, "max_tokens")
	case "gemini":
		path = path[:len(path)-len("generateContent")] + "countTokens"
		inner := body
		delete(inner, "generationConfig")
		body = object{"contents": inner["contents"]}
		if tools {
			inner["model"] = "models/" + q.model
			body = object{"generateContentRequest": inner}
		}
	case "responses":
		path += "/input_tokens"
		for _, name := range []string{"max_output_tokens", "store", "include"} {
			delete(body, name)
		}
	}
	c.send(http.MethodPost, path, c.api.head(c.target.Key), []byte(encode(body)))
}

var countProbe = raw("counts of tokens", func(c *client) {
	c.countTokens("Hi", false)
	c.countTokens(longWords+longWords, false)
	c.countTokens("Hi", true)
})

var countBad = raw("a count of a body that is not JSON", func(c *client) {
	path := c.api.path(c.prefix, c.model, false)
	switch c.api.name {
	case "messages":
		path += "/count_tokens"
	case "gemini":
		path = path[:len(path)-len("generateContent")] + "countTokens"
	case "responses":
		path += "/input_tokens"
	}
	c.send(http.MethodPost, path, c.api.head(c.target.Key), []byte("{"))
})

func (r *Record) tokens(i int) int {
	reply := r.Replies[i]
	reply.optional()
	r.ok(i)
	member := map[string]string{"messages": "input_tokens", "gemini": "totalTokens",
		"responses": "input_tokens"}
	return decode("the body", reply.Body).get(member[r.Client]).count()
}

func init() {
	docs := by[string]{"platform.claude.com/docs/en/build-with-claude/token-counting", "",
		openAIDocs + "responses/subresources/input_tokens", "ai.google.dev/api/tokens"}
	each := func(id, title, must, why string, s Severity, p *Probe, judge func(r *Record), m Mutation) {
		addEach(template{id: "count/" + id, title: title, must: must, why: why, source: docs,
			since:    sinceCounts,
			severity: s, probe: p, judge: judge, mutation: same(m), only: "messages responses gemini"})
	}
	numbers := `"(input_tokens|totalTokens)":\d+`
	each("1.1", "a count of a text", "a number above 0, in the member of the SDK",
		"Claude Code and Gemini CLI compact by counts; a count of 0 never compacts (litellm#13252)",
		Fails, countProbe,
		func(r *Record) { demand(r.tokens(0) > 0, "a count above 0", r.tokens(0)) }, swap(numbers, `"$1":0`))
	each("1.2", "a longer text has more tokens", "some hundred words count more than one word",
		"a constant is no count (copilot-api#210)", Loses, countProbe, func(r *Record) {
			demand(r.tokens(1) > r.tokens(0)+50, "50 tokens more", fmt.Sprint(r.tokens(0), ", ", r.tokens(1)))
		}, swap(numbers, `"$1":9`))
	each("1.3", "tools are counted", "a request with tools counts more than without",
		"tools of an agent are most of its prompt (litellm#30043)", Loses, countProbe, func(r *Record) {
			if r.Client == "gemini" && r.Replies[2].Status == http.StatusBadRequest {
				panic(&notServed{"generateContentRequest is refused"})
			}
			demand(r.tokens(2) > r.tokens(0), "more tokens", fmt.Sprint(r.tokens(0), ", ", r.tokens(2)))
		}, swap(numbers, `"$1":9`))
	each("1.4", "a count is JSON", "content-type application/json", "SDKs parse by the content type",
		Fails, countProbe,
		func(r *Record) {
			r.tokens(0)
			kind := r.Replies[0].contentType()
			demand(kind == "application/json", "content-type application/json", kind)
		}, head("Content-Type", "text/plain"))
	each("1.5", "a count of a body that is not JSON", "status 400 to 499, in the form of the API",
		"clients give up counting after a 500", Fails, countBad, func(r *Record) {
			r.last().optional()
			r.refused()
			demand(r.last().Status < 500, "a status of 400 to 499", r.last().summary())
		}, status(500))
}

var modelsProbe = raw("the list of models", func(c *client) {
	c.send(http.MethodGet, c.prefix+"/models", c.api.head(c.target.Key), nil)
})

var modelsNoKey = raw("the list of models with a wrong key", func(c *client) {
	c.send(http.MethodGet, c.prefix+"/models", c.api.head(wrongKey), nil)
})

// list returns the models of the list.
func (r *Record) list() []value {
	r.last().optional()
	name := "data"
	if r.Client == "gemini" {
		name = "models"
	}
	return r.body().get(name).list()
}

func init() {
	each := func(id, title, must, why string, s Severity, p *Probe, judge func(r *Record), m by[Mutation]) {
		addEach(template{id: "models/" + id, title: title, must: must, why: why, source: modelTypes,
			since: sinceModels, severity: s,
			probe: p, judge: judge,
			mutation: m})
	}
	each("1.1", "the list of models", "a list, in the member of the SDK",
		"clients offer no model to choose", Fails,
		modelsProbe, func(r *Record) { r.list() }, same(lacking("data")).withGemini(lacking("models")))
	each("1.2", "models have names", "id, or name beginning with models/", "clients offer empty names", Fails,
		modelsProbe, func(r *Record) {
			for _, m := range r.list() {
				if r.Client == "gemini" {
					demand(len(m.get("name").name()) > len("models/"), "a name", m.v)
				} else {
					m.get("id").name()
				}
			}
		}, same(lacking("id")).withGemini(lacking("name")))
	each("1.3", "models have the SDK's members", "Messages: type and display_name; OpenAI: object, "+
		"created and "+
		"owned_by; Gemini: name", "typed SDKs fail", Style, modelsProbe, func(r *Record) {
		for _, m := range r.list() {
			switch r.Client {
			case "messages":
				m.get("type").is("model")
				m.get("display_name").text()
			case "gemini":
				m.get("name").name()
			default:
				m.get("object").is("model")
				m.get("created").count()
				m.get("owned_by").text()
			}
		}
	}, by[Mutation]{lacking("display_name"), lacking("owned_by"), lacking("created"), lacking("name")})
	each("1.4", "the list is JSON", "content-type application/json", "SDKs parse by the content type",
		Fails, modelsProbe,
		func(r *Record) {
			r.last().optional()
			jsonType(r)
		}, same(head("Content-Type", "text/plain")))
	each("1.5", "a wrong key gets no list", "an error in the form of the API, or a public list",
		"clients test a key with this list", Style, modelsNoKey, func(r *Record) {
			r.last().optional()
			if r.last().Status != http.StatusOK {
				r.refused()
			}
		}, same(body("no")))
	addEach(template{id: "models/1.6", title: "the list says whether there are more", only: "messages",
		must: "has_more is a boolean", why: "the SDK's pages go on by it",
		source: same(messagesTypes + "Page"), since: sinceModels, severity: Fails, probe: modelsProbe,
		judge: func(r *Record) {
			r.list()
			_, ok := r.body().get("has_more").v.(bool)
			demand(ok, "has_more as a boolean", r.last().Body)
		}, mutation: same(lacking("has_more"))},
		template{id: "models/1.6", title: "the list is an object of the type list", only: "chat responses",
			must: "object is list", why: "typed SDKs fail", source: same(openAITypes + "Page"),
			since: sinceModels, severity: Style, probe: modelsProbe,
			judge:    func(r *Record) { r.list(); r.body().get("object").is("list") },
			mutation: same(swap(`"object":"list"`, `"object":"models"`))})
}

// withGemini returns the mutations with another one for Gemini.
func (b by[T]) withGemini(other T) by[T] {
	b.gemini = other
	return b
}

package stages

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/toolsearch"
)

// finder searches deferred tools for models of upstreams without such a search. The model gets a
// function instead of the client's search, and found tools after all other tools, in the order of
// finding. So the prompt begins alike in all rounds and turns.
type finder struct {
	function
	byPattern bool
	deferred  []ir.Tool          // all that the client allows
	hidden    map[ir.Escaped]int // by name, indexes in deferred: the tools not yet given to the model
	loaded    []ir.Tool          // found since the last request
}

// The model's function for searches. In either form the argument may be called patternMember.
const (
	patternMember = "pattern"
	foundWith     = `Searches for more tools and loads up to 5 of them, so that you can call them. ` +
		`You have only some of your tools now: search before you say that a tool is missing.`
	patternSchema = `{"type":"object","properties":{"pattern":{"type":"string",` +
		`"description":"A regular expression in Python's syntax, for names, descriptions and arguments ` +
		`of tools, in any case, as get_.*_data. At most 200 characters."}},"required":["pattern"]}`
	wordsSchema = `{"type":"object","properties":{"query":{"type":"string",` +
		`"description":"What the tools do, in words."}},"required":["query"]}`
	maxNamespaces = 64 // named in the function's description
)

// toolSearch returns the index of the request's search for tools, or -1 if the client requests none, if
// no tool is deferred, or if the upstream can search.
func toolSearch(r *ir.Request, t *ir.Target, upstream *ir.API) int {
	search := searchOf(r)
	if search >= 0 && (upstream.Upstream.Runs(ir.ToolSearchTool, t) || upstream == r.API && t.OwnToolSearch) {
		return -1
	}
	return search
}

// WithoutDeferred returns r as a model reads it whose search for tools is run by this package or by the
// upstream: without the deferred tools that are not found yet. r must be the caller's own.
func WithoutDeferred(r *ir.Request) *ir.Request {
	if search := searchOf(r); search >= 0 {
		return new(finder).hide(r, search, &ir.Lost{})
	}
	return r
}

// searchOf returns the index of the request's search for tools, or -1 if the client requests none, or if
// no tool is deferred.
func searchOf(r *ir.Request) int {
	search, defers := -1, false
	for i := range r.Tools {
		tool := &r.Tools[i]
		if search < 0 && tool.Kind == ir.ToolSearchTool && r.Allows(tool.Name) {
			search = i
		}
		defers = defers || isDeferred(tool)
	}
	if !defers {
		return -1
	}
	return search
}

// isDeferred reports whether a tool is deferred, and can be loaded here.
func isDeferred(t *ir.Tool) bool { return t.Deferred && t.Kind.RunByClient() }

// hide returns r without deferred tools, and with a function instead of the client's search for tools,
// the tool with the index search.
//
//go:noinline
func (f *finder) hide(r *ir.Request, search int, lost *ir.Lost) *ir.Request {
	offered := &r.Tools[search]
	f.function = function{name: unusedName(r, search), path: offered.At.String(), left: maxToolSearches}
	f.byPattern, f.hidden = offered.ByPattern, map[ir.Escaped]int{}
	sent := *r
	sent.Tools = make([]ir.Tool, 0, len(r.Tools))
	for i := range r.Tools {
		tool := r.Tools[i]
		switch {
		case i == search:
			tool = ir.Tool{At: tool.At, Name: f.name, Cache: tool.Cache}
		case tool.Kind == ir.ToolSearchTool:
			lost.Add(tool.At.String())
			continue
		case isDeferred(&tool):
			if r.Allows(tool.Name) {
				f.hidden[tool.Name] = len(f.deferred)
				f.deferred = append(f.deferred, withoutDefer(tool))
			}
			continue
		}
		sent.Tools = append(sent.Tools, tool)
	}
	stand := sent.Tool(f.name)
	stand.Description, stand.Schema = f.description(), wordsSchema
	if f.byPattern {
		stand.Schema = patternSchema
	}
	f.known(r)
	f.choose(&sent.ToolChoice, offered.Name) // after known: prompts keep their prefix
	sent.Tools = append(sent.Tools, f.loaded...)
	f.loaded = nil
	return &sent
}

// choose gives the function's name to a tool_choice of the client's search, and loads any other tool
// of a tool_choice.
func (f *finder) choose(c *ir.ToolChoice, search ir.Escaped) {
	allowed := c.Allowed
	*c = ir.ToolChoice{Mode: c.Mode, Name: c.Name}
	for _, name := range allowed {
		if name == search {
			name = f.name
		}
		c.Allowed = append(c.Allowed, name)
	}
	if c.Mode == ir.ToolsNamed && c.Name == search {
		c.Name = f.name
	}
	f.load(c.Name)
}

// known loads tools found by earlier searches, and tools called by the model. Tools no longer offered
// by the client are removed from the results of searches.
func (f *finder) known(r *ir.Request) {
	offered := r.ToolsByName()
	for m := range r.Messages {
		content := r.Messages[m].Content
		for i := range content {
			switch c := &content[i]; {
			case c.Kind.IsCall():
				f.load(c.Name)
			case c.Kind == ir.OpaqueContent && c.Returned && c.Hosted.Kind == ir.ToolSearchTool:
				found := c.Hosted.FoundTools
				c.Hosted.FoundTools = found[:0]
				for _, name := range found {
					f.load(name)
					if offered[name] != nil {
						c.Hosted.FoundTools = append(c.Hosted.FoundTools, name)
					}
				}
			}
		}
	}
}

// load loads a hidden tool. Other names are ignored.
func (f *finder) load(name ir.Escaped) {
	if i, ok := f.hidden[name]; ok {
		delete(f.hidden, name)
		f.loaded = append(f.loaded, f.deferred[i])
	}
}

// description returns the function's description. It names the namespaces of deferred tools, as OpenAI
// does for its models ("Tool search").
func (f *finder) description() ir.Escaped {
	said := []byte(foundWith)
	last, n := ir.Escaped(""), 0
	for i := range f.deferred {
		if name := f.deferred[i].Namespace; name != last && name != "" && n < maxNamespaces {
			if n++; n == 1 {
				said = append(said, " Groups of tools:"...)
			} else {
				said = append(said, ',')
			}
			said = append(append(said, ' '), name...)
			last = name
		}
	}
	return ir.Escaped(said)
}

// withoutDefer returns a deferred tool as an ordinary tool.
func withoutDefer(t ir.Tool) ir.Tool {
	t.Deferred = false
	var e jsonr.Edits
	r := jsonr.NewReader(string(t.Raw))
	for r.OpenObject(); r.Member(); {
		start := r.Offset()
		if r.Value(); r.Key() == "defer_loading" {
			e.Add(start, r.Offset(), "false")
		}
	}
	t.Raw = e.Apply(t.Raw)
	return t
}

// showTools runs a search, shows the search to the client, and returns the text for the model.
//
//go:noinline
func (w *WebTools) showTools(c *call) ir.Escaped {
	f := &w.finder
	h := &ir.Hosted{Kind: ir.ToolSearchTool, ID: c.id, Input: w.message[c.position].Input, Done: true}
	words := ""
	var found []int
	switch {
	case f.left <= 0:
		c.code, words = ir.SearchTooMany, "No more searches for tools are possible in this answer"
	case c.code != "":
		c.code = ir.SearchInvalid
		words = "The arguments must be one JSON object that follows the function's schema"
	case f.byPattern:
		found, c.code, words = toolsearch.ByPattern(f.deferred, jsonw.Unescape(c.argument))
	default:
		found, c.code, words = toolsearch.ByWords(f.deferred, jsonw.Unescape(c.argument))
	}
	f.left--
	for _, i := range found {
		f.load(f.deferred[i].Name)
		h.FoundTools = append(h.FoundTools, f.deferred[i].Name)
	}
	h.Failed, h.Code, h.Output = c.code != "", c.code, jsonw.Escape(words)
	text := ir.FoundText(h)
	w.send(&ir.Event{Kind: ir.BlockStart, Block: ir.HostedBlock, ID: h.ID})
	w.send(&ir.Event{Kind: ir.Delta, Delta: ir.HostedDelta, Hosted: h})
	w.send(&ir.Event{Kind: ir.BlockStop})
	return text
}

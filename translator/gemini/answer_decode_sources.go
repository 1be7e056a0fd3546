package gemini

import (
	"edgelingua/translator/google"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// Bounds of citations.
const (
	maxSources   = 256 << 10 // bytes of one kind of metadata
	maxCitations = 1024      // of one text, and elements of groundingSupports that are read for a text
	maxSearches  = 64
	maxSearched  = 64 << 20 // bytes of texts that are searched for the positions of citations
)

// sources holds the sources of an answer's text. groundingMetadata has the results of searches,
// citationMetadata the texts that the model recited. Each comes with the last chunks, or only with
// an early chunk (vercel/ai#13123), and later ones repeat the earlier
// (langchain-ai/langchainjs#11456). Therefore the decoder buffers the last one and reads it at the
// end of the text.
type sources struct {
	grounding, recited bufferedJSON
	cited              int              // the number of groundingChunks at the last citation of a text
	text               google.CitedText // of the open block
	looked             int              // how many bytes of texts were searched
}

type bufferedJSON struct {
	text []byte
	done bool // a text has ended since, and its citations were yielded
}

// buffer buffers v. A v that is too large is lost, with path.
func (s *sources) buffer(d *decoder, k *bufferedJSON, v ir.Raw, path string) {
	switch {
	case jsonr.IsNothing(v):
	case jsonr.KindOf(v) != jsonr.Object || len(v) > maxSources:
		d.lost.Add(path)
	default:
		k.text, k.done = append(k.text[:0], v...), false
	}
}

// cite yields the citations of the text that ends.
func (d *decoder) cite() {
	if g := &d.sources.grounding; len(g.text) > 0 && !g.done {
		g.done = true
		d.citeFound(jsonr.NewReader(string(jsonw.View(g.text))))
	}
	if k := &d.sources.recited; len(k.text) > 0 && !k.done {
		k.done = true
		d.citeRecited(jsonr.NewReader(string(jsonw.View(k.text))))
	}
}

// found holds the members of groundingMetadata: the list of sources, and two unread lists. Only
// sources from the web have a URL.
type found struct {
	list              []ir.Citation
	supports, queries jsonr.Reader
}

// citeFound yields a citation for each source of each element of groundingSupports (Gemini API,
// "GroundingSupport"). Without groundingSupports the sources count for the whole text.
func (d *decoder) citeFound(r jsonr.Reader) {
	f := d.readFound(r, false)
	n := 0
	for i := range f.list {
		if f.supports.Len() == 0 && f.list[i].URL != "" {
			n++
			d.out.Cite(f.list[i])
		}
	}
	looked := 0
	for f.supports.OpenArray(); f.supports.Element(); looked++ {
		if looked == maxCitations || n > maxCitations {
			d.lost.Add(lostSupports)
			break
		}
		var indices jsonr.Reader
		at := segment{start: -1, end: -1}
		for f.supports.OpenObject(); f.supports.Member(); {
			switch f.supports.Key() {
			case "segment":
				at.read(&f.supports)
			case "groundingChunkIndices", "grounding_chunk_indices":
				indices = f.supports.Here()
			default:
				d.lost.AddMember(lostSupports, &f.supports)
			}
		}
		start, end := d.sources.span(&at)
		if start < 0 && d.sources.cited > 0 { // the segment is in an earlier text
			continue
		}
		for indices.OpenArray(); indices.Element(); {
			i := jsonr.Count(indices.Value())
			if i < 0 || i >= int64(len(f.list)) || f.list[i].URL == "" {
				continue
			}
			if n++; n > maxCitations {
				d.lost.Add(lostSupports)
				break
			}
			d.out.Cite(ir.Citation{URL: f.list[i].URL, Title: f.list[i].Title, Start: start, End: end})
		}
	}
	if n > 0 {
		d.sources.cited = len(f.list)
	}
}

// readFound reads groundingMetadata. If loses is true, it notes the losses.
func (d *decoder) readFound(r jsonr.Reader, loses bool) (f found) {
	for r.OpenObject(); r.Member(); {
		switch key := r.Key(); key {
		case "groundingChunks", "grounding_chunks":
			f.list = make([]ir.Citation, 0, min(r.Len(), maxCitations))
			for r.OpenArray(); r.Element(); {
				c := readChunk(&r)
				if loses && c.URL == "" || len(f.list) == maxCitations {
					d.lost.Add(lostChunks)
				}
				if len(f.list) < maxCitations {
					f.list = append(f.list, c)
				}
			}
		case "groundingSupports", "grounding_supports":
			f.supports = r.Here()
		case "webSearchQueries", "web_search_queries":
			f.queries = r.Here()
		default: // for example searchEntryPoint, a webpage in HTML
			if v := r.Value(); loses && jsonr.Asks(v) {
				d.lost.AddNamed(lostGrounding+".", ir.Escaped(key))
			}
		}
	}
	return f
}

// readChunk reads an element of groundingChunks: {"web":{"uri","title"}}. Sources of other kinds
// are not webpages.
func readChunk(r *jsonr.Reader) (c ir.Citation) {
	c.Start, c.End = -1, -1
	for r.OpenObject(); r.Member(); {
		if r.Key() != "web" {
			continue
		}
		for r.OpenObject(); r.Member(); {
			switch r.Key() {
			case "uri":
				c.URL, _ = jsonr.Text(r.Value())
			case "title":
				c.Title, _ = jsonr.Text(r.Value())
			}
		}
	}
	return c
}

// citeRecited yields a citation for each web source in citationMetadata. Its list is called
// citationSources in the Gemini API and citations in Vertex AI.
func (d *decoder) citeRecited(r jsonr.Reader) {
	n := 0
	for r.OpenObject(); r.Member(); {
		if key := r.Key(); key != "citationSources" && key != "citation_sources" && key != "citations" {
			continue
		}
		for r.OpenArray(); r.Element(); {
			var c ir.Citation
			seg := segment{start: -1, end: -1}
			whole := r
			seg.read(&whole)
			for r.OpenObject(); r.Member(); {
				switch r.Key() {
				case "uri":
					c.URL, _ = jsonr.Text(r.Value())
				case "title":
					c.Title, _ = jsonr.Text(r.Value())
				}
			}
			if n++; c.URL == "" || n > maxCitations { // for example a source with only a license
				d.lost.Add(lostCitations)
				continue
			}
			c.Start, c.End = d.sources.span(&seg)
			d.out.Cite(c)
		}
	}
}

// segment is a part of the text, in bytes. start is 0 if it is missing, since protobuf's JSON may
// leave out a 0.
type segment struct {
	start, end int64
	text       ir.Escaped
}

func (s *segment) read(r *jsonr.Reader) {
	s.start = 0
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "startIndex", "start_index":
			s.start = jsonr.Count(r.Value())
		case "endIndex", "end_index":
			s.end = jsonr.Count(r.Value())
		case "text":
			s.text, _ = jsonr.Text(r.Value())
		}
	}
}

// span returns the characters of a segment in the open text, -1 for unknown. The indexes of a
// segment count the bytes of one part ("Segment"), in a stream the bytes of the whole answer.
func (s *sources) span(at *segment) (start, end int64) {
	if s.looked += s.text.Len(); s.looked > maxSearched {
		return -1, -1
	}
	return s.text.Span(at.start, at.end, at.text)
}

// searches yields the upstream's searches at the end of the answer: only then are all queries
// known. Google does not say which search found which result, so all results go to the first.
func (d *decoder) searches() {
	if k := &d.sources.recited; len(k.text) > 0 && !k.done {
		d.lost.Add(lostCitations)
	}
	g := &d.sources.grounding
	if len(g.text) == 0 || d.out.Ended() {
		return
	}
	f := d.readFound(jsonr.NewReader(string(jsonw.View(g.text))), true)
	shown := false
	n := 0
	for f.queries.OpenArray(); f.queries.Element(); {
		query, _ := jsonr.Text(f.queries.Value())
		if query == "" {
			continue
		}
		if n++; n > maxSearches {
			d.lost.Add(lostQueries)
			break
		}
		if !d.next(ir.WebSearchBlock) {
			return
		}
		if !d.hidden {
			d.search(query, f.list, !shown)
			shown = true
		}
		d.open = 0
	}
	if !shown && len(f.list) > d.sources.cited {
		d.lost.Add(lostChunks)
	}
}

// search yields one search, with all results if has is true.
func (d *decoder) search(query ir.Escaped, list []ir.Citation, has bool) {
	d.out.Begin(ir.WebSearchBlock, "")
	d.out.Text(query)
	for i := range list {
		if has && list[i].URL != "" {
			d.out.Cite(list[i])
		}
	}
	d.out.Stop()
}

package gemini

import (
	"edgelingua/translator/google"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// Bounds of what is kept for citations.
const (
	maxSources   = 256 << 10 // bytes of one kind of metadata
	maxCitations = 1024      // of one text, and elements of groundingSupports that are looked up in it
	maxSearches  = 64
	maxPlaced    = 64 << 20 // bytes of texts that are looked at for the places of citations
)

// sources are what the answer says of where its text comes from. groundingMetadata says what a
// search has found, citationMetadata what the model has recited. Each comes with the last chunks,
// or with an early one alone (vercel/ai#13123), and later ones repeat the earlier
// (langchain-ai/langchainjs#11456): the last one is kept, and read where the text ends.
type sources struct {
	grounding, recited kept
	cited              int              // how many elements groundingChunks had when a text was cited last
	text               google.CitedText // of the open block
	looked             int              // how many bytes of texts were looked at for places
}

type kept struct {
	text []byte
	done bool // a text has ended since, and has had it for its citations
}

// keep keeps v, which is lost by its path where it is too large.
func (s *sources) keep(d *decoder, k *kept, v ir.Raw, path string) {
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

// found is what groundingMetadata says: the sources, of which only those from the web have a URL,
// and what is read later.
type found struct {
	list              []ir.Citation
	supports, queries jsonr.Reader
}

// citeFound yields a citation for each source of each element of groundingSupports (Gemini API,
// "GroundingSupport"). Where there are none the sources stand for the whole text.
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
			}
		}
		start, end := d.sources.place(&at)
		if start < 0 && d.sources.cited > 0 { // it stands in an earlier text
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

// readFound reads groundingMetadata. loses says to note what is lost of it.
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
		default: // as searchEntryPoint, a page in HTML
			if v := r.Value(); loses && jsonr.Asks(v) {
				d.lost.AddNamed(lostGrounding+".", ir.Escaped(key))
			}
		}
	}
	return f
}

// readChunk reads an element of groundingChunks: {"web":{"uri","title"}}. Sources of other kinds
// are no pages of the web.
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

// citeRecited yields a citation for each source on the web of citationMetadata, whose list is
// citationSources in the Gemini API and citations in Vertex AI.
func (d *decoder) citeRecited(r jsonr.Reader) {
	n := 0
	for r.OpenObject(); r.Member(); {
		if key := r.Key(); key != "citationSources" && key != "citation_sources" && key != "citations" {
			continue
		}
		for r.OpenArray(); r.Element(); {
			var c ir.Citation
			place := segment{start: -1, end: -1}
			whole := r
			place.read(&whole)
			for r.OpenObject(); r.Member(); {
				switch r.Key() {
				case "uri":
					c.URL, _ = jsonr.Text(r.Value())
				case "title":
					c.Title, _ = jsonr.Text(r.Value())
				}
			}
			if n++; c.URL == "" || n > maxCitations { // a text of which only the license is known
				d.lost.Add(lostCitations)
				continue
			}
			c.Start, c.End = d.sources.place(&place)
			d.out.Cite(c)
		}
	}
}

// segment is a part of the text, by its bytes: start is 0 where it is missing, as protobuf's JSON
// may leave a 0 out.
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

// place returns the characters of the open text that a segment stands for, -1 where that is not
// known. The indexes of a segment count the bytes of one part ("Segment"), and of the whole answer
// where it is streamed.
func (s *sources) place(at *segment) (start, end int64) {
	if s.looked += s.text.Len(); s.looked > maxPlaced {
		return -1, -1
	}
	return s.text.Place(at.start, at.end, at.text)
}

// searches yields the searches that the upstream has run, at the end of the answer: what it has
// searched for is known no sooner. Which search has found what nobody says, so the first one has
// all results.
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

// search yields one search, with all results where it has any.
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

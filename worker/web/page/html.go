package page

import (
	"net/url"
	"strings"
)

// page writes the text of an HTML page.
type page struct {
	*writer
	base    *url.URL
	based   bool // the page has set the base of its links
	title   writer
	inTitle bool
	hidden  string // the open element that is not shown; "": none
	depth   int    // the open elements of that name
	link    string // the URL of the open link, as in the page; "": none
	from    int    // where the link's text begins
}

// tag is a start tag.
type tag struct {
	name, href string
	hides      bool // an attribute hides the element
	closed     bool // it ends with />
}

// html adds the text of a page at the URL base, with headings, lists, code and links in Markdown,
// and returns its title. It leaves out content that a browser does not show: comments, scripts,
// styles, templates, and elements that an attribute hides.
func (w *writer) html(body, base string) (title string) {
	p := page{writer: w, title: writer{max: maxTitle}}
	p.base, _ = url.Parse(base)
	p.read(body)
	p.endLink()
	return string(p.title.b)
}

// attribute reads an attribute. value still has its entities.
func (t *tag) attribute(name, value string) {
	switch strings.ToLower(name) {
	case "href":
		if t.href == "" {
			t.href = unescape(value)
		}
	case "hidden":
		t.hides = true
	case "aria-hidden":
		t.hides = t.hides || value == "true"
	case "style":
		style := strings.ReplaceAll(strings.ToLower(unescape(value)), " ", "")
		t.hides = t.hides || strings.Contains(style, "display:none") || strings.Contains(style,
			"visibility:hidden")
	}
}

// said adds text of the page.
func (p *page) said(text string) {
	switch {
	case p.inTitle:
		p.title.text(unescape(text))
	case p.hidden == "":
		p.text(unescape(text))
	}
}

// begin processes a start tag.
func (p *page) begin(t *tag) {
	if t.closed && isForeign(t.name) {
		return
	}
	if p.hidden == "p" && endsParagraph(t.name) {
		p.hidden = ""
	}
	switch {
	case p.hidden != "":
		if t.name == p.hidden {
			p.depth++
		}
	case t.name == "title":
		p.inTitle = len(p.title.b) == 0
	case isHidden(t.name) || t.hides && !isVoid(t.name):
		p.hidden, p.depth = t.name, 1
	case t.name == "a":
		p.endLink()
		p.link, p.from = t.href, len(p.b)
	case t.name == "base" && t.href != "" && !p.based:
		p.based = true
		if base := absolute(p.base, t.href); base != "" {
			p.base, _ = url.Parse(base)
		}
	default:
		p.element(t.name, false)
	}
}

// end processes an end tag.
func (p *page) end(name string) {
	switch {
	case p.hidden != "":
		if name != p.hidden {
			return
		}
		if p.depth--; p.depth == 0 {
			p.hidden = ""
		}
	case name == "title":
		p.inTitle = false
	case name == "a":
		p.endLink()
	default:
		p.element(name, true)
	}
}

// endLink ends the open link, if there is one. A link without a text or a usable URL gets no
// Markdown. The URL is parsed only here, since a page can have hundreds of thousands of links that
// show nothing.
func (p *page) endLink() {
	link := p.link
	p.link = ""
	if link == "" || p.full {
		return
	}
	text := strings.TrimLeft(string(p.b[p.from:]), " \n")
	if text == "" {
		return
	}
	if link = absolute(p.base, link); link == "" {
		return
	}
	if p.full = len(p.b)+len(link)+len("[]()") > p.max; !p.full {
		p.b = append(p.b[:len(p.b)-len(text)], "["+text+"]("+link+")"...)
	}
}

// element adds the Markdown for the start or the end of an element.
func (w *writer) element(name string, ends bool) {
	switch name {
	case "br":
		w.line(1)
	case "h1", "h2", "h3", "h4", "h5", "h6":
		if w.line(2); !ends {
			w.raw("######"[:name[1]-'0'] + " ")
		}
	case "li":
		if w.line(1); !ends {
			w.raw("- ")
		}
	case "pre":
		w.keep = !ends
		if ends {
			w.lines = 1
			w.raw("```")
			w.line(2)
		} else {
			w.line(2)
			w.raw("```")
			w.line(1)
		}
	case "td", "th":
		if ends {
			w.raw(" |")
			w.space = true
		}
	case "p", "table", "ul", "ol", "dl", "blockquote", "hr", "section", "article", "figure":
		w.line(2)
	case "div", "tr", "dt", "dd", "main", "header", "footer", "nav", "aside", "form", "option", "figcaption",
		"address", "details", "summary":
		w.line(1)
	}
}

// isHidden reports whether a browser shows nothing of an element.
func isHidden(name string) bool {
	switch name {
	case "script", "style", "template", "noscript", "noembed", "noframes", "svg", "math", "iframe", "object",
		"canvas", "audio", "video", "select", "textarea":
		return true
	}
	return false
}

// isForeign reports whether an element is the root of a language other than HTML. There /> ends an
// element; in HTML it has no meaning.
func isForeign(name string) bool { return name == "svg" || name == "math" }

// endsParagraph reports whether the start of an element ends an open paragraph: </p> is optional
// (HTML, "4.4.1 The p element").
func endsParagraph(name string) bool {
	switch name {
	case "address", "article", "aside", "blockquote", "details", "div", "dl", "figure", "footer", "form",
		"h1", "h2", "h3", "h4", "h5", "h6", "header", "hr",
		"main", "nav", "ol", "p", "pre", "section", "table", "ul":
		return true
	}
	return false
}

// isVoid reports whether an element has no end tag.
func isVoid(name string) bool {
	switch name {
	case "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr":
		return true
	}
	return false
}

// absolute returns the absolute http or https URL of a link on a page, without a fragment; "" for
// any other link.
func absolute(base *url.URL, href string) string {
	if base == nil || href == "" || len(href) > maxLink || href[0] == '#' {
		return ""
	}
	u, err := base.Parse(strings.TrimSpace(href))
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil {
		return ""
	}
	u.Fragment, u.RawFragment = "", ""
	text := u.String()
	if len(text) > maxLink || strings.ContainsAny(text, "<> \n") {
		return ""
	}
	// parentheses would end a link in Markdown
	return strings.ReplaceAll(strings.ReplaceAll(text, "(", "%28"), ")", "%29")
}

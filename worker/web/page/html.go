package page

import (
	"net/url"
	"strings"
)

// page writes the text of an HTML page.
type page struct {
	*writer
	base    *url.URL
	based   bool // the page has said what its links are relative to
	title   writer
	inTitle bool
	hidden  string // the open element that is not shown, "" for none
	depth   int    // how many of its name are open
	link    string // the open link's, as the page has it, "" for none
	from    int    // where its text begins
}

// tag is a start tag.
type tag struct {
	name, href string
	hides      bool // an attribute hides the element
	closed     bool // it ends with />
}

// html adds the text of a page, which is at base, with headings, lists, code and links as in Markdown, and returns its title. What a browser does not
// show is left out: comments, scripts, styles, templates, elements that are hidden by an attribute.
func (w *writer) html(body, base string) (title string) {
	p := page{writer: w, title: writer{max: maxTitle}}
	p.base, _ = url.Parse(base)
	p.read(body)
	p.endLink()
	return string(p.title.b)
}

// attribute takes an attribute; value is as it stands.
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
		t.hides = t.hides || strings.Contains(style, "display:none") || strings.Contains(style, "visibility:hidden")
	}
}

// said takes text.
func (p *page) said(text string) {
	switch {
	case p.inTitle:
		p.title.text(unescape(text))
	case p.hidden == "":
		p.text(unescape(text))
	}
}

// begin takes the beginning of an element.
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

// end takes the end of an element.
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

// endLink ends the open link, if there is one: one without a text, or to no page, leaves no mark. Its URL is read only here, since a page can have
// hundreds of thousands of links that show nothing.
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

// element adds what the beginning or the end of an element is in text.
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
	case "div", "tr", "dt", "dd", "main", "header", "footer", "nav", "aside", "form", "option", "figcaption", "address", "details", "summary":
		w.line(1)
	}
}

// isHidden reports whether a browser shows nothing of an element.
func isHidden(name string) bool {
	switch name {
	case "script", "style", "template", "noscript", "noembed", "noframes", "svg", "math", "iframe", "object", "canvas", "audio", "video", "select", "textarea":
		return true
	}
	return false
}

// isForeign reports whether an element of another language than HTML begins, which /> ends; in HTML that means nothing.
func isForeign(name string) bool { return name == "svg" || name == "math" }

// endsParagraph reports whether an element ends a paragraph that it begins in: </p> can be left out (HTML, "4.4.1 The p element").
func endsParagraph(name string) bool {
	switch name {
	case "address", "article", "aside", "blockquote", "details", "div", "dl", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr",
		"main", "nav", "ol", "p", "pre", "section", "table", "ul":
		return true
	}
	return false
}

// isVoid reports whether an element has no end.
func isVoid(name string) bool {
	switch name {
	case "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr":
		return true
	}
	return false
}

// absolute returns the URL of a link of http or https on a page, without a fragment; "" for any other link.
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
	return strings.ReplaceAll(strings.ReplaceAll(text, "(", "%28"), ")", "%29") // which end a link in Markdown
}

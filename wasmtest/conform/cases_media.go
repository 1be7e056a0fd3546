package conform

import (
	"edgelingua/wasmtest/vendors"
)

// picture is a PNG of one pixel, and paper a PDF with no pages, in base64.
const (
	picture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg" +
		"gg=="
	paper = "JVBERi0xLjQKJcOkw7zDtsOfCjEgMCBvYmoKPDw+PgplbmRvYmoKdHJhaWxlcgo8PC9Sb290IDEgMCBSPj4KJSVFT0YK"
)

func mediaProbe(what string, parts ...part) *Probe {
	return &Probe{name: what, turns: answers(usualText), run: func(c *client) {
		q := c.question("")
		q.history = []any{c.api.user(append([]part{{text: c.words("Look at this.")}}, parts...)...)}
		c.ask(q)
	}}
}

var (
	imageProbe    = mediaProbe("an image", part{image: picture}, part{text: "What colour is the pixel?"})
	documentProbe = mediaProbe("a document", part{document: paper}, part{text: "How many pages?"})

	// resultImage has an image as the result of a call.
	resultImage = &Probe{name: "an image as a result", turns: answers(&vendors.Turn{
		Calls: []vendors.Call{clockCall("call_a1", "Paris")}, Usage: usualUsage}, usualText),
		run: func(c *client) {
			q := c.question("Show me the clock in Paris.")
			q.tools = []Tool{clock}
			r := c.ask(q)
			if r.Status != 200 || len(r.Calls) == 0 {
				return
			}
			content := object{"type": "tool_result", "tool_use_id": r.Calls[0].ID, "content": []any{
				object{"type": "image", "source": object{"type": "base64", "media_type": "image/png",
					"data": picture}}}}
			result := any(object{"role": "user", "content": []any{content}})
			if c.api == responsesAPI {
				result = object{"type": "function_call_output", "call_id": r.Calls[0].ID, "output": []any{
					object{"type": "input_image", "image_url": "data:image/png;base64," + picture}}}
			}
			c.goOn(q, r, result)
			c.ask(q)
		}}
)

// carries demands that a request at the upstream has a text, unless the gateway refuses the request.
func carries(i int, texts ...string) func(r *Record) {
	return func(r *Record) {
		if len(r.Got) <= i {
			r.refusedInstead()
		}
		if r.Upstream == "chat" && r.Client != "chat" && r.probe == documentProbe {
			panic(&skipped{"most servers of Chat Completions read no documents"})
		}
		for _, text := range texts {
			r.got(i).holds(text)
		}
	}
}

func init() {
	addEach(
		template{id: "media/1.1", title: "an image reaches the upstream", must: "all bytes, or a refusal",
			why:    "the model answers about an image that it has not seen (sglang#19222, open-webui#23188)",
			source: imageDocs, since: sinceImages, severity: Loses, needs: upstream, probe: imageProbe,
			judge: carries(0, picture), mutation: same(swapRequest("iVBORw0KGgo", "aVBORw0KGgo"))},
		template{id: "media/1.2", title: "an image keeps its type", must: "image/png is with the image",
			why:    "vendors reject or misread an image of another type (anthropics/claude-code#13131)",
			source: imageDocs,
			since:  sinceImages, severity: Fails, needs: upstream, probe: imageProbe, judge: carries(0,
				"image/png"),
			mutation: same(swapRequest("image/png", "image/webp"))},
		template{id: "media/1.3", title: "the texts around an image arrive",
			must: "both texts of the message",
			why:  "the question is lost with the image", source: imageDocs, since: sinceImages,
			severity: Loses,
			needs:    upstream, probe: imageProbe, judge: carries(0, "Look at this.",
				"What colour is the pixel?"),
			mutation: same(swapRequest("What colour", "Which"))},
		template{id: "media/2.1", title: "a document reaches the upstream", must: "all bytes, or a refusal",
			why: "the model answers about a document that it has not read", source: documentDocs,
			since: sinceDocuments, severity: Loses, needs: upstream, probe: documentProbe,
			judge:    carries(0, paper),
			mutation: same(swapRequest("JVBERi0xLjQK", "KVBERi0xLjQK"))},
		template{id: "media/2.2", title: "a document keeps its type",
			must: "application/pdf is with the document",
			why:  "vendors reject a document without its type", source: documentDocs, since: sinceDocuments,
			severity: Fails, needs: upstream, probe: documentProbe, judge: carries(0, "application/pdf"),
			mutation: same(swapRequest("application/pdf", "text/plain"))},
		template{id: "media/2.3", title: "the question about a document arrives",
			must: "the text after the document",
			why:  "the question is lost with the document", source: documentDocs, since: sinceDocuments,
			severity: Loses, needs: upstream, probe: documentProbe, judge: carries(0, "How many pages?"),
			mutation: same(swapRequest("How many", "Which"))},
		template{id: "media/3.1", title: "an image as the result of a call",
			must: "the image reaches the upstream as " +
				"an image, or the request is refused",
			why: "screenshots of agents are lost, or arrive as base64 text (cc-haha#1278, ferro " +
				"ai-gateway#143)",
			source: imageDocs, since: by[string]{"2024-05-16", "", "2025-09-30", ""}, severity: Loses,
			needs: upstream,
			probe: resultImage, only: "messages responses", judge: carries(1, picture),
			mutation: same(laterRequest("iVBORw0KGgo", "aVBORw0KGgo"))},
	)
}

package conform

import (
	"encoding/json"

	"edgelingua/wasmtest/vendors"
)

// placeSchema is the schema of an answer.
var placeSchema = json.RawMessage(`{"type":"object","properties":{"place":{"type":"string",` +
	`"description":"The full name, please."},"kind":{"type":"string","enum":["city","river"]}},` +
	`"required":["place","kind"],"additionalProperties":false}`)

const placeAnswer = `{"place":"Zürich","kind":"city"}`

func schemaProbe(stream bool) *Probe {
	return &Probe{name: name("a schema", stream), turns: answers(&vendors.Turn{Text: placeAnswer,
		Usage: usualUsage}),
		run: func(c *client) {
			q := c.question("Where is the lake?")
			q.schema, q.stream = placeSchema, stream
			c.ask(q)
		}}
}

var schemaStream, schemaPlain = schemaProbe(true), schemaProbe(false)

// structured demands an answer in the form of the schema.
func structured(r *Record) {
	v := decode("the text", []byte(r.end().Text))
	v.get("place").is("Zürich")
	v.get("kind").is("city")
}

func init() {
	why := "scripts parse the answer, and get free text"
	add := func(id, title, must string, probe *Probe, needs need, judge func(r *Record), m Mutation) {
		addEach(template{id: id, title: title, must: must, why: why, source: schemaDocs, since: sinceSchemas,
			severity: Loses, needs: needs, probe: probe, judge: judge, mutation: same(m)})
	}
	add("structured/1.1", "the schema reaches the upstream", "the schema's properties are in the request",
		schemaPlain, upstream, carries(0, "place", "kind"), swapRequest(`"place"`, `"spot"`))
	add("structured/1.2", "enumerations reach the upstream",
		"the words of the enumeration are in the request",
		schemaPlain, upstream, carries(0, "city", "river"), swapRequest(`"river"`, `"lake"`))
	add("structured/1.3", "descriptions reach the upstream",
		"the description of a property is in the request",
		schemaPlain, upstream, carries(0, "The full name, please."), swapRequest("full name", "name"))
	add("structured/1.4", "required properties reach the upstream",
		"the list of required properties is in the request",
		schemaPlain, upstream, func(r *Record) {
			g := r.got(0)
			demand(g.has("required", func(v any) bool { return encode(v) == `["place","kind"]` }),
				`"required":["place","kind"]`, g.Body)
		}, lackingRequest("required"))
	add("structured/2.1", "the answer has the schema's form, plain",
		"the text is JSON of the schema, and nothing else",
		schemaPlain, script, structured, swap("Zürich|Z", "```Z"))
	add("structured/2.2", "the answer has the schema's form, streamed",
		"the text is JSON of the schema, and nothing else",
		schemaStream, script, structured, swap("Zürich|Z", "```Z"))
	add("structured/2.3", "a streamed schema reaches the upstream",
		"the schema's properties are in the request",
		schemaStream, upstream, carries(0, "place", "kind"), swapRequest(`"place"`, `"spot"`))
}

package sessions_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/clients"
)

const (
	asked  = "iVBORw0KGgoAAAAAAA=="
	found  = "iVBORw0KGgoBBBBBBB=="
	link   = "https://example.com/a.png"
	asPNG  = "data:image/png;base64,"
	asPDF  = "data:application/pdf;base64,"
	anyPNG = "image/png"
)

// media has each client's user message and tool result. Chat Completions has no images in results.
var media = map[string]struct{ turn, result list }{
	"anthropic": {
		list{
			object{"type": "text", "text": "What is this?"},
			object{"type": "image", "source": object{"type": "base64", "media_type": anyPNG, "data": asked}},
			object{"type": "image", "source": object{"type": "url", "url": link}},
			object{
				"type":   "document",
				"title":  "a.pdf",
				"source": object{"type": "base64", "media_type": "application/pdf", "data": pdf},
			},
		},
		list{
			object{"type": "text", "text": "It is"},
			object{"type": "image", "source": object{"type": "base64", "media_type": anyPNG, "data": found}},
		},
	},
	"chat": {
		list{
			object{"type": "text", "text": "What is this?"},
			object{"type": "image_url", "image_url": object{"url": asPNG + asked}},
			object{"type": "image_url", "image_url": object{"url": link, "detail": "low"}},
			object{"type": "file", "file": object{"filename": "a.pdf", "file_data": asPDF + pdf}},
		},
		list{object{"type": "text", "text": "It is"}},
	},
	"responses": {
		list{
			inputText("What is this?"),
			object{"type": "input_image", "image_url": asPNG + asked, "detail": "auto"},
			object{"type": "input_image", "image_url": link, "detail": "low"},
			object{"type": "input_file", "filename": "a.pdf", "file_data": asPDF + pdf},
		},
		list{inputText("It is"), object{"type": "input_image", "image_url": asPNG + found, "detail": "auto"}},
	},
}

// closedSchema is the schema of a city that strict modes accept.
var closedSchema = object{
	"type": "object", "properties": object{"city": object{"type": "string"}}, "required": list{"city"},
	"additionalProperties": false,
}

// TestImagesAndDocuments sends images and documents in user messages, and images in results.
func TestImagesAndDocuments(t *testing.T) {
	sdks(t, func(t *testing.T, u *upstream, client string, stream bool) {
		up := u.serve(t, calling("", weather("call_1", "look", "Paris")), said("A cat."))
		s := clients.NewSDK(client, up.server)
		s.Stream, s.Tools = stream, []clients.Tool{{Name: "look", Schema: closedSchema}}
		_, err := s.Say(media[client].turn)
		require.NoError(t, err)
		got, err := s.Answer(clients.Result{ID: "call_1", Output: media[client].result})
		require.NoError(t, err)
		requireSaid(t, said("A cat."), "end", got)
		last := up.body(1)
		holds(t, last, asked, link, "It is")
		if client != "chat" {
			holds(t, last, found)
		}
		if client == u.protocol || u != anyChat { // translated PDFs don't go to an unknown Chat server
			holds(t, last, pdf)
		}
	})
}

// asksForSchema has each client's request members for an answer with a schema.
var asksForSchema = map[string]object{
	"anthropic": {"output_config": object{"format": object{"type": "json_schema", "schema": closedSchema}}},
	"chat": {
		"response_format": object{
			"type":        "json_schema",
			"json_schema": object{"name": "place", "schema": closedSchema, "strict": true},
		},
	},
	"responses": {
		"text": object{
			"format": object{"type": "json_schema", "name": "place", "schema": closedSchema, "strict": true},
		},
	},
}

// TestAnswersFollowASchema requests answers with a schema. The upstream must receive the schema.
func TestAnswersFollowASchema(t *testing.T) {
	sdks(t, func(t *testing.T, u *upstream, client string, stream bool) {
		up := u.serve(t, said(`{"city":"Paris \u0022"}`))
		s := clients.NewSDK(client, up.server)
		s.Stream, s.More = stream, asksForSchema[client]
		got, err := s.Say("hi")
		require.NoError(t, err)
		require.Equal(t, object{"city": `Paris "`}, decoded([]byte(got.Text)))
		require.Contains(t, encode(up.body(0)), `"city":{"type":"string"}`)
		up.done(t)
	})
}

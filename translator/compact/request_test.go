package compact

import (
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
)

// TestAsk: the question about a conversation is a stream with token counts and without tools and
// thoughts. Messages without text are left out.
func TestAsk(t *testing.T) {
	r := &ir.Request{API: &ir.API{}, Model: "m", Received: 7, Session: "s", UserID: "u",
		UserIDPath: "user", PrivateUserID: true, Tools: []ir.Tool{{Name: "f"}}}
	ask := Ask(r, []ir.Message{
		{Role: ir.User, Content: []ir.Content{{Kind: ir.TextContent, Text: "Hi"}}},
		{Role: ir.Assistant, Content: []ir.Content{{Kind: ir.ReasoningContent, Text: "Hm"}}},
	}, "What?")
	require.Equal(t, &ir.Request{API: r.API, Model: "m", Received: 7, Session: "s", UserID: "u",
		UserIDPath: "user", PrivateUserID: true, Stream: true, StreamUsage: true, HideThoughts: true,
		Messages: []ir.Message{
			{Role: ir.User, Content: []ir.Content{{Kind: ir.TextContent, Text: "Hi"}}},
			{Role: ir.User, Content: []ir.Content{{Kind: ir.TextContent, Text: "What?"}}},
		}}, ask)
}

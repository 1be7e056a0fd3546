package compact

import (
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
)

func TestDrop(t *testing.T) {
	text := func(s ir.Escaped) ir.Content { return ir.Content{Kind: ir.TextContent, Text: s} }
	summary := func(s ir.Escaped) ir.Content {
		return ir.Content{Kind: ir.OpaqueContent, Summary: true, Text: s, Raw: "{}",
			Cache: `{"type":"ephemeral"}`}
	}
	before := func(last ir.Content) *ir.Request {
		return &ir.Request{Messages: []ir.Message{
			{Role: ir.System, Content: []ir.Content{text("prompt")}},
			{Role: ir.User, Content: []ir.Content{text("old")}},
			{Role: ir.System, Content: []ir.Content{text("reminder")}},
			{Role: ir.Assistant, Content: []ir.Content{summary("el1::s::QQ"), text("said")}},
			{Role: ir.Assistant, Content: []ir.Content{text("first"), last, text("then")}},
			{Role: ir.User, Content: []ir.Content{text("new")}},
		}}
	}
	r := before(summary("So far."))
	require.Nil(t, Drop(r, false))
	require.Len(t, r.Messages, 4)
	require.Equal(t, []ir.Content{text("prompt")}, r.Messages[0].Content)
	require.Equal(t, ir.User, r.Messages[1].Role)
	require.Contains(t, string(r.Messages[1].Content[0].Text), "So far.")
	require.EqualValues(t, `{"type":"ephemeral"}`, r.Messages[1].Content[0].Cache)
	require.Equal(t, ir.Message{Role: ir.Assistant, Content: []ir.Content{text("then")}}, r.Messages[2])
	require.Equal(t, []ir.Content{text("new")}, r.Messages[3].Content)
	require.Nil(t, Drop(r, false))
	require.Len(t, r.Messages, 4, "nothing is left to drop")

	r = before(summary("So far."))
	require.Nil(t, Drop(r, true))
	require.Len(t, r.Messages, 3, "its vendor's own, behind one of ours")
	require.Equal(t, []ir.Content{summary("So far."), text("then")}, r.Messages[1].Content)
	r.Messages = append(r.Messages[:1:1],
		append([]ir.Message{{Role: ir.User, Content: []ir.Content{text("old")}}}, r.Messages[1:]...)...)
	require.Nil(t, Drop(r, true))
	require.Len(t, r.Messages, 4, "its vendor's own alone")

	r = before(summary("el1::s::UQ"))
	require.Nil(t, Drop(r, true))
	require.Len(t, r.Messages, 4)
	require.EqualValues(t, "UQ", r.Messages[1].Content[0].Signature,
		"sealed here, so its vendor can't read it")

	// a summary readable only by its vendor, as in Responses: the previous summary counts
	r = before(summary(""))
	require.Nil(t, Drop(r, false))
	require.EqualValues(t, "QQ", r.Messages[1].Content[0].Signature)

	err := Drop(before(summary("el1:chat:t::x")), false)
	require.NotNil(t, err)
	require.Equal(t, ir.InvalidRequest, err.Kind)
}

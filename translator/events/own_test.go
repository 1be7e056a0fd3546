package events

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

func TestOwn(t *testing.T) {
	var w Writer
	var lost ir.Lost
	chunk := func(text string) {
		r := jsonr.NewReader(text)
		for r.OpenObject(); r.Member(); {
			w.Own(true, " model ", &r, &lost)
		}
	}
	chunk(`{"model":"m","fingerprint":{"model":2},"nothing":null}`)
	chunk(`{"fingerprint":"later", "mode": "x" }`)
	require.Equal(t, `{"fingerprint":{"model":2},"mode":"x"`, string(w.own.members))
	chunk(`{"long":"` + strings.Repeat("x", maxOwn) + `"}`)
	require.Equal(t, `{"fingerprint":{"model":2},"mode":"x"`, string(w.own.members))

	r := jsonr.NewReader(`{"model":"m","moderation":{"a":1},"diagnostics":null,"provider":"p"}`)
	for r.OpenObject(); r.Member(); {
		w.Own(false, " model ", &r, &lost)
	}
	require.Equal(t, []string{"long", "moderation"}, lost.Paths())

	w.OwnUsage(`{"a":1,"geo":"us"}`, &lost)
	w.AddUsage(`{"a":2}`, &lost)
	w.AddUsage(`null`, &lost)
	require.JSONEq(t, `{"a":2,"geo":"us"}`, string(w.own.usage))
	w.OwnUsage(`{"b":1}`, &lost)
	require.JSONEq(t, `{"b":1}`, string(w.own.usage))
	w.OwnUsage(ir.Raw(`{"b":"`+strings.Repeat("x", maxOwn)+`"}`), &lost)
	require.JSONEq(t, `{"b":1}`, string(w.own.usage))
	require.Equal(t, []string{"long", "moderation", "usage"}, lost.Paths())
}

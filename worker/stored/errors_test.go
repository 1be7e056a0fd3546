package stored

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
	"edgelingua/translator/responses"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/stored/archive"
)

func TestErrors(t *testing.T) {
	api := responses.API.Stored
	id := responses.ResponseID(strings.Repeat("a", 43))
	require.Equal(t, responses.NoPrevious(id), unusable(&archive.Problem{Missing: id}, api))
	on, off := &endpoint.Endpoint{State: endpoint.State{Responses: true}}, &endpoint.Endpoint{}
	for want, err := range map[string]*ir.Error{
		"The stored conversation is over 4,096 turns. " +
			"Begin a new one: ": unusable(&archive.Problem{Responses: 4096}, api),
		"The stored conversation is " +
			"over 15 MB. ": unusable(&archive.Problem{Bytes: 15 << 20}, api),
		"The stored conversation is " +
			"over 16 MB. ": notRead(errors.New("statement 2: the rows take more than 16 MB"), api),
		"Stored responses could not be read: it broke. Try again.": notRead(errors.New("it broke."), api),
		"The response was not stored: this endpoint " +
			"was deleted.": NotStored(errors.New("statement 1: NOT NULL constraint failed: " +
			"endpoint_record.made")),
		"The response was not stored: there is " +
			"no room for it": NotStored(errors.New("statement 4: NOT NULL constraint failed: " +
			"responses_total.bytes: SQLITE_CONSTRAINT")),
		"The response could not be stored: it broke. Send":              NotStored(errors.New("it broke")),
		"Response with id 'resp_x' not found.":                          notFound("resp_x", on, api),
		"Response with id 'resp_x' not found: responses are not stored": notFound("resp_x", off, api),
		"Only": refuse("Only"),
	} {
		require.True(t, strings.HasPrefix(err.Message, want), err.Message)
	}
	require.Equal(t, 400, unusable(&archive.Problem{Responses: 1}, api).HTTPStatus())
	require.Equal(t, 403,
		NotStored(errors.New("NOT NULL constraint failed: endpoint_record.made")).HTTPStatus())
	require.Equal(t, 404, notFound("resp_x", on, api).HTTPStatus())
}

package sessions_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/clients"
	"edgelingua/wasmtest/vendors"
)

// Answers that end badly: a refusal, a limit, an error before the answer, and an error in the
// middle of the answer.

// asks sends a minimal question through an SDK.
func asks(s *served, client string, stream bool) (*clients.Said, error) {
	sdk := clients.NewSDK(client, s.server)
	if sdk.Stream = stream; client == "chat" {
		sdk.More = withoutUsage(stream)
	}
	return sdk.Say("hi")
}

// withoutUsage returns the request members of a Chat client that requests no usage in streams.
func withoutUsage(stream bool) object {
	if stream {
		return object{"stream_options": object{}}
	}
	return nil
}

// choiceOf returns the only choice of a completion.
func choiceOf(s *clients.Said) object { return s.Body["choices"].(list)[0].(object) }

func TestARefusal(t *testing.T) {
	sdks(t, func(t *testing.T, u *upstream, client string, stream bool) {
		got, err := asks(u.serve(t, &vendors.Turn{Refusal: "I can't.", Usage: usage}), client, stream)
		require.NoError(t, err)
		switch client {
		case "anthropic":
			require.Equal(t, []string{"refusal", "I can't."}, []string{got.Stop, got.Text})
		case "chat":
			message := choiceOf(got)["message"].(object)
			refusal := message["refusal"]
			if refusal == nil {
				refusal = message["content"]
			}
			require.Equal(t, "I can't.", refusal)
		case "responses":
			part := got.Body["output"].(list)[0].(object)["content"].(list)[0].(object)
			refusal := part["refusal"]
			if refusal == nil {
				refusal = part["text"]
			}
			require.Equal(t, "I can't.", refusal)
		}
	})
}

func TestTheLimit(t *testing.T) {
	sdks(t, func(t *testing.T, u *upstream, client string, stream bool) {
		got, err := asks(u.serve(t, &vendors.Turn{Text: "Half of", Stop: "length", Usage: usage}), client,
			stream)
		require.NoError(t, err)
		require.Equal(t, "Half of", got.Text)
		require.Equal(t,
			map[string]string{"anthropic": "max_tokens", "chat": "length", "responses": "incomplete"}[client],
			got.Stop)
		if client == "responses" {
			require.Equal(t, "max_output_tokens", got.Body["incomplete_details"].(object)["reason"])
		}
	})
}

func apiError(t *testing.T, said *clients.Said, err error) *clients.APIError {
	var failed *clients.APIError
	require.True(t, errors.As(err, &failed), "%v, %v", said, err)
	return failed
}

func TestErrorsBeforeAnAnswer(t *testing.T) {
	sdks(t, func(t *testing.T, u *upstream, client string, stream bool) {
		for status, kind := range map[int]string{
			400: "invalid_request_error", 401: "authentication_error", 404: "not_found_error",
			429: "rate_limit_error", 500: "api_error",
		} {
			got, err := asks(u.serve(t, saying(u, status, kind, fmt.Sprintf("Said with %d.", status))),
				client, stream)
			failed := apiError(t, got, err)
			require.Equal(t, status, failed.Status)
			require.Contains(t, failed.Message, fmt.Sprintf("Said with %d.", status))
		}
	})
}

func TestAnErrorInTheMiddleOfAStream(t *testing.T) {
	sdks(t, func(t *testing.T, u *upstream, client string, stream bool) {
		if !stream {
			return
		}
		got, err := asks(u.serve(t, broken(u.protocol, "Broke in half.")), client, true)
		require.Contains(t, apiError(t, got, err).Message, "Broke in half.")
	})
}

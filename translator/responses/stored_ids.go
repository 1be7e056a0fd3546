package responses

import (
	"strconv"
	"strings"

	"edgelingua/translator/ir"
)

// Stored is the location of a stored item.
type Stored struct {
	Response string // the id of the item's response
	Input    bool   // the item is in the response's input, otherwise in its output
	Index    int    // the item's index in the input or output
}

// ParseItemID returns the location of the stored item with an id. For an id not made by edgelingua, ok is
// false. The ids of stored items are PREFIX_STEM_N for output and PREFIX_STEM_iN for input, where
// resp_STEM is the response and N the item's index.
func ParseItemID(id string) (at Stored, ok bool) {
	_, rest, _ := strings.Cut(id, "_")
	i := strings.LastIndexByte(rest, '_')
	if i < 0 {
		return at, false
	}
	number := rest[i+1:]
	number, at.Input = strings.CutPrefix(number, "i")
	n, err := strconv.Atoi(number)
	at.Response, at.Index = "resp_"+rest[:i], n
	return at, err == nil && n >= 0 && IsResponseID(at.Response)
}

// storedAnswers says how responses are stored.
var storedAnswers = ir.Stored{Noun: "Response", Lead: "resp_", Previous: "previous_response_id",
	Code: "previous_response_not_found", Deleted: `{"id":"%","object":"response","deleted":true}`,
	Submits: true, Background: true}

// ResponseID returns the id for a response to be stored. random is 43 random characters of
// base64url.
func ResponseID(random string) string { return storedAnswers.ID(random) }

// briefLength is the length of the random part for a response remembered only by a connection: 132
// bits.
const briefLength = 22

// BriefID returns the id for a response remembered only by its client's connection. random is as
// for ResponseID; the id uses the first 22 characters.
func BriefID(random string) string { return "resp_" + random[:briefLength] }

// IsResponseID reports whether id has the form of ResponseID's results. A response with an id of
// any other form is not stored.
func IsResponseID(id string) bool { return storedAnswers.IsID(id) }

func isID(id string, length int) bool {
	stem, ok := strings.CutPrefix(id, "resp_")
	return ok && len(stem) == length && ir.Identifier(ir.Escaped(stem), length) == ir.Escaped(stem)
}

// inputID returns the id of an item of a response's input, as described at Place. kind is the
// item's type.
func inputID(kind ir.Escaped, response string, index int) string {
	prefix := "item"
	switch kind {
	case "message":
		prefix = "msg"
	case "reasoning":
		prefix = "rs"
	case "function_call":
		prefix = "fc"
	case "function_call_output":
		prefix = "fco"
	case "custom_tool_call":
		prefix = "ctc"
	case "custom_tool_call_output":
		prefix = "ctco"
	}
	return prefix + "_" + response[len("resp_"):] + "_i" + strconv.Itoa(index)
}

// IDOf returns the id of an item, still escaped, or "".
func IDOf(item ir.Raw) string { return string(memberText(string(item), "id")) }

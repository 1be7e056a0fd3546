package vendors

import (
	"math/rand/v2"
	"slices"
	"strings"
)

// mutator changes requests of clients at random: members disappear, are renamed, repeated or of
// another value; elements are missing, twice or in another order.
type mutator struct{ *rand.Rand }

// mutated returns a body with one to three changes.
func (m mutator) mutated(body []byte) any {
	value := decode(string(body))
	for range 1 + m.IntN(3) {
		value = m.change("", value)
	}
	return value
}

// unread has the members with values that pass unread between APIs of the same form. A wrong value
// there is the client's mistake, and the client's own vendor rejects the request too.
const unread = " cache_control user_location filters excludeDomains format grammar metadata client_metadata " +
	"search_context_size web_search_options "

// change changes a member's value, or a value inside.
func (m mutator) change(name string, value any) any {
	if strings.Contains(unread, " "+name+" ") {
		return value
	}
	switch v := value.(type) {
	case object:
		if len(v) == 0 || m.IntN(12) == 0 {
			break
		}
		return m.object(v)
	case []any:
		if len(v) == 0 || m.IntN(12) == 0 {
			break
		}
		return m.list(name, v)
	}
	return m.other(name, value)
}

func (m mutator) object(o object) any {
	keys := []string{}
	for key := range o {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	key := keys[m.IntN(len(keys))]
	switch m.IntN(16) {
	case 0:
		delete(o, key)
	case 1:
		o["unheard_of"] = decode(encode(o[key]))
	default:
		o[key] = m.change(key, o[key])
	}
	return o
}

func (m mutator) list(name string, list []any) any {
	i, k := m.IntN(len(list)), m.IntN(len(list))
	switch m.IntN(12) {
	case 0:
		return slices.Delete(list, i, i+1)
	case 1:
		return slices.Insert(list, i, decode(encode(list[k])))
	case 2:
		list[i], list[k] = list[k], list[i]
	case 3:
		return list[:i]
	default:
		list[i] = m.change(name, list[i])
	}
	return list
}

// unusual has values rejected by some vendor, by the names of members, each between spaces.
var unusual = []struct {
	names  string
	values []any
}{
	{" name tool_name ", []any{"srv.get", long, "1password", "", "grüße", "get/it", "get"}},
	{" id tool_use_id tool_call_id call_id ", []any{"", "functions.get:0", "call_" + long, "call_1", "é"}},
	{" text content thinking input_text instructions system description arguments output ",
		[]any{"", " ", "\n", "a\x00b", "x", "{}", "[]"}},
	{" role ", []any{"user", "assistant", "system", "developer", "tool", "model", "human"}},
	{" media_type mimeType ", []any{
		"image/svg+xml", "image/png", "image/jpg", "image/bmp", "application/pdf", "text/csv", "",
	}},
	{" data ", []any{png, "/9j/4AAQSkZJRgAB", "PHN2Zz4=", "JVBERi0=", "not base64!",
		"data:image/png;base64,AAAA"}},
	{" url image_url fileUri file_url ", []any{
		"https://a.example/a.png", "x.png", "data:image/svg+xml;base64,PHN2Zz4=",
		"data:image/png;base64," + png, "http://a.example/a",
	}},
	{" max_tokens max_completion_tokens max_output_tokens maxOutputTokens budget_tokens thinkingBudget ",
		[]any{raw("1"), raw("8"), raw("0"), raw("1000000000"), raw("2000.5")}},
	{" temperature top_p topP presence_penalty frequencyPenalty ",
		[]any{raw("0"), raw("1"), raw("1.5"), raw("2"), raw("-1")}},
	{" top_k topK ", []any{raw("1"), raw("40")}},
	{" service_tier serviceTier ", []any{"auto", "default", "flex", "priority"}},
	{" verbosity ", []any{"low", "medium", "high"}},
	{" prompt_cache_retention ", []any{"in_memory", "24h"}},
	{" summary ", []any{"auto", "concise", "detailed"}},
	{" type ", []any{"text", "function", "image", "tool_result", "message", "new_thing"}},
	{" reasoning_effort effort thinkingLevel ", []any{"none", "minimal", "low", "high", "xhigh", "max", "ultra"}},
	{" parameters input_schema schema parametersJsonSchema properties items ", []any{
		raw(`{}`), raw(unionRoot), raw(openSchema), raw(`{"type":["object","null"]}`), raw(`true`),
		raw(`{"type":"object","properties":{"$a b":{"type":"array"}},"required":["x"]}`),
		raw(`{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"type":"string"}}}`),
		raw(`{"$ref":"#/$defs/a","$defs":{"a":{"type":"object"}}}`),
		raw(`{"type":"object","properties":{"a":{"type":"array","items":[{"type":"string"}]}},"required":[]}`),
		raw(`{"type":"object","properties":{"a":{"const":1},"b":{"enum":[]},"c":{"not":{}}}}`),
	}},
	{" stop stop_sequences stopSequences ", []any{
		list[any](" "), list[any]("1", "2", "3", "4", "5", "6"), list[any]("a", "a"),
	}},
	{" tool_choice ", []any{"auto", "none", "required", raw(`{"type":"any"}`), raw(`{"type":"tool","name":"get"}`)}},
	{" strict ", []any{true, false}},
}

const schemaTypes = " object array string integer boolean null "

// other returns another value for a member.
func (m mutator) other(name string, value any) any {
	for _, one := range unusual {
		// words of OpenAI pass between OpenAI's two APIs, and without a word as type there is no JSON Schema
		word := strings.HasPrefix(name, "service") ||
			strings.Contains(" verbosity prompt_cache_retention summary type data ", name)
		if said, _ := value.(string); name == "type" && strings.Contains(schemaTypes, " "+said+" ") {
			return strings.Fields(schemaTypes)[m.IntN(6)]
		}
		if strings.Contains(one.names, " "+name+" ") && (word || m.IntN(6) > 0) {
			return decode(encode(one.values[m.IntN(len(one.values))]))
		}
	}
	switch m.IntN(8) {
	case 0:
		return nil
	case 1:
		return true
	case 2:
		return decode("-1")
	case 3:
		return ""
	case 4:
		return []any{}
	case 5:
		return object{}
	case 6:
		return []any{value}
	}
	return strings.Repeat("x", m.IntN(300))
}

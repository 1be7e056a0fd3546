package endpoint

import (
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"edgelingua/translator/policy"
)

// Limits for policies: each tool of a policy is compared with each tool of a request.
const (
	maxPolicyTools = 256
	maxGuidance    = 16 << 10 // bytes
	maxDescription = 1e6      // characters
)

// readToolMap reads {name: {name, params{from: to}}}.
func readToolMap(p *policy.Policy, v gjson.Result) (at, must string) {
	if !v.IsObject() {
		return "", "an object of tool names and what the upstream calls them, as " +
			"{\"Bash\":{\"name\":\"shell\",\"params\":{\"command\":\"cmd\"}}}"
	}
	p.Tools = nil
	v.ForEach(func(key, value gjson.Result) bool {
		t := policy.Tool{Name: key.Str, As: key.Str}
		at, must = readMappedTool(&t, value)
		at = "." + key.Str + at
		switch {
		case key.Str == "":
			at, must = "", "free of a tool without a name"
		case must != "":
		case len(p.Tools) == maxPolicyTools:
			must = "one of at most 256 tools"
		}
		for _, other := range p.Tools {
			switch {
			case must != "":
			case other.Name == t.Name:
				at, must = "."+key.Str, "there once"
			case other.As == t.As:
				at, must = "."+key.Str+".name", "another name than that of "+other.Name
			}
		}
		p.Tools = append(p.Tools, t)
		return must == ""
	})
	if must == "" {
		at = ""
	}
	return at, must
}

// readMappedTool reads {name, params{from: to}}. One of the two members may be missing.
func readMappedTool(t *policy.Tool, v gjson.Result) (at, must string) {
	const either = "an object with name, params or both"
	if !v.IsObject() {
		return "", either
	}
	must = either
	v.ForEach(func(key, value gjson.Result) bool {
		must = ""
		at = "." + key.Str
		switch key.Str {
		case "name":
			if t.As = value.Str; value.Type != gjson.String || !isName(t.As, '_') {
				must = "1 to 64 letters, digits, _ and -"
			}
		case "params":
			var inside string
			inside, must = readParams(t, value)
			at += inside
		default:
			must = "name or params"
		}
		return must == ""
	})
	return at, must
}

func readParams(t *policy.Tool, v gjson.Result) (at, must string) {
	const list = "an object of parameter names and what the upstream calls them, as {\"command\":\"cmd\"}"
	if !v.IsObject() {
		return "", list
	}
	v.ForEach(func(key, value gjson.Result) bool {
		at = "." + key.Str
		if key.Str == "" {
			at, must = "", "free of a parameter without a name"
			return false
		}
		// Anthropic refuses any other key of a property
		if value.Type != gjson.String || !isName(value.Str, '.') {
			must = "1 to 64 letters, digits, _, . and -"
			return false
		}
		for _, other := range t.Params {
			switch {
			case other.From == key.Str:
				must = "there once"
			case other.To == value.Str:
				must = "another name than that of " + other.From
			}
		}
		t.Params = append(t.Params, policy.Param{From: key.Str, To: value.Str})
		return must == ""
	})
	return at, must
}

// isName reports whether a name has 1 to 64 letters, digits, _, - and the character also. Every
// upstream accepts such names for a tool (also: another _) or for a parameter (also: a dot).
func isName(name string, also byte) bool {
	for i := 0; i < len(name); i++ {
		if c := name[i]; !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' ||
			c == '_' || c == '-' || c == also) {
			return false
		}
	}
	return name != "" && len(name) <= 64
}

func readDropTools(p *policy.Policy, v gjson.Result) (at, must string) {
	if !v.IsArray() {
		return "", "a list of tool names, as [\"WebSearch\"]"
	}
	p.Drop = nil
	for i, name := range v.Array() {
		switch {
		case name.Type != gjson.String || name.Str == "":
			return "[" + strconv.Itoa(i) + "]", "the name of a tool, a string"
		case i == maxPolicyTools:
			return "", "a list of at most 256 tools"
		}
		p.Drop = append(p.Drop, name.Str)
	}
	return "", ""
}

// readDescriptions reads a value of readCut. An object may also have {tools: {name: a value of
// readCut}}.
func readDescriptions(p *policy.Policy, v gjson.Result) (at, must string) {
	p.Descriptions, p.ToolDescriptions = policy.Cut{}, nil
	return readCut(&p.Descriptions, v, func(tools gjson.Result) (at, must string) {
		if !tools.IsObject() {
			return "", "an object of tool names and what holds for them, as " +
				"{\"Bash\":{\"max\":900},\"mcp__*\":\"keep\"}"
		}
		tools.ForEach(func(key, value gjson.Result) bool {
			t := policy.ToolCut{Names: key.Str}
			at = "." + key.Str
			inside := ""
			inside, must = readCut(&t.Cut, value, nil)
			at += inside
			switch {
			case must != "":
			case key.Str == "" || strings.Contains(key.Str[:len(key.Str)-1], "*"):
				at, must = "", "free of the name "+strconv.Quote(key.Str)+
					": each is a tool's name, or what names begin with and a * behind it"
			case len(p.ToolDescriptions) == maxPolicyTools:
				must = "one of at most 256 tools"
			}
			for i := range p.ToolDescriptions {
				if must == "" && p.ToolDescriptions[i].Names == t.Names {
					must = "there once"
				}
			}
			p.ToolDescriptions = append(p.ToolDescriptions, t)
			return must == ""
		})
		return at, must
	})
}

// readCut reads "keep", "first_sentence", or {first_sentence, max}. tools reads the member tools of
// the object; nil: the object may not have tools.
func readCut(c *policy.Cut, v gjson.Result, tools func(v gjson.Result) (at, must string)) (at, must string) {
	members := "first_sentence or max"
	if tools != nil {
		members = "first_sentence, max or tools"
	}
	either := "\"keep\", \"first_sentence\", or an object with " + members + ", as {\"max\":200}"
	switch {
	case v.Type == gjson.String && v.Str == "keep":
		return "", ""
	case v.Type == gjson.String && v.Str == "first_sentence":
		c.FirstSentence = true
		return "", ""
	case !v.IsObject():
		return "", either
	}
	must = either
	v.ForEach(func(key, value gjson.Result) bool {
		must = ""
		at = "." + key.Str
		switch {
		case key.Str == "first_sentence":
			if c.FirstSentence = value.Type == gjson.True; !c.FirstSentence && value.Type != gjson.False {
				must = "true or false"
			}
		case key.Str == "max":
			if c.Max = int(value.Num); !within(value, 1, maxDescription) {
				must = "a whole number of characters from 1 to 1000000; \"keep\" cuts nothing"
			}
		case key.Str == "tools" && tools != nil:
			inside := ""
			inside, must = tools(value)
			at += inside
		default:
			must = members
		}
		return must == ""
	})
	if must == "" {
		at = ""
	}
	return at, must
}

// readNoCaching reads the value "off" of cache_control. It is the only value that also changes
// requests of Messages clients to Messages upstreams. The function target reads the rest.
func readNoCaching(p *policy.Policy, v gjson.Result) (at, must string) {
	p.NoCaching = v.Str == "off"
	return "", ""
}

func readGuidance(p *policy.Policy, v gjson.Result) (at, must string) {
	if v.Type != gjson.String || len(v.Str) > maxGuidance {
		return "", "a text of at most 16 KB"
	}
	p.Guidance = v.Str
	return "", ""
}

package endpoint

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/translator/policy"
)

func TestPolicies(t *testing.T) {
	for options, want := range map[string]policy.Policy{
		`{}`: {},
		`{"required":"keep","strict":"keep","formats":"keep","tool_ids":"verbatim","tool_map":{},` +
			`"drop_tools":[],"guidance":"","loop_guard":"off","legacy_functions":"off",` +
			`"cache_control":"auto"}`: {},
		`{"required":"shrink"}`:     {ShrinkRequired: true},
		`{"strict":"off"}`:          {NoStrict: true},
		`{"formats":"strip"}`:       {StripFormats: true},
		`{"tool_ids":"prefixed"}`:   {PrefixIDs: true},
		`{"loop_guard":"report"}`:   {LoopGuard: true},
		`{"legacy_functions":"on"}`: {LegacyFunctions: true},
		`{"cache_control":"off"}`:   {NoCaching: true},
		`{"cache_control":"keep"}`:  {},
		`{"drop_tools":["a","b"]}`:  {Drop: []string{"a", "b"}},
		`{"guidance":"Ask.\n"}`:     {Guidance: "Ask.\n"},
		`{"tool_map":{"Bash":{"name":"shell","params":{"command":"cmd","a[]":"b.c"}},` +
			`"b":{"params":{"x":"y","y":"x"}},"shell":{"name":"c"}}}`: {Tools: []policy.Tool{
			{Name: "Bash", As: "shell", Params: []policy.Param{{From: "command", To: "cmd"}, {From: "a[]",
				To: "b.c"}}},
			{Name: "b", As: "b", Params: []policy.Param{{From: "x", To: "y"}, {From: "y", To: "x"}}},
			{Name: "shell", As: "c"},
		}},
		`{"drop_tools":["a"],"drop_tools":["b"]}`: {Drop: []string{"b"}},

		`{"tool_descriptions":"keep"}`:           {},
		`{"tool_descriptions":"first_sentence"}`: {Descriptions: policy.Cut{FirstSentence: true}},
		`{"tool_descriptions":{"max":1000000}}`:  {Descriptions: policy.Cut{Max: 1000000}},
		`{"tool_descriptions":{"first_sentence":true,"max":1,"tools":{"a":"keep","b*":{"max":2},` +
			`"*":{"first_sentence":false}}}}`: {
			Descriptions: policy.Cut{FirstSentence: true, Max: 1},
			ToolDescriptions: []policy.ToolCut{{Names: "a"}, {Names: "b*", Cut: policy.Cut{Max: 2}},
				{Names: "*"}},
		},
		`{"tool_descriptions":{"tools":{"a":"keep"}}}`:               {ToolDescriptions: []policy.ToolCut{{Names: "a"}}},
		`{"tool_descriptions":{"max":1},"tool_descriptions":"keep"}`: {},
	} {
		e, err := Load(settings("OPTIONS", options))
		require.Nil(t, err, options)
		require.Equal(t, want, e.Policy, options)
		require.Equal(t, want.LegacyFunctions, e.Upstreams[0].Target("any").LegacyFunctions)
		require.Equal(t, !want.Changes(), e.Upstreams[0].Passes(translator.API("chat")), options)
		require.False(t, e.Upstreams[0].Passes(translator.API("anthropic")))
	}
}

func TestPolicyErrors(t *testing.T) {
	var many, mapped, cut strings.Builder
	for i := range 257 {
		cut.WriteString(`,"t` + strings.Repeat("x", i) + `":"keep"`)
		many.WriteString(`,"t` + strings.Repeat("x", i) + `"`)
		mapped.WriteString(`,"t` + strings.Repeat("x", i) + `":{"params":{"a":"b"}}`)
	}
	for options, message := range map[string]string{
		`{"required":"all"}`:         `OPTIONS.required must be one of "keep", "shrink".`,
		`{"strict":"on"}`:            `OPTIONS.strict must be one of "keep", "off".`,
		`{"formats":true}`:           `OPTIONS.formats must be one of "keep", "strip".`,
		`{"tool_ids":"toolu_"}`:      `OPTIONS.tool_ids must be one of "verbatim", "prefixed".`,
		`{"loop_guard":3}`:           `OPTIONS.loop_guard must be one of "off", "report".`,
		`{"cache_control":"on"}`:     `OPTIONS.cache_control must be one of "auto", "off", "keep".`,
		`{"legacy_functions":"yes"}`: `OPTIONS.legacy_functions must be one of "off", "on".`,

		`{"tool_map":[]}`: "OPTIONS.tool_map must be an object " +
			"of tool names",
		`{"tool_map":{"":{"name":"b"}}}`: "OPTIONS.tool_map must be free of a tool " +
			"without a name.",
		`{"tool_map":{"a":"b"}}`: "OPTIONS.tool_map.a must be an object with " +
			"name, params or both.",
		`{"tool_map":{"a":{ }}}`: "OPTIONS.tool_map.a must be an object with " +
			"name, params or both.",
		`{"tool_map":{"a":{"name":"b","as":1}}}`: "OPTIONS.tool_map.a.as must be name or params.",
		`{"tool_map":{"a":{"name":1}}}`: "OPTIONS.tool_map.a.name must be 1 to 64 " +
			"letters, digits, _ and -.",
		`{"tool_map":{"a":{"name":""}}}`:    "OPTIONS.tool_map.a.name must be 1 to 64",
		`{"tool_map":{"a":{"name":"b.c"}}}`: "OPTIONS.tool_map.a.name must be 1 to 64",
		`{"tool_map":{"a":{"params":["x"]}}}`: "OPTIONS.tool_map.a.params must be an object " +
			"of parameter names",
		`{"tool_map":{"a":{"params":{"x":1}}}}`: "OPTIONS.tool_map.a.params.x must be 1 to 64 " +
			"letters, digits, _, . and -.",
		`{"tool_map":{"a":{"params":{"x":""}}}}`:    "OPTIONS.tool_map.a.params.x must be 1 to 64",
		`{"tool_map":{"a":{"params":{"x":"y[]"}}}}`: "OPTIONS.tool_map.a.params.x must be 1 to 64",
		`{"tool_map":{"a":{"params":{"":"x"}}}}`: "OPTIONS.tool_map.a.params must be free of a " +
			"parameter without a name.",
		`{"tool_map":{"a":{"params":{"x":"z","y":"z"}}}}`: "OPTIONS.tool_map.a.params.y must be another " +
			"name than that of x.",
		`{"tool_map":{"a":{"params":{"x":"z","x":"y"}}}}`: "OPTIONS.tool_map.a.params.x must be there once.",
		`{"tool_map":{"a":{"name":"c"},"b":{"name":"c"}}}`: "OPTIONS.tool_map.b.name must be another name " +
			"than that of a.",
		`{"tool_map":{"a":{"name":"c"},"a":{"name":"d"}}}`: "OPTIONS.tool_map.a must be there once.",
		`{"tool_map":{` + mapped.String()[1:] + `}}`:       "must be one of at most 256 tools.",

		`{"drop_tools":"a"}`: "OPTIONS.drop_tools must " +
			"be a list of tool names",
		`{"drop_tools":["a",""]}`: "OPTIONS.drop_tools[1] " +
			"must be the name of a tool, a string.",
		`{"drop_tools":[1]}`: "OPTIONS.drop_tools[0] " +
			"must be the name of a tool, a string.",
		`{"drop_tools":[` + many.String()[1:] +
			`]}`: "OPTIONS.drop_tools must be a list of at most 256 tools.",
		`{"tool_descriptions":"first"}`: `OPTIONS.tool_descriptions ` +
			`must be "keep", "first_sentence", or an object with first_sentence, max or tools, as ` +
			`{"max":200}.`,
		`{"tool_descriptions":200}`: `OPTIONS.tool_descriptions ` +
			`must be "keep", "first_sentence", or an object`,
		`{"tool_descriptions":{}}`: `OPTIONS.tool_descriptions ` +
			`must be "keep", "first_sentence", or an object`,
		`{"tool_descriptions":{"max":0}}`: `OPTIONS.tool_descriptions.max must be a whole ` +
			`number of characters from 1 to 1000000; "keep" cuts nothing.`,
		`{"tool_descriptions":{"max":-1}}`: "OPTIONS.tool_descriptions.max must be a whole " +
			"number of characters from 1",
		`{"tool_descriptions":{"max":1.5}}`: "OPTIONS.tool_descriptions.max must be a whole " +
			"number of characters from 1",
		`{"tool_descriptions":{"max":1e300}}`: "OPTIONS.tool_descriptions.max must be a whole " +
			"number of characters from 1",
		`{"tool_descriptions":{"max":"200"}}`: "OPTIONS.tool_descriptions.max must be a whole " +
			"number of characters from 1",
		`{"tool_descriptions":{"first_sentence":1}}`: "OPTIONS.tool_descriptions.first_sentence must be " +
			"true or false.",
		`{"tool_descriptions":{"max":1,` +
			`"min":1}}`: "OPTIONS.tool_descriptions.min must be first_sentence, max or tools.",
		`{"tool_descriptions":{"tools":["a"]}}`: "OPTIONS.tool_descriptions.tools must be an " +
			"object of tool names",
		`{"tool_descriptions":{"tools":{"a":7}}}`: `OPTIONS.tool_descriptions.tools.a must be ` +
			`"keep", "first_sentence", or an object with first_sentence or max, as {"max":200}.`,
		`{"tool_descriptions":{"tools":{"a":{"tools":{}}}}}`: "OPTIONS.tool_descriptions.tools.a.tools " +
			"must be first_sentence or max.",
		`{"tool_descriptions":{"tools":{"a":{"max":0}}}}`: "OPTIONS.tool_descriptions.tools.a.max must " +
			"be a whole number of characters from 1",
		`{"tool_descriptions":{"tools":{"":"keep"}}}`: `OPTIONS.tool_descriptions.tools must be ` +
			`free of the name "": each is a tool's name, or what names begin with and a * behind it.`,
		`{"tool_descriptions":{"tools":{"a*b":"keep"}}}`: `OPTIONS.tool_descriptions.tools must be ` +
			`free of the name "a*b"`,
		`{"tool_descriptions":{"tools":{"a":"keep",` +
			`"a":"first_sentence"}}}`: "OPTIONS.tool_descriptions.tools.a must be there once.",
		`{"tool_descriptions":{"tools":{` + cut.String()[1:] +
			`},"max":20}}`: "must be one of at most 256 tools.",

		`{"guidance":["a"]}`: "OPTIONS.guidance must be a text of at most 16 KB.",
		`{"guidance":"` + strings.Repeat("x", 16<<10+1) +
			`"}`: "OPTIONS.guidance must be a text of at most 16 KB.",
	} {
		_, err := Load(settings("OPTIONS", options))
		require.NotNil(t, err, options)
		require.Contains(t, ir.AsError(err).Message, message)
	}
}

package wrangler

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// folder changes to a new folder with these files.
func folder(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
}

// TestDotenv has values as dotenv 16.3.1 reads them.
func TestDotenv(t *testing.T) {
	for text, want := range map[string]map[string]string{
		"# comment\n\nA=1\r\n B = two words # comment\nA=2": {"A": "2", "B": "two words"},
		`C="a # \n b" # it's "quoted"`:                      {"C": "a # \n b"},
		`D='{"x": "y"}'` + "\nexport E=`e`\nF=\nG=\"\"":     {"D": `{"x": "y"}`, "E": "e", "F": "", "G": ""},
		"A=\"one\ntwo\"\nB='three\n\nfour'\nC=5": {"A": "one\ntwo", "B": "three\n\nfour",
			"C": "5"},
		`A='a\nb'` + "\n" + `B=a\nb`: {"A": `a\nb`, "B": `a\nb`},
		`A="{\"x\":1}"`:              {"A": `{\"x\":1}`},
		`A="a" b "c"`:                {"A": `a" b "c`},
		"A: 1\nb-c.d=2":              {"A": "1", "b-c.d": "2"},
		"A=b#c":                      {"A": "b"},
		"\ufeffA=1\rB=2":             {"A": "1", "B": "2"},
		"A=\n'b'":                    {"A": "b"},
		"A=it's":                     {"A": "it's"},
		"":                           {},
	} {
		got := map[string]string{}
		assert.NoError(t, parseDotenv("f", text, got))
		assert.Equal(t, want, got, text)
	}
	for text, want := range map[string]string{
		"A=1\nB":            "f:2: the line is not of the form NAME=value",
		"=x":                "f:1: the line is not of the form NAME=value",
		"A='1\n2'\nB\nC=3":  "f:3: the line is not of the form NAME=value",
		"A=1\n\nB=\"key":    `f:3: the value of B starts with " and does not end with it`,
		"A='key' trail":     "f:1: the value of A starts with ' and does not end with it",
		"A='key#x'":         "",
		"A=`":               "f:1: the value of A starts with ` and does not end with it",
		"A='key\nB='other'": "f:1: the value of A starts with ' and does not end with it",
	} {
		err := parseDotenv("f", text, map[string]string{})
		if want == "" {
			assert.NoError(t, err)
			continue
		}
		assert.EqualError(t, err, want)
	}
}

func TestSettings(t *testing.T) {
	const toml = `
name = "w"
[vars]
TEXT = "a"
SECRET = "from toml"
NUMBER = 1.0
BIG = 12345678901
FLAG = true
LIST = [1, "<é>", { b = 1, a = 2 }]
OPTIONS = { lossy = "refuse" }
[vars.MODELS]
"z-*" = "first"
"a.b" = "second"
[vars.MODELS.deep]
y = 1
x = 2
[[kv_namespaces]]
binding = "ENDPOINTS"
[env.staging.vars]
TEXT = "staging"
MODELS = { z = "1", a = "2" }
`
	files := map[string]string{
		"wrangler.toml": toml, ".dev.vars": "SECRET=dev\nKEY=k", ".dev.vars.staging": "KEY=staged",
		".env":              "KEY=no\nENV=no",
		"sub/wrangler.toml": "[vars]\nA=\"1\"\nE=\"1\"", "sub/.env": "A=2\nB=2\nC=\\$2",
		"sub/.env.local": "B=3", "sub/.env.x": "B=4", "sub/.env.x.local": "D=5",
		"bare/wrangler.toml": "", "other.vars": "KEY=other",
	}
	top := map[string]string{
		"TEXT": "a", "NUMBER": "1", "BIG": "12345678901", "FLAG": "true", "LIST": `[1,"<é>",{"b":1,"a":2}]`,
		"OPTIONS": `{"lossy":"refuse"}`,
		"MODELS":  `{"z-*":"first","a.b":"second","deep":{"y":1,"x":2}}`, "SECRET": "dev", "KEY": "k",
	}
	for _, test := range []struct {
		at    Where
		vars  map[string]string
		files string
		note  string
	}{
		{Where{}, top, "wrangler.toml .dev.vars", ""},
		{Where{Environment: "staging"}, map[string]string{"TEXT": "staging", "MODELS": `{"z":"1","a":"2"}`,
			"KEY": "staged"},
			"wrangler.toml .dev.vars.staging",
			"wrangler.toml has SECRET, NUMBER, BIG, FLAG, LIST, OPTIONS at its top level, and not in " +
				"[env.staging.vars], which inherits no vars"},
		{Where{Config: "sub/wrangler.toml"}, map[string]string{"A": "2", "B": "3", "C": "$2", "E": "1"},
			"sub/wrangler.toml sub/.env sub/.env.local", ""},
		{Where{Config: "sub/wrangler.toml", Environment: "x"}, map[string]string{"A": "2", "B": "4",
			"C": "$2", "D": "5", "E": "1"},
			"sub/wrangler.toml sub/.env sub/.env.local sub/.env.x sub/.env.x.local",
			"sub/wrangler.toml has no [env.x]: its top level is taken"},
		{Where{Config: "bare/wrangler.toml", DevVars: "other.vars"}, map[string]string{"KEY": "other"},
			"bare/wrangler.toml other.vars", ""},
		{Where{Config: "bare/wrangler.toml"}, map[string]string{}, "bare/wrangler.toml", ""},
	} {
		folder(t, files)
		s, err := Load(test.at)
		require.NoError(t, err)
		assert.Equal(t, test.vars, s.Vars)
		assert.Equal(t, test.files, strings.Join(s.Files, " "))
		assert.Equal(t, test.note, strings.Join(s.Notes, " "))
	}
	folder(t, nil)
	s, err := Load(Where{})
	assert.NoError(t, err)
	assert.Equal(t, &Settings{Vars: map[string]string{}}, s)
}

func TestSettingsThatCantBeRead(t *testing.T) {
	for _, test := range []struct {
		files map[string]string
		at    Where
		err   string
	}{
		{map[string]string{"wrangler.toml": "a = 1\nb = \n"}, Where{},
			"wrangler.toml:2: expected value but found '\\n' instead"},
		{map[string]string{"wrangler.toml": "[vars]\nA = 2026-01-02"}, Where{},
			"wrangler.toml: vars.A is of a type that a var can't have; put it in quotes"},
		{map[string]string{"wrangler.toml": "[vars]\nA = { b = nan }"}, Where{},
			"wrangler.toml: vars.A.b is of a type that a var can't have; put it in quotes"},
		{map[string]string{"wrangler.toml": "vars = 1"}, Where{},
			`wrangler.toml: vars is no table; write [vars], and NAME = "value" below it`},
		{map[string]string{"wrangler.toml": "[env.a]\n[env.b]"}, Where{Environment: "c"},
			"wrangler.toml has no [env.c]; --env takes one of a, b"},
		{map[string]string{".dev.vars": "A=1\nkey"}, Where{},
			".dev.vars:2: the line is not of the form NAME=value"},
		{map[string]string{".env": "A=key$B"}, Where{},
			`.env: the value of A names another variable with $, which only wrangler replaces; write it ` +
				`out, or \$ for the character`},
		{map[string]string{"wrangler.jsonc": "{\n  \"vars\": {\n    \"A\" 1\n  }\n}"}, Where{},
			"wrangler.jsonc:3: invalid character '1' after object key"},
		{map[string]string{"wrangler.jsonc": "{\n \"vars\": {"}, Where{},
			"wrangler.jsonc:2: the file ends too early"},
		{map[string]string{"wrangler.jsonc": "[]"}, Where{}, "wrangler.jsonc:1: the file is no JSON object"},
		{map[string]string{"wrangler.jsonc": "{} {}"}, Where{},
			"wrangler.jsonc:1: there is something after the object"},
		{map[string]string{"wrangler.json": `{"vars": {"A": null}}`}, Where{},
			"wrangler.json: vars.A is of a type that a var can't have; put it in quotes"},
		{map[string]string{"wrangler.json": `{"vars": 1}`}, Where{},
			`wrangler.json: vars is no object; write "vars": {"NAME": "value"}`},
		{map[string]string{"wrangler.json": `{"env": {"a": {}, "b": {}}}`}, Where{Environment: "c"},
			"wrangler.json has no env.c; --env takes one of a, b"},
		{nil, Where{Config: "no.toml"}, "there is no no.toml"},
		{nil, Where{DevVars: "no.vars"}, "there is no no.vars"},
		{map[string]string{".dev.vars/x": ""}, Where{}, "read .dev.vars: is a directory"},
	} {
		folder(t, test.files)
		_, err := Load(test.at)
		assert.EqualError(t, err, test.err)
	}
}

// TestJSONC: a wrangler.jsonc means the same as a wrangler.toml, and wins.
func TestJSONC(t *testing.T) {
	const jsonc = "\ufeff" + `// of create-cloudflare
{
  "$schema": "node_modules/wrangler/config-schema.json", /* one "comment",
  } over two lines */
  "name": "w",
  "vars": {
    "TEXT": "a // no comment, [,] \\",
    "NUMBER": 1.0,
    "BIG": 12345678901,
    "FLAG": true,
    "LIST": [1, "<é>", {"b": 1, "a": 2,},],
    "MODELS": {"z-*": "first", "a.b": "second", "deep": {"y": 1, "x": 2}}, // ordered
  },
  "env": {"staging": {"vars": {"TEXT": "staging"}}},
}
`
	folder(t, map[string]string{"wrangler.jsonc": jsonc, "wrangler.toml": "broken", ".dev.vars": "KEY=k"})
	s, err := Load(Where{})
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"TEXT": `a // no comment, [,] \`, "NUMBER": "1", "BIG": "12345678901",
		"FLAG": "true", "LIST": `[1,"<é>",{"b":1,"a":2}]`,
		"MODELS": `{"z-*":"first","a.b":"second","deep":{"y":1,"x":2}}`, "KEY": "k"}, s.Vars)
	assert.Equal(t, []string{"wrangler.jsonc", ".dev.vars"}, s.Files)

	s, err = Load(Where{Environment: "staging"})
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"TEXT": "staging", "KEY": "k"}, s.Vars)
	assert.Equal(
		t,
		[]string{"wrangler.jsonc has NUMBER, BIG, FLAG, LIST, MODELS at its top level, and not in " +
			"env.staging.vars, which inherits no vars"},
		s.Notes,
	)

	require.NoError(t, os.WriteFile("wrangler.json", []byte(`{"vars": {"TEXT": "json"}}`), 0o600))
	s, err = Load(Where{})
	require.NoError(t, err)
	assert.Equal(t, "wrangler.json", s.Files[0], "as wrangler looks for them")
	s, err = Load(Where{Config: "wrangler.jsonc"})
	require.NoError(t, err)
	assert.Equal(t, "true", s.Vars["FLAG"])
}

// TestPlain: the remaining text keeps its offsets.
func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":1,}`:           `{"a":1 }`,
		"[1, // x\n]":        "[1      \n]",
		"[1 /* , */, /**/ ]": "[1               ]",
		`["a\",]", 1]`:       `["a\",]", 1]`,
		"[1, 2]":             "[1, 2]",
		"// all":             "      ",
		"/* open":            "       ",
		`"open`:              `"open`,
		`"\`:                 `"\`,
		"/":                  "/",
	} {
		assert.Equal(t, want, string(Plain([]byte(text))), text)
	}
}

package ir

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLostHeader(t *testing.T) {
	var l Lost
	require.Empty(t, l.Header())
	l.Add("top_k")
	l.Add("messages[0].content[1]")
	l.Add("top_k")
	l.Add("an, odd\nkeyé")
	require.Equal(t, []string{"top_k", "messages[0].content[1]", "an, odd\nkeyé"}, l.Paths())
	require.Equal(t, "top_k,messages[0].content[1],an??odd?key??", l.Header())
}

func TestLostHeaderIsBounded(t *testing.T) {
	var l Lost
	for i := range 1000 {
		l.Add("messages[" + strconv.Itoa(i) + "]")
	}
	h := l.Header()
	require.LessOrEqual(t, len(h), maxLostHeader)
	parts := strings.Split(h, ",")
	require.Equal(t, "+"+strconv.Itoa(1000-(len(parts)-1)), parts[len(parts)-1])

	var long Lost
	long.Add(strings.Repeat("x", 5000))
	require.Equal(t, "+1", long.Header())
}

func TestIdentifier(t *testing.T) {
	require.Equal(t, Escaped("call_a-1"), Identifier("call_a-1", 64))
	require.Equal(t, Escaped("abc"), Identifier(`\u0061bc`, 64), "escapes are no part of a name")
	a, b := Identifier("functions.add:0", 0), Identifier("functions.add.0", 0)
	require.NotEqual(t, a, b)
	require.Regexp(t, `^functions_add_0_[0-9a-f]{16}$`, string(a))
	require.Equal(t, Identifier(`a\u00e9`, 64), Identifier("aé", 64))
	long := Escaped(strings.Repeat("x", 100))
	require.Len(t, Identifier(long, 64), 64)
	require.NotEqual(t, Identifier(long, 64), Identifier(long+"y", 64))
	require.Equal(t, Identifier(long, 64), Identifier(Identifier(long, 64), 64), "it is stable")
	require.NotEmpty(t, Identifier("", 64))
}

func TestChecker(t *testing.T) {
	start, finish := Event{Kind: Start}, Event{Kind: Finish, Stop: EndTurn}
	open, stop := Event{Kind: BlockStart, Block: TextBlock}, Event{Kind: BlockStop}
	delta := Event{Kind: Delta, Delta: TextDelta}
	failure := Event{Kind: Failure, Err: &Error{}}
	check := func(events ...Event) error {
		var c Checker
		for i := range events {
			if err := c.Check(&events[i]); err != nil {
				return err
			}
		}
		return c.End()
	}
	require.NoError(t, check(start, finish))
	require.NoError(t, check(start, open, delta, delta, stop, open, stop, finish))
	require.NoError(t, check(failure))
	require.NoError(t, check(start, open, delta, failure))
	for name, events := range map[string][]Event{
		"nothing":            {},
		"no start":           {finish},
		"two starts":         {start, start},
		"no end":             {start, open, stop},
		"overlap":            {start, open, open},
		"delta outside":      {start, delta},
		"stop outside":       {start, stop},
		"finish inside":      {start, open, finish},
		"after finish":       {start, finish, finish},
		"after failure":      {failure, start},
		"no block kind":      {start, {Kind: BlockStart}},
		"a call without id":  {start, {Kind: BlockStart, Block: ToolCallBlock, Name: "f"}},
		"signature in text":  {start, open, {Kind: Delta, Delta: SignatureDelta}},
		"no stop reason":     {start, {Kind: Finish}},
		"failure without it": {start, {Kind: Failure}},
		"no kind":            {start, {}},
	} {
		require.Error(t, check(events...), name)
	}
}

func TestErrorStatus(t *testing.T) {
	for status := 400; status < 600; status++ {
		e := Error{Kind: KindOfStatus(status)}
		require.GreaterOrEqual(t, e.HTTPStatus(), 400)
		e.Status = status
		require.Equal(t, status, e.HTTPStatus())
	}
	require.Equal(t, 400, (&Error{Kind: ContextOverflow, Status: 413}).HTTPStatus())
	require.Equal(t, "a[0]: b", (&Error{Path: "a[0]", Message: "b"}).Error())
}

func TestPos(t *testing.T) {
	for want, p := range map[string]Pos{
		"":                               {},
		"input":                          {Form: "input"},
		"messages[3].content":            {Form: "messages[].content", Index: Index{3}},
		"messages[3].content[0]":         {Form: "messages[].content[]", Index: Index{3, 0}},
		"input[10].tools[2].tools[1234]": {Form: "input[].tools[].tools[]", Index: Index{10, 2, 1234}},
	} {
		require.Equal(t, want, p.String())
		require.Equal(t, want+".x", p.Path(".x"))
	}
	p := Pos{Form: "a[].b[]", Index: Index{1}}.Element(2)
	require.Equal(t, "a[1].b[2]", p.String())
	require.Equal(t, "a[1].b", p.List().String())
}

func TestMatchResultsOfBothKinds(t *testing.T) {
	call := func(kind ContentKind, id Escaped) Content {
		return Content{Kind: kind, At: Pos{Form: "p"}, ID: id, Name: "n"}
	}
	r := &Request{Messages: []Message{
		{Assistant, []Content{call(CustomCallContent, "a"), call(ToolCallContent, "b"),
			call(CustomCallContent, "c")}},
		{User, []Content{call(ToolResultContent, "b"), call(ToolResultContent, "a")}},
	}}
	results, err := MatchResults(r, &Target{}, &Lost{})
	require.Nil(t, err)
	require.Equal(t, []*Content{&r.Messages[1].Content[1], &r.Messages[1].Content[0], nil}, results)
	r.Messages[0].Role = System
	_, err = MatchResults(r, &Target{}, &Lost{})
	require.Equal(t, "p: tool calls are only allowed in assistant messages", err.Error())
}

func TestResultOfNoCall(t *testing.T) {
	result := func(id Escaped) Content { return Content{Kind: ToolResultContent, At: Pos{Form: "p"}, ID: id} }
	request := func(results ...Content) *Request {
		call := Content{Kind: ToolCallContent, ID: "a", Name: "n"}
		return &Request{Messages: []Message{{Assistant, []Content{call}}, {User, results}}}
	}
	var lost Lost
	_, err := MatchResults(request(result("a"), result("b")), &Target{}, &lost)
	require.Nil(t, err)
	require.Equal(t, []string{"p"}, lost.Paths(), "it becomes text")
	r := request(result("a"), result("b"))
	r.Previous = `"resp_1"`
	_, err = MatchResults(r, &Target{}, &Lost{})
	require.Equal(t, "p: No tool call found for function call output with call_id b.", err.Error())
	r = request(result("a"), result("a"))
	r.Previous = `"resp_1"`
	_, err = MatchResults(r, &Target{}, &Lost{})
	require.Nil(t, err, "a second result is none of no call")
}

func TestAllows(t *testing.T) {
	r := Request{}
	require.True(t, r.Allows("any"), "where nothing is said")
	for i := range 40 {
		r.ToolChoice.Allowed = append(r.ToolChoice.Allowed, Escaped(strconv.Itoa(i)))
		r.ToolChoice.set = nil
		require.True(t, r.Allows("0"))
		require.True(t, r.Allows(Escaped(strconv.Itoa(i))))
		require.False(t, r.Allows("any"))
	}
}

// TestAddInput has a body without an input.
func TestAddInput(t *testing.T) {
	s := Storing{}
	require.False(t, s.HasInput())
	body := s.AddInput([]byte(` {"model":"m"}`))
	require.Equal(t, `{"input":[],"model":"m"}`, string(body))
	require.True(t, s.HasInput())
	require.Equal(t, `[]`, string(body[s.From:s.To]))
	require.EqualValues(t, `[]`, s.Input)
	before, after := s.Around(body)
	require.Equal(t, `{"input":`, string(before))
	require.Equal(t, `,"model":"m"}`, string(after))
}

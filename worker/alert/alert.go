package alert

import (
	"edgelingua/translator/jsonw"
	"edgelingua/worker/bridge"
)

// Hook is a webhook for alerts.
type Hook struct {
	Name   string // "endpoint" or "deployment"
	Format string // one of Formats
	// the URL and the secret of the webhook, sealed for Context; "": the deployment's settings have both
	Sealed, Context string
}

// Formats are the formats of an alert's JSON. The first is edgelingua's own.
const Formats = "json|slack|discord|ntfy"

// Source is what raises alerts: an endpoint with its webhooks.
type Source struct {
	Endpoint string // the endpoint's name; "" for the deployment's own endpoint
	Hooks    []Hook
}

// stored is how long a sent alert is stored, in seconds: longer than the month of a budget.
const stored = "3456000" // 40 days

const schema = `CREATE TABLE IF NOT EXISTS alert (kind TEXT, subject TEXT, hook TEXT, period INTEGER,
	time INTEGER, text TEXT, format TEXT, sealed TEXT, context TEXT, body TEXT, due INTEGER, tries INTEGER,
	status INTEGER, PRIMARY KEY (kind, subject, hook)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS alert_due ON alert (due) WHERE due IS NOT NULL;
CREATE TABLE IF NOT EXISTS alert_down (upstream TEXT PRIMARY KEY, since INTEGER) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS alert_rate (minute INTEGER PRIMARY KEY, requests INTEGER, failed INTEGER)`

// Clear returns the statements that delete all alerts, sent or not.
func Clear() *bridge.Statements {
	return new(bridge.Statements).SQL("DROP TABLE IF EXISTS alert; DROP TABLE IF EXISTS alert_down; " +
		"DROP TABLE IF EXISTS alert_rate").SQL("SELECT NULL AS alarm")
}

// whose returns the endpoint in words.
func (a *Source) whose() string {
	if a.Endpoint == "" {
		return "the deployment's own endpoint"
	}
	return "the endpoint " + a.Endpoint
}

// hooks returns the webhooks as a JSON list.
func (a *Source) hooks() string {
	dst := []byte{'['}
	for i, h := range a.Hooks {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = jsonw.AppendString(append(dst, `{"name":`...), h.Name)
		dst = jsonw.AppendString(append(dst, `,"format":`...), h.Format)
		dst = jsonw.AppendString(append(dst, `,"sealed":`...), h.Sealed)
		dst = append(jsonw.AppendString(append(dst, `,"context":`...), h.Context), '}')
	}
	return string(append(dst, ']'))
}

// body is SQL for the JSON of an alert in the format of a webhook. Slack reads <, > and & as markup
// (docs.slack.dev/messaging/formatting-message-text), Discord @ as a mention unless it is told not to
// (docs.discord.com/developers/resources/message, "Allowed Mentions Object"). The host adds ntfy's topic.
const body = `CASE json_extract(h.value, '$.format')
	WHEN 'slack' THEN json_object('text',
		replace(replace(replace(a.text, '&', '&amp;'), '<', '&lt;'), '>', '&gt;'))
	WHEN 'discord' THEN json_object('content', a.text, 'allowed_mentions', json('{"parse":[]}'))
	WHEN 'ntfy' THEN json_object('title', 'edgelingua', 'message', a.text)
	ELSE json_object('type', ?1, 'endpoint', ?3, 'subject', a.subject, 'time', a.time, 'text', a.text) END`

// raise adds the statement that raises alerts of a kind at all webhooks. from is a SELECT of the columns
// subject, period, time, due and text. It may contain ?3, the endpoint's name, and ?4, the endpoint in
// words. The caller adds further arguments, from ?5 on. An alert of the same kind, subject and period is
// not raised again; of an older period it is replaced.
func (a *Source) raise(s *bridge.Statements, kind, from string) *bridge.Statements {
	s.SQL("INSERT INTO alert SELECT ?1, a.subject, json_extract(h.value, '$.name'), a.period, a.time, " +
		"a.text, json_extract(h.value, '$.format'), json_extract(h.value, '$.sealed'), " +
		"json_extract(h.value, '$.context'), " + body + ", a.due, 0, 0 FROM (" + from + ") AS a, " +
		"json_each(?2) AS h WHERE ?3 IS NOT NULL AND ?4 IS NOT NULL ON CONFLICT DO UPDATE SET " +
		"period = excluded.period, time = excluded.time, text = excluded.text, format = excluded.format, " +
		"sealed = excluded.sealed, context = excluded.context, body = excluded.body, due = excluded.due, " +
		"tries = 0, status = 0 WHERE period <> excluded.period")
	return s.String(kind).String(a.hooks()).String(a.Endpoint).String(a.whose())
}

// alarm adds the statement by which the host learns when to send the next alert.
func alarm(s *bridge.Statements) { s.SQL("SELECT min(due) AS alarm FROM alert") }

// Test returns the statements that raise a test alert, at now in Unix seconds.
func (a *Source) Test(now int64) *bridge.Statements {
	s := new(bridge.Statements).SQL(schema)
	// a period of its own, also for a second test within the same second
	a.raise(s, "test", "SELECT '' AS subject, coalesce((SELECT max(period) + 1 FROM alert WHERE "+
		"kind = 'test'), 1) AS period, CAST(?5 AS INTEGER) AS time, ?5 AS due, "+
		"'This is a test of the alerts of ' || ?4 || '.' AS text").Number(float64(now))
	alarm(s)
	return s
}

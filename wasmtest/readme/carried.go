package readme

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"edgelingua/wasmtest/corpus"
	"edgelingua/wasmtest/ledger"
)

// made are names that the corpus makes up, to test the report of unknown fields.
var made = []string{"odd", "future", "unknown", "new_thing", "x", "x_f", "x_mark", "y", "z"}

// count says how many requests have a form, and in how many requests the form was lost.
type count struct{ there, lost int }

// fate has the counts of one form of a client's requests, by upstream.
type fate map[string]*count

// Carried returns, for each client, the fields that upstreams of the other protocols cannot
// receive, and the reasons, as Markdown tables: the losses and refusals of the ledger, and what the
// request scenarios of a corpus lose besides, as keywords of schemas. A second list has the members
// that are lost without a report.
func Carried(folder string) (string, error) {
	fates, err := readFates(folder)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, client := range corpus.Protocols {
		table(&b, client, fates[client])
	}
	for _, upstream := range append(slices.Clone(corpus.Protocols), "interactions") {
		answers(&b, upstream)
	}
	unreported(&b)
	return b.String(), nil
}

// readFates returns the fates of the requests in a corpus: client -> form -> fate.
func readFates(folder string) (map[string]map[string]fate, error) {
	scenarios, err := corpus.Load(folder)
	if err != nil {
		return nil, err
	}
	fates := map[string]map[string]fate{}
	for _, s := range scenarios {
		if !strings.HasPrefix(s.Name, "request/") {
			continue
		}
		if fates[s.Client] == nil {
			fates[s.Client] = map[string]fate{}
		}
		collect(s, fates[s.Client])
	}
	return fates, nil
}

// loss is a field of a client's requests that an upstream cannot receive, always or in some
// requests.
type loss struct{ client, upstream, field string }

// losses returns all losses in fates, by client, field and upstream.
func losses(fates map[string]map[string]fate) (list []loss) {
	for _, client := range corpus.Protocols {
		for _, form := range lostForms(fates[client]) {
			for _, upstream := range corpus.Protocols {
				if c := fates[client][form][upstream]; c != nil && c.lost > 0 {
					list = append(list, loss{client, upstream, form})
				}
			}
		}
	}
	return list
}

// collect counts the losses that a scenario states for its request.
func collect(s *corpus.Scenario, fates map[string]fate) {
	var request any
	if json.Unmarshal(s.Request, &request) != nil {
		return
	}
	for _, upstream := range corpus.Protocols {
		if upstream == s.Client || section(s, upstream+".request.json") == "" {
			continue
		}
		note := func(form string) *count {
			if fates[form] == nil {
				fates[form] = fate{}
			}
			if fates[form][upstream] == nil {
				fates[form][upstream] = &count{}
			}
			return fates[form][upstream]
		}
		once := map[string]bool{}
		forms("", request, func(form string) { once[form] = true })
		for form := range once {
			note(form).there++
		}
		clear(once)
		for path := range strings.FieldsSeq(section(s, upstream+".lost")) {
			once[form(request, path)] = true
		}
		for form := range once {
			note(form).lost++
		}
	}
}

func section(s *corpus.Scenario, name string) string {
	for _, f := range s.Archive.Files {
		if f.Name == "upstream."+name {
			return string(f.Data)
		}
	}
	return ""
}

// lostForms returns the forms that at least one upstream loses, in order.
func lostForms(fates map[string]fate) (list []string) {
	for form, f := range fates {
		lost := 0
		for _, c := range f {
			lost += c.lost
		}
		last := form[strings.LastIndexAny(form, ".[")+1:]
		if lost > 0 && !slices.Contains(made, strings.TrimSuffix(last, "]")) {
			list = append(list, form)
		}
	}
	slices.Sort(list)
	return list
}

// losers has what becomes of a form at each upstream: "" if the ledger has no such member.
type losers map[string]string

// stated returns the losses and refusals of the ledger for a client's requests, or for an upstream's
// answers, by form. If all members of an object have the same losses, only the object is listed,
// otherwise only its members.
func stated(api string, answer bool) map[string]losers {
	all := map[string]losers{}
	inside := map[string][]losers{} // the members of each object
	for row := range ledger.Rows() {
		if row.API != api || row.Answer != answer {
			continue
		}
		form, states := row.Form(), losers{}
		for _, s := range row.States {
			if s.API != api {
				states[s.API] = s.Loss()
			}
		}
		all[form] = states
		for outer := around(form); outer != ""; outer = around(outer) {
			inside[outer] = append(inside[outer], states)
		}
	}
	for outer, members := range inside {
		if isList := strings.HasSuffix(outer, "]"); !isList && all[outer] == nil {
			continue
		}
		if slices.ContainsFunc(members, func(m losers) bool { return !maps.Equal(m, members[0]) }) {
			all[outer] = nil
		} else {
			all[outer] = members[0]
		}
	}
	for form, states := range all {
		outer := around(form)
		for outer != "" && (all[outer] == nil || !maps.Equal(all[outer], states)) {
			outer = around(outer)
		}
		isLost := slices.ContainsFunc(slices.Collect(maps.Values(states)), func(loss string) bool {
			return loss != ""
		})
		typed := slices.ContainsFunc(slices.Collect(maps.Keys(inside)), func(other string) bool {
			return strings.HasPrefix(other, form+"[")
		})
		if outer != "" || !isLost || typed {
			defer delete(all, form)
		}
	}
	return all
}

// around returns the form of the object around a member, or "".
func around(form string) string { return form[:max(strings.LastIndexByte(form, '.'), 0)] }

// table writes the table of a client's losses.
func table(b *strings.Builder, client string, fates map[string]fate) {
	var others []string
	for _, p := range append(slices.Clone(corpus.Protocols), "interactions") {
		if p != client {
			others = append(others, p)
		}
	}
	fmt.Fprintf(b, "<details><summary>A client of <code>%s</code></summary>\n\n", client)
	fmt.Fprintf(b, "| field | to `%s` | why |\n|---%s|---|\n", strings.Join(others, "` | to `"),
		strings.Repeat("|---", len(others)))
	rows := stated(client, false)
	list := lostForms(fates)
	for form := range rows {
		if !slices.Contains(list, form) {
			list = append(list, form)
		}
	}
	slices.Sort(list)
	for _, form := range list {
		var cells []string
		for _, upstream := range others {
			cells = append(cells, word(rows[form], upstream, fates[form][upstream]))
		}
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", form, strings.Join(cells, " | "),
			because(client, form, cells, others))
	}
	b.WriteString("\n</details>\n\n")
}

// answers writes the table of what clients do not get of an upstream's answers.
func answers(b *strings.Builder, upstream string) {
	var clients []string
	for _, p := range corpus.Protocols {
		if p != upstream {
			clients = append(clients, p)
		}
	}
	fmt.Fprintf(b, "<details><summary>An answer of <code>%s</code></summary>\n\n", upstream)
	fmt.Fprintf(b, "| field | for `%s` |\n|---%s|\n", strings.Join(clients, "` | for `"),
		strings.Repeat("|---", len(clients)))
	rows := stated(upstream, true)
	for _, form := range slices.Sorted(maps.Keys(rows)) {
		var cells []string
		for _, client := range clients {
			cells = append(cells, word(rows[form], client, nil))
		}
		fmt.Fprintf(b, "| `%s` | %s |\n", form, strings.Join(cells, " | "))
	}
	b.WriteString("\n</details>\n\n")
}

// because returns the reasons for the loss of a field. Several reasons are listed with their
// upstreams, each reason once.
func because(client, form string, cells, upstreams []string) string {
	var texts []string
	of := map[string][]string{}
	for i, upstream := range upstreams {
		if cells[i] == "carried" || strings.HasPrefix(cells[i], "as ") {
			continue
		}
		text := ledger.Reason(client, upstream, form)
		if text == "" {
			text = "the API has no form for it"
			if !slices.Contains(cells, "carried") {
				text = "no other API has a form for it"
			}
		}
		if of[text] == nil {
			texts = append(texts, text)
		}
		of[text] = append(of[text], "`"+upstream+"`")
	}
	if len(texts) == 1 {
		return texts[0]
	}
	for i, text := range texts {
		texts[i] = strings.Join(of[text], ", ") + ": " + text
	}
	return strings.Join(texts, "; ")
}

// word says what becomes of a field at an upstream: as the ledger states, or else as in the corpus.
func word(stated losers, upstream string, c *count) string {
	inPart := c != nil && c.lost > 0
	switch {
	case stated[upstream] != "":
		return stated[upstream]
	case inPart && (c.lost < c.there || stated != nil):
		return "lost in part"
	case inPart:
		return "lost"
	case stated == nil && upstream == "interactions": // the scenarios have no such upstream
		return "as `gemini`"
	}
	return "carried"
}

// unreported writes the table of members that are lost without a report.
func unreported(b *strings.Builder) {
	b.WriteString("<details><summary>Lost without a report</summary>\n\n| members | why |\n|---|---|\n")
	for _, s := range ledger.Unreported() {
		fmt.Fprintf(b, "| `%s`: `%s` | %s |\n", s.Root, strings.Join(s.Paths, "`, `"), s.Why)
	}
	b.WriteString("\n</details>\n\n")
}

package readme

import (
	"cmp"
	"encoding/json"
	"errors"
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

// fate has the counts of one form of a client's requests, by upstream, and by a server of the ledger
// and its model.
type fate map[string]*count

// at returns the count of an upstream or of a server.
func (f fate) at(name string) *count {
	if f[name] == nil {
		f[name] = &count{}
	}
	return f[name]
}

// loses reports whether an upstream lost the form, always or in some requests.
func (f fate) loses(upstream string) bool {
	for name, c := range f {
		if protocol, _, _ := strings.Cut(name, " "); protocol == upstream && c.lost > 0 {
			return true
		}
	}
	return false
}

// Carried returns, for each client, the fields that upstreams of the other protocols cannot
// receive, and the reasons, as Markdown tables: the losses and refusals of the ledger, and what the
// request scenarios of a corpus lose besides, as keywords of schemas. A last list has the members
// that are carried without a trace.
func Carried(folder string) (string, error) {
	fates, err := readFates(folder)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, client := range corpus.Protocols {
		table(&b, client, fates[client])
	}
	for _, upstream := range corpus.Protocols {
		answers(&b, upstream)
	}
	remarks(&b)
	if strings.Contains(b.String(), "|  |\n") {
		return "", errors.New("a row of carried.md has no reason: wasmtest/ledger/kinds.go")
	}
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
				if fates[client][form].loses(upstream) {
					list = append(list, loss{client, upstream, form})
				}
			}
		}
	}
	return list
}

// collect counts the losses that a scenario states for its request, and the losses of the request at
// the ledger's servers. The scenarios have no sections for Interactions.
func collect(s *corpus.Scenario, fates map[string]fate) {
	var request any
	if json.Unmarshal(s.Request, &request) != nil {
		return
	}
	note := func(name string, lost []string) {
		once := map[string]bool{}
		forms("", request, func(form string) { once[form] = true })
		for form := range once {
			if fates[form] == nil {
				fates[form] = fate{}
			}
			fates[form].at(name).there++
		}
		clear(once)
		for _, path := range lost {
			once[form(request, path)] = true
		}
		for form := range once {
			if fates[form] == nil {
				fates[form] = fate{}
			}
			fates[form].at(name).lost++
		}
	}
	for _, upstream := range corpus.Protocols {
		if upstream != s.Client && section(s, upstream+".request.json") != "" {
			note(upstream, strings.Fields(section(s, upstream+".lost")))
		}
	}
	for i := range ledger.Servers {
		server := &ledger.Servers[i]
		_, lost, err := server.Translate(s.Client, s.Request)
		if server.Protocol == s.Client || err != nil {
			continue
		}
		note(server.Protocol+" "+server.Model, lost)
		if server.Protocol == "interactions" {
			note(server.Protocol, lost)
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

// noTrace is the state of a member that is carried without a trace.
const noTrace = "carried (remark)"

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
				if s.Text == "carried (here)" || s.Text == "carried "+ledger.SameEffect {
					states[s.API] = noTrace
				}
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
			return loss != "" && loss != noTrace
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
	for _, p := range corpus.Protocols {
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
			cells = append(cells, word(rows[form], upstream, fates[form]))
		}
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", form, strings.Join(cells, " | "),
			because(client, false, form, cells, others))
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
	fmt.Fprintf(b, "| field | for `%s` | why |\n|---%s|---|\n", strings.Join(clients, "` | for `"),
		strings.Repeat("|---", len(clients)))
	rows := stated(upstream, true)
	for _, form := range slices.Sorted(maps.Keys(rows)) {
		var cells []string
		for _, client := range clients {
			cells = append(cells, word(rows[form], client, nil))
		}
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", form, strings.Join(cells, " | "),
			because(upstream, true, form, cells, clients))
	}
	b.WriteString("\n</details>\n\n")
}

// because returns the reasons for the loss of a field of requests or answers. Several reasons are
// listed with their other sides, each reason once.
func because(api string, answer bool, form string, cells, others []string) string {
	var texts []string
	of := map[string][]string{}
	for i, other := range others {
		if cells[i] == "carried" || cells[i] == noTrace {
			continue
		}
		text := ledger.Because(api, answer, other, form)
		if of[text] == nil {
			texts = append(texts, text)
		}
		of[text] = append(of[text], "`"+other+"`")
	}
	if len(texts) == 1 {
		return texts[0]
	}
	for i, text := range texts {
		texts[i] = strings.Join(of[text], ", ") + ": " + text
	}
	return strings.Join(texts, "; ")
}

// word says what becomes of a field at an upstream: as the ledger states, or else as measured with
// the requests of the corpus. If neither the model nor the server decides, the reason names the cases.
func word(stated losers, upstream string, f fate) string {
	if stated[upstream] != "" || f == nil {
		return cmp.Or(stated[upstream], "carried")
	}
	var always, never []string
	for _, server := range ledger.Servers {
		c := f[upstream+" "+server.Model]
		switch {
		case server.Protocol != upstream || c == nil:
		case c.lost == 0:
			never = append(never, server.Model)
		case c.lost == c.there && stated == nil:
			always = append(always, server.Model)
		}
	}
	c := f.at(upstream)
	switch {
	case len(always) == models(upstream) && c.lost == c.there:
		return "lost"
	case len(always) > 0 && len(always)+len(never) == models(upstream):
		return "lost with " + strings.Join(always, ", ")
	case f.loses(upstream):
		return "lost in some cases"
	}
	return "carried"
}

// models returns how many models the ledger has for an upstream.
func models(upstream string) (n int) {
	for _, server := range ledger.Servers {
		if server.Protocol == upstream {
			n++
		}
	}
	return n
}

// remarks writes the table of members that are carried without a trace.
func remarks(b *strings.Builder) {
	b.WriteString("<details><summary>Carried without a trace</summary>\n\n| members | why |\n|---|---|\n")
	for _, s := range ledger.Remarks() {
		fmt.Fprintf(b, "| `%s`: `%s` | %s |\n", s.Root, strings.Join(s.Paths, "`, `"), s.Why)
	}
	b.WriteString("\n</details>\n\n")
}

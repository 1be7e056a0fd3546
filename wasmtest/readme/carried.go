package readme

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"edgelingua/wasmtest/corpus"
)

// made are names that the corpus makes up, to test the report of unknown fields.
var made = []string{"odd", "future", "unknown", "new_thing", "x", "x_f", "x_mark", "y", "z"}

// count says how many requests have a form, and in how many requests the form was lost.
type count struct{ there, lost int }

// fate has the counts of one form of a client's requests, by upstream.
type fate map[string]*count

// Carried returns, for each client, the fields that upstreams of the other protocols cannot
// receive, and the reasons, as Markdown tables. It reads the request scenarios of a corpus.
func Carried(folder string) (string, error) {
	fates, err := readFates(folder)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, client := range corpus.Protocols {
		table(&b, client, fates[client])
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
	for _, form := range lostForms(fates) {
		f := fates[form]
		fmt.Fprintf(b, "| `%s` |", form)
		for _, upstream := range others {
			fmt.Fprintf(b, " %s |", word(f[upstream]))
		}
		fmt.Fprintf(b, " %s |\n", because(client, form, f, others))
	}
	b.WriteString("\n</details>\n\n")
}

// because returns the reasons for the loss of a field. Several reasons are listed with their
// upstreams, each reason once.
func because(client, form string, f fate, upstreams []string) string {
	var texts []string
	of := map[string][]string{}
	for _, upstream := range upstreams {
		if f[upstream] == nil || f[upstream].lost == 0 {
			continue
		}
		text, _ := why(client, upstream, form)
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

func word(c *count) string {
	switch {
	case c == nil || c.lost == 0:
		return "carried"
	case c.lost >= c.there:
		return "lost"
	}
	return fmt.Sprintf("lost in %d of %d", c.lost, c.there)
}

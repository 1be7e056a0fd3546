package translator_test

import (
	"fmt"
	"hash/fnv"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"edgelingua/translator/ir"
	"edgelingua/wasmtest/corpus"
)

// trait is one field of ir.Target with another value.
type trait struct {
	name  string
	apply func(*ir.Target)
}

// traits returns a trait for each other value of each field: the opposite of a bool, the values of an
// enumeration, and the values of others.
func traits() (list []trait) {
	others := map[string][]any{
		"Efforts": {[]string(nil), []string{"none", "low", "high"}, []string{"minimal", "xhigh", "max"}},
		"Version": {"2023-06-01", "2026-10-21"},
	}
	last := map[string]int{"Thinking": int(ir.AlwaysThinking), "ThinkingSwitch": int(ir.ReasoningSwitch),
		"ReasoningEcho": int(ir.EchoBoth), "ResultImages": int(ir.RefuseImages), "Images": int(ir.PlainImages),
		"Structured": int(ir.Unstructured), "Prefill": int(ir.PrefixPrefill), "Caching": int(ir.PlainCaching)}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[ir.Target]()) {
		if !field.IsExported() {
			continue
		}
		values, listed := others[field.Name]
		switch field.Type.Kind() {
		case reflect.Bool:
			list = append(list, trait{field.Name, func(target *ir.Target) {
				v := reflect.ValueOf(target).Elem().FieldByIndex(field.Index)
				v.SetBool(!v.Bool())
			}})
			continue
		case reflect.Uint8:
			for i := range last[field.Name] + 1 {
				values = append(values, reflect.ValueOf(i).Convert(field.Type).Interface())
			}
		case reflect.Int, reflect.Int64:
			for _, n := range []int{1, 2000} {
				values = append(values, reflect.ValueOf(n).Convert(field.Type).Interface())
			}
		default:
			if !listed {
				panic("no other value for the field " + field.Name)
			}
		}
		for _, value := range values {
			list = append(list, trait{fmt.Sprintf("%s=%v", field.Name, value), func(target *ir.Target) {
				reflect.ValueOf(target).Elem().FieldByIndex(field.Index).Set(reflect.ValueOf(value))
			}})
		}
	}
	return list
}

// TestKindsOfUpstreams changes what an upstream supports, one field of ir.Target at a time, for
// requests of the corpus. A request needs a member that no earlier one has. The files
// testdata/kinds/*.traits.txt say how the upstreams' requests differ: how many, the first, and a digest
// of all.
func TestKindsOfUpstreams(t *testing.T) {
	scenarios, err := corpus.Load("testdata")
	require.NoError(t, err)
	for _, client := range protocols {
		t.Run(client, func(t *testing.T) {
			t.Parallel()
			e := effects{seen: map[string]bool{}}
			type effect struct {
				n     int
				first string
				all   []string
			}
			found := map[string]*effect{}
			for _, s := range scenarios {
				if s.Client != client || !gjson.ValidBytes(s.Request) || !e.fresh(s.Request) {
					continue
				}
				before, refusal := asks(t, s, s.Request, nil)
				if refusal != nil {
					continue
				}
				for _, trait := range traits() {
					after, refusal := asks(t, s, s.Request, trait.apply)
					require.Nil(t, refusal)
					for i := range after {
						if after[i] == before[i] {
							continue
						}
						key := trait.name + " " + protocols[i]
						if found[key] == nil {
							found[key] = &effect{first: s.Name + ": " + difference(before[i:i+1], after[i:i+1])}
						}
						found[key].n++
						found[key].all = append(found[key].all, replaced(before[i], after[i]))
					}
				}
			}
			for key, f := range found {
				digest := fnv.New32a()
				fmt.Fprint(digest, f.all)
				e.note(key, fmt.Sprintf("%d requests (%08x), %s", f.n, digest.Sum32(), f.first))
			}
			e.check(t, client+".traits.txt")
		})
	}
}

// fresh reports whether a document has a place of a form that no earlier one had.
func (e *effects) fresh(document []byte) (fresh bool) {
	for _, p := range placesOf(string(document), 0) {
		if !e.seen[p.form] {
			e.seen[p.form], fresh = true, true
		}
	}
	return fresh
}

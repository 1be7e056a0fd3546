package admin

import (
	"github.com/tidwall/gjson"

	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/tenant"
)

// changed returns the names of the settings that differ from the loaded ones, or whose secrets are new.
// Call it before Finish, which seals the secrets.
func (r *Record) changed() []string {
	names := appendChanged(nil, "", gjson.Parse(r.original), gjson.Parse(r.settings))
	add := func(name string, secret bool) {
		for _, other := range names {
			secret = secret && other != name
		}
		if secret {
			names = append(names, name)
		}
	}
	for i := range r.upstreams {
		u := &r.upstreams[i]
		for j := range u.keys {
			add("upstreams", u.keys[j].plain != "")
		}
		add("upstreams", u.token.plain != "")
	}
	add("options."+endpoint.WebSearchKey, r.search.plain != "")
	add("alerts.url", r.hook.plain != "")
	return names
}

// appendChanged appends the paths of the members that differ between two objects. The members of limits,
// options and alerts, which the program names, are told apart; others, such as the models of prices, are
// not.
func appendChanged(names []string, path string, before, after gjson.Result) []string {
	note := func(name, old, now gjson.Result) {
		at := join(path, name.Str)
		switch {
		case old.Raw == now.Raw:
		case path == "" && (at == "limits" || at == "options" || at == "alerts"):
			names = appendChanged(names, at, old, now)
		default:
			names = append(names, at)
		}
	}
	after.ForEach(func(name, now gjson.Result) bool {
		note(name, get(before, name.Str), now)
		return true
	})
	before.ForEach(func(name, old gjson.Result) bool {
		if !get(after, name.Str).Exists() {
			note(name, old, gjson.Result{})
		}
		return true
	})
	return names
}

// entry returns the entry of the request's change in the audit list.
func (m *managed) entry() tenant.Entry {
	e := tenant.Entry{Time: m.now, Subject: m.ID, Owner: m.Operation == OwnerRotate}
	switch m.Operation {
	case Make:
		e.Action = "create"
	case Change:
		e.Action = "change"
	case Delete:
		e.Action = "delete"
	case AddKey:
		e.Action = "add_key"
	case RevokeKey:
		e.Action = "revoke_key"
	case ChangeKey:
		e.Action = "change_key"
	default:
		e.Action = "rotate"
	}
	return e
}

// log adds to the statements of a change its entry in the audit list. settings are the names of the
// changed settings.
func (m *managed) log(statements *bridge.Statements, rec *Record, settings []string) {
	e := m.entry()
	e.Settings = settings
	if m.owner != nil {
		e.Key, e.Label = endpoint.KeyID(m.owner.Hash), m.owner.Label
	}
	if m.Operation == AddKey || m.Operation == Rotate || m.Operation == OwnerRotate {
		e.Subject = endpoint.KeyID(rec.Keys[len(rec.Keys)-1].Hash)
	}
	e.Log(statements)
}

// changes answers with the audit list of the endpoint in the path.
func (m *managed) changes(e *endpoint.Endpoint) (status int, out []byte, err *Error) {
	rows, failed := m.host.Batch(e.Object(), tenant.ReadChanges())
	if failed != nil {
		return 0, nil, broken(failed)
	}
	return 200, tenant.AppendChanges(nil, rows), nil
}

package interactions

import (
	"strings"

	"edgelingua/translator/google"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// tools reads tools (Tool of @google/genai).
func (d *requestDecoder) tools(r *jsonr.Reader) *ir.Error {
	n, err := d.List(r, "tools")
	if err != nil {
		return err
	}
	d.request.Tools = make([]ir.Tool, 0, n)
	n = 0
	for r.OpenArray(); r.Element(); n++ {
		t := ir.Tool{At: ir.Pos{Form: "tools[]", Index: ir.Index{n}}}
		if err := d.tool(r, &t); err != nil {
			return err
		}
		d.request.Tools = append(d.request.Tools, t)
	}
	return nil
}

// tool reads the next value of r. Each tool other than a function is run by Google.
func (d *requestDecoder) tool(r *jsonr.Reader, t *ir.Tool) (err *ir.Error) {
	if err = google.CheckObjectAt(r, t.At, ""); err != nil {
		return err
	}
	whole := *r
	t.Type, _ = jsonr.Text(typeValue(r))
	switch t.Type {
	case "function":
		t.Type = ""
		return d.function(&whole, t)
	case "google_search":
		t.Kind, t.Name, t.Type = ir.WebSearchTool, "web_search", ""
		d.loseOptions(&whole, t)
	case "url_context":
		t.Kind, t.Name, t.Type = ir.WebFetchTool, "web_fetch", ""
		d.loseOptions(&whole, t)
	case "":
		return google.Invalid(t.At.Path(".type"), "The type of the tool is missing.")
	case "mcp_server":
		d.server(whole, t)
	default:
		t.Kind, t.Name, t.Raw = ir.VendorTool, t.Type, whole.Value()
	}
	return nil
}

// typeValue reads the object that r is at, and returns its member "type".
func typeValue(r *jsonr.Reader) (v ir.Raw) {
	for r.OpenObject(); r.Member(); {
		if r.Key() == "type" {
			v = r.Value()
		}
	}
	return v
}

// loseOptions notes the members of a tool except its type: only Google has them.
func (d *requestDecoder) loseOptions(r *jsonr.Reader, t *ir.Tool) {
	for r.OpenObject(); r.Member(); {
		if r.Key() != "type" {
			d.lost.AddMemberAt(t.At, "", r)
		}
	}
}

// function reads a function (FunctionT of @google/genai).
func (d *requestDecoder) function(r *jsonr.Reader, t *ir.Tool) (err *ir.Error) {
	for r.OpenObject(); err == nil && r.Member(); {
		if r.Kind() == jsonr.Null {
			continue
		}
		switch r.Key() {
		case "type":
		case "name":
			t.Name, err = google.ReadTextAt(r, t.At, ".name")
		case "description":
			t.Description, err = google.ReadTextAt(r, t.At, ".description")
		case "parameters":
			if err = google.CheckObjectAt(r, t.At, ".parameters"); err == nil {
				t.Schema, t.Field = parameters(r.Value()), ".parameters"
			}
		default:
			d.lost.AddMemberAt(t.At, "", r)
		}
	}
	if err == nil && t.Name == "" {
		err = google.Invalid(t.At.Path(".name"), "The name cannot be empty.")
	}
	return err
}

// server reads a tool that represents an MCP server (MCPServer of @google/genai). Other APIs have a
// token instead of headers, and no modes for the allowed tools.
//
//go:noinline
func (d *requestDecoder) server(r jsonr.Reader, t *ir.Tool) {
	again := r
	m := &ir.MCP{}
	t.Kind, t.MCP, t.Raw = ir.MCPTool, m, again.Value()
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "type":
		case "name":
			m.Label, _ = jsonr.Text(r.Value())
		case "url":
			m.URL, _ = jsonr.Text(r.Value())
		case "headers":
			for r.OpenObject(); r.Member(); {
				value, _ := jsonr.Text(r.Value())
				token, bearer := strings.CutPrefix(string(value), "Bearer ")
				if strings.EqualFold(r.Key(), "authorization") && bearer {
					m.Token = ir.Escaped(token)
				} else {
					m.OwnOnly = true
				}
			}
		case "allowed_tools":
			for r.OpenArray(); r.Element(); {
				for r.OpenObject(); r.Member(); {
					switch r.Key() {
					case "tools":
						for r.OpenArray(); r.Element(); {
							name, _ := jsonr.Text(r.Value())
							m.Allowed = append(m.Allowed, name)
						}
					case "mode":
						v := r.Value()
						m.OwnOnly = m.OwnOnly || v != `"auto"` && v != `"any"` && v != "null"
					}
				}
			}
		default:
			m.OwnOnly = jsonr.Asks(r.Value()) || m.OwnOnly
		}
	}
	t.Name = "mcp:" + m.Label
}

// parameters returns the schema of a function as JSON Schema. @google/adk 2.0 sends Google's older form,
// with types in upper case, within a JSON Schema.
func parameters(v ir.Raw) ir.Raw {
	for _, word := range [...]string{"OBJECT", "STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY"} {
		if strings.Contains(string(v), `"`+word+`"`) {
			return google.JSONSchema(v)
		}
	}
	return v
}

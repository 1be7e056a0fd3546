package gemini

import (
	"edgelingua/translator/google"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// tools reads tools (Gemini API, "Tool"): a list, or one tool. Each member of a tool except
// functionDeclarations is a tool that Google runs.
func (d *requestDecoder) tools(r *jsonr.Reader) *ir.Error {
	d.request.Tools = nil
	if r.Kind() == jsonr.Object {
		return d.tool(r, 0)
	}
	if _, err := d.List(r, "tools"); err != nil {
		return err
	}
	n := 0
	for r.OpenArray(); r.Element(); n++ {
		if err := d.tool(r, n); err != nil {
			return err
		}
	}
	return nil
}

// tool reads the next value of r, the nth tool.
func (d *requestDecoder) tool(r *jsonr.Reader, n int) (err *ir.Error) {
	at := ir.Pos{Form: "tools[]", Index: ir.Index{n}}
	if err = google.CheckObjectAt(r, at, ""); err != nil {
		return err
	}
	for r.OpenObject(); err == nil && r.Member(); {
		if r.Kind() == jsonr.Null {
			continue
		}
		switch key := r.Key(); key {
		case "functionDeclarations", "function_declarations":
			err = d.functions(r, n)
		case "googleSearch", "google_search", "googleSearchRetrieval", "google_search_retrieval":
			t := ir.Tool{Kind: ir.WebSearchTool, Name: "web_search", At: at}
			err = d.Items.Meet(1)
			for r.OpenObject(); err == nil && r.Member(); {
				if r.Kind() == jsonr.Null {
					continue
				}
				switch r.Key() {
				case "excludeDomains", "exclude_domains":
					t.Search.BlockedField = ".googleSearch.excludeDomains"
					t.Search.Blocked, err = d.Texts(r, at.Path(t.Search.BlockedField))
				default:
					d.lost.AddMemberAt(at, "."+key, r)
				}
			}
			d.request.Tools = append(d.request.Tools, t)
		case "urlContext", "url_context":
			err = d.Items.Meet(1)
			d.request.Tools = append(d.request.Tools, ir.Tool{Kind: ir.WebFetchTool, Name: "web_fetch",
				At: at})
			r.Value()
		default:
			if err = d.Items.Meet(1); err == nil {
				name := jsonw.Escape(key)
				raw := append(append(jsonw.AppendEscaped([]byte(`{`), name), ':'), r.Value()...)
				d.request.Tools = append(d.request.Tools, ir.Tool{Kind: ir.VendorTool, At: at, Type: name,
					Name: name, Raw: ir.Raw(jsonw.View(append(raw, '}')))})
			}
		}
	}
	return err
}

// functions reads functionDeclarations of the nth tool.
func (d *requestDecoder) functions(r *jsonr.Reader, n int) *ir.Error {
	at := ir.Pos{Form: "tools[].functionDeclarations[]", Index: ir.Index{n}}
	if _, err := d.ListAt(r, at); err != nil {
		return err
	}
	n = 0
	for r.OpenArray(); r.Element(); n++ {
		t := ir.Tool{At: at.Element(n)}
		if err := d.function(r, &t); err != nil {
			return err
		}
		d.request.Tools = append(d.request.Tools, t)
	}
	return nil
}

// function reads a FunctionDeclaration. The arguments have a schema in Google's form (parameters)
// or in JSON Schema (parametersJsonSchema). Of both the latter counts: Google refuses both. The
// output's schema (response, responseJsonSchema) and the flag for blocking (behavior) have no form
// in other APIs.
func (d *requestDecoder) function(r *jsonr.Reader, t *ir.Tool) (err *ir.Error) {
	if err = google.CheckObjectAt(r, t.At, ""); err != nil {
		return err
	}
	var parameters ir.Raw
	for r.OpenObject(); err == nil && r.Member(); {
		if r.Kind() == jsonr.Null {
			continue
		}
		switch r.Key() {
		case "name":
			t.Name, err = google.ReadTextAt(r, t.At, ".name")
		case "description":
			t.Description, err = google.ReadTextAt(r, t.At, ".description")
		case "parameters":
			if err = google.CheckObjectAt(r, t.At, ".parameters"); err == nil {
				parameters = r.Value()
			}
		case "parametersJsonSchema", "parameters_json_schema":
			if err = google.CheckObjectAt(r, t.At, ".parametersJsonSchema"); err == nil {
				t.Schema, t.Field = r.Value(), ".parametersJsonSchema"
			}
		case "behavior":
			if v := r.Value(); v != `"BLOCKING"` && v != `"UNSPECIFIED"` {
				d.lost.Add(t.At.Path(".behavior"))
			}
		default:
			d.lost.AddMemberAt(t.At, "", r)
		}
	}
	switch {
	case parameters != "" && t.Schema == "":
		t.Schema, t.Field = google.JSONSchema(parameters), ".parameters"
	case parameters != "":
		d.lost.Add(t.At.Path(".parameters"))
	}
	if err == nil && t.Name == "" {
		err = google.Invalid(t.At.Path(".name"), "Name cannot be empty.")
	}
	return err
}

// toolConfig reads toolConfig (Gemini API, "ToolConfig").
func (d *requestDecoder) toolConfig(r *jsonr.Reader) (err *ir.Error) {
	const in = "toolConfig"
	if err = google.CheckObject(r, in); err != nil {
		return err
	}
	for r.OpenObject(); err == nil && r.Member(); {
		switch key := r.Key(); key {
		case "functionCallingConfig", "function_calling_config":
			err = d.choice(r, in+".functionCallingConfig")
		case "includeServerSideToolInvocations", "include_server_side_tool_invocations":
			// whether functions are allowed beside Google's own tools
			r.Value()
		default:
			d.lost.AddMember(in, r)
		}
	}
	return err
}

// choice reads functionCallingConfig.
func (d *requestDecoder) choice(r *jsonr.Reader, path string) (err *ir.Error) {
	if r.Kind() == jsonr.Null {
		return nil
	}
	if err = google.CheckObject(r, path); err != nil {
		return err
	}
	c, valid := ir.ToolChoice{Mode: ir.ToolsAuto}, false
	for r.OpenObject(); err == nil && r.Member(); {
		if r.Kind() == jsonr.Null {
			continue
		}
		switch r.Key() {
		case "mode":
			var mode string
			mode, err = google.ReadEnum(r, path+".mode", "MODE_UNSPECIFIED AUTO ANY NONE VALIDATED",
				"one of AUTO, ANY, NONE and VALIDATED is expected.")
			switch mode {
			case "VALIDATED":
				valid = true
			case "ANY":
				c.Mode = ir.ToolsRequired
			case "NONE":
				c.Mode = ir.ToolsNone
			}
		case "allowedFunctionNames", "allowed_function_names":
			c.Allowed, err = d.Texts(r, path+".allowedFunctionNames")
		default: // streamFunctionCallArguments
			d.lost.AddMember(path, r)
		}
	}
	// only this API has one mode that makes all schemas strict
	if valid && c.Mode == ir.ToolsAuto && len(c.Allowed) == 0 {
		d.lost.Add(path + ".mode")
	}
	switch {
	case c.Mode == ir.ToolsNone:
		c.Allowed = nil
	case c.Mode == ir.ToolsRequired && len(c.Allowed) == 1:
		c = ir.ToolChoice{Mode: ir.ToolsNamed, Name: c.Allowed[0]}
	}
	d.request.ToolChoice = c
	return err
}

package openai

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// ReadSchema reads the member that r stands before of the object with a path that holds an answer's schema: its name, description,
// schema or strict. Any other is lost.
func ReadSchema(r *jsonr.Reader, path string, f *ir.Format, lost *ir.Lost) (err *ir.Error) {
	if r.Kind() == jsonr.Null {
		return nil
	}
	switch r.Key() {
	case "name":
		f.Name, err = ReadText(r, path+".name")
	case "description":
		f.Description, err = ReadText(r, path+".description")
	case "schema":
		f.Schema, err = ReadObject(r, path+".schema")
	case "strict":
		f.Strict, err = ReadTri(r, path+".strict")
	default:
		lost.AddMember(path, r)
	}
	return err
}

// Format returns what the type at a path makes of a format, whose schema stands in the object at another one.
func Format(kind ir.Escaped, path string, f ir.Format, schemaPath string) (ir.Format, *ir.Error) {
	switch kind {
	case "text":
		return ir.Format{}, nil
	case "json_object":
		return ir.Format{Object: true}, nil
	case "json_schema":
		if f.Schema == "" {
			return f, Missing(schemaPath + ".schema")
		}
		return f, nil
	}
	return f, Unsupported(path+".type", kind, "'json_object', 'json_schema', and 'text'")
}

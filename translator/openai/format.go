package openai

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// ReadSchema reads a member of the object that defines the answer's schema: the member at r. path
// is the path of the object. It reads name, description, schema and strict, and records any other
// member in lost.
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

// Format returns the format of the answer for a type: "text", "json_object" or "json_schema". path
// is the object with the type; schemaPath is the object with the schema. f holds the schema that
// ReadSchema has read.
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
		f.At = schemaPath
		return f, nil
	}
	return f, Unsupported(path+".type", kind, "'json_object', 'json_schema', and 'text'")
}

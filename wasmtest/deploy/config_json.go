package deploy

import (
	"encoding/json"
	"fmt"
	"path/filepath"

	"edgelingua/wasmtest/wrangler"
)

// configOr returns the path of a config file. "" means the file in the current folder.
func configOr(path string) string {
	if path == "" {
		return wrangler.Find("")
	}
	return path
}

// generatedJSON is generated for a wrangler.json or wrangler.jsonc. Comments are lost. The user's
// own members stay, in their order.
func (c *config) generatedJSON(personal bool, namespace string) (string, error) {
	root, err := wrangler.ParseJSON(c.path, []byte(c.text))
	if err != nil {
		return "", err
	}
	own := root
	environments, _ := root.Get("env").(wrangler.Object)
	if c.inherits {
		own, _ = environments.Get(c.environment).(wrangler.Object)
	}
	if c.lacksAI() {
		own = own.Set("ai", wrangler.Object{{Name: "binding", Value: aiBinding}})
	}
	if personal && !c.bindsKV() {
		kv := wrangler.Object{{Name: "binding", Value: kvBinding}}
		if namespace != "" {
			kv = kv.Set("id", namespace)
		}
		own = own.Set("kv_namespaces", with(own.Get("kv_namespaces"), kv))
	}
	if personal && !c.bindsObjects() {
		objects, _ := own.Get("durable_objects").(wrangler.Object)
		own = own.Set("durable_objects", objects.Set("bindings", with(objects.Get("bindings"),
			wrangler.Object{{Name: "name", Value: objectBinding}, {Name: "class_name", Value: objectClass}})))
	}
	if personal && c.inherits && c.own.Observed.invocations() {
		own = withoutURLs(own)
	}
	if c.inherits {
		root = root.Set("env", environments.Set(c.environment, own))
	} else {
		root = own
	}
	if personal && (!c.inherits || c.own.Observed == nil) && c.file.Observed.invocations() {
		root = withoutURLs(root)
	}
	if migrates, class := c.migrates(); personal && migrates && !class {
		return "", fmt.Errorf("%s has migrations of its own; add one to them, after the last: "+
			"{\"tag\": ..., \"new_sqlite_classes\": [%q]}", c.path, objectClass)
	} else if personal && !migrates {
		root = root.Set("migrations", []any{wrangler.Object{{Name: "tag", Value: migrationTag},
			{Name: "new_sqlite_classes", Value: []any{objectClass}}}})
	}
	text, err := json.MarshalIndent(root, "", "  ")
	return fmt.Sprintf("// "+generatedHead+"%s\n", filepath.Base(c.path), text), err
}

// with returns a list with one more element.
func with(list, element any) []any {
	own, _ := list.([]any)
	return append(own[:len(own):len(own)], element)
}

// withoutURLs returns the config with Cloudflare's log of URLs disabled.
func withoutURLs(o wrangler.Object) wrangler.Object {
	observed, _ := o.Get("observability").(wrangler.Object)
	logs, _ := observed.Get("logs").(wrangler.Object)
	return o.Set("observability", observed.Set("logs", logs.Set("invocation_logs", false)))
}

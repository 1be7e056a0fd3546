package admin

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOpenAPI checks the routes and the members of requests against openapi.json, both ways.
// worker/serve/admin_test.go does so with the answers.
func TestOpenAPI(t *testing.T) {
	text, err := os.ReadFile("openapi.json")
	require.NoError(t, err)
	var doc struct {
		OpenAPI    string
		Paths      map[string]map[string]json.RawMessage
		Components struct {
			Schemas map[string]struct{ Properties map[string]json.RawMessage }
		}
	}
	require.NoError(t, json.Unmarshal(text, &doc))
	require.Equal(t, "3.1.0", doc.OpenAPI)
	var described, served []string
	for path, methods := range doc.Paths {
		for method := range methods {
			if method != "parameters" {
				described = append(described, strings.ToUpper(method)+" "+path)
			}
		}
	}
	for _, route := range Routes() {
		served = append(served, route.Method+" "+route.Path)
	}
	require.ElementsMatch(t, served, described)

	for schema, fields := range map[string]string{
		"Create": "name, key, " + settingNames, "Settings": settingNames, "NewKey": KeyFields, "ChangeKey": LimitsFields,
		"Rotate":    RotateFields,
		"RotateOwn": OwnRotateFields, "Test": TestFields, "DraftTest": TestFields, "Models": ModelsFields,
		"DraftModels": ModelsFields,
		"NewUpstream": "name, protocol, url, key, keys, gateway, headers, models, timeout and options",
	} {
		var properties []string
		for name := range doc.Components.Schemas[schema].Properties {
			properties = append(properties, name)
		}
		require.ElementsMatch(t, strings.Split(strings.ReplaceAll(fields, " and ", ", "), ", "), properties,
			schema)
	}
}

package deploy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/user"
	"regexp"
	"strings"
	"time"
)

// administration is a client of the deployed worker's Admin API.
type administration struct {
	client *http.Client
	url    string
	key    string
}

// refusal is an error: an answer of the Admin API with another status than 2xx.
type refusal struct {
	status  int
	message string
}

func (r *refusal) Error() string { return r.message }

// maxAnswer bounds how many bytes of an answer are read.
const maxAnswer = 1 << 20

// patience is the time limit of one request.
const patience = 30 * time.Second

// call sends a request with body as JSON, and decodes the answer into result.
func (a *administration) call(ctx context.Context, method, path string, body, result any) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return err
		}
	}
	r, err := http.NewRequestWithContext(ctx, method, a.url+"/admin/api"+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+a.key)
	r.Header.Set("Content-Type", "application/json")
	response, err := a.client.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return err
	}
	if response.StatusCode >= 300 {
		var said struct {
			Error struct{ Message, Path string }
		}
		if json.Unmarshal(answer, &said); said.Error.Message == "" {
			said.Error.Message = fmt.Sprintf("it answered %d", response.StatusCode)
		}
		if said.Error.Path != "" {
			said.Error.Message = said.Error.Path + ": " + said.Error.Message
		}
		return &refusal{response.StatusCode, said.Error.Message}
	}
	return json.Unmarshal(answer, result)
}

// count returns how many endpoints there are, at most 1,000.
func (a *administration) count(ctx context.Context) (int, error) {
	var list struct{ Endpoints []json.RawMessage }
	err := a.call(ctx, http.MethodGet, "/endpoints", nil, &list)
	return len(list.Endpoints), err
}

// make creates an endpoint and returns its key, "" for an endpoint whose clients send the
// upstream's key.
func (a *administration) make(ctx context.Context, endpoint map[string]any) (key string, err error) {
	var made struct{ Key string }
	err = a.call(ctx, http.MethodPost, "/endpoints", endpoint, &made)
	return made.Key, err
}

// refused reports whether the worker has answered with a refusal. An error on the way to the worker
// is no refusal.
func refused(err error) bool {
	r := (*refusal)(nil)
	return errors.As(err, &r) && r.status < 500 && r.status != http.StatusUnauthorized &&
		r.status != http.StatusForbidden
}

// endpointOf returns the record of an endpoint with the settings of the deployment's own endpoint,
// from the vars of wrangler.toml.
func endpointOf(name string, vars map[string]string, key string) (map[string]any, error) {
	upstream := map[string]any{"name": "main", "protocol": vars["UPSTREAM_PROTOCOL"],
		"url": vars["UPSTREAM_URL"]}
	endpoint := map[string]any{"name": name, "upstreams": []any{upstream}}
	if key != "" {
		upstream["key"] = key
	}
	if vars["AUTH"] != "" {
		endpoint["auth"] = vars["AUTH"]
	}
	for _, f := range []struct {
		variable, member string
		of               map[string]any
	}{
		{"MODELS", "models", upstream},
		{"UPSTREAM_OPTIONS", "options", upstream},
		{"UPSTREAM_TIMEOUT", "timeout", upstream},
		{"OPTIONS", "options", endpoint},
		{"HEAD_WAIT", "head_wait", endpoint},
		{"BATCH", "batch", endpoint},
		{"MAX_OUTPUT_BYTES", "max_output_bytes", endpoint},
	} {
		text := vars[f.variable]
		if text == "" {
			continue
		}
		if !json.Valid([]byte(text)) {
			return nil, fmt.Errorf("the variable %s is not JSON", f.variable)
		}
		f.of[f.member] = json.RawMessage(text)
	}
	return endpoint, nil
}

// nameLimit is the maximum length of an endpoint's name.
const nameLimit = 40

var notInName = regexp.MustCompile(`[^a-z0-9]+`)

// goodName makes a valid name of an endpoint from any text.
func goodName(text string) string {
	name := notInName.ReplaceAllString(strings.ToLower(text), "-")
	name = strings.Trim(name[:min(nameLimit, len(name))], "-")
	if name == "" {
		return "me"
	}
	return name
}

// loginName returns the user's name at this machine, "" if unknown.
func loginName() string {
	u, err := user.Current()
	if err != nil {
		return ""
	}
	_, name, found := strings.Cut(u.Username, `\`) // DOMAIN\name
	if !found {
		name = u.Username
	}
	return name
}

// quote returns s as one word of a shell command.
func quote(s string) string {
	if regexp.MustCompile(`^[\w@%+=:,./-]+$`).MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

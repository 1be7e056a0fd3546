package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unicode"

	"edgelingua/wasmtest/wrangler"
	"edgelingua/worker/endpoint"
)

// secretNames are the secrets of a deployment. docs/settings.md describes each.
var secretNames = endpoint.Secrets()

// Sources of settings, in addition to flags and files in wrangler's form.
const (
	// settingPrefix begins the name of a variable of the environment with a setting, as
	// EDGELINGUA_SET_UPSTREAM_KEY. The prefix separates settings from EDGELINGUA_KEY, the variable
	// for a client's own key.
	settingPrefix = "EDGELINGUA_SET_"
	// fileSuffix ends the name of a variable with the path of a setting's file, as Docker's images
	// name variables for secrets (docs.docker.com, "Secrets in Compose").
	fileSuffix = "_FILE"
	// credentialsVariable is how systemd names the folder of a unit's credentials (systemd.exec,
	// "CREDENTIALS").
	credentialsVariable = "CREDENTIALS_DIRECTORY"
)

// override puts systemd's credentials, the environment and, over all, the flags into the settings
// of files. With a demo, only flags override the demo's upstream: the environment of a shell must
// not send the demo's requests elsewhere.
func (o *serveOptions) override(s *wrangler.Settings, demo map[string]string) error {
	set, err := takeEnvironment()
	if err != nil {
		return usageError{err}
	}
	credentials, err := set.credentials(os.Getenv(credentialsVariable))
	if err != nil {
		return usageError{err}
	}
	for _, source := range []struct {
		name string
		vars map[string]string
	}{{"$" + credentialsVariable, credentials}, {settingPrefix + "*", set.vars}} {
		if demo != nil {
			for _, name := range []string{"UPSTREAM_PROTOCOL", "UPSTREAM_URL", "UPSTREAM_KEY", "AUTH"} {
				delete(source.vars, name)
			}
		}
		if len(source.vars) > 0 {
			s.Files = append(s.Files, source.name)
		}
		maps.Copy(s.Vars, source.vars)
	}
	if o.upstream != nil {
		if err := o.upstream.replace(s.Vars); err != nil {
			return err
		}
	}
	maps.Copy(s.Vars, o.vars)
	s.Notes = slices.Concat(s.Notes, set.notes, o.notes)
	if o.adjust != nil {
		return o.adjust(s)
	}
	return nil
}

// given are settings from the environment, and notes on their files.
type given struct {
	vars  map[string]string
	notes []string
}

// dropEnvironment removes the settings from the environment, so no later process inherits them. It
// returns the settings as NAME=VALUE, without the prefix.
func dropEnvironment() (pairs []string) {
	for _, pair := range os.Environ() {
		if rest, ok := strings.CutPrefix(pair, settingPrefix); ok {
			variable, _, _ := strings.Cut(pair, "=")
			os.Unsetenv(variable)
			pairs = append(pairs, rest)
		}
	}
	return pairs
}

// takeEnvironment reads the settings of the environment and removes them from it.
func takeEnvironment() (given, error) {
	g := given{vars: map[string]string{}}
	from := map[string]string{} // name of a setting -> its variable
	for _, pair := range dropEnvironment() {
		name, value, _ := strings.Cut(pair, "=")
		variable := settingPrefix + name
		name, inFile := strings.CutSuffix(name, fileSuffix)
		switch {
		case name == "":
			return g, errors.New("the environment has " + settingPrefix +
				" without the name of a setting behind it")
		case !validName(name):
			return g, fmt.Errorf("the environment has %s, which is no name of a setting: a name has "+
				"letters, digits and _", variable)
		case from[name] != "":
			plain := settingPrefix + name
			return g, fmt.Errorf("the environment has both %s and %s; leave one of them out", plain,
				plain+fileSuffix)
		}
		from[name] = variable
		if inFile {
			var err error
			if value, err = readSetting(name, value, &g.notes); err != nil {
				return g, fmt.Errorf("%s of %s: %w", name, variable, err)
			}
		}
		if broken(name, value) {
			return g, fmt.Errorf("%s has more than one line, or a control character", variable)
		}
		g.vars[name] = value
	}
	return g, nil
}

// credentials returns the secrets in systemd's folder, except secrets set by the environment.
// folder is "" if there is none. Other files in the folder are ignored.
func (g *given) credentials(folder string) (map[string]string, error) {
	vars := map[string]string{}
	if folder == "" {
		return vars, nil
	}
	for _, name := range secretNames {
		path := filepath.Join(folder, name)
		if _, set := g.vars[name]; set {
			continue
		}
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		value, err := readSetting(name, path, &g.notes)
		if err != nil {
			return nil, fmt.Errorf("%s of $%s: %w", name, credentialsVariable, err)
		}
		vars[name] = value
	}
	return vars, nil
}

// most is the size of a file with a setting.
const most = 64 << 10

// readSetting returns the content of a file without the line break at its end. If other users can
// read a secret there, it adds a note. Errors show nothing of the content.
func readSetting(name, path string, notes *[]string) (string, error) {
	if path == "" {
		return "", errors.New("no file is named")
	}
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("there is no file %s", path)
	}
	if err != nil {
		return "", fmt.Errorf("the file %s can't be read (%w)", path, reason(err))
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, most+1))
	value := strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), "\r")
	switch {
	case err != nil:
		return "", fmt.Errorf("the file %s can't be read (%w)", path, reason(err))
	case len(text) > most:
		return "", fmt.Errorf("the file %s has more than %d bytes", path, most)
	case value == "":
		return "", fmt.Errorf("the file %s is empty", path)
	case broken(name, value):
		return "", fmt.Errorf("the file %s has more than one line, or a control character", path)
	}
	info, err := file.Stat()
	if slices.Contains(secretNames, name) && err == nil && info.Mode().IsRegular() &&
		info.Mode()&0o004 != 0 && runtime.GOOS != "windows" && !managed(path) {
		*notes = append(*notes,
			fmt.Sprintf("every user of this machine can read %s, which has %s; this makes it yours alone: "+
				"chmod 600 %[1]s", path, name))
	}
	return value, nil
}

// broken reports whether a secret has a value that no header can carry.
func broken(name, value string) bool {
	return slices.Contains(secretNames, name) && strings.ContainsFunc(value, unicode.IsControl)
}

// reason returns the error without its path. The caller names the path.
func reason(err error) error {
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		return path.Err
	}
	return err
}

// managed reports whether Docker has made the file, with its default mode 0444 (docs.docker.com,
// "services", the attribute mode of secrets): only the container can read the file. Files of
// systemd have the mode 0400 or 0440.
func managed(path string) bool { return strings.HasPrefix(filepath.Clean(path), "/run/secrets/") }

// setSecrets takes the values of --secret: NAME=@FILE is read, NAME is asked for later, NAME=VALUE
// has its value. Errors repeat no value, and no text in the position of a name: it may be the key
// itself.
func (o *serveOptions) setSecrets(list assignments) error {
	for _, text := range list {
		name, value, found := strings.Cut(text, "=")
		path, inFile := strings.CutPrefix(value, "@")
		switch {
		case !found && slices.Contains(o.asked, name):
			continue
		case !found && slices.Contains(secretNames, name):
			o.asked = append(o.asked, name)
			continue
		case !found:
			return usageError{fmt.Errorf("--secret NAME asks for one of %s, and what it names is none; "+
				"--secret NAME=@FILE reads any other from a file",
				strings.Join(secretNames, ", "))}
		case !validName(name):
			return errAssignment
		case inFile:
			var err error
			if value, err = readSetting(name, path, &o.notes); err != nil {
				return usageError{fmt.Errorf("%s of --secret: %w", name, err)}
			}
		}
		o.vars[name] = value
	}
	return nil
}

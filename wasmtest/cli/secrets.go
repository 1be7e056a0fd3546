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

// secretNames are the secrets that the program knows. docs/settings.md says what each is for.
var secretNames = endpoint.Secrets()

// Where settings come from, beside files in wrangler's form and flags.
const (
	// settingPrefix begins a variable of the environment that is a setting, as
	// EDGELINGUA_SET_UPSTREAM_KEY. It keeps EDGELINGUA_KEY apart, in which clients have their own
	// key.
	settingPrefix = "EDGELINGUA_SET_"
	// fileSuffix ends the name of one that has the path of a file with the setting, as Docker's
	// images have it for secrets (docs.docker.com, "Secrets in Compose").
	fileSuffix = "_FILE"
	// credentialsVariable is how systemd names the folder of a unit's credentials (systemd.exec,
	// "CREDENTIALS").
	credentialsVariable = "CREDENTIALS_DIRECTORY"
)

// override puts what stands over the files into the settings: systemd's credentials, the
// environment and, over all, the flags. The upstream of the demo, where demo is not nil, gives way
// to flags alone: the environment of a shell must not send its requests elsewhere.
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

// given are settings that were read from the environment, and notes on the files that it names.
type given struct {
	vars  map[string]string
	notes []string
}

// dropEnvironment removes the settings from the environment, so that no process that is started
// later inherits them, and returns them as NAME=VALUE, without the prefix.
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

// takeEnvironment reads the settings of the environment, which does not have them any more then.
func takeEnvironment() (given, error) {
	g := given{vars: map[string]string{}}
	from := map[string]string{} // name of a setting -> the variable that it was read from
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

// credentials returns the secrets in systemd's folder, "" for none, but for those that the
// environment has itself. Other files there are none of edgelingua's.
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

// readSetting returns what a file holds, without the line break at its end. It adds a note where
// others may read a secret there. Its errors show nothing of the content.
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

// broken reports whether the value of a secret can't be one: no header could carry it.
func broken(name, value string) bool {
	return slices.Contains(secretNames, name) && strings.ContainsFunc(value, unicode.IsControl)
}

// reason returns the error without its path, which the caller names.
func reason(err error) error {
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		return path.Err
	}
	return err
}

// managed reports whether Docker has made the file, with its default mode 0444 (docs.docker.com,
// "services", the attribute mode of secrets): the container is all that may read it. systemd's have
// the mode 0400 or 0440.
func managed(path string) bool { return strings.HasPrefix(filepath.Clean(path), "/run/secrets/") }

// setSecrets takes the values of --secret: NAME=@FILE is read, NAME is to be asked for, and
// NAME=VALUE is what it says. Its errors repeat no value, nor what stands in place of a name, which
// may be the key itself.
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

package wrangler

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
)

// Where is the place of the settings.
type Where struct {
	Config      string // a wrangler.toml or wrangler.jsonc; "": see Find, in the current folder
	Environment string // "" for none
	DevVars     string // a file in the form of .dev.vars; "": the files of wrangler
}

// Settings are the vars and secrets of a worker.
type Settings struct {
	Vars  map[string]string
	Files []string // the files of the settings
	Notes []string // likely mistakes
}

// Load reads the settings. Errors show nothing of a value.
func Load(at Where) (*Settings, error) {
	s := &Settings{Vars: map[string]string{}}
	if err := s.loadConfig(at); err != nil {
		return nil, err
	}
	if at.DevVars != "" {
		s.Files = append(s.Files, at.DevVars)
		return s, missing(at.DevVars, readDotenv(at.DevVars, s.Vars))
	}
	return s, s.loadSecrets(filepath.Dir(at.Config), at.Environment)
}

func (s *Settings) loadConfig(at Where) error {
	path := at.Config
	if path == "" {
		path = Find("")
	}
	c, err := readConfig(path)
	if at.Config == "" && errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return missing(path, err)
	}
	vars, err := c.vars(at.Environment)
	if err != nil {
		return err
	}
	maps.Copy(s.Vars, vars)
	s.Files, s.Notes = append(s.Files, path), c.notes
	return nil
}

// missing returns the error for a named file that does not exist. Other errors stay as they are.
func missing(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no %s", path)
	}
	return err
}

// loadSecrets reads the files of secrets beside wrangler.toml.
func (s *Settings) loadSecrets(folder, environment string) error {
	devVars, env := []string{".dev.vars"}, []string{".env", ".env.local"}
	if environment != "" {
		devVars = []string{".dev.vars." + environment, ".dev.vars"}
		env = append(env, ".env."+environment, ".env."+environment+".local")
	}
	for _, name := range devVars {
		if found, err := s.try(filepath.Join(folder, name), readDotenv); found {
			return err
		}
	}
	for _, name := range env {
		if _, err := s.try(filepath.Join(folder, name), readEnv); err != nil {
			return err
		}
	}
	return nil
}

// try reads a file, if there is one.
func (s *Settings) try(path string, read func(path string, vars map[string]string) error) (found bool,
	err error) {
	err = read(path, s.Vars)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	s.Files = append(s.Files, path)
	return true, err
}

// Vars returns only the vars of a config file: these are deployed. Environment "" is the top level.
func Vars(path, environment string) (map[string]string, error) {
	c, err := readConfig(path)
	if err != nil {
		return nil, missing(path, err)
	}
	return c.vars(environment)
}

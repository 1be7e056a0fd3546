package cli

import (
	"errors"
	"log"
	"maps"
	"time"

	"edgelingua/wasmtest/record"
)

// recordPatience is the time limit for writing the last recordings at the end of the program.
const recordPatience = 5 * time.Second

// mayRecord returns the reason to refuse --record with these settings. With ADMIN_KEY a deployment
// has users who do not know about recordings: only one endpoint can be recorded there, by its name.
func (o *serveOptions) mayRecord(settings map[string]string) error {
	if o.record != "" && o.recorded == "" && settings["ADMIN_KEY"] != "" {
		return usageError{errors.New("--record is refused where ADMIN_KEY is set, since others may have " +
			"endpoints here; record one of them with --record-endpoint NAME, or start without ADMIN_KEY")}
	}
	return nil
}

// openRecorder returns the recorder of --record, nil without the flag.
func openRecorder(o *serveOptions, settings map[string]string, logger *log.Logger) (*record.Recorder, error) {
	if o.record == "" {
		return nil, nil
	}
	if settings["CLIENT_KEY"] == demoClientKey { // is a word, and no secret
		settings = maps.Clone(settings)
		delete(settings, "CLIENT_KEY")
	}
	r, err := record.Open(record.Config{Dir: o.record, Endpoint: o.recorded, Settings: settings,
		Bounds: record.Usual, Log: logger})
	if err != nil {
		return nil, usageError{err}
	}
	return r, nil
}

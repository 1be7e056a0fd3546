//go:build js && wasm

package admin

import (
	"net/http"
	"strconv"

	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/faults"
	"edgelingua/worker/personal"
	"edgelingua/worker/registry"
	"edgelingua/worker/usage"
)

// truth returns what the object of the endpoint that the path names knows of its record. Where an earlier change could not write the copy
// in KV, that is made up for.
func (m *managed) truth() (s registry.State, err *Error) {
	if !endpoint.IsName(m.Name) {
		return s, m.missing()
	}
	rows, failed := bridge.Batch(endpoint.Object(m.Name), registry.Read())
	if failed != nil {
		return s, broken(failed)
	}
	if s = registry.ReadState(rows); s.Copied() {
		return s, nil
	}
	var e *endpoint.Endpoint
	if !s.Deleted() {
		var wrong *endpoint.Error
		if e, wrong = endpoint.Parse(m.Name, s.Record); wrong != nil {
			return s, nil // load says what is wrong, and a deletion mends it
		}
	}
	if err = m.write(&s, s.Rev, s.Made, s.Record, e, nil); err == errOvertaken {
		err = nil // whoever has changed the record writes the copy
	}
	return s, err
}

// load returns the record of the endpoint that the path names, which has to be there.
func (m *managed) load() (*Record, *Error) {
	truth, err := m.truth()
	if err != nil {
		return nil, err
	}
	record, found, err := m.stored(&truth)
	switch {
	case err != nil:
		return nil, err
	case !found:
		return nil, m.missing()
	}
	rec, err := Load(m.Name, record)
	if err == nil {
		rec.Truth = truth
	}
	return rec, err
}

// stored returns the record of the endpoint that the path names: by its object or, where that has none, by KV.
func (m *managed) stored(truth *registry.State) (record string, found bool, err *Error) {
	if truth.Known {
		return truth.Record, !truth.Deleted(), nil
	}
	return m.get()
}

// get returns the record of the endpoint that the path names, as KV has it.
func (m *managed) get() (record string, found bool, err *Error) {
	if !endpoint.IsName(m.Name) {
		return "", false, m.missing()
	}
	value, _, found, failed := bridge.KVGet(personal.RecordKey(m.Name))
	if failed != nil {
		return "", false, broken(failed)
	}
	return string(value), found, nil
}

// save seals and writes the record in place of the one that was loaded. Where the endpoint counts requests from now on, or does not any
// more, its usage is made ready, or deleted, in the same batch.
func (m *managed) save(rec *Record) *Error {
	local, err := localUpstreams()
	if err != nil {
		return err
	}
	record, err := rec.Finish(m.now, local, Sealer{Seal: bridge.Seal, Open: bridge.Open})
	if err != nil {
		return err
	}
	var more *bridge.Statements
	before, after := rec.Counts()
	switch {
	case after && (m.Operation == Make || m.Operation == Change):
		more = usage.Prepare(!before)
	case before && !after:
		more = usage.Clear()
	}
	if err = m.write(&rec.Truth, rec.Rev, rec.Created, record, rec.finished, more); err == errOvertaken {
		return m.overtaken()
	}
	return err
}

// errOvertaken is what write returns where the record has changed since it was loaded.
var errOvertaken = &Error{Status: http.StatusConflict}

// write writes a record, and what endpoint.Parse makes of it, in place of the one in s, and its copy in KV; "" and nil are a deletion. more
// runs in the same batch; nil: nothing does.
func (m *managed) write(s *registry.State, rev, made int64, record string, e *endpoint.Endpoint, more *bridge.Statements) *Error {
	statements := s.Save(rev, made, record)
	if more != nil {
		statements.Add(more)
	}
	var value, metadata []byte
	if e != nil {
		value, metadata = []byte(record), appendMetadata(nil, e)
	}
	faults.Overtake(m.r, endpoint.Object(m.Name))
	failed := bridge.Change(endpoint.Object(m.Name), statements, personal.RecordKey(m.Name), value, string(metadata), registry.Copied(rev))
	switch {
	case failed == nil:
		m.spreads()
		return nil
	case registry.Refused(failed) == registry.Overtaken:
		return errOvertaken
	case bridge.Uncopied(failed):
		return Refuse(http.StatusInternalServerError, "That is stored, but requests do not see it yet: "+failed.Error()+
			". Ask for this endpoint again, which writes the copy.")
	}
	return Refuse(http.StatusInternalServerError, "Nothing was stored. "+failed.Error())
}

// overtaken returns the error for a change whose record has changed since it was loaded. An admin gets the record as it is now.
func (m *managed) overtaken() *Error {
	rec, err := m.load()
	if err != nil {
		return err // it is deleted
	}
	if m.Operation == Make {
		return m.existing()
	}
	status := http.StatusConflict
	if m.r.Header.Get("if-match") != "" {
		status = http.StatusPreconditionFailed
	}
	err = Refuse(status, "The endpoint was changed at the same time, and is at revision "+strconv.FormatInt(rec.Rev, 10)+" now. Send the request again.")
	if m.Operation < OwnerRead {
		err.Current = rec.AppendView(nil, "")
	}
	return err
}

// existing returns the error for a new endpoint with the name of one that is there.
func (m *managed) existing() *Error {
	return &Error{Status: http.StatusConflict, Message: "There is an endpoint " + m.Name + " already.", Path: "name"}
}

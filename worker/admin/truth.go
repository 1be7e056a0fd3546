package admin

import (
	"net/http"
	"slices"
	"strconv"

	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/faults"
	"edgelingua/worker/session"
	"edgelingua/worker/stored"
	"edgelingua/worker/tenant"
	"edgelingua/worker/totals"
	"edgelingua/worker/usage"
)

// truth reads the Truth about the record of the endpoint in the path, from the endpoint's object.
func (m *managed) truth() (s tenant.Truth, err *Error) {
	if !endpoint.IsName(m.Name) {
		return s, m.missing()
	}
	rows, failed := m.host.Batch(endpoint.Object(m.Name), tenant.ReadTruth())
	if failed != nil {
		return s, broken(failed)
	}
	return tenant.TruthOf(rows), nil
}

// copyAgain writes the copy of an endpoint's record in KV, if the change of the record could not.
// This happens only when the operator reads the endpoint: KV accepts one write of a key per second,
// so a client who could cause writes could block the writes of others.
func (m *managed) copyAgain(truth *tenant.Truth) {
	if truth.Copied() {
		return
	}
	var e *endpoint.Endpoint
	if !truth.Deleted() {
		var wrong *endpoint.Error
		if e, wrong = endpoint.Parse(m.Name, truth.Record); wrong != nil {
			return // load reports the error; deleting the endpoint repairs it
		}
	}
	m.write(truth.Copy(), truth.Rev, truth.Record, e)
	if m.uncopied {
		m.note(refusedCopy)
	}
}

// load returns the record of the endpoint in the path, or an error if the endpoint does not exist.
func (m *managed) load() (*Record, *Error) {
	truth, err := m.truth()
	if err != nil {
		return nil, err
	}
	if m.Operation == Read {
		m.copyAgain(&truth)
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

// stored returns the record of the endpoint in the path: from its object or, if the object has
// none, from KV.
func (m *managed) stored(truth *tenant.Truth) (record string, found bool, err *Error) {
	if truth.Known {
		return truth.Record, !truth.Deleted(), nil
	}
	return m.get()
}

// get returns the copy of the record in KV, for the endpoint in the path.
func (m *managed) get() (record string, found bool, err *Error) {
	if !endpoint.IsName(m.Name) {
		return "", false, m.missing()
	}
	value, _, found, failed := m.host.KVGet(tenant.RecordKey(m.Name))
	if failed != nil {
		return "", false, broken(failed)
	}
	return string(value), found, nil
}

// save seals the record and replaces the stored one. If the endpoint begins or stops recording
// usage, the same batch prepares or deletes the usage.
func (m *managed) save(rec *Record) *Error {
	local, err := m.localUpstreams()
	if err != nil {
		return err
	}
	if err := m.signWebhook(rec); err != nil {
		return err
	}
	changed := rec.changed()
	record, err := rec.Finish(m.now, local, Sealer{Seal: m.host.Seal, Open: m.host.Open})
	if err != nil {
		return err
	}
	if rec.loaded != nil && rec.loaded.Disabled && !rec.finished.Disabled {
		if err := m.endOwners(); err != nil {
			return err
		}
	}
	statements := rec.Truth.Save(rec.Rev, rec.Created, record)
	before, after := rec.Counts()
	switch {
	case after && m.Operation != Rotate && m.Operation != OwnerRotate:
		statements.Add(usage.Prepare(!before, rec.finished.LogRows))
	case before && !after:
		m.keepSums()
		statements.Add(usage.Clear())
	}
	moved := before && after && !slices.Equal(rec.loaded.Health(), rec.finished.Health())
	if moved {
		usage.KeepHealth(statements, rec.finished.Health())
	}
	if rec.recounted != "" && after {
		statements.Add(usage.Recount(faults.Clock(m.r), rec.recounted, rec.Keys[len(rec.Keys)-1].Account()))
	}
	m.alertStatements(statements, rec)
	m.log(statements, rec, changed)
	err = m.write(statements, rec.Rev, record, rec.finished)
	if (err == nil || m.uncopied) && (rec.finished.Disabled || !rec.finished.State.Responses) {
		stored.EndAll(m.host, endpoint.Object(m.Name), rec.Created)
	}
	switch {
	case err == errOvertaken:
		return m.overtaken()
	case err == nil && moved: // if the batch fails, the overview drops the failures after a day
		m.host.Batch(totals.Object, totals.ForgetHealth(m.Name, true))
	}
	return err
}

// endOwners ends the sessions at an endpoint before it is enabled again: disabling has ended them
// for good. A disabled endpoint refuses new ones, so none can begin meanwhile.
//
//go:noinline
func (m *managed) endOwners() *Error {
	if _, failed := m.host.Batch(session.Object, session.EndAll(session.Owner(m.Name))); failed != nil {
		return broken(failed)
	}
	return nil
}

// errOvertaken is the error of write if the record has changed since it was read.
var errOvertaken = &Error{Status: http.StatusConflict}

// write runs the statements that write a record at a revision, and then writes the copy in KV. e is
// the endpoint parsed from record. For a deletion record is "" and e is nil.
func (m *managed) write(statements *bridge.Statements, rev int64, record string,
	e *endpoint.Endpoint) *Error {
	var value, metadata []byte
	if e != nil {
		value, metadata = []byte(record), appendMetadata(nil, e)
	}
	faults.Overtake(m.host, m.r, endpoint.Object(m.Name))
	failed := m.host.Change(endpoint.Object(m.Name), statements, tenant.RecordKey(m.Name), value,
		string(metadata), tenant.Copied(rev))
	switch {
	case failed == nil:
		m.spreads()
		return nil
	case tenant.Refused(failed) == tenant.Overtaken:
		return errOvertaken
	case bridge.Uncopied(failed):
		m.uncopied = true
		return Refuse(http.StatusInternalServerError, "That is stored, but requests do not see it yet: "+
			failed.Error()+
			". Read this endpoint with the Admin API, which writes the copy again.")
	case bridge.Undone(failed):
		return Refuse(http.StatusInternalServerError, "Nothing was stored. "+failed.Error())
	}
	return Refuse(http.StatusInternalServerError, "Whether that was stored is not known: "+failed.Error()+
		". Read the endpoint, and send the request again if it was not.")
}

// refusedCopy is the note in an answer if the copy of the endpoint in KV is out of date.
const refusedCopy = "stored, but KV has refused the copy that requests see; reading this endpoint with " +
	"the Admin API writes it again"

// keyed returns the error for a request that has made a key. If only the copy in KV could not be
// written, keyed returns nil, since no later answer could show the key.
func (m *managed) keyed(err *Error) *Error {
	if err == nil || !m.uncopied {
		return err
	}
	m.note(refusedCopy)
	return nil
}

// overtaken returns the error for a change of a record that has changed since it was loaded. For
// the operator, the error has the current view of the endpoint.
func (m *managed) overtaken() *Error {
	rec, err := m.load()
	if err != nil {
		return err // deleted meanwhile
	}
	if m.Operation == Make {
		return m.existing()
	}
	status := http.StatusConflict
	if m.r.Header.Get("if-match") != "" {
		status = http.StatusPreconditionFailed
	}
	err = Refuse(status, "The endpoint was changed at the same time, and is at revision "+
		strconv.FormatInt(rec.Rev, 10)+" now. Send the request again.")
	if m.Operation < OwnerRead {
		err.Current = rec.AppendView(nil, "")
	}
	return err
}

// existing returns the error for a new endpoint whose name is in use.
func (m *managed) existing() *Error {
	return &Error{Status: http.StatusConflict, Message: "There is an endpoint " + m.Name + " already.",
		Path: "name"}
}

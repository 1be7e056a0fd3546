package admin

import (
	"net/http"
	"strconv"

	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/faults"
	"edgelingua/worker/tenant"
	"edgelingua/worker/usage"
)

// truth returns what the object of the endpoint that the path names knows of its record.
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

// copyAgain writes the copy of an endpoint's record in KV, where the change that made the record
// could not. Only the operator has that done, by reading the endpoint: KV takes one write of a key
// in a second, and whoever could cause writes would keep others from theirs.
func (m *managed) copyAgain(truth *tenant.Truth) {
	if truth.Copied() {
		return
	}
	var e *endpoint.Endpoint
	if !truth.Deleted() {
		var wrong *endpoint.Error
		if e, wrong = endpoint.Parse(m.Name, truth.Record); wrong != nil {
			return // load says what is wrong, and a deletion mends it
		}
	}
	m.write(truth.Copy(), truth.Rev, truth.Record, e)
	if m.uncopied {
		m.h.Set("x-edgelingua-note", refusedCopy)
	}
}

// load returns the record of the endpoint that the path names, which has to be there.
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

// stored returns the record of the endpoint that the path names: by its object or, where that has
// none, by KV.
func (m *managed) stored(truth *tenant.Truth) (record string, found bool, err *Error) {
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
	value, _, found, failed := m.host.KVGet(tenant.RecordKey(m.Name))
	if failed != nil {
		return "", false, broken(failed)
	}
	return string(value), found, nil
}

// save seals and writes the record in place of the one that was loaded. Where the endpoint counts
// requests from now on, or does not any more, its usage is made ready, or deleted, in the same
// batch.
func (m *managed) save(rec *Record) *Error {
	local, err := m.localUpstreams()
	if err != nil {
		return err
	}
	record, err := rec.Finish(m.now, local, Sealer{Seal: m.host.Seal, Open: m.host.Open})
	if err != nil {
		return err
	}
	statements := rec.Truth.Save(rec.Rev, rec.Created, record)
	before, after := rec.Counts()
	switch {
	case after && (m.Operation == Make || m.Operation == Change):
		statements.Add(usage.Prepare(!before))
	case before && !after:
		statements.Add(usage.Clear())
	}
	if err = m.write(statements, rec.Rev, record, rec.finished); err == errOvertaken {
		return m.overtaken()
	}
	return err
}

// errOvertaken is what write returns where the record has changed since it was read.
var errOvertaken = &Error{Status: http.StatusConflict}

// write runs the statements that write a record at a revision, and then writes its copy in KV:
// record, and what endpoint.Parse makes of it; "" and nil are a deletion.
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

// refusedCopy is the note of an answer about an endpoint whose copy is out of date.
const refusedCopy = "stored, but KV has refused the copy that requests see; reading this endpoint with " +
	"the Admin API writes it again"

// keyed returns the error for a request that has made a key: none where all but the copy in KV was
// written, since no later answer could show the key.
func (m *managed) keyed(err *Error) *Error {
	if err == nil || !m.uncopied {
		return err
	}
	m.h.Set("x-edgelingua-note", refusedCopy)
	return nil
}

// overtaken returns the error for a change whose record has changed since it was loaded. An admin
// gets the record as it is now.
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
	err = Refuse(status, "The endpoint was changed at the same time, and is at revision "+
		strconv.FormatInt(rec.Rev, 10)+" now. Send the request again.")
	if m.Operation < OwnerRead {
		err.Current = rec.AppendView(nil, "")
	}
	return err
}

// existing returns the error for a new endpoint with the name of one that is there.
func (m *managed) existing() *Error {
	return &Error{Status: http.StatusConflict, Message: "There is an endpoint " + m.Name + " already.",
		Path: "name"}
}

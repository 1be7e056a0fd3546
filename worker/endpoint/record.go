package endpoint

import (
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"edgelingua/translator/ir"
)

// Version is the version of the format of records, in the member "version".
const Version = 1

// Limits for a record.
const (
	MaxRecord    = 128 << 10 // bytes
	maxUpstreams = 16
	MaxKeys      = 16
	maxPatterns  = 256
)

// Parse reads and checks the record of the personal endpoint called name, a JSON object. The error
// has the path of the field.
func Parse(name, record string) (*Endpoint, *Error) {
	if len(record) > MaxRecord {
		return nil, &Error{"the record", "must be at most 128 KB."}
	}
	v, err := parseObject("the record", record, `{"version":1,"upstreams":[...]}`)
	if err != nil {
		return nil, err
	}
	e := newEndpoint()
	e.Name = name
	version := 0.0
	if err := eachMember("", v, func(path, key string, v gjson.Result) *Error {
		switch key {
		case "version":
			version = v.Num
			return nil
		case "id":
			return readText(&e.ID, path, v)
		case "rev":
			return readWhole(&e.Rev, path, v)
		case "created":
			return readWhole(&e.Created, path, v)
		case "updated":
			return readWhole(&e.Updated, path, v)
		case "auth":
			return readWord(path, v, "key|forward", func(word string) { e.Forward = word == "forward" })
		case "keys":
			return readList(path, v, MaxKeys, e.readKey)
		case "upstreams":
			return readList(path, v, maxUpstreams, e.readUpstream)
		case "options":
			return readObject(path, v, e.readOptions)
		case "head_wait":
			return readSeconds(&e.HeadWait, path, v)
		case "batch":
			return readBatch(&e.Batch, path, v)
		case "max_output_bytes":
			return readBytes(&e.MaxOutput, path, v)
		case "usage":
			return readFlag(&e.Usage, path, v)
		case "limits":
			return readObject(path, v, e.readLimits)
		case "prices":
			return readObject(path, v, e.readPrices)
		case "request_log":
			return readObject(path, v, e.readLog)
		case "alerts":
			return readObject(path, v, e.readAlerts)
		case "disabled":
			return readFlag(&e.Disabled, path, v)
		}
		return unknown(path,
			"version, id, rev, created, updated, auth, keys, upstreams, options, head_wait, batch, "+
				"max_output_bytes, usage, limits, prices, request_log, alerts and disabled")
	}); err != nil {
		return nil, err
	}
	switch {
	case version != Version:
		return nil, &Error{"version", "must be 1."}
	case len(e.Upstreams) == 0:
		return nil, &Error{"upstreams", "must be a list of one upstream at least."}
	}
	for i := range e.Upstreams {
		u, path := &e.Upstreams[i], "upstreams["+strconv.Itoa(i)+"]"
		u.Endpoint = e
		if err := e.checkCloudflare(path+".url", u); err != nil {
			return nil, err
		}
		if err := u.checkVertex(path + ".url"); err != nil {
			return nil, err
		}
		if err := u.route(path+".gateway", path+".url"); err != nil {
			return nil, err
		}
	}
	if e.Advisor.Model != "" {
		if err := e.servesAdvisor("options"); err != nil {
			return nil, err
		}
	}
	return e, nil
}

func (e *Endpoint) readUpstream(path string, v gjson.Result) *Error {
	u := newUpstream()
	if err := readObject(path, v, func(path string, v gjson.Result) *Error {
		return eachMember(path, v, func(path, key string, v gjson.Result) *Error {
			switch key {
			case "name":
				return readName(&u.Name, path, v)
			case "protocol":
				return u.readProtocol(path, v.Str)
			case "url":
				return u.readBase(path, v.Str)
			case "key":
				return readText(&u.Key, path, v)
			case "keys":
				return readList(path, v, MaxPool, u.readKey)
			case "gateway":
				return readObject(path, v, u.readGateway)
			case "headers":
				if must := readHeaders(u, v); must != "" {
					return &Error{path, "must be " + must + "."}
				}
				return nil
			case "models":
				if v.IsArray() {
					return readList(path, v, maxPatterns, u.readPattern)
				}
				if err := readObject(path, v, u.readModels); err != nil || len(u.Models) <= maxPatterns {
					return err
				}
				return &Error{path, "must be an object with at most " + strconv.Itoa(maxPatterns) +
					" members."}
			case "timeout":
				return readSeconds(&u.Silence, path, v)
			case "options":
				return readObject(path, v, u.readOptions)
			}
			return unknown(path,
				"name, protocol, url, key, keys, gateway, headers, models, timeout and options")
		})
	}); err != nil {
		return err
	}
	switch {
	case u.Name == "":
		return &Error{path + ".name", "is missing."}
	case u.API == nil:
		return &Error{path + ".protocol", "is missing. Set it to " + protocols() + "."}
	case u.Key != "" && len(u.Keys) > 0:
		return &Error{path + ".keys", "can't stand beside key. Set one of both."}
	case u.URL == "":
		return &Error{path + ".url",
			"is missing. Set it to the upstream's base URL, as https://api.openai.com/v1."}
	}
	for i := range e.Upstreams {
		if e.Upstreams[i].Name == u.Name {
			return &Error{path + ".name", "must be another than that of upstreams[" + strconv.Itoa(i) + "]."}
		}
	}
	e.Upstreams = append(e.Upstreams, *u)
	return nil
}

// readPattern reads a pattern of models whose names are the same at the upstream.
func (u *Upstream) readPattern(path string, v gjson.Result) *Error {
	if v.Type != gjson.String || v.Str == "" {
		return &Error{path, "must be a model's name, with * for any characters."}
	}
	u.Models = append(u.Models, rule{pattern: v.Str})
	return nil
}

func (e *Endpoint) readKey(path string, v gjson.Result) *Error {
	var k Key
	if err := readObject(path, v, func(path string, v gjson.Result) *Error {
		return eachMember(path, v, func(path, key string, v gjson.Result) *Error {
			switch key {
			case "hash":
				return readText(&k.Hash, path, v)
			case "label":
				return readText(&k.Label, path, v)
			case "created":
				return readWhole(&k.Created, path, v)
			case "expires":
				return readWhole(&k.Expires, path, v)
			case "counted_as":
				return readText(&k.CountedAs, path, v)
			case "limits":
				return k.readKeyLimits(path, v)
			}
			return unknown(path, "hash, label, created, expires, counted_as and limits")
		})
	}); err != nil {
		return err
	}
	if len(k.Hash) != hashLength {
		return &Error{path + ".hash", "must be a SHA-256, in base64url."}
	}
	e.Keys = append(e.Keys, k)
	return nil
}

// eachMember calls read for the first 64 members of an object. A duplicate member is an error.
func eachMember(path string, v gjson.Result, read func(path, key string,
	v gjson.Result) *Error) (err *Error) {
	if path != "" {
		path += "."
	}
	var seen []string
	v.ForEach(func(key, value gjson.Result) bool {
		for _, other := range seen {
			if other == key.Str {
				err = &Error{path + key.Str, "is there twice."}
				return false
			}
		}
		seen = append(seen, key.Str)
		err = read(path+key.Str, key.Str, value)
		return err == nil && len(seen) < maxMembers
	})
	return err
}

// maxMembers is more than the known members of any object: read reports the first unknown member as
// an error.
const maxMembers = 64

func unknown(path, known string) *Error {
	if path == "" || path[len(path)-1] == '.' {
		path += `""`
	}
	name := path[strings.LastIndexByte(path, '.')+1:]
	return &Error{path, "is no field. The fields are " + known + "." + ir.DidYouMean(name, known)}
}

func readList(path string, v gjson.Result, most int, read func(path string,
	v gjson.Result) *Error) (err *Error) {
	if !v.IsArray() {
		return &Error{path, "must be a list."}
	}
	i := 0
	v.ForEach(func(_, value gjson.Result) bool {
		if i == most {
			err = &Error{path, "must be a list of at most " + strconv.Itoa(most) + "."}
			return false
		}
		err = read(path+"["+strconv.Itoa(i)+"]", value)
		i++
		return err == nil
	})
	return err
}

func readObject(path string, v gjson.Result, read func(path string, v gjson.Result) *Error) *Error {
	if !v.IsObject() {
		return &Error{path, "must be an object."}
	}
	return read(path, v)
}

func readText(to *string, path string, v gjson.Result) *Error {
	if v.Type != gjson.String || len(v.Str) > maxText {
		return &Error{path, "must be a text of at most 4096 bytes."}
	}
	*to = v.Str
	return nil
}

// maxText bounds a text, in bytes. The longest is a sealed key.
const maxText = 4096

func readFlag(to *bool, path string, v gjson.Result) *Error {
	if !v.IsBool() {
		return &Error{path, "must be true or false."}
	}
	*to = v.Bool()
	return nil
}

func readWhole(to *int64, path string, v gjson.Result) *Error {
	if v.Type != gjson.Number || v.Num < 0 || v.Num > 1<<53 || v.Num != float64(int64(v.Num)) {
		return &Error{path, "must be a whole number."}
	}
	*to = int64(v.Num)
	return nil
}

func readWord(path string, v gjson.Result, words string, take func(word string)) *Error {
	if v.Type != gjson.String || !oneOf(words, v.Str) {
		return notOneOf(path, v, words)
	}
	take(v.Str)
	return nil
}

// notOneOf is the error for a value that words lacks. The value itself is not shown: it may be a
// secret in the wrong place.
func notOneOf(path string, v gjson.Result, words string) *Error {
	return &Error{path, "must be one of " + quotedList(words) + "." + ir.DidYouMean(v.Str, words)}
}

func readName(to *string, path string, v gjson.Result) *Error {
	if v.Type != gjson.String || !IsName(v.Str) {
		return &Error{path, "must be a name: 1 to 40 of a-z, 0-9 and -."}
	}
	*to = v.Str
	return nil
}

// IsName reports whether s can be the name of an endpoint or of an upstream.
func IsName(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; !('a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-') {
			return false
		}
	}
	return s != "" && len(s) <= 40
}

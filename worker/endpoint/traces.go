package endpoint

import (
	"strconv"
	"strings"
)

// Traces returns the base URL of the deployment's collector of spans and the headers for it, or ""
// without a collector. A personal endpoint has no collector of its own.
func Traces(get Getter) (url string, headers []Header, err *Error) {
	url, _ = get(varTraces)
	list, _ := get(secretTracesHeaders)
	switch {
	case url == "" && list == "":
		return "", nil, nil
	case url == "":
		return "", nil, &Error{secretTracesHeaders,
			"is set, but OTLP_URL is not. Set that too, or leave both out."}
	}
	var u Upstream
	if u.readURL(varTraces, url) != nil {
		return "", nil, &Error{varTraces,
			"must be an http or https URL without user and query, as http://127.0.0.1:4318. A key goes " +
				"into OTLP_HEADERS."}
	}
	headers, err = tracesHeaders(list)
	return u.URL, headers, err
}

func checkTraces(get Getter) *Error {
	_, _, err := Traces(get)
	return err
}

// tracesHeaders parses the headers in OTLP_HEADERS. The format is that of
// OTEL_EXPORTER_OTLP_HEADERS (opentelemetry.io, "OpenTelemetry Protocol Exporter", "Specifying
// headers via environment variables"): name=value, separated by commas; white space around name and
// value is ignored, and values are percent-encoded as in W3C Baggage. Errors repeat no part of the
// list.
//
//go:noinline
func tracesHeaders(list string) (headers []Header, err *Error) {
	wrong := func(words string) *Error { return &Error{secretTracesHeaders, words} }
	if list == "" {
		return nil, nil
	}
	for i, pair := range strings.Split(list, ",") {
		name, value, found := strings.Cut(pair, "=")
		name = strings.ToLower(strings.TrimSpace(name))
		at := "has a mistake in header " + strconv.Itoa(i+1) + ": "
		value, ok := unescaped(strings.TrimSpace(value))
		switch {
		case !found || name == "" || !isHeaderName(name):
			return nil, wrong(at +
				"it is not of the form name=value, as in authorization=Bearer%20KEY. A comma in a " +
				"value is %2C.")
		case !ok || !isHeaderValue(value) || strings.TrimSpace(value) != value:
			return nil, wrong(at +
				"its value holds what no header can carry, or a % that begins no escape (%25 " +
				"stands for one).")
		case ofRequest(name):
			return nil, wrong(at +
				"this one belongs to the connection or to the body, and is set by edgelingua.")
		}
		headers = append(headers, Header{name, value})
	}
	return headers, nil
}

// ofRequest reports whether a header controls the transfer of a request, or describes its body.
func ofRequest(name string) bool {
	switch name {
	case "host", "connection", "content-type", "content-length", "content-encoding", "transfer-encoding",
		"te", "trailer", "upgrade", "expect", "keep-alive":
		return true
	}
	return false
}

// unescaped decodes the percent-encoding of a text. ok is false if a % does not begin an escape.
func unescaped(text string) (plain string, ok bool) {
	if !strings.Contains(text, "%") {
		return text, true
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '%' {
			b.WriteByte(text[i])
			continue
		}
		if i+3 > len(text) {
			return "", false
		}
		n, err := strconv.ParseUint(text[i+1:i+3], 16, 8)
		if err != nil {
			return "", false
		}
		b.WriteByte(byte(n))
		i += 2
	}
	return b.String(), true
}

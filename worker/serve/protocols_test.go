package serve_test

// smallestOf returns the smallest request of a client, with more members.
func smallestOf(client string, more object) string {
	o := object{"model": "m"}
	switch client {
	case "anthropic":
		o["max_tokens"], o["messages"] = 64, list{object{"role": "user", "content": "hi"}}
	case "chat":
		o["messages"] = list{object{"role": "user", "content": "hi"}}
	case "responses":
		o["input"] = "hi"
	case "gemini":
		o = object{"contents": list{object{"role": "user", "parts": list{object{"text": "hi"}}}}}
	}
	for name, value := range more {
		if client != "gemini" || name != "model" && name != "stream" {
			o[name] = value
		}
	}
	return encoded(o)
}

// pathOf returns a client's path for requests to a model.
func pathOf(client, model string, stream bool) string {
	switch {
	case client != "gemini":
		return paths[client]
	case stream:
		return "/v1beta/models/" + model + ":streamGenerateContent?alt=sse"
	}
	return "/v1beta/models/" + model + ":generateContent"
}

// speaks returns counted, with an empty list of models for other requests.
func speaks(protocol string) upstream {
	return func(r *sent) *reply {
		if r.Method != "POST" {
			return says(200, `{"data":[]}`)(r)
		}
		return counted(protocol)(r)
	}
}

// base returns the URL of an upstream of a protocol at a host.
func base(protocol, host string) string {
	if protocol != "chat" && protocol != "responses" {
		return "https://" + host
	}
	return "https://" + host + "/v1"
}

// upstreamObject returns the upstream "up" of a record. more has further members.
func upstreamObject(protocol, host string, more object) object {
	up := object{"name": "up", "protocol": protocol, "url": base(protocol, host)}
	for name, value := range more {
		up[name] = value
	}
	return up
}

// everyProtocol returns three upstreams of a record at one host. Their names are their protocols:
// the model PROTOCOL/MODEL selects one.
func everyProtocol(host string, more object) (ups list) {
	for _, protocol := range clientProtocols {
		up := upstreamObject(protocol, host, more)
		up["name"] = protocol
		ups = append(ups, up)
	}
	return ups
}

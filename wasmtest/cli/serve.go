package cli

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strings"

	"edgelingua/wasmtest/access"
	"edgelingua/wasmtest/built"
	"edgelingua/wasmtest/demo"
	"edgelingua/wasmtest/host"
	"edgelingua/wasmtest/host/outbound"
	"edgelingua/wasmtest/lobby"
	"edgelingua/wasmtest/page"
	"edgelingua/worker/endpoint"
)

// serve serves the module until a signal comes.
func serve(o *serveOptions, signals <-chan os.Signal, stdout, stderr io.Writer) error {
	logger := log.New(access.Shown(stderr), "", 0)
	if err := checkNames(o.vars); err != nil {
		return err
	}
	if o.check {
		return check(o, logger)
	}
	room, err := capacityOf(o.maxConcurrent, openFiles(), o.demo)
	if err != nil {
		return err
	}
	var demoVars map[string]string
	if o.demo {
		if demoVars, err = startDemo(room.demo, logger); err != nil {
			return err
		}
	}
	settings, err := o.settings(demoVars)
	if err != nil {
		return err
	}
	proxies, err := trustedProxies(settings.Vars)
	if err != nil {
		return err
	}
	recorder, err := openRecorder(o, settings.Vars, logger)
	if err != nil {
		return err
	}
	requests := access.New(stdout, styleFor(stdout))
	config := host.Config{Env: settings.Vars, Log: logger, Done: requests.Done, IdleConnections: room.idle,
		Proxy:   http.ProxyFromEnvironment,
		Sockets: room.sockets, Remembered: rememberedIn(memoryHere()), Tasks: rememberedIn(memoryHere()),
		Proxies: proxies}
	if o.trace {
		config.Trace = logger
	}
	if o.connect != "" {
		config.Transport = outbound.ConnectTo(o.connect)
	}
	if recorder != nil {
		defer recorder.Close(recordPatience)
		config.Watch = recorder.Watch
	}
	module, err := o.start(config)
	if err != nil {
		return err
	}
	line, err := describe(module, settings.Vars)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", o.addr)
	if err != nil {
		return fmt.Errorf("can't listen on %s (%w); choose another address with --addr, such as "+
			"127.0.0.1:0 for a free port", o.addr, err)
	}
	defer listener.Close()
	state, err := openStore(o.data)
	if err != nil {
		return err
	}
	defer state.Close()
	module.Keep(state)
	gate := newGate(module, o.maxConcurrent)
	observer, err := observe(requests, gate, module, settings.Vars, logger)
	if err != nil {
		return err
	}
	var served http.Handler = gate
	if recorder != nil {
		served = recorder.Viewer(recorder.Handler(gate))
	}
	pages := page.Handler(built.Page(o.wasm), o.demo, module.Tasks(module.Sockets(requests.Handler(served))))
	server := newServer(harmless(noPage(&health{observer.handler(pages), requests.Open, gate.shutting})),
		logger)
	waiting := lobby.New(listener, room.waiting, logger)
	server.ConnContext, server.ConnState = waiting.Context, waiting.State
	address := "http://" + listener.Addr().String()
	logger.Print("listening on " + address)
	logger.Print(strings.Replace(line, "page at /", "page at "+address+"/", 1))
	stop, err := observer.listen(o.metricsAddr, logger)
	if err != nil {
		return err
	}
	defer stop()
	if recorder != nil {
		recorder.Announce()
	}
	logSettings(logger, settings)
	warning, err := sealWarning(state, settings.Vars)
	if err != nil {
		logger.Printf("can't check which key sealed the stored upstream keys: %v", err)
	}
	if warning != "" {
		logger.Print(warning)
	}
	logger.Print(firstSteps(address, settings.Vars))
	if o.started != nil {
		o.started(address)
	}
	return serveUntil(signals, server, gate, module, waiting, o.grace, observer.close, logger)
}

// check prints the messages of serve about the settings, without listening.
func check(o *serveOptions, logger *log.Logger) error {
	var demoVars map[string]string
	if o.demo {
		demoVars = varsOfDemo(nowhere)
	}
	settings, err := o.settings(demoVars)
	if err != nil {
		return err
	}
	logSettings(logger, settings)
	if _, err := trustedProxies(settings.Vars); err != nil {
		return err
	}
	module, err := o.start(host.Config{Env: settings.Vars, Log: logger})
	if err != nil {
		return err
	}
	defer module.Close(context.Background())
	line, err := describe(module, settings.Vars)
	if err == nil {
		logger.Print(strings.Replace(line, "http://"+nowhere+"/v1", "the demo's own", 1))
	}
	return err
}

// nowhere is the address of a demo upstream that is not started. Nothing listens there.
const nowhere = "127.0.0.1:1"

// The keys of the demo.
const (
	demoClientKey   = endpoint.DemoKey
	demoUpstreamKey = endpoint.DemoUpstreamKey
)

// startDemo starts the demo upstream on a free port of this machine, with a maximum of connections.
// It returns the vars for the program.
func startDemo(connections int, logger *log.Logger) (vars map[string]string, err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("can't start the demo upstream: %w", err)
	}
	go newServer(demo.New(demoUpstreamKey), logger).Serve(lobby.New(listener, connections, logger))
	return varsOfDemo(listener.Addr().String()), nil
}

// varsOfDemo returns the vars for a demo upstream at an address.
func varsOfDemo(address string) map[string]string {
	return map[string]string{
		"UPSTREAM_PROTOCOL": "chat",
		"UPSTREAM_URL":      "http://" + address + "/v1",
		"UPSTREAM_KEY":      demoUpstreamKey,
		"CLIENT_KEY":        demoClientKey,
	}
}

// firstSteps returns the user's next steps at address: the page to open and, if the deployment has
// its own endpoint, commands to try.
func firstSteps(address string, vars map[string]string) string {
	text := ""
	if vars["ADMIN_KEY"] != "" {
		text = "open " + address + endpoint.AdminPath + " in a browser, sign in with ADMIN_KEY, and make " +
			"an endpoint for each user"
	}
	if vars["UPSTREAM_URL"] == "" || vars["CLIENT_KEY"] == "" && vars["AUTH"] != "forward" {
		return text
	}
	if text != "" {
		text += "\n"
	}
	text += "open " + address + "/ in a browser to try it"
	if vars["CLIENT_KEY"] == demoClientKey {
		text += "; the key of any client is \"" + demoClientKey + "\""
	}
	return text + "\n" + examples(address, vars["CLIENT_KEY"])
}

// examples returns commands to try. They show only the demo's key; any other key is no argument of
// curl.
func examples(address, key string) string {
	model, own := "demo", key != demoClientKey
	if own {
		key, model = "YOUR_CLIENT_KEY", "YOUR_MODEL"
	}
	curl := func(options, key, body string) string {
		header, input := "'x-api-key: "+key+"'", ""
		if own {
			header, input = "@-", " <<<"+header
		}
		return "  curl " + options + address + "/v1/messages -H " + header +
			" -H 'content-type: application/json' \\\n" +
			"    -d '{\"model\":\"" + model + "\",\"max_tokens\":200," + body + "}'" + input + "\n"
	}
	return "\nA tool call, streamed:\n" +
		curl("-N ", key,
			`"stream":true,"tools":[{"name":"get_weather","input_schema":{"type":"object",`+
				`"properties":{"city":{"type":"string"}}}}],"messages":[{"role":"user",`+
				`"content":"Weather in Paris?"}]`) +
		"A plain answer:\n" +
		curl("", key, `"messages":[{"role":"user","content":"Hello"}]`) +
		"A wrong key:\n" +
		curl("-i ", "wrong", `"messages":[{"role":"user","content":"Hello"}]`)
}

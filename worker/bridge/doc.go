// Package bridge joins the Go program and the host that runs its module. There are two hosts:
// worker.mjs on workerd, and wasmtest/host on wazero. This comment is the contract of both hosts;
// e2e/pairs/bridge.test.mjs and e2e/pairs/same.test.mjs test both hosts against the contract. (Tests
// of the worker, and "serve --engine native", run the program without a module, in the process of
// the host: see Engine.) An instance of the module serves a single request, so an instance has one
// request, one upstream response at a time, and at most one stream.
//
// # What the host offers: context.host
//
// The program finds this object as `host` in its runtime context, beside `env` (empty), `ctx` and
// `binding`. The data of the request and of the deployment come in a string each, because every
// call across the border costs about a microsecond. For the same reason the request of
// handleRequest has no headers and no body. A head is a string of lines "name: value\n" with
// lower-case names. A head contains no NUL, and no line break inside a value.
//
//	clientHead -> string
//	    The head of the client's request. The values of a repeated name are joined by ", ".
//	    cf-connecting-ip is the client's address: Cloudflare and the local host set it, whatever the
//	    client sends. A self-hosted workerd leaves the client's value.
//	settings -> string
//	    The variables and secrets of the deployment, each as its name and its value, both terminated by a
//	    NUL. A value that is not a string is given as its JSON. Left out are bindings and other values
//	    without JSON, and all names that begin with SEAL_KEY. In an UPSTREAM_KEY that is a service
//	    account's key, the private key is replaced: "private_key":"-".
//	bytes(at, length) -> Uint8Array
//	    A copy of length bytes of the program's memory at the address at.
//	pieces(at) -> Uint8Array
//	    A copy of pieces of the program's memory, joined. at is the address of a list in the form of an
//	    output in pieces.
//	body(limit)
//	    Settles with the whole body of the client's request, or as too large if the body exceeds limit
//	    bytes. Once per request. Fails, with any reason, if the body ends early. The host decompresses a
//	    body with up to two content-codings among gzip, x-gzip and deflate, and others as it likes (both
//	    hosts: zstd), up to limit bytes, and leaves content-encoding out of clientHead. Any other
//	    content-encoding stays in clientHead, and the program refuses the request.
//	fetch(url, method, head, body, headWait, silence, public)
//	    Sends a request upstream. body is a Uint8Array or null. Redirects are not followed. Settles with
//	    the response's status and head. With headWait > 0 it settles with status 0 if the upstream's head
//	    has not come after headWait milliseconds: the request continues, and stream may be called. Fails
//	    with "timeout" after silence milliseconds without a head, with "aborted" if the client is gone, or
//	    with the reason why the upstream can't be reached. At every stage, the host aborts the fetch as
//	    soon as the client is gone. Until read, stream or pass is called, another fetch replaces this
//	    fetch, and the host aborts this one. A further fetch is also allowed after stream_head,
//	    stream_push or stream_close asks for it: such a fetch does not settle, and its headWait is
//	    ignored. With public, a boolean, the upstream must be on the public internet: a host that can
//	    reach other machines checks the address that it connects to, whatever the name in the url, and
//	    fails for other addresses. A url that begins with cloudflare:ai/ is not a server. On Cloudflare
//	    the binding AI answers. Elsewhere the fetch fails, and the error says how to reach Cloudflare's
//	    own models from there.
//	read(limit, time)
//	    Settles with the whole body of that response, or as too large if the body exceeds limit bytes (the
//	    host then aborts the fetch). Fails like fetch, and as a timeout after time milliseconds; time 0 is
//	    no limit. A body whose content-encoding is gzip or br, in that spelling, is decompressed, here and
//	    for stream, though its head still has the content-encoding.
//	stream(keepAlive, keepAliveEvery, trap, object, window) -> body
//	    Starts the pump and returns the argument for WriteRawJSBody. Only after fetch settled, and instead
//	    of read. keepAlive and trap are strings. keepAliveEvery is in milliseconds. object is where the
//	    statements of stream_end run, "" for a stream without such statements: see "The pump". An empty
//	    keepAlive is never sent; keepAliveEvery and silence still count. An empty trap marks a stream that
//	    passes: its output is any bytes, and only output is ever sent. If the upstream's body of such a
//	    stream is cut or silent, or the instance dies, the client's connection breaks, as with pass.
//	    window is how many milliseconds a chunk of a fast stream may wait for more chunks: see "The pump".
//	pass() -> body
//	    Returns the body of that response for WriteRawJSBody. Only after fetch settled with a status, and
//	    instead of read and stream. The client gets the body byte for byte, as the bytes come, if the
//	    client also gets the upstream's content-encoding. The end of the upstream's body is the end of the
//	    client's. A body that breaks off breaks the client's connection too. silence no longer counts, and
//	    the host may discard the program. If the client leaves, the host aborts the fetch.
//
//	kvGet(key), kvPut(key, value, metadata, expiration), kvDelete(key), kvList(prefix, cursor, limit)
//	    Read, write, delete and list keys of the KV namespace with the binding ENDPOINTS: see "State".
//	batch(object, statements, counts)
//	    Runs SQL in the database of an object of the class with the binding ENDPOINT_STATE: see "State".
//	    With counts, a boolean, the statements count requests, or only read: if the host crashes within
//	    the next tenth of a second, they may have had no effect, like those of account.
//	change(object, statements, key, value, metadata, after)
//	    Runs SQL in an object, and then writes the change to KV: see "State".
//	account(object, renewal, renewEvery, further, merge)
//	    While the request lasts, the host runs the packed statements renewal in the object every
//	    renewEvery milliseconds, 0 for never. When the request has ended, the host runs the statements of
//	    the export account. If the last of those statements has a row, its first value is a text, and the
//	    host runs the packed statements merge, if any, in the object further. They come without
//	    arguments, and the text is the only argument of each. The program waits for none of these runs.
//	    At most once per request, before the program has answered. The host only logs a failure.
//	insure(statements)
//	    Only after account, any number of times. If the instance dies, the host at once runs the packed
//	    statements of the last insure in the account's object, instead of those of the export account, and
//	    then sends the answer of state dead, or the end of the stream. Each account is closed once.
//	prices(url, model)
//	    Settles with the prices of a model at a URL, in the form that usage.ReadPrices reads; empty if
//	    they are unknown. For the model "" the prices are those of any model at the URL.
//	accept(endpoint, limit, lifetime) -> bool, socket, recall(id), hangUp()
//	    Open a WebSocket, and serve its frames: see "WebSockets".
//	background, reserve(owner) -> bool, detach(id, state, streams, object, failed) -> bool,
//	task(owner, id, action), follow(event) -> body
//	    Run responses in the background: see "Background responses".
//	digest(text), seal(context, secret), open(context, sealed)
//	    Hash a text, and seal and open secrets with a key that the program never sees: see "Secrets".
//	token(context, sealed)
//	    Gets a token from Google for a service account. The program never sees the private key: see
//	    "Secrets".
//
// A function that settles returns at once. The host calls the export settle with the outcome later,
// in another tick of its event loop. The program waits for a single call at a time. (Promises are
// not used: every callback into Go costs a goroutine, and the stack of a goroutine is never freed.)
//
// # What the program offers: exports
//
// The host calls the exports from its event loop only, never while a call of the program into the
// host is on the stack. None of them blocks, starts a goroutine or calls into the host, except that
// setup reads settings. Each may grow the memory, so the host makes new views of the memory after
// each call.
//
//	stream_reserve(n i32) -> address
//	    Makes room for n bytes of input: the input room. The host writes the bytes there before the call
//	    that reads them. The room belongs to the program and is valid until the next call.
//	settle(code i32, n i32)
//	    The outcome of the call that the program waits for, with the n bytes in the input room. code 0, or
//	    the status of a fetch: success, with a body, a head, or the data that "State" or "Secrets"
//	    describes. 1: kvGet found nothing, recall remembers nothing, or open did not open. 2: open needed
//	    the previous key. -1: failure, with the reason in the bytes. -2: the body is too large. The host
//	    then calls go_scheduler, and the program continues.
//	stream_head(status i32, n i32) -> again
//	    Only after fetch settled with status 0, or for a further fetch, before the first push of its body:
//	    the upstream's status, and its head as the n bytes in the input room. status 0: fetch failed, and
//	    the bytes are the reason. again is 1 if the program falls back to another upstream, else 0: see
//	    "Further calls of a stream".
//	stream_push(n i32) -> output
//	    Passes one chunk of the upstream's body, the n bytes in the input room.
//	stream_complete() -> flag
//	    After a push, once the client accepted its output: 1 if the answer is complete except for further
//	    data about the answer, such as its usage, else 0.
//	stream_close(cause i32) -> output
//	    The upstream's body ended (cause 0), was cut (1), or was silent for too long (2). At most once per
//	    body, and not after the program ended the stream. The output ends the stream, or the stream makes
//	    a further call.
//	stream_end() -> output
//	    Only if stream got an object, once the program has ended the stream: packed statements, which the
//	    host runs in that object as batch does; empty: none.
//	stream_ended(code i32, n i32) -> output
//	    After stream_end. code 0: the statements ran, or there were none. -1: they did not run, with the
//	    reason in the n bytes in the input room. The output is what the program held back or, instead, a
//	    failure that says the answer is not stored.
//
//	remember() -> output
//	    What a WebSocket remembers of a request: see "WebSockets".
//	account() -> output
//	    Only if the program called the host's account and the instance is not dead; once, when the request
//	    has ended: packed statements, which the host runs in the object; empty: none. If account traps,
//	    the statements of insure run.
//	report() -> output
//	    The result of the request; empty: nothing to report. Only if the host needs it; once, when the
//	    request has ended, after account. Nothing is called after report.
//	describe() -> output
//	    A line for the deployment's owner that describes the settings and contains no secret: where
//	    prompts go or, with the flag last, why the deployment can't serve. worker.mjs calls it in the
//	    first instance of an isolate, before report. The local host calls it before it listens, in an
//	    instance that gets no request and whose host has only settings.
//	page_open(n i32) -> output, page_head() -> output, page_answer(status i32, n i32) -> output
//	    For the page in the browser: see "The page".
//
// An output is the address of three words of 32 bits: the address of the bytes, their number, and
// flags. Words and bytes belong to the program, and are valid until the next call. The flags are:
//
//	1  last    The output ends the stream. The host sends it, aborts the fetch if it still runs, goes
//	           through the state keeping if stream got an object, ends the client's body, and calls only
//	           account and report after that.
//	2  again   The upstream's body has ended, and the client's stream continues with a further call. The
//	           host sends the output and aborts the fetch if it still runs: see "Further calls of a
//	           stream".
//	4  pieces  The bytes are in pieces. The address is the address of a list: the number of pieces, and
//	           then the address and the length of each piece. The number of bytes is their total.
//
// The output of stream_push and stream_close is always whole SSE events, unless trap is empty.
//
// A request has ended when the program has answered and its stream, if any, has ended in any way, or
// when the client is gone. If the body passes, the request has ended with the last byte or, on
// workerd, with the head, because workerd does not see the last byte. account and report have the
// same contents in both cases.
//
// To the head of every answer, including its own answers, the host adds x-content-type-options:
// nosniff, content-security-policy: sandbox; default-src 'none', and cross-origin-resource-policy:
// same-origin. Only the files of the page have different headers.
//
// # Further calls of a stream
//
// A stream needs a further fetch for a fallback (stream_head returns again 1) or for the next round
// of its answer (an output with the flag again). The goroutine of the request makes this fetch
// itself. It has answered with Answerer.Ready, so the client does not wait for it, and waits in
// Host.AwaitNextRequest. The export that asks for the fetch wakes the goroutine without blocking.
// The host then calls go_scheduler, and in that or a later tick the goroutine calls fetch by
// Host.Refetch. Refetch does not wait: the fetch does not settle, and the host gives its outcome to
// stream_head.
//
// # The report
//
// A JSON object. The report may name fields of a request or an answer, but never contains their
// content. Unknown and inapplicable members are absent.
//
//	client, upstream   the protocols of the two sides (both are absent for requests to the Admin API and
//	                   the owner API)
//	endpoint           the name of the personal endpoint whose key the client presented
//	to                 the name of the last upstream that was tried, of a personal endpoint
//	model              the client's name of the model
//	upstream_model     the upstream's name of the model, if it differs
//	input, output      the upstream's token counts; input is the whole prompt. Absent for a body that
//	                   bypassed the program
//	summary            the part of both counts that belongs to a summary of the conversation, if the
//	                   summary was made in addition to the answer
//	advice             the tokens of the advisor, which are in neither count; absent without a consultation
//	cached, reasoning  how many of the input tokens came from a cache, and how many of the output tokens
//	                   are reasoning
//	searches           the web searches that were run for the answer; the token counts cover all rounds of
//	                   the answer
//	fetches            the webpages that were fetched for the answer
//	cost               US dollars, if the endpoint counts usage and the price is known; the answer, the
//	                   summary and the advice together
//	lost               the value of the header x-edgelingua-lost, in the same form, plus the losses in the
//	                   stream after the head
//	unknown_model      true if the last upstream is a model vendor's own server and edgelingua has no
//	                   facts about the model, so the translation followed those of its family
//	gateway_cache      hit or miss: the cache status of the upstream's AI Gateway. A hit costs nothing
//	loop               the value of the header x-edgelingua-loop
//	unpriced           the names of the upstreams that were left out, separated by commas: the endpoint
//	                   has a budget in US dollars, and the price of the model is unknown there
//	tool_descriptions_cut
//	                   how many bytes were cut from the descriptions of tools by the endpoint's options;
//	                   absent if 0
//	error              the name of the kind of the client's failure (ir.ErrorKind), by status or in
//	                   a stream
//
// # WebSockets
//
// The host owns the connection. The program sees single requests, each in an instance of its own,
// as always.
//
// A GET with "upgrade: websocket" reaches the program like any request, and is refused like any
// request. To admit the client, the program calls accept, and then answers with status 204 and no
// body. endpoint is the endpoint's name, "" for the deployment's own endpoint. limit is the limit
// of its connections at this host: accept returns false if the limit is reached. Otherwise accept
// returns true. The host then turns the program's answer into the connection's 101, with the same
// headers, and holds the slot until the connection has ended.
//
// Each text frame of the client becomes a request with the method POST, the URL of the upgrade, and
// the frame as its body. The request has the headers of the upgrade and content-type:
// application/json. Left out are the headers of the connection and of a body, sec-websocket-*, and
// the headers of a single request: x-request-id, and idempotency-key, for which an upstream would
// repeat its first answer. The frame's member stream_id names a lane; without the member, or with an
// invalid name, which the program refuses, the lane is the nameless one. The requests of a lane run
// one at a time, in the order of their frames; lanes run side by side, within the host's limits. To
// each event of a named lane the host adds stream_id. A client ends the answer of a lane with
// response.cancel: the host aborts the request, and sends an error with the code response_cancelled.
// The host refuses response.steer during a response, the program any other time. In a frame's request
// the host has:
//
//	socket       true; absent in any other request
//	recall(id)   settles with 0 and the items that a lane remembers for the response with that id, as JSON
//	             values with commas between them, or with 1 if no lane remembers such a response. After 0
//	             the request's own lane has forgotten these items, until remember returns new ones.
//	             If the requests in progress would have more bytes of items from other lanes than a
//	             connection remembers, the host ends the request with a 409 response_in_progress.
//	hangUp()     ends the connection after the answers in progress, with the close code 1008.
//
// The host calls remember once, when an answer with a status below 400 has ended, after
// stream_ended and before account. It does not call remember if the instance is dead or the client
// gone. The output is the id of a response, a NUL, a sign, and items, in the form of recall's items
// or empty. The sign "+" appends the items to the items that recall returned in this request; "="
// means that the items are complete. The lane then remembers only this response. If the output is
// empty, the memory stays as it is, and is empty if recall took the items. So if a request continues
// from a response of its lane and fails, the lane forgets the response, as at OpenAI. The lanes of a
// connection together remember up to 15 MB, only in memory, and nothing of longer items; the longest
// unused makes room. A host may forget earlier.
//
// The output of a frame's request is a stream or a body. Of a stream, the host sends the data of
// each event (a single line) as a text frame, without names and comments. The host sends trap in
// the same way, and also a body with a status below 400. A body {"error":{...}} with a status of
// 400 or more is sent as {"type":"error","status":STATUS,"error":{...},"headers":{...}}. If its
// code is null, the code becomes its type. headers has the answer's headers that begin with
// retry-after, x-ratelimit-, x-should-retry or x-codex-, in lower case; without any, the member is
// left out.
//
// A frame that begins with {"type":"response.processed" is dropped at any time: Codex sends it
// after each response, and reads any answer as an answer to its next request.
//
// The host itself sends errors of the same form, of type invalid_request_error and with param null:
//
//	409 response_in_progress   for a frame while a request runs. The request continues. The tenth such
//	                           frame in one request ends the connection (1008). After the last event of a
//	                           request (response.completed, .failed, .incomplete, error) one frame is
//	                           accepted, and waits until the request has ended.
//	403 request_not_started    for each frame that waits when hangUp ends the connection
//	400 invalid_frame          for a binary frame, and 413 frame_too_large for a frame above 16 MB. Both
//	                           end the connection (1003, 1009).
//	400 websocket_connection_limit_reached
//	                           and the end of the connection (1000), after the current request: lifetime
//	                           milliseconds have passed, the host stops (1001), or the connection's quota is
//	                           used up. The client opens another connection. A host that can't wait for a
//	                           client that does not read cuts a request in this way, when it has sent too
//	                           much.
//
// If the client of a connection is gone, the current request ends like any request whose client has
// left. A request has ended, and the next request starts, once its account is closed. The log has a
// line with "socket" for each request, and a line for the upgrade.
//
// # Background responses
//
// A host that can go on with a request when its client leaves has background, which is true. On workerd
// it is absent, and the program calls none of these functions: an object runs no module.
//
//	reserve(owner)    takes one of the owner's places for background responses, until the request has
//	                  ended. false: all are taken. Once per request, in a POST to the path of Converse.
//	                  The owner is an endpoint: a later endpoint of the same name is another owner.
//	detach(id, state, streams, object, failed)
//	                  only after reserve, before the program answers with a stream of the bridge: the
//	                  request becomes a task of the owner with that id. From then on the request does
//	                  not end when its client leaves. The host keeps the whole events of the stream, in
//	                  which sequence_number counts from 0. The client gets the stream if streams is true,
//	                  else state (JSON), the response before its answer. If the task ends with
//	                  response.failed, the host runs the packed statements failed in object. The last one
//	                  gets the response as one more argument, a blob: above 1 MB without its output. The
//	                  host only logs a failure. false: the host has no memory for the task, the client
//	                  has left, action 4 came after reserve, or the host shuts down.
//	task(owner, id, action)
//	                  settles with 1 if the host has no such task, else with 0. action 0: the data is the
//	                  response in the last event that has it, or state. 1: the data is the number of its
//	                  events so far, in decimal. 2: ends the task as if its client had left, waits for its
//	                  end, and settles with its response. 3: the same, and then forgets the task. 4: the
//	                  same for all tasks of the owner, whatever id is; detach returns false for its
//	                  requests that are no tasks yet. Action 4 always settles with 0 and no data.
//	follow(event)     only after action 1: the body of an answer with the events from that index on, the
//	                  later ones as they come. The comments of the stream go to listeners as they come.
//
// If a request ends without a last event (response.completed, .failed, .incomplete), the host adds an
// event error and a response.failed, whose response has the status failed or, after actions 2 and 3,
// cancelled. A task ends so if its events exceed their bounds, its instance dies, it has run for 6
// hours, or the host shuts down. A task whose statements (state keeping) run is not ended before
// their end. A host forgets a task 10 minutes after its end, or earlier if it needs
// the memory.
//
// # The page
//
// A program that calls the upstream itself runs the module without a host. There are two: the page
// in the browser, for showing the translation of a request and its answer, and the JavaScript
// library. For each request such a program starts an instance without a request; the context has an
// empty binding and no host. Then the program calls:
//
//	page_open      once. The input room contains the client's protocol, a NUL, the record of an endpoint
//	               as JSON, whose keys are not sealed, a NUL, the path of the client's request, a NUL, and
//	               the client's body. The upstream is chosen as for any request. The output is the body
//	               for this upstream; with the flag last: the client's error, as its status, a space, and
//	               its body.
//	page_head      after an output of page_open. The output is a line and the head of the request,
//	               with the record's key but no header of the client's. The line is "1 URL" if the client
//	               asks for a stream, else "0 URL"; URL is the upstream's. With the flag last: both sides
//	               use one protocol, and request and answer pass.
//	page_answer    with the upstream's status and its whole body: the body of the client's answer, which
//	               is a stream if the client asks for one; with the flag last: the client's error, in the
//	               form of page_open.
//	stream_push, stream_close, stream_reserve
//	               instead of page_answer, with the upstream's stream, as the pump calls them. An answer
//	               that passes has no event that reports a cut.
//	report         at any time.
//
// worker/workerd/exchange.mjs does this for both.
//
// # The pump
//
//	waiting  Begins when fetch settled with status 0. Sends keepAlive whenever keepAliveEvery has passed.
//	         The upstream's head, or its failure: stream_head, then open (after a failure: stream_close(1)
//	         at once), or waiting once more if again is 1.
//	open     Reads a chunk, calls stream_reserve and stream_push, sends the output and waits until the
//	         client accepted it; then reads the next chunk. Nothing is sent for an empty output.
//	         keepAlive is sent if nothing else was sent for keepAliveEvery, and before twice that time,
//	         whatever the upstream sends meanwhile.
//	         The upstream's end: stream_close, then ended. After silence milliseconds without a chunk, and
//	         at most one keepAliveEvery more: abort, stream_close(2), then ended. 2 seconds after
//	         stream_complete became 1, unless it became 0 since, whatever else came: abort,
//	         stream_close(0), then ended. If the program makes a further call: waiting instead of ended.
//	         If chunks follow each other within less than window and less than 50 milliseconds, the host
//	         waits for window (the local host: for the time of ten events, if shorter), and then joins all
//	         chunks that have come into one. No chunk waits for twice the window, and a chunk that comes
//	         once stream_complete was 1 does not wait.
//	keeping  Only if stream got an object, between the stream's end and ended: stream_end, the statements,
//	         and stream_ended, whose output is sent. The host waits for the statements for 10 seconds, but
//	         not longer than silence. keepAlive continues. Statements that ran stay in effect, even if the
//	         client left meanwhile or stream_ended traps.
//	ended    The client's body is closed.
//	gone     The client left, in any state. The host aborts the fetch, and calls the program only for its
//	         account and report.
//	dead     A call into the program trapped, of the pump or not, in any state. The program may not be
//	         entered again. An open stream is sent trap and closed, or broken if trap is empty. A request
//	         without a response is answered with status 500 in the protocol of its path. The fetch is
//	         aborted. The headers x-request-id and request-id of that answer are the client's own id, if
//	         IsID accepts it, else a random one.
//
// # State
//
// A call without its binding fails, with a message for the deployment's owner that begins with
// "There is no ". A call that Cloudflare refuses fails with Cloudflare's message. The error for SQL
// is "statement I: REASON". I is the statement's index in the batch. The reason names tables and
// columns, and no argument except an invalid JSON path or MATCH.
//
//	kvGet     settles with 0 and the length of the metadata as 32 bits, the metadata as JSON, empty for
//	          none, and then the value.
//	kvPut     value is a Uint8Array. metadata is JSON, or "" for none. expiration is in seconds of the
//	          Unix epoch, at least 60 from now, or 0 for never. Keys have up to 512 bytes, values 25 MB,
//	          metadata 1,024 bytes.
//	kvList    settles with JSON: {"keys":[{"name","expiration","metadata"}],"cursor"}, in the order of the
//	          names' bytes. Members that a key lacks are left out. A page has up to limit keys, at most
//	          1,000, and maybe fewer. cursor is "" on the last page, else the argument for the next page.
//	          Other locations see a put or a deletion after a minute.
//	batch     runs statements in one transaction, in a database that belongs only to the object with that
//	          name. It settles with their rows. It fails if the rows of the batch exceed 16 MB. After a
//	          failure nothing has changed. BEGIN and the like, PRAGMA, ATTACH, VACUUM and temporary tables
//	          are refused. A statement has up to 100 arguments and 100 KB; a string, a blob or a row has
//	          up to 2 MB.
//
//	change    runs statements as batch does, without their rows. Once they have taken effect, it puts the
//	          value under the key, with the metadata, or deletes the key if value is null. Then it runs
//	          the statements after. The changes of one object run one at a time, whoever makes them, so KV
//	          never gets an older value after a newer one. A host that can't do all of this in one
//	          transaction begins the error with "not copied: " if only KV failed.
//
// Statements and rows are packed (packed.go): each value is a letter and its data. Lengths have 32
// bits, and all numbers are little-endian.
//
//	n                    NULL
//	f  64 bits           a floating-point number, also for whole numbers: exact up to 2^53, and stored as
//	                     integers if the column is INTEGER
//	s  length, UTF-8     a string
//	b  length, bytes     a blob
//	q  length, UTF-8     a statement, before its arguments. If the text has several statements, only the
//	                     last may have arguments
//	r  32 bits           the start of the next statement's rows, before their values: the number of their
//	                     columns
//
// # Alerts
//
// A statement of a batch, or of a change, whose only column is called alarm sets the alarm of the object
// to its value: a time in Unix seconds, or NULL for no alarm. At that time the host sends the alerts in
// the table alert of the object's database (worker/alert) whose due has come. It opens sealed for
// context, which gives the URL of a webhook, a line break, and a secret; if sealed is empty, the
// settings ALERT_URL and ALERT_SECRET are URL and secret. It POSTs body as application/json with the
// user-agent "edgelingua", which every deployment refuses, and the header x-edgelingua-signature:
// "t=TIME,v1=MAC", with the time in Unix seconds and the HMAC-SHA256 of "TIME.BODY" in hex. For the
// format ntfy the last part of the path moves from the URL to the member topic of the body.
//
// The host connects to the public internet only, waits 10 seconds for the head of the answer, follows no
// redirect, and reads no body. It counts tries, and stores the answer's status, 0 for none. After a
// status of 2xx, or the fifth try, due is NULL; else the next try is 30 seconds, 2 minutes, 10 minutes or
// an hour later, or after the seconds in the answer's Retry-After if these are more, up to an hour. An
// alert whose period has changed meanwhile stays as it is.
//
// # Secrets
//
// The master key is the secret SEAL_KEY: 32 bytes as base64url without padding, or as standard
// base64 with padding. SEAL_KEY_PREVIOUS (optional) is the previous master key. If a needed key is
// missing or invalid, the call fails, with a message for the deployment's owner. If there is no
// SEAL_KEY, the message begins with "The secret SEAL_KEY is missing". text, context and secret are
// Uint8Arrays, since a string would lose a byte order mark on its way.
//
//	digest    settles with the SHA-256 of a text, as 43 characters of base64url.
//	seal      settles with a secret of up to 64 KB, sealed for its context with SEAL_KEY: at most 88 KB of
//	          base64url and dots. context identifies what the secret belongs to. Its parts are joined by a
//	          character that only the last part may contain, as in "NAME/UPSTREAM", so no two contexts
//	          have the same bytes. The context is not stored; after a renaming the secret must be sealed
//	          again.
//	open      sealed is a string. It settles with the secret and 0, or 2 if SEAL_KEY_PREVIOUS opened it:
//	          then the secret is to be sealed again when it is next written. 1: sealed does not open. Of
//	          the many possible reasons, only the host's log has the actual one.
//
//	token     opens a service account's key (JSON) that was sealed for its context, or uses UPSTREAM_KEY
//	          if sealed is "". It signs a JWT (RS256) with the private key, and exchanges the JWT for a
//	          token at https://oauth2.googleapis.com/token, whatever address the key names. It settles
//	          with the end of the token, in seconds since 1970, a space, and the token. It fails with a
//	          message for the deployment's owner. The host buffers the token of UPSTREAM_KEY in memory,
//	          under the digest of the whole key, until a minute before its end.
//
// A sealed text is "v1.KID.NONCE.CIPHERTEXT", each part in base64url without padding and in its
// only valid spelling. The ciphertext is AES-256-GCM with the tag at its end, a random nonce of 96
// bits, and the context as associated data. KID is the first 8 characters of the digest of
// "edgelingua SEAL_KEY v1\x00" and the master key's bytes. KID distinguishes keys, and reveals
// nothing about the keys.
package bridge

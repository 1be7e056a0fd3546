// Package bridge joins the Go program with the host that runs its module: worker.mjs on workerd, wasmtest/host on wazero.
// Both implement what this comment says, and e2e/pairs/bridge.test.mjs and e2e/pairs/same.test.mjs hold both to it. One instance of
// the module serves one request, so everything here exists once: one request, one upstream response, at most one stream.
//
// # What the host offers: context.host
//
// An object that the program finds as `host` in its runtime context, beside `env`, which is empty, `ctx` and `binding`. What the
// program needs of the request and the deployment comes in one string each, because every call across the border costs about a
// microsecond: so the request that handleRequest takes has no headers and no body. A head is a string of lines "name: value\n"
// with lower-case names; it holds no NUL and no line break inside a value.
//
//	clientHead -> string
//	    The head of the client's request; the values of one name are joined by ", ". cf-connecting-ip is the client's address, which
//	    Cloudflare and the local host set whatever the client sends. A workerd of one's own leaves what the client sends.
//	settings -> string
//	    The variables and secrets of the deployment, each as its name and its value, both ended by a NUL. A value that is no
//	    string is there as its JSON. What is neither, as a binding, is not there, nor is anything whose name begins with SEAL_KEY. Of an
//	    UPSTREAM_KEY that is a service account's key, the private key is left out: "private_key":"-".
//	bytes(at, length) -> Uint8Array
//	    A copy of length bytes of the program's memory at an address.
//	pieces(at) -> Uint8Array
//	    A copy of pieces of the program's memory, one behind the other: at is the address of a list like that of an output in pieces.
//	body(limit)
//	    Settles with the whole body of the client's request, or as too large if it is over limit bytes. Once per request. It
//	    fails, for any reason, when the body ends early.
//	fetch(url, method, head, body, headWait, silence, public)
//	    Sends a request upstream: body is a Uint8Array or null, redirects are not followed. Settles with the response's
//	    status and head. With headWait > 0 it settles with status 0 when the upstream's head has not come after headWait
//	    milliseconds: the request goes on, and stream may be called. It fails with "timeout" after silence milliseconds
//	    without a head, with "aborted" when the client is gone, or with why the upstream can't be reached. The fetch is
//	    aborted as soon as the client is gone, at every stage. Another fetch takes the place of this one, which is aborted,
//	    until read, stream or pass was called, and again where stream_head, stream_push or stream_close asks for it: then it does not
//	    settle, and headWait does not count. With public, a boolean, the upstream must be on the public internet: a host from which other machines can
//	    be reached looks at the address that it connects to, whatever the name in the url, and else fails.
//	    A url that begins with cloudflare:ai/ is no server: on Cloudflare the binding AI answers, and elsewhere the fetch fails and says how
//	    Cloudflare's own models are reached from there.
//	read(limit, time)
//	    Settles with the whole body of that response, or as too large if it is over limit bytes (the fetch is then aborted).
//	    Fails like fetch, and as a timeout where it takes more than time, in milliseconds; 0: it may take any. A body whose content-encoding is gzip or br, in that spelling, is decompressed, here and for stream,
//	    though its head still says so.
//	stream(keepAlive, keepAliveEvery, trap, object, window) -> body
//	    Starts the pump and returns what WriteRawJSBody takes. keepAlive and trap are strings, keepAliveEvery is in
//	    milliseconds. object is where the statements of stream_end run, "" for a stream that has none: see "The pump". Only after
//	    fetch settled, and in place of read. An empty keepAlive is never sent; keepAliveEvery and silence count as ever. With an
//	    empty trap the stream is one that passes: its output is any bytes, nothing but output is ever sent, and where the upstream's
//	    body is cut or silent, or the instance dies, the client's connection breaks, as that of pass does. window is how many
//	    milliseconds a chunk of a fast stream may wait for others: see "The pump".
//	pass() -> body
//	    Returns the body of that response for WriteRawJSBody: the client gets it byte for byte, as it comes, if it also gets
//	    the upstream's content-encoding. Its end is the client's end. A body that breaks off breaks the client's connection
//	    too. silence does not count any more, and the host may let the program go; the client going away aborts the fetch.
//	    Only after fetch settled with a status, and in place of read and stream.
//
//	kvGet(key), kvPut(key, value, metadata, expiration), kvDelete(key), kvList(prefix, cursor, limit)
//	    Read, write, delete and list keys of the KV namespace that is bound as ENDPOINTS: see "State".
//	batch(object, statements)
//	    Runs SQL in the database of an object of the class that is bound as ENDPOINT_STATE: see "State".
//	change(object, statements, key, value, metadata, after)
//	    Runs SQL in an object, and then writes what has changed to KV: see "State".
//	account(object, renewal, renewEvery)
//	    While the request lasts, the host runs the packed statements renewal in the object every renewEvery milliseconds, 0 for
//	    never; when the request is over, it runs those of the export account. The program waits for none of them. At most once per
//	    request, before the program has answered. A failure is logged by the host and told to nobody else.
//	prices(url, model)
//	    Settles with what a model costs that is asked for at a URL, as usage.ReadPrices reads it; nothing where that is not known.
//	accept(whose, most, lifetime) -> bool, socket, recall(id), hangUp()
//	    Open a WebSocket, and serve its frames: see "WebSockets".
//	digest(text), seal(context, secret), open(context, sealed)
//	    Hash a text, and seal and open secrets with a key that the program never sees: see "Secrets".
//	token(context, sealed)
//	    Gets a token of Google's for a service account, whose private key the program never sees: see "Secrets".
//
// A function that settles returns at once; the host calls the export settle with its outcome later, in another turn of its event
// loop. The program waits for one call at a time. (Promises are not used: every callback into Go costs a goroutine, whose stack is
// never freed.)
//
// # What the program offers: exports
//
// The host calls these from its event loop only, never while a call of the program into the host is on the stack. None of
// them blocks, starts a goroutine or calls into the host. Each may grow the memory: views of it are taken anew after each call.
//
//	stream_reserve(n i32) -> address
//	    Makes room for n bytes of input. The host writes them there, before the call that takes them. The room belongs to the
//	    program and is good until the next call.
//	settle(code i32, n i32)
//	    The outcome of what the program waits for, with the n bytes in the input room. code 0, or the status of a fetch: it
//	    succeeded, with a body, a head, or what "State" or "Secrets" says. 1: kvGet found nothing, or open did not open. 2: open
//	    needed the previous key. -1: it failed, for the reason in the bytes. -2: the body is too large.
//	    The host calls go_scheduler behind it, so that the program goes on.
//	stream_head(status i32, n i32) -> again
//	    Only after fetch settled with status 0, before the first push: the upstream's status, and its head as the n bytes in
//	    the input room. status 0: there is none, and the head is the reason why fetch failed. again is 1 where the program
//	    goes to another upstream, else 0: the host then calls go_scheduler, the program calls fetch in that or a later turn,
//	    and what comes of it is for stream_head again.
//	stream_push(n i32) -> output
//	    Takes one chunk of the upstream's body, the n bytes in the input room.
//	stream_complete() -> flag
//	    After a push, once the client took its output: 1 if the answer is complete but for what the upstream may still say about
//	    it, such as its usage, else 0.
//	stream_close(cause i32) -> output
//	    The upstream's body has ended: cause 0, was cut: 1, or was silent for too long: 2. At most once, and not after the end.
//	    The output ends the stream, or it goes on with another call.
//	stream_end() -> output
//	    Only where stream was told an object, once the program has ended the stream: packed statements, which are to run in that
//	    object as batch runs them; nothing: none.
//	stream_ended(code i32, n i32) -> output
//	    After stream_end: code 0, the statements have run, or there were none. -1: they have not, for the reason in the n bytes in
//	    the input room. The output is what the program has held back or, in its place, a failure that says the answer is not stored.
//
//	remember() -> output
//	    What a WebSocket is to remember of a request: see "WebSockets".
//	account() -> output
//	    Only where the program has called the host's account, and the instance is not dead; once, when the request is over: packed
//	    statements, which the host runs in the object; nothing: none.
//	report() -> output
//	    What came of the request; nothing: there is nothing to say. Only where the host wants it, once, when the request is over,
//	    after account. Nothing is called after it.
//	setup() -> output
//	    What the settings of the deployment come to, as a line for its owner, in which is no secret: where prompts go or, with the
//	    flag last, why it can't serve. worker.mjs asks the first instance of an isolate, in front of report. The local host asks before
//	    it listens, in an instance that gets no request, whose host has nothing but settings.
//	page_open(n i32) -> output, page_head() -> output, page_answer(status i32, n i32) -> output
//	    For the page in the browser: see "The page".
//
// An output is the address of three words of 32 bits: the address of the bytes, their number, and flags. Words and bytes belong to the
// program, and are good until the next call. The flags are
//
//	1  last    the output ends the stream: the host sends it, aborts the fetch if it still runs, goes through keeping where stream was
//	           told an object, ends the client's body, and calls nothing more but account and report.
//	2  again   the upstream's body is over, and the client's stream goes on with another call: the host sends the output, aborts the fetch
//	           if it still runs, and calls go_scheduler. The program calls fetch in that or a later turn, and what comes of it is for
//	           stream_head, as behind its again.
//	4  pieces  the bytes are in pieces: the address is that of a list, which has the number of the pieces, and then of each its
//	           address and its length.
//
// The output of a push or a close is always whole SSE events, unless trap is empty.
//
// A request is over when the program has answered and its stream, if there is one, has ended in any way, or when the client is gone.
// A request whose body passes is over with the last byte or, on workerd, which does not see that byte, with the head: account and
// report say the same in both cases.
//
// To the head of every answer, its own ones included, the host adds x-content-type-options: nosniff, content-security-policy: sandbox;
// default-src 'none', and cross-origin-resource-policy: same-origin. Only the files of the page have others.
//
// # The report
//
// One JSON object. It may name fields of a request or an answer, but never holds their content. A member that is unknown or does not
// apply is absent.
//
//	client, upstream   the protocols of the two sides
//	                   (both are absent of requests to the Admin API and the owner API)
//	endpoint           the name of a personal endpoint, whose key the client has presented
//	to                 the name of the upstream of a personal endpoint that was asked last
//	model              the client's name of the model
//	upstream_model     the upstream's, where that is another one
//	input, output      tokens that the upstream has counted; input is the whole prompt. Not of a body that passed by the program
//	summary            how many of both belong to the call for a summary of the conversation, where that was made beside the call for the answer
//	cached, reasoning  how many of the input came from a cache, and how many of the output are reasoning
//	searches           how many searches of the web were run for the answer, whose tokens are those of all its rounds
//	fetches            how many pages of the web were fetched for the answer
//	cost               US dollars, where the endpoint counts usage and the price is known; the answer's and the summary's together
//	lost               what the header x-edgelingua-lost says, in the same form with what was lost in the stream behind the head
//	gateway_cache      hit or miss: what the upstream's AI Gateway says of its cache. A hit costs nothing
//	loop               what the header x-edgelingua-loop says
//	tool_descriptions_cut
//	                   by how many bytes the descriptions of tools were cut, as the endpoint's options say; absent where that is 0
//	error              the name of the kind of failure that the client was told (ir.ErrorKind), by status or in a stream
//
// # WebSockets
//
// A connection belongs to the host. The program sees a request at a time, each in an instance of its own, as ever.
//
// A GET with "upgrade: websocket" reaches the program like any request, and is refused like any. Where the program lets it in it calls
// accept, and then answers with status 204 and no body. whose is the endpoint's name, "" for the deployment's own; most is how many
// connections whose may have at this host: accept returns false where there are so many. Else it returns true, and the host makes the
// program's answer the connection's 101, which keeps its headers, and holds the place until the connection has ended.
//
// Each text frame of the client becomes a turn: a request with the method POST, the upgrade's URL and its headers but for those of the
// connection and of a body, sec-websocket-*, and those of one request (x-request-id, and idempotency-key, by which an upstream would repeat
// its first answer), with content-type: application/json, and the frame as its body. One turn runs at a time. In a turn the host has:
//
//	socket       true; absent in any other request
//	recall(id)   settles with 0 and the items that the connection remembers for the response with that id, JSON values with commas
//	             between them, or with 1 where it remembers no such response. With 0 the connection has forgotten them, but for
//	             what remember says.
//	hangUp()     the connection ends behind this turn's answer, with the close code 1008.
//
// The host calls remember once, when an answer with a status below 400 has ended and behind stream_ended, but before account; not where the
// instance is dead or the client gone. Its n bytes are the id of a response, a NUL, a sign, and items, in the form of recall's or empty. The
// sign "+" says that the items go behind those that recall has given in this turn, "=" that they stand alone. The connection
// then remembers this response and no other. 0: what it remembers stays as it is, which is nothing where recall has taken it: so a
// turn that goes on from a response and fails makes the connection forget that response, as at OpenAI. A connection remembers up to
// 15 MB, in memory alone, and what is longer not at all; a host may forget earlier.
//
// The output of a turn is a stream, or a body. Of a stream the host sends the data of each event, which is one line, as a text frame; names
// and comments are left out, and trap is sent likewise. So is a body with a status below 400. A body {"error":{...}} with a status from 400
// on is sent as {"type":"error","status":STATUS,"error":{...}}; where its code is null, its type stands there too.
//
// By itself the host sends errors of this form, of type invalid_request_error and with param null:
//
//	409 response_in_progress   for a frame in the middle of a turn, which goes on. The tenth in one turn ends the connection (1008). Behind the last
//	                           event of a turn (response.completed, .failed, .incomplete, error) one frame waits until the turn is over.
//	400 invalid_frame          for a binary frame, and 413 frame_too_large for one over 16 MB: they end the connection (1003, 1009).
//	400 websocket_connection_limit_reached
//	                           and the end of the connection (1000), behind the turn that runs: lifetime milliseconds are over, the host
//	                           stops (1001), or what one connection may use is used up. The client opens another one. A host that can't
//	                           wait for a client that does not read cuts a turn so, when it has sent too much.
//
// A connection whose client is gone ends its turn like a request whose client is gone. The turn is over, and the next one begins, once its
// account is closed. The log has a line for each turn, which says "socket", and one for the upgrade.
//
// # The page
//
// A program that calls the upstream itself runs the module without a host: the page in the browser, to show what becomes of a request
// and of its answer, and the library for JavaScript. It starts an instance for each exchange and hands it no request; its context has an
// empty binding and no host. Then it calls:
//
//	page_open      once. In the input room: the client's protocol, a NUL, the record of an endpoint as JSON, whose keys are not sealed, a
//	               NUL, the path of the client's request, a NUL, and its body. The upstream is chosen as for a request. The output is the
//	               body that this upstream gets; with the flag last: what the client gets in place of an answer, as its status, a space, and its body.
//	page_head      after an output of page_open. The output is 1 if the client has asked for a stream, else 0, a space, the upstream's URL, a
//	               line break, and the head of the request, which holds the record's key, but no header of the client's. With the flag last: both
//	               sides speak one protocol, and request and answer pass.
//	page_answer    with the upstream's status and its whole body: the body of the client's answer, which is a stream where the client
//	               has asked for one; with the flag last: an error that the client gets, in the form of page_open's.
//	stream_push, stream_close, stream_reserve
//	               in place of page_answer, with the upstream's stream, as the pump calls them. An answer that passes has no event
//	               that says it was cut.
//	report         at any time.
//
// worker/workerd/exchange.mjs does this for both.
//
// # The pump
//
//	waiting  fetch settled with status 0. Sends keepAlive whenever keepAliveEvery has passed. The upstream's head, or its
//	         failure: stream_head, then open (after a failure: stream_close(1) at once), or waiting once more.
//	open     Reads a chunk, stream_reserve, stream_push, sends what comes out and waits until the client took it; then the next.
//	         Nothing is sent for an empty output. keepAlive is sent when nothing else was sent for keepAliveEvery, and
//	         before twice that time, whatever the upstream sends meanwhile. The upstream's end: stream_close, then ended. silence
//	         milliseconds without a chunk, and at most one keepAliveEvery more: abort, stream_close(2), then ended. 2 seconds after
//	         stream_complete became 1, whatever came since but a 0: abort, stream_close(0), then ended. Where the program goes on with
//	         another call: waiting, in place of ended.
//	         Where chunks come less than window and less than 50 milliseconds behind one another, the host lets window pass, and then
//	         makes one chunk of all that have come. None waits for twice the window, and none that comes once stream_complete was 1.
//	keeping  Where stream was told an object, between the stream's end and ended: stream_end, the statements, for which 10 seconds
//	         are waited, but not longer than silence, and stream_ended, whose output is sent. keepAlive goes on. What has run
//	         stays, also where the client is gone meanwhile or stream_ended traps.
//	ended    The client's body is closed.
//	gone     The client went away, in any state: the fetch is aborted, and the program is not called again but for its account
//	         and its report.
//	dead     A call into the program trapped, in any state, the pump's or not: the program may not be entered again. An open
//	         stream is sent trap and closed, or broken where trap is empty; a request without a response is answered with status
//	         500 in its path's dialect; the fetch is aborted. The headers x-request-id and request-id of that answer are the
//	         client's own id, if IsID takes it, else a random one.
//
// # State
//
// A call without its binding fails, with words for the deployment's owner that begin with "There is no ". So does what Cloudflare
// refuses, in its words. Of SQL, the error is "statement I: REASON", I being the index in the batch; the reason names tables and
// columns, and no argument but a JSON path or a MATCH that is none.
//
//	kvGet     settles with 0 and, behind their length as 32 bits, the metadata as JSON, nothing for none, and then the value.
//	kvPut     takes a Uint8Array, JSON or "" for no metadata, and seconds of the Unix epoch, at least 60 from now, or 0 for
//	          never. Keys have up to 512 bytes, values 25 MB, metadata 1,024 bytes.
//	kvList    settles with JSON: {"keys":[{"name","expiration","metadata"}],"cursor"}, in the order of the names' bytes, and the
//	          members that a key has none for left out. Up to limit keys, at most 1,000, and maybe fewer; cursor is "" on the
//	          last page, else what the next one is asked for with. Other locations see a put or a deletion after a minute.
//	batch     runs statements in one transaction, in a database that belongs to the object of that name alone, and settles with
//	          their rows: at most 16 MB for a batch, else it fails. After a failure nothing has happened. BEGIN and the like,
//	          PRAGMA, ATTACH, VACUUM and temporary tables are refused. A statement takes up to 100 arguments and 100 KB; a string,
//	          a blob or a row has up to 2 MB.
//
//	change    runs statements as batch does, without their rows. Once they have taken effect it puts the value under the key, with the
//	          metadata, or deletes the key where value is null; then it runs the statements after. The changes of one object run one
//	          behind the other, whoever makes them, so that KV never gets an older value after a newer one. A host that can't do all of it
//	          in one transaction begins the error with "not copied: " where only KV has failed.
//
// Statements and rows are packed (packed.go): each value is a letter, and what it says. Lengths have 32 bits, and numbers of all
// kinds are little-endian.
//
//	n                    NULL
//	f  64 bits           a number. Whole ones are that, too: exact up to 2^53, and stored as integers where the column says INTEGER
//	s  length, UTF-8     a string
//	b  length, bytes     a blob
//	q  length, UTF-8     a statement, before its arguments. Only the last of several in one may have arguments
//	r  32 bits           the rows of the next statement, before their values, and the number of their columns
//
// # Secrets
//
// The master key is the secret SEAL_KEY: 32 bytes as base64url without padding, or as standard base64 with it. SEAL_KEY_PREVIOUS,
// which may be missing, is the one before it. Where a key that is needed is missing or none, the call fails, with words for the
// deployment's owner: "The secret SEAL_KEY is missing", and more, where there is no SEAL_KEY. text, context and secret are Uint8Arrays, since a string would lose a byte order mark on its way.
//
//	digest    settles with the SHA-256 of a text, as 43 characters of base64url.
//	seal      settles with a secret of up to 64 KB, sealed for its context with SEAL_KEY: at most 88 KB of base64url and dots.
//	          context says what the secret belongs to. Its parts are joined by a character that none but the last may hold, as in
//	          "NAME/UPSTREAM": then no two contexts are the same bytes. It is not stored; after a renaming the secret is sealed
//	          anew.
//	open      takes a sealed text as a string and settles with its secret and 0, or 2 if SEAL_KEY_PREVIOUS opened it: then it is
//	          to be sealed again when it is next written. 1: it does not open. Which of many reasons that has, only the host's log
//	          says.
//
//	token     opens a service account's key (JSON) that was sealed for its context, or takes UPSTREAM_KEY where sealed is "". It signs a
//	          JWT (RS256) with the private key, gets a token for it at https://oauth2.googleapis.com/token, whatever address the key
//	          names, and settles with when the token ends, in seconds since 1970, a space, and the token. It fails in words for the
//	          deployment's owner. The token of UPSTREAM_KEY is kept in the host's memory, under the digest of the whole key, until
//	          a minute before it ends.
//
// A sealed text is "v1.KID.NONCE.CIPHERTEXT", each in base64url without padding and in no other spelling. The ciphertext is that
// of AES-256-GCM, with its tag behind it, a random nonce of 96 bits, and the context as associated data. KID is the first 8
// characters of the digest of "edgelingua SEAL_KEY v1\x00" and the master key's bytes: it tells keys apart, and says nothing of
// them.
package bridge

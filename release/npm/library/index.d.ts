/**
 * The protocols of clients: Anthropic Messages, OpenAI Chat Completions and Responses, Google Gemini
 * and Interactions.
 */
export type ClientProtocol = "anthropic" | "chat" | "responses" | "gemini" | "interactions";

/** The protocols of upstreams: those of the clients. */
export type UpstreamProtocol = ClientProtocol;

/** The settings of a request: everything except its path and its body. */
export interface Settings {
  /** The protocol that the client speaks. */
  client: ClientProtocol;
  /** The protocol that the upstream speaks. */
  upstream: UpstreamProtocol;
  /**
   * The upstream's base URL in the form of its vendor's SDK: with /v1 for OpenAI, without /v1 for
   * Anthropic. What the translator knows of the server and of the model decides which fields the
   * upstream gets.
   */
  url: string;
  /** Your key at the upstream, for the headers of the call. In error messages [key] replaces the key. */
  key?: string;
  /** More headers of the call, including headers of the client for the upstream, such as anthropic-beta. */
  headers?: Record<string, string>;
  /**
   * Aliases of models: the client's name, with * for any characters, to the upstream's name. The first
   * matching alias counts. A model without a matching alias is refused with status 404. Without models
   * every name is unchanged.
   */
  models?: Record<string, string>;
  /** Changes of requests: OPTIONS in docs/settings.md. */
  options?: Record<string, unknown>;
  /** Corrections to what the translator knows of the upstream: UPSTREAM_OPTIONS in docs/upstreams.md. */
  upstreamOptions?: Record<string, unknown>;
  /**
   * The most bytes of an answer that must be buffered as a whole, by default 4 MB, at most 32 MB:
   * MAX_OUTPUT_BYTES in docs/settings.md.
   */
  maxOutputBytes?: number;
  /**
   * Gets each error that the client gets, once, for your log: the refusal of a request, the upstream's
   * error, and the failure of an answer. In a stream the error has the status 200, as the client's
   * answer, and as body the data of the client's last event. cause is the reason if the connection to
   * the upstream failed. onError must not throw.
   */
  onError?: (error: TranslationError) => void;
}

/** The request to the upstream, a POST, and the exchange for translating the answer. */
export interface Call {
  url: string;
  /** The headers, including the header of the key. Names are in lower case. */
  headers: Record<string, string>;
  body: string;
  /** The paths of the request's fields that can't be sent to the upstream. "+N" means N more fields. */
  lost: string[];
  exchange: Exchange;
}

/** The upstream's counts of tokens. A count is undefined if the upstream has not stated it. */
export interface Usage {
  /** The whole prompt. */
  input: number | undefined;
  output: number | undefined;
  /** The input tokens from a cache. */
  cached: number | undefined;
  /** The output tokens of reasoning. */
  reasoning: number | undefined;
}

/**
 * One request and its answer, in an instance of the module with its own memory. Call one of body, error
 * and stream, once. The instance is released after the answer. An exchange without an answer is
 * released with its last reference.
 */
export interface Exchange {
  /**
   * Whether the client has asked for a stream. The client always gets the requested form: stream also
   * accepts a plain answer of the upstream, and body also accepts a stream.
   */
  readonly streams: boolean;

  /**
   * Whether the request is passed through: both sides speak the same protocol, and the request needed
   * no translation. Request and answer are unchanged, except for the model's name in the request.
   */
  readonly passes: boolean;

  /**
   * Translates the upstream's whole answer, of at most 16 MB, plain or a stream, into the client's
   * answer, a stream if the client asked for a stream. Throws a TranslationError if the answer is a
   * failure, or is no answer of the upstream's protocol.
   */
  body(answer: string | Uint8Array): string;

  /** Translates the upstream's answer with a status of 300 or more into an error for the client. */
  error(status: number, answer: string | Uint8Array): TranslationError;

  /**
   * Translates the upstream's stream, with chunks of any size, into the client's stream, in chunks of
   * whole events. If the upstream breaks off, the client's stream ends with the error event of its
   * protocol; a passed-through answer has no such event, and its readable side fails. Once the answer
   * is complete, or its reader has cancelled, the writable side fails, and the failure cancels the
   * upstream.
   *
   * abort() of the writable side resolves when the reader has read all output up to the abort.
   *
   * The stream has no clock. The caller sends keep-alives, applies timeouts, and closes an upstream
   * that stays open.
   */
  stream(): TransformStream<Uint8Array, Uint8Array>;

  /** The lost fields of the request and, so far, of the answer. */
  readonly lost: string[];

  /** The upstream's counts of tokens so far. */
  readonly usage: Usage;
}

export interface Translator {
  /**
   * Translates a client's request for the upstream. path is the path of the client's request, with its
   * query. body is JSON of at most 16 MB (32 MB if the request is passed through). Rejects with a
   * TranslationError if the client's request is refused, with a TranslationError with status 500 if
   * settings are wrong, and with a TypeError if a setting is unknown or no header can carry the key.
   */
  request(settings: Settings, path: string, body: string | Uint8Array): Promise<Call>;
}

/** An error for the client. */
export class TranslationError extends Error {
  constructor(of: { status: number; body: string }, options?: { cause?: unknown });
  readonly name: "TranslationError";
  readonly status: number;
  /** JSON in the client's protocol. The body of a passed-through error may be anything. */
  readonly body: string;
}

/** Compiles the module, once for all calls. */
export function load(): Promise<Translator>;

/**
 * Returns a function like fetch that answers requests of clients with an upstream's answers. The path
 * of a request decides the client's protocol: /v1/messages, /v1/chat/completions, /v1/responses, and
 * /v1beta/models/MODEL:generateContent (or :streamGenerateContent) of Gemini. Other paths get 404, and
 * other methods than POST get 405.
 *
 * Answers stream if the client asks for a stream. Errors have the form of the client's protocol. The
 * header x-edgelingua-lost has the lost fields: of a plain answer all, of a stream those of the
 * request. The abort of a request, and of reading an answer, aborts the upstream's.
 *
 * The function checks no key: whoever can call the function uses your key at the upstream. It has no
 * timeouts and sends no keep-alives. It rejects with a TypeError if a setting is unknown, and with the
 * reason of an abort.
 */
export function createFetch(
  settings: Omit<Settings, "client">,
): (input: RequestInfo | URL, init?: RequestInit) => Promise<Response>;

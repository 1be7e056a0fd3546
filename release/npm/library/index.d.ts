/** The protocols: Anthropic's Messages, OpenAI's Chat Completions and OpenAI's Responses. */
export type Protocol = "anthropic" | "chat" | "responses";

/** What is known of a request beside its path and its body. */
export interface Settings {
  /** The protocol that the client speaks. */
  client: Protocol;
  /** The protocol that the upstream speaks. */
  upstream: Protocol;
  /** The upstream's base URL, as its vendor's SDK takes it: with /v1 for OpenAI, without for Anthropic. What is known of that server and the
   * model decides what the upstream is told. */
  url: string;
  /** Your key at the upstream. It stands in the headers of the call, and errors that repeat it have [key] in its place. */
  key?: string;
  /** Further headers of the call, also those of the client's that the upstream is to have, as anthropic-beta. */
  headers?: Record<string, string>;
  /** The client's names of models, with * for any characters, to the upstream's. The first that matches counts; a model that none matches is
   * refused with status 404. Without models every name stays as it is. */
  models?: Record<string, string>;
  /** What is done to requests: OPTIONS in docs/settings.md. */
  options?: Record<string, unknown>;
  /** What the upstream accepts, where that is not what is known of it: UPSTREAM_OPTIONS in docs/upstreams.md. */
  upstreamOptions?: Record<string, unknown>;
  /** The most bytes of an answer that has to be kept as a whole, 4 MB by default, at most 32 MB: MAX_OUTPUT_BYTES in docs/settings.md. */
  maxOutputBytes?: number;
}

/** The call of the upstream, a POST, and the exchange that translates its answer. */
export interface Call {
  url: string;
  /** The headers, in lower case, with the key's. */
  headers: Record<string, string>;
  body: string;
  /** The fields of the request that the upstream can't be told, by their paths in it; "+N" stands for N more. */
  lost: string[];
  exchange: Exchange;
}

/** Tokens that the upstream has counted. Those that it has not are undefined. */
export interface Usage {
  /** The whole prompt. */
  input: number | undefined;
  output: number | undefined;
  /** How many of the input came from a cache. */
  cached: number | undefined;
  /** How many of the output are reasoning. */
  reasoning: number | undefined;
}

/**
 * One request and its answer, in an instance of the module with a memory of its own. One of body, error and stream is called, once; the
 * instance is let go when it is done. An exchange without an answer goes with its last reference.
 */
export interface Exchange {
  /** The client has asked for a stream, and gets one: stream and body also take what the upstream sends in place of what it was asked for. */
  readonly streams: boolean;

  /** Both sides speak one protocol, and nothing of the request needed a translation: but for the model's name it passes, and so does the
   * answer. */
  readonly passes: boolean;

  /**
   * Translates the upstream's whole answer, of at most 16 MB, plain or a stream, into the client's, which is a stream if its request asked
   * for one. Throws a TranslationError if the answer is a failure, or none.
   */
  body(answer: string | Uint8Array): string;

  /** Translates the upstream's answer with a status of 300 or more into the error that the client gets. */
  error(status: number, answer: string | Uint8Array): TranslationError;

  /**
   * Translates the upstream's stream, however its chunks are cut, into the client's, whole events at a time. An upstream that breaks off
   * ends the client's stream with the error event of its protocol; where the answer passes it makes the readable side fail. Once the
   * answer is complete, or its reader has cancelled, the writable side fails, and with that the upstream is cancelled.
   *
   * abort() of the writable side is done when its reader has read up to there.
   *
   * There is no clock in it: keep-alives, timeouts and the end of an upstream that stays open are the caller's.
   */
  stream(): TransformStream<Uint8Array, Uint8Array>;

  /** The fields of the request and, so far, of the answer that got lost. */
  readonly lost: string[];

  /** The tokens that the upstream has counted so far. */
  readonly usage: Usage;
}

export interface Translator {
  /**
   * Translates a client's request, whose body is JSON of at most 16 MB (32 MB if it passes), for the upstream. path is where the client
   * asked, with its query. Rejects with a TranslationError where the client's request is refused, and also, with status 500, where settings
   * are wrong; with a TypeError for a setting that there is not,
   * and for a key that no header could carry.
   */
  request(settings: Settings, path: string, body: string | Uint8Array): Promise<Call>;
}

/** An error as the client gets it. */
export class TranslationError extends Error {
  constructor(of: { status: number; body: string });
  readonly name: "TranslationError";
  readonly status: number;
  /** JSON in the client's protocol. That of an upstream whose answer passes may be anything. */
  readonly body: string;
}

/** Compiles the module, once for all calls. */
export function load(): Promise<Translator>;

// Code for all entries of the library. index.d.ts documents the arguments and results of the
// methods.
import { Exchange as Instance } from "../worker/exchange.mjs";
import { TranslationError, messageOf } from "./error.mjs";
import { Translation } from "./translation.mjs";

const SETTINGS = [
  "client",
  "upstream",
  "url",
  "key",
  "headers",
  "models",
  "options",
  "upstreamOptions",
  "maxOutputBytes",
  "onError",
];

// loader returns the function load of an entry. load compiles the module once. compile resolves
// with the module.
export function loader(compile) {
  let loaded;
  return () => {
    loaded ??= compile().then(
      (module) => new Translator(module),
      (error) => {
        loaded = undefined;
        throw error;
      },
    );
    return loaded;
  };
}

class Translator {
  #module;

  constructor(module) {
    this.#module = module;
  }

  async request(settings, path, body) {
    const unknown = Object.keys(settings).find((name) => !SETTINGS.includes(name));
    if (unknown !== undefined)
      throw new TypeError(
        `There is no setting ${unknown}. There are ${SETTINGS.join(", ")}.${meant(unknown)}`,
      );
    if (settings.key !== undefined && !/^[\x21-\x7e]*$/.test(settings.key)) {
      throw new TypeError(
        "The setting key has white space, or what is no visible character of ASCII: " +
          "no header could carry it.",
      );
    }
    const { exchange, request, refused } = await Instance.open(
      this.#module,
      settings.client,
      recordOf(settings),
      path,
      body,
    );
    if (refused) throw reported(settings.onError, refused);
    const { url, headers, streams, passes } = exchange.head();
    const opened = new Exchange(exchange, streams, passes, settings.onError);
    return { url, headers, body: request, lost: opened.lost, exchange: opened };
  }
}

// meant returns the sentence with the setting that a mistyped one probably means, or "".
function meant(name) {
  const near = SETTINGS.find((known) => isNear(name.toLowerCase(), known.toLowerCase()));
  return near ? ` Did you mean ${near}?` : "";
}

// isNear returns whether two words differ by at most one inserted, deleted, replaced or swapped
// character.
function isNear(a, b) {
  let i = 0;
  while (i < a.length && a[i] === b[i]) i++;
  const [rest, other] = [a.slice(i), b.slice(i)];
  return (
    rest.slice(1) === other.slice(1) ||
    rest.slice(1) === other ||
    rest === other.slice(1) ||
    (rest[0] === other[1] && rest[1] === other[0] && rest.slice(2) === other.slice(2))
  );
}

// reported returns the error for a client, after onError has got it.
function reported(onError, refused, options) {
  const error = new TranslationError(refused, options);
  onError?.(error);
  return error;
}

// NAME is the upstream's name in its record. A client can request an upstream by name with the
// model NAME/MODEL, so NAME is no prefix of any vendor's models.
const NAME = "the-only-upstream-of-this-exchange";

// recordOf returns settings as the record of an endpoint with one upstream. JSON leaves out
// undefined values.
const recordOf = ({ upstream, url, key, headers, models, options, upstreamOptions, maxOutputBytes }) => ({
  version: 1,
  upstreams: [{ name: NAME, protocol: upstream, url, key, headers, models, options: upstreamOptions }],
  options,
  max_output_bytes: maxOutputBytes,
});

// Exchange is one request and the one translation of its answer. After the answer the instance of
// the module is released, with its memory.
class Exchange {
  #instance; // undefined: the answer is translated
  #begun = false; // the answer's translation has begun
  #last = {}; // the last report of a released instance
  #onError;

  constructor(instance, streams, passes, onError) {
    this.#instance = instance;
    this.#onError = onError;
    this.streams = streams;
    this.passes = passes;
  }

  body(answer) {
    const { body, refused } = this.#answer(200, answer);
    if (refused) throw reported(this.#onError, refused);
    return body;
  }

  error(status, answer) {
    if (!(status >= 300 && status <= 999))
      throw new RangeError(`${status} is no status of an error. An answer goes through body or stream.`);
    return reported(this.#onError, this.#answer(status, answer).refused);
  }

  stream() {
    this.#begin();
    return new Translation(this.#instance, this.passes, (output, cause) => {
      this.#end();
      const { error } = this.#last;
      if (error || cause) reported(this.#onError, failureIn(output, error), { cause });
    });
  }

  get lost() {
    return this.#report().lost?.split(",") ?? [];
  }

  get usage() {
    const { input, output, cached, reasoning } = this.#report();
    return { input, output, cached, reasoning };
  }

  #answer(status, answer) {
    this.#begin();
    try {
      return this.#instance.answer(status, answer);
    } finally {
      this.#end();
    }
  }

  #begin() {
    if (this.#begun)
      throw new Error("This exchange has had its answer. Each request has an exchange of its own.");
    this.#begun = true;
  }

  #report() {
    return this.#instance?.report() ?? this.#last;
  }

  #end() {
    this.#last = this.#report();
    this.#instance = undefined;
  }
}

// failureIn returns the failure of a stream, whose kind is in the report. output is the end of the
// client's stream, with the failure as the last event.
function failureIn(output, kind) {
  const data = /.*^data: (\{.*\})$/ms.exec(new TextDecoder().decode(output))?.[1];
  const message = `The upstream's stream broke off${kind ? ` (${kind})` : ""}.`;
  const body = messageOf(data) !== undefined ? data : JSON.stringify({ error: { message } });
  return { status: 200, body };
}

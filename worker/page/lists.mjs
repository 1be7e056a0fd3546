// What an endpoint says that it serves, asked with a client's key.
import { Failure, parse, reach } from "./api.mjs";
import { namesOf } from "./choose.mjs";
import { baseOf } from "./connect.mjs";

// listsBy returns a function that asks an endpoint itself for its models: they are those of its first upstream. It is undefined where model maps
// name them. What the function resolves with is connectView's lists.
export const listsBy = (key, endpoint) =>
  namesOf(endpoint.upstreams).length === 0
    ? async () => {
        const answer = await reach(`${baseOf(endpoint)}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
        const json = parse(await answer.text());
        if (!answer.ok || !Array.isArray(json?.data)) throw new Failure(answer.status, json?.error?.message ?? "The upstream's list of models can't be read.");
        return { [endpoint.upstreams[0].name]: json.data.map(({ id }) => String(id)) };
      }
    : undefined;

// The models that an endpoint lists for a client's key.
import { Failure, parse, reach } from "./api.mjs";
import { namesOf } from "./choose.mjs";
import { baseOf } from "./connect.mjs";

// listsBy returns the parameter lists of connectView: a function that requests the endpoint's list
// of models, which is the first upstream's list. If the endpoint's own settings name models, no
// request is necessary, and listsBy returns undefined.
export const listsBy = (key, endpoint) =>
  namesOf(endpoint.upstreams).length === 0
    ? async () => {
        const answer = await reach(`${baseOf(endpoint)}/v1/models`, {
          headers: { authorization: `Bearer ${key}` },
        });
        const json = parse(await answer.text());
        if (!answer.ok || !Array.isArray(json?.data))
          throw new Failure(
            answer.status,
            json?.error?.message ?? "The upstream's list of models can't be read.",
          );
        return { [endpoint.upstreams[0].name]: json.data.map(({ id }) => String(id)) };
      }
    : undefined;

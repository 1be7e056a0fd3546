// The models that an endpoint lists, asked for with a client's key.
import { Failure, parse, reach } from "./api.mjs";
import { namesOf } from "./choose.mjs";
import { baseOf } from "./connect.mjs";

// listsBy returns a function for the parameter lists of connectView, which asks the endpoint for
// its list of models: that is the list of the endpoint's first upstream. Where the endpoint's own
// settings name its models, nobody has to be asked, and listsBy returns undefined.
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

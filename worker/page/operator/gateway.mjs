// The AI Gateway of an upstream, in the form of an endpoint.
import { field, h } from "../lib/dom.mjs";

// gatewayFields returns { elements, fields, read } of the controls for a gateway. fields are [path,
// control]. read() returns the gateway for the API, or undefined. kept: the gateway has a token,
// which the API does not show.
export function gatewayFields(gateway = {}, kept) {
  const input = (value, props) =>
    h("input", { spellcheck: "false", autocomplete: "off", ...props, value: value ?? "" });
  const account = input(gateway.account);
  const id = input(gateway.id);
  const token = input("", {
    type: "password",
    autocomplete: "new-password",
    placeholder: kept ? "unchanged" : "",
  });
  const forget = h("input", { type: "checkbox" });
  const provider = input(gateway.provider, { placeholder: "custom-" });
  const ttl = input(gateway.cache_ttl, { inputmode: "numeric" });
  const skip = h("input", { type: "checkbox", checked: gateway.skip_cache === true });
  const elements = [
    field("AI Gateway: account at Cloudflare", account, {
      hint:
        "The account's id. With an account and a gateway, requests go through Cloudflare's AI Gateway, " +
        "with the key above.",
    }),
    field("AI Gateway: name of the gateway", id),
    h(
      "div",
      null,
      field("AI Gateway: token", token, {
        hint: kept ? "A token is stored, and never shown." : "Stored encrypted, and never shown.",
      }),
      kept && h("label", { class: "check" }, forget, "Remove the stored token"),
    ),
    field("AI Gateway: custom provider", provider, {
      hint: "Only for a host without a provider name at AI Gateway.",
    }),
    field("AI Gateway: seconds in the cache", ttl, { hint: "Default: the gateway's own setting." }),
    h("label", { class: "check" }, skip, "AI Gateway: skip the cache"),
  ];
  const fields = [
    ["gateway", account],
    ["gateway.id", id],
    ["gateway.token", token],
    ["gateway.provider", provider],
    ["gateway.cache_ttl", ttl],
    ["gateway.skip_cache", skip],
  ];
  const text = (control) => control.value.trim();
  const read = () => {
    if ([account, id, token, provider, ttl].every((control) => text(control) === "") && !skip.checked)
      return undefined;
    return {
      account: text(account),
      id: text(id),
      ...(token.value ? { token: text(token) } : forget.checked && { token: null }),
      ...(text(provider) && { provider: text(provider) }),
      ...(text(ttl) && { cache_ttl: Number(text(ttl)) }),
      ...(skip.checked && { skip_cache: true }),
    };
  };
  return { elements, fields, read };
}

// Package deploy brings edgelingua to a Cloudflare account, step by step, by running wrangler. It ends with a worker that
// answers.
//
//  1. wrangler whoami: somebody is logged in, and it is clear to which account.
//  2. wrangler secret list: which secrets the worker has. ADMIN_KEY or SEAL_KEY say that it serves personal endpoints.
//  3. With personal endpoints: Generated, a wrangler.toml with their bindings beside the user's own, which is never written.
//  4. wrangler deploy.
//  5. wrangler secret bulk: what is missing and can be made, taken from the environment, or asked for.
//  6. The worker answers at its URL, and takes the keys.
//  7. With personal endpoints: the first one, where there is none.
//  8. The live smoke, where a model is named.
//  9. What a person must keep, shown this once.
//
// Secrets reach wrangler through its stdin alone: they are in no argument, no variable of its environment and no file. They are
// shown at a terminal alone. Every step finds what an earlier run has done, so that an interrupted run is mended by the next.
package deploy

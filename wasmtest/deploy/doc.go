// Package deploy brings edgelingua to a Cloudflare account by running wrangler, step by step, until
// the worker answers.
//
//  1. wrangler whoami: somebody is logged in, and wrangler.toml or the login leaves one account
//     only.
//  2. wrangler secret list: the secrets that the worker has. ADMIN_KEY or SEAL_KEY mean that it
//     serves personal endpoints.
//  3. With personal endpoints: the file Generated, a copy of the user's wrangler.toml with the
//     bindings added. The user's own is never written.
//  4. wrangler deploy.
//  5. wrangler secret bulk: the secrets that are missing, generated, taken from the environment, or
//     asked for.
//  6. The worker answers at its URL and accepts its keys.
//  7. With personal endpoints: a first endpoint is made, where there is none.
//  8. The live smoke is run, where a model is named.
//  9. The keys that a person must keep are shown, this one time.
//
// Secrets reach wrangler through its stdin only: they are in no argument, no variable of its
// environment and no file. They are shown on a terminal only. Every step finds out what earlier
// runs have done, so a second run completes one that was interrupted.
package deploy

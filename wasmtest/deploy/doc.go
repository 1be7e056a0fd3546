// Package deploy brings edgelingua to a Cloudflare account by running wrangler, step by step, until
// the worker answers.
//
//  1. wrangler whoami: somebody is logged in, and wrangler.toml or the login leaves one account
//     only. With a temporary account instead: nobody is logged in, and the person accepts
//     Cloudflare's terms.
//  2. wrangler secret list: the worker's secrets. ADMIN_KEY or SEAL_KEY mean that the worker serves
//     personal endpoints.
//  3. With personal endpoints: the file Generated, a copy of the user's wrangler.toml with the
//     bindings added. The user's file is never written to.
//  4. wrangler deploy. With a temporary account, step 5 is part of this run of wrangler.
//  5. wrangler secret bulk: the missing secrets, from the environment, generated, or asked for.
//  6. The worker answers at its URL and accepts its keys.
//  7. With personal endpoints: a first endpoint is made, if there is none.
//  8. The live smoke is run, if a model is named.
//  9. The keys for a person to keep are shown, this one time.
//
// Secrets reach wrangler through its stdin only. No argument, no variable of wrangler's environment
// and no file has them. Only a terminal shows them. Every step finds out what earlier runs have
// done, so a second run completes an interrupted one.
package deploy

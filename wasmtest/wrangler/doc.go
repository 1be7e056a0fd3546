// Package wrangler reads the settings of a worker from the config files of wrangler, by the rules
// of wrangler 4.156.
//
//   - The vars of wrangler.json, wrangler.jsonc or wrangler.toml, the first of these files that exists.
//     With an environment only the vars of [env.NAME]: it inherits none. A var that is no string
//     becomes JSON.
//   - Over the vars .dev.vars.NAME or, if there is none, .dev.vars. If there is neither: .env,
//     .env.local, .env.NAME and .env.NAME.local, each over the one before. These files are beside
//     the config file.
//
// Text that wrangler would skip silently or misunderstand is an error here. Bindings are not read.
package wrangler

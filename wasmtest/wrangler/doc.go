// Package wrangler reads the settings of a worker from the files that wrangler reads, by the rules
// of wrangler 4.156.
//
//   - The vars of wrangler.json, wrangler.jsonc or wrangler.toml, the first of these that is there, or
//     with an environment those of [env.NAME], which inherits none. A var that is no string is its
//     JSON.
//   - Over them .dev.vars.NAME or, where there is none, .dev.vars; where there is neither, .env,
//     .env.local, .env.NAME and .env.NAME.local, each over the one before. They lie beside
//     wrangler.toml.
//
// What wrangler would skip in silence, or take for something else, is an error here. Bindings are
// not read.
package wrangler

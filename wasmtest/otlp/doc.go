// Package otlp sends a span for each request of the local host to the collector of spans at
// OTLP_URL, in batches.
//
// A span contains only what is in the request's log entry. worker/workerd/otlp.mjs makes the same
// spans for workerd; e2e/ops/otlp.test.mjs tests both. The form is OTLP/HTTP in JSON
// (opentelemetry.io, "OTLP Specification", "JSON Protobuf Encoding"). The names are those of the
// semantic conventions for generative AI ("gen-ai-spans").
package otlp

// Package otlp sends a span for each request of the local host to the collector of spans at
// OTLP_URL, in batches.
//
// A span is made from the request's entry in the log: what that does not say, no span says.
// worker/workerd/otlp.mjs makes the same ones for workerd, and e2e/ops/otlp.test.mjs holds both to
// it. The form is OTLP/HTTP in JSON (opentelemetry.io, "OTLP Specification", "JSON Protobuf
// Encoding"), the names are those of the semantic conventions for generative AI ("gen-ai-spans").
package otlp

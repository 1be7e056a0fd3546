package google

// Unsigned is the signature of a call that has none of its own: another vendor's model has made it,
// or a client has lost the signature. Google documents the value for that
// (ai.google.dev/gemini-api/docs/thought-signatures, FAQ); it has to stand at the first call of
// each step, or Gemini 3 answers 400.
const Unsigned = "skip_thought_signature_validator"

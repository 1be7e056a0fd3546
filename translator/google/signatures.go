package google

// Unsigned is the signature of a call without one of its own: another vendor's model made the call,
// or a client lost the signature. Google documents this value
// (ai.google.dev/gemini-api/docs/thought-signatures, FAQ). The first call of each step must have a
// signature, or Gemini 3 answers 400.
const Unsigned = "skip_thought_signature_validator"

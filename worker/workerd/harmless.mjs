// Keeps browsers from treating an answer of the program as a document of the page's origin, even if
// the upstream chose its body. wasmtest/cli/harmless.go has the same headers.
// worker/upstream/answer.go decides the content-type.

const HEADERS = {
  "x-content-type-options": "nosniff", // the content-type is not guessed
  // opened as a document, the answer runs nothing and has no origin
  "content-security-policy": "sandbox; default-src 'none'",
  // other sites can't load the answer as an image, a script or the like
  "cross-origin-resource-policy": "same-origin",
};

// harmless adds the headers to a Response, and returns the Response.
export function harmless(response) {
  for (const [name, value] of Object.entries(HEADERS)) response.headers.set(name, value);
  return response;
}

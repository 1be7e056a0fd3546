// Keeps browsers from taking an answer of the program for a document of the page's origin, whoever
// has written its body. wasmtest/cli/harmless.go has the same headers. What content-types an answer
// may have, worker/upstream/answer.go says.

const HEADERS = {
  "x-content-type-options": "nosniff", // the content-type is not guessed
  // opened as a document, it runs nothing and is of no origin
  "content-security-policy": "sandbox; default-src 'none'",
  // other sites can't load it as an image, a script or the like
  "cross-origin-resource-policy": "same-origin",
};

// harmless adds the headers to a Response, and returns it.
export function harmless(response) {
  for (const [name, value] of Object.entries(HEADERS)) response.headers.set(name, value);
  return response;
}

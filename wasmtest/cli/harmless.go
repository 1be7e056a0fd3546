package cli

import "net/http"

// harmlessHeaders keep browsers from treating an answer as a document of the page's origin,
// regardless of the author of its body. worker/workerd/harmless.mjs has the same headers.
var harmlessHeaders = map[string]string{
	"X-Content-Type-Options": "nosniff", // the content-type is not guessed
	// a document with this header runs nothing and has no origin
	"Content-Security-Policy": "sandbox; default-src 'none'",
	// other sites can't load the answer as an image, a script or the like
	"Cross-Origin-Resource-Policy": "same-origin",
}

// harmless returns a handler that adds the headers to all answers of handler. The page's files
// replace them.
func harmless(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, value := range harmlessHeaders {
			w.Header().Set(name, value)
		}
		handler.ServeHTTP(w, r)
	})
}

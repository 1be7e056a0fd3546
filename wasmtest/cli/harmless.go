package cli

import "net/http"

// harmlessHeaders are the headers that keep browsers from taking an answer for a document of the
// page's origin, whoever has written its body: worker/workerd/harmless.mjs has the same ones.
var harmlessHeaders = map[string]string{
	"X-Content-Type-Options": "nosniff", // the content-type is not guessed
	// opened as a document, it runs nothing and is of no origin
	"Content-Security-Policy": "sandbox; default-src 'none'",
	// other sites can't load it as an image, a script or the like
	"Cross-Origin-Resource-Policy": "same-origin",
}

// harmless returns a handler that adds the headers to all answers of handler. The files of the page
// replace them by their own.
func harmless(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, value := range harmlessHeaders {
			w.Header().Set(name, value)
		}
		handler.ServeHTTP(w, r)
	})
}

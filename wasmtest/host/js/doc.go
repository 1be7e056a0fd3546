// Package js is the JavaScript that the module sees through syscall/js, without a JavaScript
// engine: values as Go values, the table of refs, promises, the event loop, and the classes of the
// Fetch API. The package implements only properties that the module uses. Any other property ends
// the instance with an error (Stop), instead of being undefined without notice.
package js

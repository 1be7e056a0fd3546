// Package js is the JavaScript that the module sees through syscall/js, without a JavaScript engine:
// values as Go values, the table of refs, promises, the event loop, and the classes of the Fetch API.
// It has only what the module uses. A property that this package does not know ends the instance
// with an error (Stop), and is never a silent undefined.
package js

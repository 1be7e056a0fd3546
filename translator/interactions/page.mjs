// How the page shows this protocol, which has no clients. wasmtest/apis describes each export.

// model is this vendor's model that clients most likely use.
export const model = "gemini-3.1-pro-preview";

// The page's view of this protocol, which no client speaks. worker/page/views.mjs says what each
// export is.

// model is the one that clients most likely ask this vendor for.
export const model = "gemini-3.1-pro-preview";

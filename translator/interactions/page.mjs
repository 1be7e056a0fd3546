// The page's view of this protocol, which no client speaks. worker/page/lib/views.mjs describes
// each export.

// model is this vendor's model that clients most likely use.
export const model = "gemini-3.1-pro-preview";

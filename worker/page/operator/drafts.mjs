// Drafts: forms in which something was typed that is not saved. A draft is kept while the page
// shows another view, and is shown again as it was.

// name of the endpoint, "" for one that is not created yet -> { form, view }; that one has no view
const drafts = new Map();

// draftOf returns the draft of an endpoint, or undefined where its form holds only what is saved.
export function draftOf(name) {
  const draft = drafts.get(name);
  return draft?.form.unsaved() ? draft : undefined;
}

// keepDraft keeps the form of an endpoint, until dropDraft is called for that endpoint.
export const keepDraft = (name, draft) => drafts.set(name, draft);

export const dropDraft = (name) => drafts.delete(name);

// dropDrafts drops all drafts when the operator signs out: they may hold keys of upstreams, and
// somebody else may sign in next.
export const dropDrafts = () => drafts.clear();

// unsaved returns the names of the endpoints that have a draft.
export const unsaved = () => [...drafts.keys()].filter(draftOf);

// While there is a draft, the browser asks before it closes the page or loads it anew: that is what
// preventDefault stands for in this event.
window.addEventListener("beforeunload", (event) => unsaved().length > 0 && event.preventDefault());

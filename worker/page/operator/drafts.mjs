// Drafts: forms with unsaved input. The page stores a draft while another view is shown, and then
// shows the same form again.

// name of the endpoint -> { form, view }; a new endpoint has the name "" and no view
const drafts = new Map();

// draftOf returns the draft of an endpoint, or undefined if its form has no changes.
export function draftOf(name) {
  // A question at each change of view would be answered without being read. The end of a session
  // keeps drafts, or an hour's work would be lost. If somebody else changes the endpoint meanwhile,
  // saving reports it.
  const draft = drafts.get(name);
  return draft?.form.unsaved() ? draft : undefined;
}

// keepDraft stores the form of an endpoint, until dropDraft is called for that endpoint.
export const keepDraft = (name, draft) => drafts.set(name, draft);

export const dropDraft = (name) => drafts.delete(name);

// dropDrafts deletes all drafts when the operator signs out. They may contain keys of upstreams,
// and the next user may be another person.
export const dropDrafts = () => drafts.clear();

// unsaved returns the names of the endpoints with a draft.
export const unsaved = () => [...drafts.keys()].filter(draftOf);

// While there is a draft, the browser asks the user before it closes or reloads the page:
// preventDefault requests this.
window.addEventListener("beforeunload", (event) => unsaved().length > 0 && event.preventDefault());

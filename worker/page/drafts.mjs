// Forms that hold what is not saved. They stay while other views are shown, so that nothing that was typed is lost.

const drafts = new Map(); // name of the endpoint, "" for a new one -> { form, view }; a new one has no view around its form

// draftOf returns the draft of an endpoint, undefined for none that is not saved.
export function draftOf(name) {
  const draft = drafts.get(name);
  return draft?.form.unsaved() ? draft : undefined;
}

// keepDraft keeps a form until dropDraft.
export const keepDraft = (name, draft) => drafts.set(name, draft);

export const dropDraft = (name) => drafts.delete(name);

// dropDrafts forgets all that is not saved: keys of upstreams are among it, and the next one who signs in may be somebody else.
export const dropDrafts = () => drafts.clear();

// unsaved returns the names of all drafts that are not saved.
export const unsaved = () => [...drafts.keys()].filter(draftOf);

// A browser asks before it closes or loads a page whose listener does this, if something was typed.
window.addEventListener("beforeunload", (event) => unsaved().length > 0 && event.preventDefault());

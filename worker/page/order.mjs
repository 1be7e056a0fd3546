// The order of cards in a list: by drag, with a mouse, a pen or a finger. Buttons do the same for the keyboard.

// sortable lets handle drag card among its neighbours. onmove is called where it was let go.
export function sortable(card, handle, onmove) {
  handle.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    event.preventDefault();
    handle.setPointerCapture(event.pointerId);
    const list = card.parentElement;
    list.classList.add("sorting"); // the cards show their titles alone: so they are near each other
    card.classList.add("held");
    const from = middle(card) - event.clientY;
    // The card itself stays in the document, or it would lose the pointer: its neighbours go to its other side.
    const move = ({ clientY }) => {
      const at = from + clientY;
      while (card.previousElementSibling && at < middle(card.previousElementSibling)) card.after(card.previousElementSibling);
      while (card.nextElementSibling && at > middle(card.nextElementSibling)) card.before(card.nextElementSibling);
    };
    handle.addEventListener("pointermove", move);
    handle.addEventListener(
      "lostpointercapture",
      () => {
        handle.removeEventListener("pointermove", move);
        list.classList.remove("sorting");
        card.classList.remove("held");
        card.scrollIntoView({ block: "nearest" });
        onmove();
      },
      { once: true },
    );
  });
}

function middle(card) {
  const { top, height } = card.getBoundingClientRect();
  return top + height / 2;
}

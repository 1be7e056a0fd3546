// The order of cards in a list, by drag with a mouse, a pen or a finger. Buttons do the same for
// the keyboard.

// sortable lets the user drag a card of a list by its handle. onmove is called at the end of the
// drag.
export function sortable(card, handle, onmove) {
  handle.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    event.preventDefault();
    handle.setPointerCapture(event.pointerId);
    const list = card.parentElement;
    // with this class cards show only their titles, to fit into the view
    list.classList.add("sorting");
    card.classList.add("dragged");
    const from = middle(card) - event.clientY;
    // A card removed from the document loses the pointer. So the card stays, and each passed
    // neighbour moves to the card's other side.
    const move = ({ clientY }) => {
      const at = from + clientY;
      while (card.previousElementSibling && at < middle(card.previousElementSibling))
        card.after(card.previousElementSibling);
      while (card.nextElementSibling && at > middle(card.nextElementSibling))
        card.before(card.nextElementSibling);
    };
    handle.addEventListener("pointermove", move);
    handle.addEventListener(
      "lostpointercapture",
      () => {
        handle.removeEventListener("pointermove", move);
        list.classList.remove("sorting");
        card.classList.remove("dragged");
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

"""Keeps track of what is on the shelves of a small shop."""

from __future__ import annotations

import csv
import logging
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

logger = logging.getLogger(__name__)


class OutOfStock(Exception):
    """Raised when more of an article is sold than there is."""


@dataclass(order=True)
class Batch:
    best_before: date
    quantity: int = field(compare=False)


class Inventory:
    def __init__(self, reorder_level: int = 10) -> None:
        self.reorder_level = reorder_level
        self._batches: dict[str, list[Batch]] = defaultdict(list)

    @classmethod
    def from_csv(cls, path: Path) -> "Inventory":
        inventory = cls()
        with path.open(newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                inventory.receive(row["article"], int(row["quantity"]), date.fromisoformat(row["best_before"]))
        logger.info("read %d articles from %s", len(inventory._batches), path)
        return inventory

    def receive(self, article: str, quantity: int, best_before: date) -> None:
        if quantity <= 0:
            raise ValueError(f"quantity must be positive, not {quantity!r}")
        self._batches[article].append(Batch(best_before, quantity))
        self._batches[article].sort()

    def available(self, article: str, today: date | None = None) -> int:
        today = today or date.today()
        return sum(batch.quantity for batch in self._batches[article] if batch.best_before >= today)

    def sell(self, article: str, quantity: int) -> None:
        """Takes the oldest batches first."""
        if self.available(article) < quantity:
            raise OutOfStock(f"only {self.available(article)} of {article} left")
        while quantity > 0:
            oldest = self._batches[article][0]
            taken = min(oldest.quantity, quantity)
            oldest.quantity -= taken
            quantity -= taken
            if oldest.quantity == 0:
                self._batches[article].pop(0)

    def to_reorder(self) -> list[str]:
        return sorted(name for name in self._batches if self.available(name) < self.reorder_level)

"""What a client has shown so far, and waiting for it to show something."""

import threading

from harness.client import DEADLINE


class Screen:
    """Texts in the order in which they were shown."""

    def __init__(self):
        self.texts = []
        self._changed = threading.Condition()
        self._looked_at = 0

    def show(self, text):
        with self._changed:
            self.texts.append(text)
            self._changed.notify_all()

    def shows(self, words, within=DEADLINE):
        """Whether a text with these words is shown within some seconds, or was since the last such question."""
        with self._changed:
            return self._changed.wait_for(lambda: self._next(words), timeout=within)

    def _next(self, words):
        for place in range(self._looked_at, len(self.texts)):
            if words in self.texts[place]:
                self._looked_at = place + 1
                return True
        return False

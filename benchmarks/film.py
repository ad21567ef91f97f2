"""A training run as a film: a few numbers and one attention map at moments that are close together at the beginning."""

from collections.abc import Callable

import torch
from torch import Tensor

from minibert import BertForPreTraining

FRAMES = 24


def frames(steps: int) -> list[int]:
    """The steps at which a film has a frame: 0, and then further and further apart."""
    return sorted({round(steps * (i / (FRAMES - 1)) ** 2) for i in range(FRAMES)})


class Film:
    """Frames of one run. `numbers(model)` gives what else belongs to a frame.

    batch     one text or pair, whose attention is filmed
    gap       the position of [MASK] in its first text
    answer    the position that tells the reader what is hidden
    """

    def __init__(
        self,
        steps: int,
        numbers: Callable[[BertForPreTraining], dict],
        batch: dict[str, Tensor],
        gap: int,
        answer: int,
    ):
        self.steps, self.numbers, self.batch = frames(steps), numbers, batch
        self.gap, self.answer = gap, answer
        self.shots: list[dict] = []
        self.maps: list[Tensor] = []  # [L, A, T, T]: the attention within the first text

    @torch.no_grad()
    def shoot(self, model: BertForPreTraining, step: int) -> None:
        """Adds a frame if there is to be one at this step."""
        if step not in self.steps:
            return
        self.shots.append(self.numbers(model))
        seen = model.eval()(**self.batch, output_attentions=True).attentions  # L · [1, A, S, S]
        model.train()
        end = int(self.batch["token_type_ids"][0].argmax())
        self.maps.append(torch.stack([layer[0, :, :end, :end] for layer in seen]))

    def developed(self) -> dict:
        """The film in a form that JSON holds. Of all heads it keeps the one in which the gap looks most at the answer in the end.

        A map is a list of rows, and a row a text of whole per cents.
        """
        found = self.maps[-1][:, :, self.gap, self.answer]  # [L, A]
        layer, head = divmod(int(found.argmax()), found.size(1))
        return {
            "step": self.steps,
            **{name: [shot[name] for shot in self.shots] for name in self.shots[0]},
            "layer": layer,
            "head": head,
            "maps": [
                [
                    " ".join(str(round(100 * weight)) for weight in row)
                    for row in seen[layer, head].tolist()
                ]
                for seen in self.maps
            ],
        }

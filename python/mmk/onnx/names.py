"""Names of a model as identifiers of the language and of Python."""

from __future__ import annotations

import keyword
import re
from typing import Dict, Set

# Letters of index variables; a tensor with such a name has a `_` behind it.
VARIABLES = "ijklmnopqrstuvdefghc"
LANGUAGE = """
kernel fn let schedule for require case check cast inf nan const int dim math abs exp log log1p expm1 sqrt tanh erf floor ceil
min max select sum prod mean argmax argmin any all cumsum transpose random extent index pad square reciprocal rsqrt
clamp relu relu6 leaky_relu elu selu sigmoid hardsigmoid silu swish hardswish softplus log_sigmoid celu binary_cross_entropy binary_cross_entropy_with_logits softsign mish gelu gelu_tanh
hardtanh softmax log_softmax logsumexp variance layer_norm rms_norm l2_normalize dropout finite_or_zero above_none max_pool
avg_pool max_pool2d avg_pool2d upsample conv1d conv2d conv3d conv2d_nhwc grouped_conv2d depthwise_conv2d
conv_transpose2d conv_transpose2d_phases f32 f16 bf16 i8 i32
""".split()
DRIVER = "run model main Model".split()


class Names:
    """Identifiers, one for each thing that has a name."""

    def __init__(self) -> None:
        self._taken: Set[str] = {*LANGUAGE, *DRIVER, *VARIABLES, *keyword.kwlist, *dir(__builtins__)}
        self._given: Dict[str, str] = {}

    def reserve(self, word: str) -> None:
        self._taken.add(word)

    def of(self, original: str) -> str:
        """The identifier of a tensor of the model."""
        if original not in self._given:
            self._given[original] = self.fresh(original)
        return self._given[original]

    def fresh(self, original: str) -> str:
        """An identifier near this word that nothing else has."""
        word = re.sub(r"\W+", "_", original, flags=re.ASCII).strip("_")[:80] or "value"
        if word[0].isdigit():
            word = "_" + word
        if re.fullmatch(rf"[{VARIABLES}]\d*", word):
            word += "_"
        name, number = word, 1
        while name in self._taken:
            number += 1
            name = f"{word}_" if number == 2 else f"{word}_{number}"
        self._taken.add(name)
        return name

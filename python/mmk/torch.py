"""Custom operators of PyTorch from kernels.

    forward = mmk.compile("linear.mmk", kernel="linear")      # linear(x, w, bias) -> y
    backward = mmk.compile("linear.mmk", kernel="backward")   # ... -> grad_x, grad_w, grad_bias
    linear = mmk.torch.op("mylib::linear", forward, backward)
    y = linear(x, w, bias)                                     # or torch.ops.mylib.linear(x, w, bias)

Arguments are tensors of the CPU, in place, with their strides.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Sequence, Union

import torch

from mmk.errors import Error
from mmk.kernel import Kernel

_libraries: Dict[str, Any] = {}  # by namespace; PyTorch forgets operators whose library is freed

GRADIENT = "grad_"


def op(name: str, forward: Kernel, backward: Union[Kernel, Sequence[Kernel], None] = None) -> Callable[..., Any]:
    """Registers `name` ("namespace::operator") and returns a function that calls it.

    Its arguments are the parameters of `forward`, in order: tensors, and scalars as numbers. `backward`, a
    kernel or several, makes it differentiable: their parameters are found by name among the parameters and
    results of `forward` and the gradients of its results, which are `grad_` and the result's name; a result
    `grad_x` is the gradient of the parameter x. Parameters without one get none, nor do scalars, and a result
    whose gradient no kernel reads is not differentiable.
    """
    kernels = [] if backward is None else [backward] if isinstance(backward, Kernel) else list(backward)
    operator = _Operator(name, forward, kernels)
    namespace, _, short = name.partition("::")
    if not short:
        raise Error(f"an operator's name is 'namespace::operator', found '{name}'")
    library = _libraries.get(namespace)
    if library is None:
        library = _libraries[namespace] = torch.library.Library(namespace, "DEF")
    library.define(operator.schema(short))
    library.impl(short, operator.run, "CPU")
    if kernels:
        library.impl(short, operator.differentiable, "AutogradCPU")
    function = getattr(getattr(torch.ops, namespace), short)
    operator.function = function
    return function


class _Operator:
    """A forward kernel with those of its gradients."""

    def __init__(self, name: str, forward: Kernel, backward: List[Kernel]):
        self.name = name
        self.forward = forward
        self.backward = backward
        self.parameters = list(forward.parameters)
        self.results = list(forward.results)
        self.tensors = [each for each, kind in forward.parameters.items() if "[" in kind]
        self.gradients = {result[len(GRADIENT):]: kernel for kernel in backward for result in kernel.results}
        self._expect_known()

    def _expect_known(self) -> None:
        """Every name of the backward kernels means something."""
        known = [*self.parameters, *self.results, *(GRADIENT + each for each in self.results)]
        for kernel in self.backward:
            for each in kernel.parameters:
                if each not in known:
                    raise Error(f"{kernel.name} of {self.name} has the parameter '{each}'; known are "
                                f"{', '.join(known)}")
            for each in kernel.results:
                if not each.startswith(GRADIENT) or each[len(GRADIENT):] not in self.tensors:
                    raise Error(f"{kernel.name} of {self.name} has the result '{each}'; gradients are "
                                f"{', '.join(GRADIENT + tensor for tensor in self.tensors)}")

    def reads_gradient(self, result: str) -> bool:
        return any(GRADIENT + result in kernel.parameters for kernel in self.backward)

    def schema(self, name: str) -> str:
        arguments = ", ".join(("Tensor " if each in self.tensors else "float ") + each
                              for each in self.parameters)
        results = ", ".join("Tensor" for _ in self.results)
        return f"{name}({arguments}) -> {results if len(self.results) == 1 else f'({results})'}"

    def run(self, *values: Any) -> Any:
        results = self.forward(*(value.detach() if isinstance(value, torch.Tensor) else value
                                 for value in values))
        return results if len(self.results) == 1 else tuple(results)

    def differentiable(self, *values: Any) -> Any:
        return _Differentiable.apply(self, *values)


class _Differentiable(torch.autograd.Function):
    @staticmethod
    def forward(context: Any, operator: _Operator, *values: Any) -> Any:
        results = operator.run(*values)
        context.operator = operator
        context.scalars = [None if isinstance(value, torch.Tensor) else value for value in values]
        context.mark_non_differentiable(*(
            result for name, result in zip(operator.results, [results] if len(operator.results) == 1 else results)
            if not operator.reads_gradient(name)))
        context.save_for_backward(*(value for value in values if isinstance(value, torch.Tensor)),
                                  *([results] if len(operator.results) == 1 else results))
        return results

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(context: Any, *gradients: Any) -> Any:
        operator = context.operator
        saved = list(context.saved_tensors)
        known: Dict[str, Any] = {}
        for name, scalar in zip(operator.parameters, context.scalars):
            known[name] = saved.pop(0) if scalar is None else scalar
        known.update(zip(operator.results, saved))
        known.update((GRADIENT + name, gradient) for name, gradient in zip(operator.results, gradients))
        found: Dict[str, Any] = {}
        wanted = {name for name, needs in zip(operator.parameters, context.needs_input_grad[1:]) if needs}
        for kernel in operator.backward:
            names = [each[len(GRADIENT):] for each in kernel.results]
            if not wanted.intersection(names):
                continue
            made = kernel(**{name: known[name].detach() if isinstance(known[name], torch.Tensor) else known[name]
                             for name in kernel.parameters})
            found.update(zip(names, [made] if len(names) == 1 else made))
        return (None, *(found.get(name) if name in wanted else None for name in operator.parameters))

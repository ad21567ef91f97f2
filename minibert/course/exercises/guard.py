"""Requirements on every answer: it has the solution's signature and does not change its arguments."""

import functools
import inspect
import linecache
import traceback
from collections.abc import Callable

from torch import Tensor, nn

from minibert.course.exercises.compare import Mistake


def expect_call(answer: Callable, solution: Callable) -> None:
    """Raises Mistake unless the answer can be called like the solution.

    If the class has a `forward`, it must be callable like the solution's, too. A stub may have
    none.
    """
    _expect_parameters(answer, solution, solution.__name__)
    if isinstance(answer, type) and hasattr(solution, "forward"):
        if "forward" not in vars(answer) and not issubclass(answer, nn.Module):
            raise Mistake(
                f"{solution.__name__} should be a module: class {solution.__name__}(nn.Module), with a forward."
            )
        if answer.forward is not nn.Module.forward:
            _expect_parameters(answer.forward, solution.forward, "forward")


def _expect_parameters(answer: Callable, solution: Callable, name: str) -> None:
    wanted = inspect.signature(solution).parameters.values()
    required = [
        p.name for p in wanted if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD
    ]
    named = {p.name: None for p in wanted if p.default is p.empty and p.kind is p.KEYWORD_ONLY}
    optional = {p.name: None for p in wanted if p.default is not p.empty}
    own = inspect.signature(answer)
    for more in (optional, {}):
        try:
            own.bind(*required, **named, **more)
        except TypeError as error:
            call = ", ".join([*required, *(f"{p}=…" for p in (*named, *more))]).removeprefix(
                "self, "
            )
            raise Mistake(
                f"{name} will be called as {name}({call}), and yours takes ({', '.join(own.parameters)}): {error}. Keep the first line of the stub."
            ) from None


def watched(answer: Callable, may_change: tuple[str, ...]) -> Callable:
    """Wraps an answer so that every call raises Mistake if it changes an argument in place.

    Arguments named in `may_change` are exempt. A call also raises Mistake if it returns the same
    object as the previous call with other arguments. For a class, the instances' `forward` is
    wrapped.
    """
    if isinstance(answer, type):

        @functools.wraps(answer, assigned=("__name__",), updated=())
        def made(*args, **kwargs):
            module = answer(*args, **kwargs)
            if isinstance(module, nn.Module):
                module.forward = _leaving_alone(module.forward, may_change)
            return module

        return made
    return _leaving_alone(answer, may_change)


def _leaving_alone(answer: Callable, may_change: tuple[str, ...]) -> Callable:
    signature = inspect.signature(answer)
    last = None  # arguments and result of the previous call

    @functools.wraps(answer, updated=())
    def watching(*args, **kwargs):
        nonlocal last
        given = {
            name: value
            for name, value in signature.bind(*args, **kwargs).arguments.items()
            if name not in may_change
        }
        before = {name: _kept(value) for name, value in given.items()}
        result = answer(*args, **kwargs)
        for name, value in given.items():
            if how := _change(before[name], value):
                raise Mistake(
                    f"Your function changes `{name}`, which it was given, in place: {how}. Whoever calls it still needs that as it was. Make a new one."
                )
        if (
            last
            and isinstance(result, Tensor | list | dict)
            and result is last[1]
            and _change(last[0], before)
        ):
            raise Mistake(
                "Called again with other arguments, your function returns the very same object: it remembers a result instead of computing one."
            )
        last = before, result
        return result

    return watching


def _kept(value):
    """Copies tensors, lists, tuples and dicts recursively; returns anything else unchanged."""
    if isinstance(value, Tensor):
        return value.detach().clone()
    if type(value) in (list, tuple):
        return type(value)(map(_kept, value))
    return {key: _kept(each) for key, each in value.items()} if type(value) is dict else value


def _change(before, after) -> str:
    """Describes how a value differs from its earlier copy; an empty string if it does not."""
    if type(before) is not type(after) and not isinstance(before, Tensor):
        return f"where {before!r} stood, there is {after!r}"
    if isinstance(before, Tensor):
        if not isinstance(after, Tensor):
            return f"a tensor has become a {type(after).__name__}"
        if after.shape != before.shape:
            return f"it had the shape {list(before.shape)} and has {list(after.shape)}"
        different = int(
            (after.detach() != before).logical_and(~(after.isnan() & before.isnan())).sum()
        )
        return (
            f"{different} of its {before.numel()} numbers differ after the call"
            if different
            else ""
        )
    if type(before) in (list, tuple, dict) and len(before) != len(after):
        return f"it had {len(before)} entries and has {len(after)}"
    if type(before) is dict:
        return next((how for key in before if (how := _change(before[key], after.get(key)))), "")
    if type(before) in (list, tuple):
        return next((how for one, other in zip(before, after) if (how := _change(one, other))), "")
    return (
        f"where {before!r} stood, there is {after!r}"
        if isinstance(before, str | int | float) and before != after
        else ""
    )


def line_of(answer: Callable, error: Exception) -> str:
    """Describes the line of the reader's code that raised an error; an empty string if none did."""
    for frame in reversed(list(traceback.walk_tb(error.__traceback__))):
        if frame[0].f_globals.get("__name__") == getattr(answer, "__module__", None):
            line = linecache.getline(frame[0].f_code.co_filename, frame[1]).strip()
            return (
                f" in your line `{line if len(line) < 100 else line[:100] + '…'}`" if line else ""
            )
    return ""

"""An interactive figure that shows one of several prepared frames, chosen with a slider."""

from minibert.course.figures.moving import Moving, moving


def flipbook(
    frames: dict,
    label: str,
    try_this: str = "Move the slider, or focus it and press the arrow keys.",
) -> Moving:
    """Returns a slider over `frames`, which also works in the static page.

    frames: name -> HTML text, or an object whose `.data` is HTML text. Raises ValueError if there
    are fewer than two.
    """
    if len(frames) < 2:
        raise ValueError(f"a flipbook needs at least two frames, not {len(frames)}")
    pages = {str(name): getattr(frame, "data", frame) for name, frame in frames.items()}
    return moving(
        "flipbook",
        {"names": list(pages), "pages": list(pages.values())},
        label=label,
        alt=f"{len(pages)} frames, from {next(iter(pages))} to {list(pages)[-1]}.",
        try_this=try_this,
    )

"""A moving figure of prepared frames, turned by a slider."""

from minibert.course.figures.moving import Moving, moving


def flipbook(
    frames: dict,
    label: str,
    try_this: str = "Move the slider, or focus it and press the arrow keys.",
) -> Moving:
    """A slider over `frames` (name -> HTML text, or an object with `.data`), which works in the
    static page too.

    Raises a ValueError for fewer than two frames.
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

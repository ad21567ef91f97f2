"""An interactive figure that shows one of several prepared frames, chosen with a slider."""

from minibert.course.figures.moving import Moving, moving


def flipbook(
    frames: dict,
    label: str,
    try_this: str = "Move the slider, or focus it and press the arrow keys.",
    *,
    finding: str = "",
    start: int = 0,
) -> Moving:
    """Returns a slider over `frames`, which also works in the static page.

    frames   name -> HTML text, or an object whose `.data` is HTML text; at least two
    label    what the slider chooses
    finding  the title: what the frames show; `label` if it is empty
    start    the frame that is open at first, counted as in a list: -1 is the last

    Raises ValueError if there are fewer than two frames, or none with the number `start`.
    """
    if len(frames) < 2:
        raise ValueError(f"a flipbook needs at least two frames, not {len(frames)}")
    if not -len(frames) <= start < len(frames):
        raise ValueError(f"there are {len(frames)} frames and none with the number {start}")
    start %= len(frames)
    pages = {str(name): getattr(frame, "data", frame) for name, frame in frames.items()}
    return moving(
        "flipbook",
        {
            "names": list(pages),
            "pages": list(pages.values()),
            "slider": label,
            "start": start,
        },
        label=finding or label,
        alt=f"{len(pages)} frames, from {next(iter(pages))} to {list(pages)[-1]};"
        f" this is {list(pages)[start]}.",
        try_this=try_this,
    )

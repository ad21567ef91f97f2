"""An interactive figure that shows one of several prepared frames, chosen with a slider."""

from collections.abc import Sequence

from minibert.course.figures.moving import Moving, moving


def flipbook(
    frames: dict,
    label: str,
    try_this: str = "Move the slider, or focus it and press the arrow keys.",
    *,
    finding: str = "",
    start: int = 0,
    says: Sequence[str] = (),
) -> Moving:
    """Returns a slider over `frames`, which also works in the static page.

    frames   name -> HTML text, or an object whose `.data` is HTML text; at least two
    label    what the slider chooses
    finding  the title: what the frames show; `label` if it is empty
    start    the frame that is open at first, counted as in a list: -1 is the last
    says     a sentence for each frame: what it shows, with its numbers. Without them, the figure
             says the frame's name

    Raises ValueError if there are fewer than two frames, none with the number `start`, or not one
    sentence for each.
    """
    if len(frames) < 2:
        raise ValueError(f"a flipbook needs at least two frames, not {len(frames)}")
    if not -len(frames) <= start < len(frames):
        raise ValueError(f"there are {len(frames)} frames and none with the number {start}")
    if says and len(says) != len(frames):
        raise ValueError(f"says has {len(says)} sentences for {len(frames)} frames")
    start %= len(frames)
    pages = {str(name): getattr(frame, "data", frame) for name, frame in frames.items()}
    return moving(
        "flipbook",
        {
            "names": list(pages),
            "pages": list(pages.values()),
            "slider": label,
            "start": start,
            **({"says": list(says)} if says else {}),
        },
        needs=["stage.js"],
        label=finding or label,
        alt=f"{len(pages)} frames, from {next(iter(pages))} to {list(pages)[-1]};"
        f" this is {list(pages)[start]}.",
        try_this=try_this,
    )

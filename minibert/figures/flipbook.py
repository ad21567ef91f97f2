"""A figure that the reader can move in the page, with no kernel: a slider that turns prepared frames."""

import hashlib


def flipbook(frames: dict, label: str):
    """A slider over `frames` (name -> HTML text, or an object with `.data`), linked in the browser itself.

    The slider and the frames are ipywidgets joined by `jslink`, so the figure works in the static page.
    """
    import ipywidgets

    if len(frames) < 2:
        raise ValueError(f"a flipbook needs at least two frames, not {len(frames)}")
    pages = {str(name): getattr(frame, "data", frame) for name, frame in frames.items()}
    digest = hashlib.sha256("".join(f"{name}\n{page}\n" for name, page in pages.items()).encode()).hexdigest()[:8]

    class Flipbook(ipywidgets.VBox):
        def __repr__(self):         # what a stored notebook compares: names of the frames, and a digest of their content
            return f"flipbook “{label}”: {len(pages)} frames, {digest}"

    slider = ipywidgets.SelectionSlider(options=list(pages), description=label, index=0,
                                        style={"description_width": "initial"}, layout={"width": "95%"})
    stack = ipywidgets.Stack([ipywidgets.HTML(page) for page in pages.values()], selected_index=0)
    ipywidgets.jslink((slider, "index"), (stack, "selected_index"))
    return Flipbook([slider, stack])

"""Every exercise of the course: its stub, its solution, other right answers, and the mistakes that it must name."""

import copy
import importlib
import inspect
import re

import nbformat
import pytest
import torch
from planted import answers_to

from minibert.course.exercises.base import (
    BLANK,
    SIZES,
    check,
    exercises,
    number,
)
from minibert.course.exercises.compare import (
    Mistake,
    Unforeseen,
)
from tools.environment import NOTEBOOKS
from tools.stamp import checked, imports_of

EXERCISES = list(exercises().values())
CHAPTERS = sorted({exercise.chapter for exercise in EXERCISES})
each_exercise = pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.name)
each_chapter = pytest.mark.parametrize("chapter", CHAPTERS)


def of_chapter(chapter):
    return [exercise for exercise in EXERCISES if exercise.chapter == chapter]


def as_a_reader(exercise, source):
    """Run a source with what the solutions notebook offers: the imports, and the answers before this one. -> its namespace."""
    before = of_chapter(exercise.chapter)
    namespace = {"check": check}
    exec(imports_of(before), namespace)
    for earlier in before[: before.index(exercise)]:
        exec(earlier.solution_source(), namespace)
    exec(checked(source, exercise.name), namespace)
    return namespace


def mistake_in(exercise, answer):
    """The Mistake that `check` raises for an answer, submitted under the exercise's name; None if it is accepted."""
    label, answer.__name__ = answer.__name__, exercise.name
    try:
        check(answer)
    except Mistake as mistake:
        return mistake
    finally:
        answer.__name__ = label
    return None


def refusal(exercise, answer):
    """The message that `check` has for an answer; None if it is accepted."""
    mistake = mistake_in(exercise, answer)
    return None if mistake is None else str(mistake)


@each_chapter
def test_a_chapter_has_exercises_of_every_size(chapter):
    assert {exercise.size for exercise in of_chapter(chapter)} == set(SIZES)


@each_exercise
def test_stub_is_the_solution_with_blanks(exercise):
    stub = exercise.stub()
    assert stub.count(BLANK) >= 1
    first, _, last = stub.rstrip("\n").rpartition("\n")
    whole_body = last.strip().startswith(BLANK)  # `# blank from here: …`
    blanks = re.escape(first if whole_body else stub).replace(
        re.escape(f"{BLANK}  # "), r".+?\s*#\ "
    )
    blanks += ".+" if whole_body else ""
    assert re.fullmatch(blanks, exercise.solution_source(), re.DOTALL), (
        f"the stub is not the solution with blanks:\n{stub}"
    )
    assert BLANK not in exercise.solution_source()


@each_exercise
def test_unfilled_stub_says_not_yet(exercise, capsys):
    answer = as_a_reader(exercise, exercise.stub())[exercise.name]
    said = (
        f"not yet: {exercise.name} still has a blank ({BLANK}); until then the solution is used\n"
    )
    assert capsys.readouterr().out == said
    assert answer is exercise.solution, "the chapter goes on with the published solution"


@each_exercise
def test_published_solution_passes(exercise, capsys):
    answer = as_a_reader(exercise, exercise.solution_source())[exercise.name]
    printed = capsys.readouterr().out
    assert printed.startswith(f"right: {exercise.name}") and printed.count("\n") == 1
    assert answer is not exercise.solution, "a reader goes on with their own answer"


@each_exercise
def test_other_right_answers_pass(exercise):
    assert len(answers_to(exercise).right) >= 2
    for answer in answers_to(exercise).right:
        assert inspect.getsource(answer) != inspect.getsource(exercise.solution)
        assert refusal(exercise, answer) is None, f"{answer.__name__} is right and was refused"


@each_exercise
def test_wrong_answers_are_refused_each_with_its_own_message(exercise):
    assert len(answers_to(exercise).wrong) >= 6
    messages = {}
    for answer, pattern in answers_to(exercise).wrong.items():
        label, mistake = answer.__name__, mistake_in(exercise, answer)
        assert mistake is not None, f"{label} is wrong and was accepted"
        message = str(mistake)
        assert not isinstance(mistake, Unforeseen), (
            f"{label} is planted, and gets the message for what nobody foresaw: {message}"
        )
        assert re.search(pattern, message), f"{label}: {message!r} does not say {pattern!r}"
        assert exercise.paragraph in message
        assert message == refusal(exercise, answer), f"{label}: the message changes from run to run"
        messages[label] = message
    assert len(set(messages.values())) == len(messages), f"two mistakes get one message: {messages}"
    assert len(set(answers_to(exercise).wrong.values())) == len(messages), (
        "two mistakes are told by one pattern"
    )
    own_numbers = [message for message in messages.values() if re.search(r"\d", message)]
    assert len(own_numbers) >= 2, (
        "a message should carry the reader's own numbers wherever there are any"
    )


@each_exercise
def test_a_mistake_of_the_reader_never_ends_in_a_bare_traceback(exercise):
    for answer in (lambda *a, **k: None, lambda: 1):
        answer.__name__ = exercise.name
        with pytest.raises(Mistake, match=re.escape(exercise.paragraph)):
            check(answer)


def arguments_of(exercise):
    """The names of what a function is called with; none for a class, whose forward belongs to torch."""
    return (
        ()
        if isinstance(exercise.solution, type)
        else tuple(inspect.signature(exercise.solution).parameters)
    )


def changed(exercise, before=lambda given: None, after=lambda given, result: None):
    """The solution, with something done to its arguments before the call, or after it."""
    signature = inspect.signature(exercise.solution)

    def answer(*args, **kwargs):
        given = signature.bind(*args, **kwargs)
        before(given.arguments)
        result = exercise.solution(*given.args, **given.kwargs)
        after(given.arguments, result)
        return result

    answer.__signature__ = signature
    return answer


# Arguments that a right answer may take from the first call: what decides is not their values (a probe is tried on other
# patients, with the same input), or one call alone names them.
FREE = {
    ("mask_batch", "generator"),
    ("what_it_shows", "margin"),
    ("idle_parameters", "x"),
    ("mend_program", "source"),
    ("operated_layer", "hidden"),
    ("operated_layer", "mask"),
    *(("padding_probe", name) for name in ("query", "key", "value", "padding")),
}


@each_exercise
def test_an_argument_of_the_first_call_is_not_enough(exercise):
    """Sizes and numbers that are taken from the first call and kept must be seen: every check varies every argument."""
    for name in arguments_of(exercise):
        if (exercise.name, name) in FREE:
            continue
        kept = {}  # by name; a function or a module is not kept, since it may change without being another one

        def keep(given, name=name, kept=kept):
            if name in given and not callable(given[name]):
                given[name] = kept.setdefault(
                    name,
                    copy.deepcopy(
                        list(given[name]) if hasattr(given[name], "__next__") else given[name]
                    ),
                )

        message = refusal(exercise, changed(exercise, before=keep))
        assert message is not None or not kept, (
            f"{exercise.name} takes {name} from the first call for ever, and was accepted"
        )


@each_exercise
def test_an_answer_that_writes_into_its_arguments_is_refused(exercise):
    for name in arguments_of(exercise):
        seen = []

        def spoil(given, result, name=name, seen=seen):
            value = given.get(name)
            if isinstance(value, torch.Tensor) and value.numel() and not value.requires_grad:
                seen.append(value.zero_() if value.any() else value.fill_(1))
            elif isinstance(value, list | dict) and value and value is not result:
                seen.append(value.clear())

        message = refusal(exercise, changed(exercise, after=spoil))
        if seen and name not in exercise.may_change:
            assert message is not None and f"`{name}`" in message, (
                f"{exercise.name} writes into {name}: {message}"
            )


@each_exercise
def test_a_check_does_not_read_the_answer(exercise, monkeypatch):
    """It looks at what an answer does, never at its text."""

    def unreadable(*args, **kwargs):
        raise AssertionError("a check asked for the source of an answer")

    for name in ("getsource", "getsourcelines", "getsourcefile"):
        monkeypatch.setattr(inspect, name, unreadable)
    assert refusal(exercise, answers_to(exercise).right[0]) is None


@each_exercise
def test_the_paragraph_to_reread_is_a_heading_of_the_chapter(exercise):
    notebook = nbformat.read(NOTEBOOKS / f"{exercise.chapter}.ipynb", 4)
    headings = [
        heading.strip()
        for cell in notebook.cells
        if cell.cell_type == "markdown"
        for heading in re.findall(r"^#+ (.+)$", cell.source, re.MULTILINE)
    ]
    assert exercise.paragraph in headings


@each_exercise
def test_an_exercise_reads_well(exercise):
    assert len(exercise.hints) == 2 and all(hint.strip() for hint in exercise.hints)
    assert exercise.task.strip() and exercise.title.strip() and 1 <= exercise.minutes <= 60
    assert re.fullmatch(r"\d+\.\d+", number(exercise))
    assert inspect.getdoc(exercise.solution), "the stub's docstring is the contract"
    module = importlib.import_module(exercise.solution.__module__)
    assert module.__name__.split(".")[3] == f"ch{exercise.chapter}", (
        "the exercises of a chapter stand in the module of the same name"
    )


@pytest.mark.parametrize("answer", [None, "cosine", 3])
def test_what_is_no_answer_is_refused(answer):
    with pytest.raises(ValueError, match="check takes your function or class itself, not"):
        check(answer)


def test_a_misspelt_name_is_refused_with_the_right_one():
    def cosin(one, other):
        return one

    with pytest.raises(ValueError, match="no exercise is called 'cosin'; did you mean 'cosine'"):
        check(cosin)


def test_a_result_that_stops_the_check_is_not_said_to_stop_the_answer():
    def believe(context, vocab_size, kept=0.1, replaced=0.1):
        return "likely"

    with pytest.raises(
        Unforeseen, match="believe stops, or its result stops the check, with Value"
    ):
        check(believe)

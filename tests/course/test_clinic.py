"""The bug clinic: every patient is found, falls ill, is told from the healthy, turns a test red, and is healed without a trace."""

import ast
import inspect
import json
import re
import subprocess
import sys
from dataclasses import replace
from types import FunctionType

import pytest
import torch

import minibert.attention
import minibert.data
from minibert import BertModel
from minibert.course.clinic import (
    PATIENTS,
    PROBES,
    PUBLISHED,
    PUZZLES,
    Edit,
    admit,
    infected,
    operate,
    operated,
    same,
    shown,
)
from minibert.course.clinic.patient import PACKAGE, healthy_source
from minibert.course.clinic.probes import NeverEnds, question, with_patience
from minibert.course.clinic.probes.models import WORDS, tiny
from tools.environment import NOTEBOOKS, ROOT

EVERYBODY = pytest.mark.parametrize("patient", PATIENTS.values(), ids=PATIENTS)
IDS = {
    "G": 2,
    "P": 4,
    "S": 3,
    "A": 7,
    "E": 5,
    "N": 1,
    "B": 4,
    "M": 6,
    "D": 4,
    "T": 6,
    "Z": 3,
    "R": 17,
}  # how many there are of each letter


@pytest.fixture(scope="module")
def healthy() -> dict:
    return {name: measure() for name, measure in PROBES.items()}


def package_state() -> dict:
    """The code of every function, and the contents of every dictionary, that the loaded modules of minibert define."""
    state = {}
    for module in [module for name, module in sys.modules.items() if name.startswith("minibert.")]:
        owners = [
            module,
            *(
                value
                for value in vars(module).values()
                if inspect.isclass(value) and value.__module__ == module.__name__
            ),
        ]
        for owner in owners:
            for name, value in vars(owner).items():
                function = (
                    inspect.unwrap(getattr(value, "__func__", value)) if callable(value) else None
                )
                kept = (
                    (function.__code__, function.__defaults__, dict(function.__kwdefaults__ or {}))
                    if isinstance(function, FunctionType)
                    else None
                )
                kept = (
                    dict(value) if isinstance(value, dict) and not name.startswith("__") else kept
                )
                state[module.__name__, owner, name] = kept
    return state


# -- patients ----------------------------------------------------------------------------------------------------------


def test_everybody_is_here():
    wanted = {f"{letter}{number}" for letter, most in IDS.items() for number in range(1, most + 1)}
    assert PATIENTS.keys() | set(PUZZLES) == wanted and not PATIENTS.keys() & set(PUZZLES)
    assert len(PATIENTS) == 54 and len(PUZZLES) == 8


@pytest.mark.parametrize(
    "codes", [PATIENTS, PUZZLES, PUBLISHED], ids=("patients", "puzzles", "published")
)
def test_codes_are_in_order(codes):
    assert list(codes) == sorted(codes, key=lambda code: (code[0], int(code[1:])))


def test_addresses_are_of_patients_and_stay():
    """A line is named at a commit, or it would be another line soon; a discussion has a number."""
    assert PUBLISHED.keys() <= PATIENTS.keys() and len(set(PUBLISHED.values())) == len(PUBLISHED)
    for code, address in PUBLISHED.items():
        assert re.fullmatch(
            r"https://github\.com/[\w-]+/[\w-]+/(blob/[0-9a-f]{40}/[\w./-]+#L\d+(-L\d+)?|(issues|pull)/\d+)",
            address,
        ), code


@EVERYBODY
def test_a_patient_is_described(patient):
    assert (NOTEBOOKS / f"{patient.chapter}.ipynb").is_file() and patient.probe in PROBES
    for text in (patient.symptom, patient.disease, patient.cure):
        assert text.endswith(".") and 20 < len(text) < 260
    assert patient.title not in patient.symptom
    file, name = patient.guard.split("::")
    assert any(
        node.name == name
        for node in ast.parse((ROOT / file).read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef)
    )


@EVERYBODY
def test_the_diff_is_small_and_git_applies_it(patient, tmp_path, needs_git):
    for file in {edit.file for edit in patient.edits}:
        (tmp_path / "minibert" / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "minibert" / file).write_text(healthy_source(file), encoding="utf-8")
    done = subprocess.run(
        [needs_git, "apply", "-"],
        input=patient.diff(),
        text=True,
        cwd=tmp_path,
        capture_output=True,
    )
    assert done.returncode == 0, done.stderr
    for file, sick in patient.sources().items():
        assert (
            (tmp_path / "minibert" / file).read_text(encoding="utf-8")
            == sick
            != healthy_source(file)
        )
    changed = [
        line
        for line in patient.diff().splitlines()
        if line[:1] in "+-" and line[:3] not in ("+++", "---")
    ]
    assert len(changed) <= 16, "a small diff"


@EVERYBODY
def test_the_probe_tells_sick_from_healthy_and_nothing_is_left(patient, healthy):
    before = package_state()
    with infected(patient.id):
        sick = PROBES[patient.probe]()
    assert not same(sick, healthy[patient.probe], PROBES[patient.probe].tolerance)
    assert package_state() == before
    assert same(PROBES[patient.probe](), healthy[patient.probe])


def test_patients_with_the_same_probe_are_told_apart_by_its_value():
    found = {}
    for patient in PATIENTS.values():
        with infected(patient.id):
            found.setdefault(patient.probe, []).append(PROBES[patient.probe]())
    for probe, values in found.items():
        assert all(
            not same(one, other, PROBES[probe].tolerance)
            for place, one in enumerate(values)
            for other in values[:place]
        ), (probe, values)


# Of the places where a patient is cut open: what each of them alone turns red, where that is not the guard of the whole.
ALONE = {
    (
        "A1",
        1,
    ): "tests/unit/test_attention.py::test_readable_and_fused_form_are_equal_forward_and_gradient",
    ("E4", 2): "tests/unit/test_model.py::test_dropout_falls_where_it_falls_in_the_reference",
    (
        "R3",
        1,
    ): "tests/unit/test_model.py::test_the_model_and_every_gradient_equal_the_reference_in_every_shape",
    (
        "R13",
        1,
    ): "tests/unit/data/test_original.py::test_a_random_next_text_is_from_another_document",
    ("Z2", 1): "tests/unit/summarization/test_model.py::test_padding_changes_nothing",
    (
        "Z3",
        1,
    ): "tests/unit/summarization/test_selection.py::test_a_sentence_that_repeats_three_words_is_passed_over",
}
NOTHING_ALONE = {
    ("A5", 1): "the readable form in the place of the fused one computes the same",
    ("A6", 1): "sizes that do not divide are still refused",
    ("A6", 2): "sizes that do not divide are still refused",
    ("E3", 0): "an import",
    ("E4", 0): "a dropout that is made and not called",
    ("R1", 0): "a list that is replaced as None would be",
}


@pytest.mark.slow
def test_every_patient_turns_its_guard_red():
    """The suite defends the package against every mistake of the clinic, each place of it by itself, and its guards pass without one."""
    jobs = [
        {
            "name": "nobody",
            "sources": {},
            "tests": sorted({patient.guard for patient in PATIENTS.values()} | {*ALONE.values()}),
        }
    ]
    jobs += [
        {"name": patient.id, "sources": patient.sources(), "tests": [patient.guard]}
        for patient in PATIENTS.values()
    ]
    places = {
        (patient.id, place): patient
        for patient in PATIENTS.values()
        if len(patient.edits) > 1
        for place in range(len(patient.edits))
    }
    assert {*ALONE, *NOTHING_ALONE} <= {*places}
    jobs += [
        {
            "name": f"{patient.id}, place {place}",
            "tests": [ALONE.get((patient.id, place), patient.guard)],
            "sources": patient.sources(
                tuple(
                    edit.wrong if number == place else edit.right
                    for number, edit in enumerate(patient.edits)
                )
            ),
        }
        for (_, place), patient in places.items()
        if (patient.id, place) not in NOTHING_ALONE
    ]
    done = subprocess.run(
        [sys.executable, ROOT / "tests" / "support" / "plant.py"],
        input="\n".join(map(json.dumps, jobs)),
        text=True,
        capture_output=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    nobody, *patients = map(json.loads, done.stdout.splitlines())
    assert nobody["code"] == pytest.ExitCode.OK, nobody["said"]
    assert [result["name"] for result in patients] == [job["name"] for job in jobs[1:]]
    missed = {
        result["name"]: (result["code"], result["said"][-300:])
        for result in patients
        if result["code"] != pytest.ExitCode.TESTS_FAILED
    }
    assert not missed


# -- infection ---------------------------------------------------------------------------------------------------------


def test_the_sick_package_is_the_live_one():
    """A model that is there already, and a function imported long ago, have the mistake, until the block ends."""
    model, attend = BertModel(tiny()).eval(), minibert.attention.attend
    with torch.no_grad():
        before = model(WORDS).last_hidden_state
        with infected("A1") as patient:
            assert patient is PATIENTS["A1"] and "key.size(-2)" in inspect.getsource(attend)
            assert not torch.allclose(model(WORDS).last_hidden_state, before)
        assert torch.equal(
            model(WORDS).last_hidden_state, before
        ) and "key.size(-2)" not in inspect.getsource(attend)


def test_an_error_heals_as_well():
    before = package_state()
    with pytest.raises(KeyError), infected("E4"):
        raise KeyError
    assert package_state() == before
    with pytest.raises(SyntaxError), operated("A7", "return return"):
        pass
    assert package_state() == before


def test_one_patient_at_a_time():
    with infected("A1"), pytest.raises(ValueError, match="already has A1"), infected("A2"):
        pass
    with infected("A2"):
        pass


def test_somebody_unknown():
    with (
        pytest.raises(ValueError, match="no patient is called 'A8'; the patients are A1"),
        infected("A8"),
    ):
        pass


@pytest.mark.parametrize(
    "file, times", [("positions.py", 1), ("model.py", 2), ("data/masking.py", 0)]
)
def test_lines_that_are_not_there_once(file, times):
    patient = replace(PATIENTS["E2"], edits=(Edit(file, "super().__init__()", "pass"),))
    if times == 1:
        assert "pass\n" in patient.sources()[file]
        return
    with pytest.raises(
        ValueError,
        match=f"found the lines of patient E2 {times} times in minibert/{file}, expected once; the code has changed",
    ):
        patient.sources()


def test_comments_and_margins_play_no_part():
    short = replace(
        PATIENTS["E2"],
        edits=(
            Edit(
                "positions.py",
                "            return self.weight[position_ids]   # other words",
                "return 1",
            ),
        ),
    )
    assert "        return 1\n" in short.sources()["positions.py"]


def test_defaults_of_arguments_change_as_well(monkeypatch):
    before = package_state()
    line = "def attend(\n    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, dropout: float = 0.0"
    monkeypatch.setitem(
        PATIENTS,
        "A1",
        replace(PATIENTS["A1"], edits=(Edit("attention.py", line, line.replace("0.0", "0.5")),)),
    )
    with infected("A1"):
        assert minibert.attention.attend.__defaults__ == (None, 0.5)
    line = "replace: tuple[float, float] = (0.8, 0.1),"
    monkeypatch.setitem(
        PATIENTS,
        "A1",
        replace(PATIENTS["A1"], edits=(Edit("data/masking.py", line, line.replace("0.1", "0.2")),)),
    )
    with infected("A1"):
        assert minibert.data.mask_tokens.__kwdefaults__["replace"] == (0.8, 0.2)
    monkeypatch.undo()
    assert package_state() == before


def test_only_functions_and_dictionaries_change_in_place(monkeypatch):
    patient = replace(
        PATIENTS["G1"],
        edits=(
            Edit(
                "config.py", 'ACTIVATIONS = ("gelu", "gelu_new", "relu")', 'ACTIVATIONS = ("gelu",)'
            ),
        ),
    )
    monkeypatch.setitem(PATIENTS, "G1", patient)
    with pytest.raises(ValueError, match="ACTIVATIONS can not be changed in place"), infected("G1"):
        pass


def test_nothing_in_the_package_imports_the_clinic():
    """The clinic looks at the model from outside, as the exercises do, which may."""
    for path in PACKAGE.rglob("*.py"):
        if not {"clinic", "exercises", "old_names.py"} & set(path.relative_to(PACKAGE).parts):
            text = path.read_text(encoding="utf-8")
            assert not re.search(r"^\s*(from|import)\b.*\bclinic\b", text, re.MULTILINE), path


# -- probes ------------------------------------------------------------------------------------------------------------


def test_probes_have_a_question_and_are_the_same_every_time(healthy):
    assert all(question(name).endswith(("?", ".")) and len(question(name)) < 150 for name in PROBES)
    torch.manual_seed(99)
    state = torch.random.get_rng_state()
    assert all(
        same(PROBES[name](), value)
        for name, value in healthy.items()
        if name in ("padding_moves_a_token", "sentences_apart", "batch_in_pieces")
    )
    assert torch.equal(torch.random.get_rng_state(), state)
    assert {patient.probe for patient in PATIENTS.values()} <= PROBES.keys()


@pytest.mark.parametrize(
    "one, other, alike",
    [
        (1.0, 1.0004, True),
        (1.0, 1.01, False),
        (0.0, 1e-7, True),
        (float("nan"), float("nan"), True),
        (float("nan"), 0.0, False),
        ((1, "a"), (1, "a"), True),
        ((1, 2), (1,), False),
        (1, "stops: ValueError", False),
        (((2, 0.1),), ((2, 0.2),), False),
    ],
)
def test_values_that_agree(one, other, alike):
    assert same(one, other) == alike


@pytest.mark.parametrize(
    "value, text",
    [
        (1e-8, "0"),
        (-1e-8, "0"),
        (0.12345, "0.123"),
        (1234567.8, "1,234,568"),
        (12384, "12,384"),
        ((1, "a"), "1, a"),
        (((1, 0.5), (2, 0.0)), "(1, 0.5), (2, 0)"),
        (float("nan"), "nan"),
    ],
)
def test_values_as_text(value, text):
    assert shown(value) == text


def test_patience_ends():
    def for_ever():
        while True:
            pass

    before = sys.gettrace()
    with pytest.raises(NeverEnds):
        with_patience(for_ever)
    assert sys.gettrace() is before and with_patience(lambda: 3) == 3


# -- operations --------------------------------------------------------------------------------------------------------

FUSED = (
    "return F.scaled_dot_product_attention(query, key, value, attn_mask=mask, dropout_p=dropout)"
)


@pytest.mark.parametrize(
    "patient_id, lines, healed, said",
    [
        ("A1", ["scores = query @ key.mT * query.shape[-1] ** -0.5", FUSED], True, "A1: healed"),
        ("A1", [edit.wrong for edit in PATIENTS["A1"].edits], False, "A1: nothing has changed"),
        (
            "A1",
            ["scores = query @ key.transpose(-2, -1)", FUSED],
            False,
            "something else is now wrong",
        ),
        (
            "M3",
            [
                "fate = torch.rand(input_ids.shape, generator=generator)\nreplaced = chosen & (fate >= 0.8) & (fate < 0.9)\n"
                "corrupted = torch.where(chosen & (fate < 0.8), mask_token_id, input_ids)"
            ],
            True,
            "M3: healed",
        ),
        ("R7", ["return True"], False, "not healed"),
    ],
    ids=["another way", "no change", "no scale at all", "another draw", "everything"],
)
def test_operations(patient_id, lines, healed, said):
    operation = operate(patient_id, *lines)
    assert said in str(operation) and operation.healed == healed


def test_an_operation_that_cannot_be():
    with pytest.raises(ValueError, match="not yet: the lines for A1 still have a blank"):
        operate("A1", "scores = ____", FUSED)
    with pytest.raises(ValueError, match="A1 is cut open in 2 place"):
        operate("A1", FUSED)


# -- the mystery ward --------------------------------------------------------------------------------------------------


def test_the_ward_hides_who_it_is_and_is_the_same_for_the_same_seed():
    first, again = admit(3), admit(3)
    hidden = next(patient for patient in PATIENTS.values() if patient.symptom == first.symptom)
    assert again.symptom == first.symptom and len({admit(seed).symptom for seed in range(40)}) > 15
    assert (
        hidden.id not in repr(first).split()
        and hidden.title not in repr(first)
        and hidden.symptom in repr(first)
    )
    assert admit().symptom in {patient.symptom for patient in PATIENTS.values()}


def test_five_probes_and_a_diagnosis(healthy):
    ward = admit(3)
    hidden = next(patient for patient in PATIENTS.values() if patient.symptom == ward.symptom)
    reading = ward.probe(hidden.probe)
    assert (
        reading.differs
        and same(reading.healthy, healthy[hidden.probe])
        and " in the patient, " in repr(reading)
    )
    assert ward.probe(hidden.probe) is reading, "a repetition is free"
    others = [
        name
        for name in (
            "position_spread",
            "misspelt_key",
            "course_of_the_rate",
            "segment_rows",
            "layers",
        )
        if name != hidden.probe
    ][:4]
    for name in others:
        ward.probe(name)
    with pytest.raises(ValueError, match="all 5 probes are used"):
        ward.probe("temperature")
    with pytest.raises(ValueError, match="no probe is called 'fever'"):
        ward.probe("fever")
    wrong = next(patient for patient in PATIENTS.values() if patient.probe != hidden.probe)
    assert ward.diagnose(wrong.id).startswith(f"Wrong: with {wrong.id} ({wrong.title}) ")
    assert ward.diagnose(hidden.id).startswith(f"Right: {hidden.id}, {hidden.title}. ")
    assert hidden.title in ward.reveal() and "0 of 5 probes left" in repr(ward)


def test_a_diagnosis_without_any_probe_is_not_explained():
    ward = admit(3)
    wrong = next(patient for patient in PATIENTS.values() if patient.symptom != ward.symptom)
    assert "none of your probes tells the two apart" in ward.diagnose(wrong.id)

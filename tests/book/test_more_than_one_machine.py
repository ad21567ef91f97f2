"""The page on more than one machine: its scripts are well-formed, its commands are ours, its numbers are measured or computed."""

import json
import re
import shlex
import shutil
import subprocess
import sys

import pytest
import yaml

from minibert import BertConfig, WordPieceTokenizer
from minibert.cli import main as cli
from minibert.data import TokenFile
from minibert.inference.model_cost import GPUS, gpu_hours, memory, training_flops
from tools.environment import ROOT

PAGE = (ROOT / "book" / "more_than_one_machine.md").read_text(encoding="utf-8")
LOG = json.loads((ROOT / "benchmarks" / "logs" / "scaling.json").read_text(encoding="utf-8"))
ROWS = {row["variant"]: row for row in LOG["rows"]}
SERVICE, JOB = yaml.safe_load_all(re.search(r"```yaml\n(.*?)```", PAGE, re.DOTALL)[1])
(CONTAINER,) = JOB["spec"]["template"]["spec"]["containers"]
SCRIPTS = [*re.findall(r"```bash\n(.*?)```", PAGE, re.DOTALL), *CONTAINER["args"]]
TORCHRUN = [
    command
    for script in SCRIPTS
    for command in re.findall(r"torchrun .*", script.replace("\\\n", " "))
]


# -- scripts -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.strip()[:20])
def test_bash_reads_every_script(script):
    bash = shutil.which("bash")
    assert bash, "install bash"
    done = subprocess.run([bash, "-n"], input=script, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert subprocess.run(
        [bash, "-n"], input=script + "\nif", capture_output=True, text=True
    ).returncode, "bash would notice"


def test_every_command_is_one_of_ours():
    from torch.distributed.run import get_args_parser

    found = [
        command
        for script in SCRIPTS
        for command in re.findall(
            r"minibert (?:pretrain|tokenizer|info) .*", script.replace("\\\n", " ")
        )
    ]
    found += re.findall(
        r"^(?:!torchrun .*-m )?(minibert (?:pretrain|info) .*\d.*)$", PAGE, re.MULTILINE
    )
    assert len(found) >= 8
    for command in found:
        words = [
            word
            for word in shlex.split(command, comments=True)[1:]
            if not word.startswith("${again")
        ]
        cli.build_parser().parse_args(words)
    assert len(TORCHRUN) == 6
    for command in TORCHRUN:
        words = [word if not word.startswith("$") else "2" for word in shlex.split(command)[1:]]
        arguments = get_args_parser().parse_args(words[: words.index("-m")] + ["-m", "minibert"])
        assert str(arguments.nproc_per_node).isdecimal() and (arguments.nnodes in ("1:1", "2"))


def test_slurm_gets_its_options_first_and_one_torchrun_a_machine():
    script = next(script for script in SCRIPTS if script.startswith("#!"))
    lines = script.splitlines()
    options = dict(
        re.fullmatch(r"#SBATCH --([\w-]+)(?:=(\S+))?", line).groups()
        for line in lines[1:]
        if line.startswith("#SBATCH")
    )
    assert lines[1 + len(options)] == "", "Slurm stops reading options at the first other line"
    assert (
        options["ntasks-per-node"] == "1"
        and f"--nproc-per-node {options['gpus-per-node']}" in script
    )
    assert options["signal"].startswith("TERM@") and "requeue" in options


def test_the_pods_of_the_job_find_each_other():
    spec, pod = JOB["spec"], JOB["spec"]["template"]["spec"]
    name = JOB["metadata"]["name"]
    assert (SERVICE["apiVersion"], SERVICE["kind"], JOB["apiVersion"], JOB["kind"]) == (
        "v1",
        "Service",
        "batch/v1",
        "Job",
    )
    assert spec["completionMode"] == "Indexed" and spec["completions"] == spec["parallelism"]
    assert SERVICE["spec"]["clusterIP"] == "None" or SERVICE["spec"]["clusterIP"] is None, (
        "a service without an address of its own"
    )
    assert pod["subdomain"] == SERVICE["metadata"]["name"] and SERVICE["spec"]["selector"] == {
        "job-name": name
    }
    script = CONTAINER["args"][0]
    assert (
        f"--nnodes {spec['completions']}" in script
        and '--node-rank "$JOB_COMPLETION_INDEX"' in script
    )
    assert f"--master-addr {name}-0.{pod['subdomain']} " in script
    assert f"--nproc-per-node {CONTAINER['resources']['limits']['nvidia.com/gpu']} " in script
    assert {mount["name"] for mount in CONTAINER["volumeMounts"]} == {
        volume["name"] for volume in pod["volumes"]
    }
    assert pod["restartPolicy"] in ("OnFailure", "Never"), "what a Job may have"


def test_text_is_cut_by_several_processes_and_a_run_uses_it(tmp_path, capsys):
    script = tmp_path / "shards.py"
    script.write_text(re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)[1])
    (tmp_path / "text.txt").write_text(
        "\n\n\n".join(
            f"The dog number {number} runs. A cat sees the dog. They run {'on and ' * (number % 5)}on."
            for number in range(80)
        )
    )
    words = [
        "[PAD]",
        "[UNK]",
        "[CLS]",
        "[SEP]",
        "[MASK]",
        *"the dog number runs a cat sees they run on and .".split(),
    ]
    run = tmp_path / "run"
    WordPieceTokenizer({word: place for place, word in enumerate(words)}).save(run / "vocabulary")
    done = subprocess.run(
        [sys.executable, script, tmp_path / "text.txt", run, "2"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in run.iterdir()) == [
        "train.tokens",
        "valid.tokens",
        "vocabulary",
    ]
    corpus = TokenFile(run / "train.tokens")
    assert (len(corpus.documents) - 1) + (len(TokenFile(run / "valid.tokens").documents) - 1) == 80
    written = (run / "train.tokens").read_bytes()
    status = cli.main(
        [
            "pretrain",
            "--corpus",
            str(tmp_path / "text.txt"),
            "--out",
            str(run),
            "--preset",
            "tiny",
            "--steps",
            "2",
            "--batch-size",
            "4",
            "--eval-sequences",
            "4",
            "--short-share",
            "0",
            "--length",
            "32",
            "--long-share",
            "0",
            "--precision",
            "float32",
        ]
    )
    assert status == 0, capsys.readouterr().err
    assert (run / "train.tokens").read_bytes() == written and (run / "model").is_dir()


# -- numbers -----------------------------------------------------------------------------------------------------------


def table(heading: str) -> dict[str, list[str]]:
    """The rows of the table whose heading begins so: its first column to the others."""
    lines = PAGE[PAGE.index(f"| {heading}") :].split("\n\n")[0].splitlines()[2:]
    cells = [[cell.strip().strip("*") for cell in line.strip("|").split("|")] for line in lines]
    return {first: rest for first, *rest in cells}


def test_the_measured_numbers_are_those_of_the_log():
    for name, (speed, spread, efficiency) in table("started as").items():
        row = ROWS[name]
        assert (speed, spread, efficiency) == (
            f"{row['tokens_per_cpu_second']:,}",
            f"{row['low']:,} to {row['high']:,}",
            f"{row['efficiency']:.2f}",
        )
    drawing = ROWS["drawing rows and masks, one of eight processes"]["tokens_per_cpu_second"]
    assert f"{drawing / 1e6:.1f} million tokens a CPU-second" in " ".join(PAGE.split())


def test_the_computed_numbers():
    base, mini = (training_flops(BertConfig.preset(name), 1.2e11) for name in ("base", "mini"))
    hours = [gpu_hours(operations, GPUS["A100"], 0.2) for operations in (mini, base)]
    assert [round(hours[0], 1), round(hours[1])] == [14.7, 291]
    assert round(memory(335_141_888)["training with AdamW"] / 1e9, 1) == 5.4
    assert (16 / 8 + 12 / 2) / 2 == 4 and (16 + 12) / 10 == 2.8

"""What the tests of the small commands share: a command line that runs here, and saved models."""

import pytest
import torch
from tiny_cli import SHAPE, VOCABULARY

from minibert import BertConfig, WordPieceTokenizer, save_pretrained
from minibert.cli import main as cli


@pytest.fixture
def run(capsys):
    """Run a command line; returns its exit status, stdout and stderr."""

    def run(*argv):
        try:
            status = cli.main([str(argument) for argument in argv])
        except SystemExit as exit:
            status = exit.code
        return status, *capsys.readouterr()

    return run


@pytest.fixture
def saved(tmp_path):
    """Save a model of a class with random weights; returns its folder."""

    def saved(model_class, **changes):
        torch.manual_seed(0)
        model = model_class(BertConfig.from_dict(SHAPE | changes)).eval()
        if hasattr(model, "cls"):
            with torch.no_grad():
                model.cls.predictions.bias[6:8] = torch.tensor(
                    [3.0, 6.0]
                )  # it prefers 'sat', then 'cat'
        save_pretrained(
            model,
            tmp_path / "model",
            WordPieceTokenizer({token: i for i, token in enumerate(VOCABULARY)}),
        )
        return tmp_path / "model"

    return saved

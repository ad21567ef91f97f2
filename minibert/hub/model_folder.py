"""The folder of a saved model, with its config.json, which is read only once."""

from dataclasses import dataclass
from pathlib import Path
from reprlib import repr as shown  # a value in a message, shortened
from typing import Any

from minibert.config import PRE_NORM_TYPE, BertConfig, InputError, read_json_file
from minibert.hub.find_pretrained import find_pretrained
from minibert.model import PACKAGE_MODELS, BertPreTrainedModel, model_class_named

MODEL_TYPES = ("bert", "minibert", PRE_NORM_TYPE)


@dataclass(frozen=True)
class ModelFolder:
    """A folder that holds a saved model, and the contents of its config.json."""

    path: Path
    values: dict[str, Any]  # all of config.json, including keys that a BertConfig ignores
    config: BertConfig

    @classmethod
    def find(cls, name_or_folder: "str | Path | ModelFolder") -> "ModelFolder":
        """Find a model with `find_pretrained`, and read its config.json.

        A ModelFolder is returned unchanged. Raises an InputError if the model is not found, or if
        its config.json is missing or invalid.
        """
        if isinstance(name_or_folder, ModelFolder):
            return name_or_folder
        path = find_pretrained(name_or_folder)
        values = read_json_file(path / "config.json", "config")
        found = cls(path, values, BertConfig.from_file_values(values, path / "config.json"))
        kind, names = values.get("model_type", "bert"), values.get("architectures") or []
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise InputError(
                f"{path / 'config.json'}: architectures must be a list of names, not {shown(names)}"
            )
        if kind not in MODEL_TYPES:
            raise InputError(
                f"{path / 'config.json'}: model_type is {shown(kind)}; "
                f"minibert can open only 'bert' and {PRE_NORM_TYPE!r}"
            )
        return found

    @property
    def model_type(self) -> str:
        """The model type as `transformers` names it; 'bert' if config.json has none."""
        return str(self.values.get("model_type", "bert"))

    def changed_config(self, **changes: Any) -> BertConfig:
        """The config with some fields changed, such as num_labels=3."""
        fields = self.config.to_dict()
        if changes.get("num_labels") not in (None, self.config.num_labels):
            fields.pop("id2label", None)
        return BertConfig.from_dict(fields | changes)

    def model_class(
        self, wanted: type[BertPreTrainedModel] | None = None
    ) -> type[BertPreTrainedModel]:
        """The class to build: `wanted`, or the one that `architectures` names, or BertModel.

        Raises an InputError if minibert does not have this class.
        """
        if wanted is not None:
            if not (isinstance(wanted, type) and issubclass(wanted, BertPreTrainedModel)):
                raise InputError(
                    f"model_class must be one of {', '.join(PACKAGE_MODELS)} or a subclass of one, "
                    f"not {wanted!r:.60}"
                )
            if wanted is not BertPreTrainedModel:
                return wanted
        names = self.values.get("architectures") or ["BertModel"]
        pre_norm = [name.replace("RobertaPreLayerNorm", "Bert") for name in names]
        for name in [*names, pre_norm[0]]:
            if found := model_class_named(name):
                return found
        raise InputError(
            f"{self.path / 'config.json'}: architectures names {names[0]!r}, which minibert does "
            f"not have; give model_class, which is one of {', '.join(PACKAGE_MODELS)}"
        )


def read_config(
    name_or_folder: str | Path | ModelFolder,
    model_class: type[BertPreTrainedModel] | None = None,
    **changes: Any,
) -> tuple[BertConfig, type[BertPreTrainedModel]]:
    """The config and the class of a saved model; the arguments are those of `from_pretrained`."""
    folder = ModelFolder.find(name_or_folder)
    config = folder.changed_config(**changes) if changes else folder.config
    return config, folder.model_class(model_class)

"""Patients with bugs in the config, the pooler or the initial weights. Chapter 6."""

from minibert.course.clinic.patient import Edit, Patient

PATIENTS = (
    Patient(
        id="B3",
        chapter="06_bert",
        title="a config that swallows what it does not know",
        symptom=(
            "A config file asks for four heads, in nearly those words; the model has twelve, and"
            " nobody has complained."
        ),
        disease=(
            "from_dict keeps the keys that it knows and drops the others in silence:"
            " 'num_attention_head' is one letter short."
        ),
        cure=(
            "A ValueError that names the key and the nearest one that is right; what may be ignored"
            " is a list in one place."
        ),
        edits=(
            Edit(
                "config.py",
                right="""
                    for key in values:
                        if key not in fields and key not in IGNORED_KEYS:
                            raise InputError(
                                "unknown config key "
                                f"{key!r}{did_you_mean(key, fields | IGNORED_KEYS | {'num_labels'})}"
                            )
                """,
                wrong="",
            ),
        ),
        probe="misspelt_key",
        guard="tests/unit/test_config.py::test_wrong_values_are_refused_with_their_numbers",
    ),
    Patient(
        id="R3",
        chapter="06_bert",
        title="a layer that is made while it is called",
        symptom=(
            "The same text has another pooled vector at every call, in evaluation mode too, and the"
            " next-sentence loss hardly moves."
        ),
        disease=(
            "The linear map is constructed inside forward: fresh random weights at every call,"
            " which no optimiser has ever seen."
        ),
        cure=(
            "Construct modules in __init__, call them in forward; look whether they are among the"
            " parameters."
        ),
        edits=(
            Edit(
                "model.py",
                right="self.dense = nn.Linear(config.hidden_size, config.hidden_size)",
                wrong="",
            ),
            Edit(
                "model.py",
                right="return self.dense(last_hidden_state[:, 0]).tanh()  # [B, H]",
                wrong="""
                    hidden_size = last_hidden_state.size(-1)
                    return nn.Linear(hidden_size, hidden_size)(last_hidden_state[:, 0]).tanh()  # [B, H]
                """,
            ),
        ),
        probe="pooler_twice",
        guard="tests/unit/test_model.py::test_bert_base_has_109_482_240_parameters",
    ),
    Patient(
        id="R9",
        chapter="06_bert",
        title="norms that are drawn like weights",
        symptom=(
            "In a fresh model every vector is nearly zero, in every layer; learning needs many"
            " steps before anything happens."
        ),
        disease=(
            "The initialisation draws every parameter from N(0, 0.02), LayerNorm's factors and"
            " shifts too: each norm makes its input fifty times smaller."
        ),
        cure="Ones and zeros for LayerNorm; normal numbers for linear maps and tables only.",
        edits=(
            Edit(
                "model.py",
                right="for module in self.modules():",
                wrong="""
                    for module in self.modules():
                        if isinstance(module, nn.LayerNorm):
                            nn.init.normal_(module.weight, std=self.config.initializer_range)
                            nn.init.normal_(module.bias, std=self.config.initializer_range)
                """,
            ),
        ),
        probe="fresh_scale",
        guard="tests/unit/test_model.py::test_fresh_weights_are_as_published",
    ),
)

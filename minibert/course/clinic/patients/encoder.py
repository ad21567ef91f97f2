"""Patients with bugs in the encoder: activation, residual connections, dropout, LayerNorm and the
number of layers. Chapter 5.
"""

from minibert.course.clinic.patient import Edit, Patient

PATIENTS = (
    Patient(
        id="G1",
        chapter="05_encoder",
        title="a times for a plus in GELU",
        symptom=(
            "Large negative numbers inside the feed-forward come out as large positive ones, and no"
            " unit is ever switched off."
        ),
        disease=(
            "x · 0.5 · (1 · erf(x/√2)): a * stands where a + belongs, and the activation is an even"
            " function, g(-x) = g(x)."
        ),
        cure="x · 0.5 · (1 + erf(x/√2)): for large x it is x, for large -x it is 0.",
        edits=(
            Edit(
                "encoder.py",
                right='"gelu": F.gelu,',
                wrong='"gelu": lambda x: x * 0.5 * (1.0 * (x / 2**0.5).erf()),',
            ),
        ),
        probe="gelu_at_minus_1_and_1",
        guard="tests/unit/test_encoder.py::test_gelu_is_no_even_function",
    ),
    Patient(
        id="E1",
        chapter="05_encoder",
        title="no residual connections",
        symptom=(
            "Two layers train. Six or twelve do not: the loss stops at that of a model which knows"
            " how frequent words are and nothing else, and all tokens of a text have one and the"
            " same vector."
        ),
        disease=(
            "Nothing leads round attention and feed-forward: what a layer does not pass on is lost,"
            " and hardly any gradient reaches the first layers."
        ),
        cure="Add the input of both halves to their output, in every layer.",
        edits=(
            Edit(
                "attention.py",
                right="out = residual + self.dropout(self.dense(mixed))  # [B, S, H]",
                wrong="out = self.dropout(self.dense(mixed))  # [B, S, H]",
            ),
            Edit(
                "encoder.py",
                right="out = residual + self.dropout(self.dense(wide))  # [B, S, H]",
                wrong="out = self.dropout(self.dense(wide))  # [B, S, H]",
            ),
        ),
        probe="gradient_that_arrives",
        guard="tests/unit/test_encoder.py::test_a_sublayer_that_says_nothing_lets_its_input_pass",
    ),
    Patient(
        id="E2",
        chapter="05_encoder",
        title="one layer where twelve were announced",
        symptom=(
            "Training is wonderfully fast, the file is small, and the results are those of a far"
            " smaller model."
        ),
        disease=(
            "One encoder layer is made and called once; the number of layers in the config is read"
            " by nobody."
        ),
        cure=(
            "As many layers as num_hidden_layers says, each with weights of its own, one after the"
            " other."
        ),
        edits=(
            Edit(
                "encoder.py",
                right=(
                    "self.layer = nn.ModuleList(BertLayer(config) for _ in"
                    " range(config.num_hidden_layers))"
                ),
                wrong="self.layer = nn.ModuleList([BertLayer(config)])",
            ),
        ),
        probe="layers",
        guard=(
            "tests/unit/test_encoder.py::test_hidden_states_are_the_embeddings_and_then_every_layer"
        ),
    ),
    Patient(
        id="E3",
        chapter="05_encoder",
        title="twelve copies of one fresh layer",
        symptom=(
            "A deep model learns a little more slowly than its twin with the same config, and in"
            " the first steps the weights of any two layers lie strangely close together."
        ),
        disease=(
            "One layer is initialised and copied: all layers start with the same weights, so that"
            " depth brings nothing until they have drifted apart."
        ),
        cure="Draw the weights of each layer, after the layers are made.",
        edits=(
            Edit(
                "model.py",
                right="from dataclasses import dataclass",
                wrong="""
                    from copy import deepcopy
                    from dataclasses import dataclass
                """,
            ),
            Edit(
                "model.py",
                right="""
                    for module in self.modules():
                        if isinstance(module, (nn.Linear, nn.Embedding)):
                            nn.init.normal_(module.weight, std=self.config.initializer_range)
                            if isinstance(module, nn.Linear):
                                nn.init.zeros_(module.bias)
                            elif module.padding_idx is not None:
                                with torch.no_grad():
                                    module.weight[module.padding_idx].zero_()
                """,
                wrong="""
                    for module in self.modules():
                        if isinstance(module, (nn.Linear, nn.Embedding)):
                            nn.init.normal_(module.weight, std=self.config.initializer_range)
                            if isinstance(module, nn.Linear):
                                nn.init.zeros_(module.bias)
                            elif module.padding_idx is not None:
                                with torch.no_grad():
                                    module.weight[module.padding_idx].zero_()
                    for module in self.modules():
                        if isinstance(module, BertEncoder):
                            module.layer = nn.ModuleList(deepcopy(module.layer[0]) for _ in module.layer)
                """,
            ),
        ),
        probe="layers_apart",
        guard="tests/unit/test_encoder.py::test_layers_start_different",
    ),
    Patient(
        id="E4",
        chapter="05_encoder",
        title="dropout between a linear map and its activation",
        symptom=(
            "In evaluation everything is equal to the reference. In training the spread of the"
            " hidden states is not."
        ),
        disease=(
            "Dropout stands before the activation of the feed-forward, on I numbers, and not after"
            " the second map, on H: what is added to the residual stream is never dropped."
        ),
        cure="Dropout after the second linear map, just before the residual connection.",
        edits=(
            Edit(
                "encoder.py",
                right="self.dense = nn.Linear(config.hidden_size, config.intermediate_size)",
                wrong="""
                    self.dense = nn.Linear(config.hidden_size, config.intermediate_size)
                    self.dropout = nn.Dropout(config.hidden_dropout_prob)
                """,
            ),
            Edit(
                "encoder.py",
                right="return self.activation(self.dense(hidden))  # [B, S, I]",
                wrong="return self.activation(self.dropout(self.dense(hidden)))  # [B, S, I]",
            ),
            Edit(
                "encoder.py",
                right="out = residual + self.dropout(self.dense(wide))  # [B, S, H]",
                wrong="out = residual + self.dense(wide)  # [B, S, H]",
            ),
        ),
        probe="dropped_by_the_feed_forward",
        guard="tests/unit/test_encoder.py::test_dropout_comes_after_the_second_linear_map",
    ),
    Patient(
        id="N1",
        chapter="05_encoder",
        title="another eps than the checkpoint's",
        symptom=(
            "Pretrained vectors agree with the reference to four digits, and not to seven, however"
            " exactly you compute."
        ),
        disease=(
            "The norms inside the layers have the library's default eps, 1e-5, and not the 1e-12"
            " that the config states and the checkpoint was made with."
        ),
        cure=(
            "Hand the config's eps to every LayerNorm, and compare with the reference in double"
            " precision."
        ),
        edits=(
            Edit(
                "attention.py",
                right=(
                    "self.LayerNorm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)"
                ),
                wrong="self.LayerNorm = nn.LayerNorm(config.hidden_size)",
            ),
            Edit(
                "encoder.py",
                right=(
                    "self.LayerNorm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)"
                ),
                wrong="self.LayerNorm = nn.LayerNorm(config.hidden_size)",
            ),
        ),
        probe="eps_of_the_norms",
        guard="tests/unit/test_encoder.py::test_every_layer_norm_takes_its_eps_from_the_config",
    ),
    Patient(
        id="B2",
        chapter="05_encoder",
        title="an activation that is stored and never read",
        symptom=(
            "You compare three activations, and the three curves lie on top of each other to the"
            " last digit."
        ),
        disease=(
            "hidden_act is kept in the config, and the feed-forward calls GELU whatever it says."
        ),
        cure="Honour the key, or refuse every value that you do not build.",
        edits=(
            Edit(
                "encoder.py",
                right="self.activation = ACTIVATIONS[config.hidden_act]",
                wrong="self.activation = F.gelu",
            ),
        ),
        probe="relu_against_gelu",
        guard=(
            "tests/unit/test_encoder.py::test_every_layer_and_every_gradient_equals_the_reference"
        ),
    ),
)

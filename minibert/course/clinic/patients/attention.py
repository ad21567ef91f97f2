"""Patients with bugs in attention: wrong axis, wrong scale, wrong mask. Chapter 4."""

from minibert.course.clinic.patient import Edit, Patient

PATIENTS = (
    Patient(
        id="A1",
        chapter="04_attention",
        title="scores divided by √(sequence length)",
        symptom=(
            "One and the same sentence has other vectors in a batch with a longer one, although"
            " padding is masked."
        ),
        disease=(
            "The scores are divided by the square root of the sequence length, which grows with the"
            " padding, and not by that of the head size."
        ),
        cure="Divide by √D, the width of one head: the last axis of the query.",
        edits=(
            Edit(
                "attention.py",
                right=(
                    "scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))  # [B, A,"
                    " S, T]"
                ),
                wrong=(
                    "scores = query @ key.transpose(-2, -1) / math.sqrt(key.size(-2))  # [B, A,"
                    " S, T]"
                ),
            ),
            Edit(
                "attention.py",
                right=(
                    "return F.scaled_dot_product_attention(query, key, value, attn_mask=mask,"
                    " dropout_p=dropout)"
                ),
                wrong="""
                    return F.scaled_dot_product_attention(
                        query, key, value, attn_mask=mask, dropout_p=dropout, scale=1 / math.sqrt(key.size(-2))
                    )
                """,
            ),
        ),
        probe="padding_moves_a_token",
        guard="tests/unit/test_attention.py::test_appended_padding_changes_nothing_for_real_tokens",
    ),
    Patient(
        id="A2",
        chapter="04_attention",
        title="every head as wide as the whole model",
        symptom=(
            "Twice the heads, and the model is far larger and slower. Its results are as good as"
            " ever."
        ),
        disease=(
            "Every head gets the full hidden size: queries, keys and values are A times as wide as"
            " they should be."
        ),
        cure=(
            "Share the hidden size out: a head is H / A wide, and the number of heads changes no"
            " size."
        ),
        edits=(
            Edit(
                "attention.py",
                right="""
                    self.query = nn.Linear(config.hidden_size, config.hidden_size)
                    self.key = nn.Linear(config.hidden_size, config.hidden_size)
                    self.value = nn.Linear(config.hidden_size, config.hidden_size)
                """,
                wrong="""
                    self.query = nn.Linear(config.hidden_size, config.num_attention_heads * config.hidden_size)
                    self.key = nn.Linear(config.hidden_size, config.num_attention_heads * config.hidden_size)
                    self.value = nn.Linear(config.hidden_size, config.num_attention_heads * config.hidden_size)
                """,
            ),
            Edit(
                "attention.py",
                right="self.dense = nn.Linear(config.hidden_size, config.hidden_size)",
                wrong=(
                    "self.dense = nn.Linear(config.num_attention_heads * config.hidden_size,"
                    " config.hidden_size)"
                ),
            ),
        ),
        probe="parameters",
        guard="tests/unit/test_attention.py::test_the_number_of_heads_does_not_change_the_number_of_parameters",
    ),
    Patient(
        id="A3",
        chapter="04_attention",
        title="a mask whose meaning changes between two files",
        symptom=(
            "Without an attention mask a text is read as ever. With one, even if nothing in it is"
            " hidden, other vectors come out, and the loss ends far higher."
        ),
        disease=(
            "One file makes masks in which True means hide, the next reads them as True means keep:"
            " real tokens look at the padding and at nothing else."
        ),
        cure=(
            "One meaning, written down where masks are made and where they are used; and never"
            " changed in place."
        ),
        edits=(
            Edit(
                "attention.py",
                right="return attention_mask.bool()[:, None, None, :]  # [B, 1, 1, S]",
                wrong="return (attention_mask == 0)[:, None, None, :]  # [B, 1, 1, S]",
            ),
        ),
        probe="weight_on_padding",
        guard="tests/unit/test_model.py::test_masks_are_boolean_and_broadcast_over_heads",
    ),
    Patient(
        id="A4",
        chapter="04_attention",
        title="a softmax of nothing",
        symptom=(
            "Training goes well for hours. Then one batch comes, the loss is not a number, and from"
            " there on no weight is."
        ),
        disease=(
            "A row whose tokens are all padding hides every key: its scores are all minus infinity,"
            " and 0 / 0 is not a number."
        ),
        cure=(
            "Say what a query with nothing to look at gets, here the mean of all values; do not"
            " hope that -1e9 or -10000 is small enough in every precision."
        ),
        edits=(
            Edit(
                "attention.py",
                right="""
                    return query.masked_fill(
                        empty, 0.0
                    ), mask | empty  # [B, A, S, D], [B or 1, A or 1, S or 1, T or 1]
                """,
                wrong="return query, mask",
            ),
        ),
        probe="row_of_padding",
        guard="tests/unit/test_attention.py::test_a_query_with_nothing_to_look_at_gets_the_mean_of_all_values",
    ),
    Patient(
        id="A5",
        chapter="04_attention",
        title="a softmax over the queries",
        symptom=(
            "A text alone is read, and its maps of attention look busy. With padding in the batch"
            " nothing that comes out is a number."
        ),
        disease=(
            "The softmax runs over the axis of the queries: every token is looked at in total once,"
            " and a token may look at all or at nothing."
        ),
        cure="Over the keys, the last axis: how one token shares out its attention.",
        edits=(
            Edit(
                "attention.py",
                right="weights = scores.softmax(dim=-1)  # [B, A, S, T], rows sum to 1",
                wrong="weights = scores.softmax(dim=-2)  # [B, A, S, T]",
            ),
            Edit(
                "attention.py",
                right=(
                    "return F.scaled_dot_product_attention(query, key, value, attn_mask=mask,"
                    " dropout_p=dropout)"
                ),
                wrong="return attend(query, key, value, mask, dropout)[0]  # [B, A, S, D]",
            ),
        ),
        probe="row_sums",
        guard="tests/unit/test_attention.py::test_rows_of_the_weights_sum_to_one_before_dropout",
    ),
    Patient(
        id="A6",
        chapter="04_attention",
        title="a head size that is rounded down",
        symptom=(
            "A hidden size of 100 with twelve heads is built and runs. No message says that"
            " anything is lost."
        ),
        disease=(
            "int(100 / 12) is 8: twelve heads are 96 wide together, and four columns of every layer"
            " are missing in silence."
        ),
        cure="Refuse it: a ValueError that names both numbers.",
        edits=(
            Edit(
                "config.py",
                right="if self.hidden_size % self.num_attention_heads:",
                wrong="if self.hidden_size < self.num_attention_heads:",
            ),
            Edit(
                "attention.py",
                right="""
                    self.query = nn.Linear(config.hidden_size, config.hidden_size)
                    self.key = nn.Linear(config.hidden_size, config.hidden_size)
                    self.value = nn.Linear(config.hidden_size, config.hidden_size)
                """,
                wrong="""
                    all_heads = config.num_attention_heads * int(
                        config.hidden_size / config.num_attention_heads
                    )
                    self.query = nn.Linear(config.hidden_size, all_heads)
                    self.key = nn.Linear(config.hidden_size, all_heads)
                    self.value = nn.Linear(config.hidden_size, all_heads)
                """,
            ),
            Edit(
                "attention.py",
                right="self.dense = nn.Linear(config.hidden_size, config.hidden_size)",
                wrong="""
                    self.dense = nn.Linear(
                        config.num_attention_heads * int(config.hidden_size / config.num_attention_heads),
                        config.hidden_size,
                    )
                """,
            ),
        ),
        probe="hidden_100_heads_12",
        guard="tests/unit/test_config.py::test_wrong_values_are_refused_with_their_numbers",
    ),
    Patient(
        id="A7",
        chapter="04_attention",
        title="heads merged without moving their axis back",
        symptom=(
            "All shapes are right, and the loss falls. But pretrained weights give vectors that"
            " compare with nothing."
        ),
        disease=(
            "After attention the axes are batch, heads, tokens, head size. A bare `view` to [B, S,"
            " H] cuts that in another order: a token gets pieces of its neighbours."
        ),
        cure="Move the head axis behind the tokens, then join it: transpose, then reshape.",
        edits=(
            Edit(
                "attention.py",
                right="return mixed.transpose(1, 2).flatten(2), weights  # [B, S, H], [B, A, S, S]",
                wrong="return mixed.reshape(hidden.shape), weights  # [B, S, H], [B, A, S, S]",
            ),
        ),
        probe="a_token_alone",
        guard="tests/unit/test_attention.py::test_self_attention_equals_torch_multihead_attention",
    ),
    Patient(
        id="R14",
        chapter="04_attention",
        title="attention weights kept after dropout",
        symptom=(
            "Pictures of attention, taken while the model trains, have holes, and what is left in a"
            " row adds up to more or less than one."
        ),
        disease=(
            "The weights are stored after dropout: some are zero by chance, the others are too"
            " large."
        ),
        cure="Keep them before dropout, or look in evaluation mode.",
        edits=(
            Edit(
                "attention.py",
                right="return mixed @ value, weights  # [B, A, S, D], [B, A, S, T]",
                wrong="return mixed @ value, mixed  # [B, A, S, D], [B, A, S, T]",
            ),
        ),
        probe="row_sums",
        guard="tests/unit/test_attention.py::test_weights_are_before_dropout",
    ),
)

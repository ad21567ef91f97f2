"""Patients with bugs in word, segment or position embeddings. Chapters 2 and 3."""

from minibert.course.clinic.patient import Edit, Patient

PATIENTS = (
    Patient(
        id="P1",
        chapter="03_positions",
        title="an exponent of its own for every column",
        symptom=(
            "The table of sinusoidal positions looks like every other, but half of its columns are"
            " as good as constant."
        ),
        disease=(
            "Sine and cosine of a pair should share one frequency. Here every column j has its own"
            " exponent, 2j/dim instead of 2(j // 2)/dim: the frequencies fall twice as fast, and"
            " moving on by k positions is no rotation any more."
        ),
        cure="Count in pairs: the exponent of columns 2i and 2i + 1 is 2i/dim.",
        edits=(
            Edit(
                "positions.py",
                right="""
                    pair = torch.arange(0, dim, 2, dtype=torch.float64)  # [H/2]: 0, 2, 4, …
                    frequency = torch.exp(-pair * (math.log(10000.0) / dim))  # [H/2], from 1 down to nearly 1/10000
                    angle = position[:, None] * frequency[None, :]  # [S, H/2]
                    table = torch.stack((angle.sin(), angle.cos()), dim=-1)  # [S, H/2, 2]
                """,
                wrong="""
                    column = torch.arange(dim, dtype=torch.float64)  # [H]: 0, 1, 2, …
                    frequency = torch.exp(-2 * column * (math.log(10000.0) / dim))  # [H]
                    angle = position[:, None] * frequency[None, :]  # [S, H]
                    table = torch.where(column % 2 == 0, angle.sin(), angle.cos())  # [S, H]
                """,
            ),
        ),
        probe="position_spread",
        guard="tests/unit/test_positions.py::test_dot_products_depend_on_the_distance_only",
    ),
    Patient(
        id="P3",
        chapter="03_positions",
        title="word vectors times √H, without a word why",
        symptom=(
            "With sinusoidal positions the order of the words matters less than it should;"
            " everything else works."
        ),
        disease=(
            "The word vectors are multiplied by √H before positions are added. The Transformer's"
            " paper does so, BERT and BertSum's published path do not: content now drowns position."
        ),
        cure=(
            "Add the vectors as they are, or say that you scale and why; look at the ratio of the"
            " two norms."
        ),
        edits=(
            Edit(
                "embeddings.py",
                right=(
                    "embeddings = embeddings + self.position_embeddings(position_ids)  # [B, S, H]"
                ),
                wrong="""
                    embeddings = embeddings * self.config.hidden_size**0.5 + self.position_embeddings(
                        position_ids
                    )  # [B, S, H]
                """,
            ),
        ),
        probe="content_to_position",
        guard="tests/unit/test_embeddings.py::test_the_sinusoidal_table_is_added_as_it_is",
    ),
    Patient(
        id="P4",
        chapter="03_positions",
        title="positions for a full row, whatever the text",
        symptom=(
            "Training runs. The first text that a user types in stops the program with an error"
            " about sizes of tensors."
        ),
        disease=(
            "Position ids count to max_position_embeddings, however short the batch is: only rows"
            " that fill the table fit."
        ),
        cure=(
            "Count to the length of the input, on its device, and refuse what is longer than the"
            " table."
        ),
        edits=(
            Edit(
                "embeddings.py",
                right=(
                    "position_ids = torch.arange(words.size(1), device=words.device)[None]  #"
                    " [1, S]"
                ),
                wrong=(
                    "position_ids = torch.arange(self.config.max_position_embeddings)[None]  # [1,"
                    " positions]"
                ),
            ),
        ),
        probe="lengths_that_run",
        guard="tests/unit/test_embeddings.py::test_a_shorter_batch_uses_the_first_positions",
    ),
    Patient(
        id="S1",
        chapter="02_embeddings",
        title="a segment table as long as the vocabulary",
        symptom=(
            "The model learns as well as before, but its file is larger than the sizes in the"
            " config explain."
        ),
        disease=(
            "The segment table has vocab_size rows. Two of them are used; the others are never"
            " trained and always saved."
        ),
        cure="type_vocab_size rows: one for each kind of segment.",
        edits=(
            Edit(
                "embeddings.py",
                right=(
                    "self.token_type_embeddings = nn.Embedding(config.type_vocab_size,"
                    " config.hidden_size)"
                ),
                wrong=(
                    "self.token_type_embeddings = nn.Embedding(config.vocab_size,"
                    " config.hidden_size)"
                ),
            ),
        ),
        probe="segment_rows",
        guard="tests/unit/test_embeddings.py::test_the_segment_table_has_type_vocab_size_rows",
    ),
    Patient(
        id="R16",
        chapter="02_embeddings",
        title="the deviation of a sample, and eps outside the root",
        symptom=(
            "Pretrained weights load without a word, and the vectors that come out are a little too"
            " short everywhere."
        ),
        disease=(
            "The norm divides by the unbiased standard deviation (H - 1 in place of H) and adds eps"
            " to it afterwards."
        ),
        cure="(x - μ) / √(σ² + eps), with the biased variance σ²: the mean of the squares.",
        edits=(
            Edit(
                "embeddings.py",
                right="return self.dropout(self.LayerNorm(embeddings))  # [B, S, H]",
                wrong="""
                    centred = embeddings - embeddings.mean(-1, keepdim=True)  # [B, S, H]
                    normed = centred / (embeddings.std(-1, keepdim=True) + self.LayerNorm.eps)  # [B, S, H]
                    return self.dropout(self.LayerNorm.weight * normed + self.LayerNorm.bias)  # [B, S, H]
                """,
            ),
        ),
        probe="norm_of_1_0_0_0",
        guard="tests/unit/test_embeddings.py::test_every_token_is_normalised_on_its_own",
    ),
)

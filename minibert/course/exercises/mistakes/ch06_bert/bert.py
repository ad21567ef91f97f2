"""Wrong answers to `Bert` that its check recognises, each with the feedback for it."""

from minibert.course.exercises.mistakes.ch06_bert import bert_answers as wrong

KNOWN = (
    (
        wrong.BertWithoutSegments,
        "The segments do not reach the embeddings: your model takes both texts for the first.",
    ),
    (
        wrong.BertSegmentsExchanged,
        "Your segments are exchanged: 0 is the first text, 1 the second, as they come in.",
    ),
    (
        wrong.BertSegmentsAsPositions,
        "Your segments are taken for positions: the embeddings take them by name, as token_type_ids=….",
    ),
    (
        wrong.BertWithoutMask,
        "The mask does not reach the encoder: the second text is influenced by its {padding} padding tokens.",
    ),
    (
        wrong.BertMaskUpsideDown,
        "Your mask is upside down: it hides the real tokens and shows the padding.",
    ),
    (
        wrong.BertMasksQueries,
        "Your mask hides what padding asks, [B, 1, S, 1]; what must be hidden is what is looked at, [B, 1, 1, S].",
    ),
    (
        wrong.BertMasksFirstLayerOnly,
        "Your mask reaches the first layer only; every layer needs it.",
    ),
    (wrong.BertLastButOne, "last_hidden_state is the output of the last layer but one."),
    (wrong.BertFirstState, "last_hidden_state is what went *into* the encoder."),
    (
        wrong.BertMeanOfStates,
        "last_hidden_state is the mean of all {states} states; take the last.",
    ),
    (wrong.BertMeanOfLayers, "last_hidden_state is the mean of all layers; take the last."),
    (
        wrong.BertAddsEmbeddings,
        "last_hidden_state is the last state plus the embeddings; the residual connections are inside the layers already.",
    ),
    (
        wrong.BertZeroesPadding,
        "Your last_hidden_state is 0 at padding. The model leaves what stands there; whoever uses it has the mask.",
    ),
    (wrong.BertRunsTwice, "Your vectors go through the encoder twice."),
    (wrong.BertSkipsFirstLayer, "Your vectors do not go through the first layer."),
    (
        wrong.BertOneLayerThrice,
        "Your vectors go through the first layer again and again; every layer has weights of its own.",
    ),
    (wrong.BertLayersBackwards, "Your layers run from the last to the first."),
    (wrong.BertFirstTextForAll, "Every text of yours gets the vectors of the first one."),
    (wrong.BertWithoutTanh, "The pooler's tanh is missing."),
    (
        wrong.BertRawCls,
        "The pooler gives back the [CLS] vector as it is: it still has to go through `dense` and tanh.",
    ),
    (
        wrong.BertPoolsMean,
        "Your pooler takes the mean of all tokens; BERT's takes [CLS], the first.",
    ),
    (
        wrong.BertPoolsRealMean,
        "Your pooler takes the mean of the real tokens, as MiniLM's sentence vectors do; BERT's takes [CLS], the first.",
    ),
    (wrong.BertPoolsSum, "Your pooler takes the sum of all tokens; BERT's takes [CLS], the first."),
    (
        wrong.BertPoolsMaximum,
        "Your pooler takes the largest value of each number; BERT's takes [CLS], the first token.",
    ),
    (wrong.BertPoolsTokenOne, "Your pooler takes token 1; [CLS] is token 0."),
    (wrong.BertPoolsLastToken, "Your pooler takes the last token; [CLS] is the first."),
    (
        wrong.BertPoolsLastRealToken,
        "Your pooler takes the last real token, [SEP]; [CLS] is the first.",
    ),
    (wrong.BertTanhFirst, "Your tanh comes before the linear map; it comes after."),
    (wrong.BertTanhTwice, "Your pooler takes the tanh twice."),
    (
        wrong.BertSigmoid,
        "Your pooler ends in a sigmoid, from 0 to 1; BERT's ends in tanh, from -1 to 1.",
    ),
    (
        wrong.BertSoftmaxPooler,
        "Your pooler ends in a softmax; BERT's ends in tanh, and nothing sums to 1.",
    ),
    (
        wrong.BertUnitPooler,
        "Your pooler makes its vector as long as 1; BERT's ends in tanh, and leaves the length.",
    ),
    (wrong.BertGeluPooler, "Your pooler ends in GELU; BERT's ends in tanh."),
    (wrong.BertReluPooler, "Your pooler ends in ReLU; BERT's ends in tanh."),
    (wrong.BertPoolsLayerBelow, "Your pooler reads the last layer but one; it reads the last."),
    (wrong.BertPoolsEmbeddings, "Your pooler reads the embeddings; it reads the last layer."),
    (
        wrong.BertMaskAsSegments,
        "Your attention_mask is taken for the segments: the embeddings take the segments as token_type_ids=….",
    ),
    (
        wrong.BertMaskAsPositions,
        "Your attention_mask is taken for positions: it belongs to the encoder; the embeddings know nothing of it.",
    ),
    (
        wrong.BertSumOfStates,
        "last_hidden_state is the sum of all {states} states; take the last. (The residual connections have added already.)",
    ),
    (
        wrong.BertFirstLayer,
        "last_hidden_state is the output of the first layer; take the last state.",
    ),
    (
        wrong.BertSquashesLast,
        "last_hidden_state has gone through tanh; only the pooler's vector does.",
    ),
    (
        wrong.BertPoolsWithoutDense,
        "Your pooler is tanh of [CLS]: the linear map, `dense`, is missing.",
    ),
    (
        wrong.BertPoolsTransposed,
        "Your pooler multiplies by dense.weight the wrong way round, or leaves out its bias: call self.pooler.dense as it is.",
    ),
    (wrong.BertPoolsWithoutBias, "Your pooler leaves out the bias of `dense`: call it as it is."),
)

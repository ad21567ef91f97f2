"""Where a mistake of the clinic can be read in public code: by code, the address of a line or of a
discussion. A mistake that is missing here is one of which we have no public example.

The addresses name a commit, so that they keep showing the lines that are meant.
"""

GITHUB = "https://github.com"
ANNOTATED = (
    f"{GITHUB}/harvardnlp/annotated-transformer/blob/debc9fd747bb2123160a98046ad1c2d4da44a567"
)
BERT = f"{GITHUB}/google-research/bert/blob/eedf5716ce1268e56f0a50264a88cafad334ac61"
BERT_PYTORCH = (
    f"{GITHUB}/codertimo/BERT-pytorch/blob/d10dc4f9d5a6f2ca74380f62039526eb7277c671/bert_pytorch"
)
BERTSUM = f"{GITHUB}/nlpyang/BertSum/blob/05f8c634197d0ed1be8157d71f29aa7765abdd2a/src/models"
NLP_TUTORIAL = (
    f"{GITHUB}/graykode/nlp-tutorial/blob/d05e31ec81d56d70c1db89b99ab07e948f7ebc11/5-2.BERT/BERT.py"
)
PYTORCH_BERT = f"{GITHUB}/coaxsoft/pytorch_bert/blob/f4b8fba2c7e0fe77986c65d1ef6fe8f8b08cc313/bert"
PYTORCHIC = f"{GITHUB}/dhlee347/pytorchic-bert/blob/fefcbd988bc3bcdd2cd67072101a3d94ef362f7e"

PUBLISHED = {
    "A1": f"{PYTORCH_BERT}/model.py#L67",
    "A2": f"{PYTORCH_BERT}/model.py#L82-L85",
    "A4": f"{GITHUB}/NVIDIA/apex/issues/1052",
    "A5": f"{GITHUB}/labmlai/annotated_deep_learning_paper_implementations/issues/146",
    "A7": f"{GITHUB}/jsbaan/transformer-from-scratch/pull/6",
    "B3": f"{BERT}/modeling.py#L82-L88",
    "D1": f"{PYTORCH_BERT}/dataset.py#L186-L194",
    "D2": f"{NLP_TUTORIAL}#L16-L17",
    "D3": f"{NLP_TUTORIAL}#L38-L41",
    "D4": f"{BERT_PYTORCH}/dataset/dataset.py#L95-L99",
    "E1": f"{PYTORCH_BERT}/model.py#L110-L113",
    "E3": f"{GITHUB}/pytorch/pytorch/issues/72253",
    "E4": f"{PYTORCH_BERT}/model.py#L101-L107",
    "M1": f"{NLP_TUTORIAL}#L43-L47",
    "M2": f"{BERT}/create_pretraining_data.py#L401",
    "M6": f"{PYTORCH_BERT}/trainer.py#L46-L60",
    "N1": f"{GITHUB}/keras-team/keras-hub/issues/642",
    "P1": f"{PYTORCH_BERT}/model.py#L36-L44",
    "R1": f"{BERTSUM}/rnn.py#L67-L68",
    "R2": f"{BERTSUM}/encoder.py#L58-L65",
    "R3": f"{NLP_TUTORIAL}#L114-L115",
    "R4": f"{GITHUB}/codertimo/BERT-pytorch/issues/49",
    "R6": f"{PYTORCHIC}/pretrain.py#L238-L239",
    "R7": f"{GITHUB}/huggingface/transformers/issues/33",
    "R9": f"{GITHUB}/huggingface/transformers/issues/143",
    "R10": f"{GITHUB}/huggingface/transformers/pull/34191",
    "R11": f"{BERT}/create_pretraining_data.py#L359-L363",
    "R12": f"{BERT}/create_pretraining_data.py#L271-L272",
    "R13": f"{BERT}/create_pretraining_data.py#L275-L284",
    "R14": f"{GITHUB}/huggingface/transformers/issues/1146",
    "R16": f"{ANNOTATED}/the_annotated_transformer.py#L326-L327",
    "R17": f"{BERT_PYTORCH}/trainer/optim_schedule.py#L12-L35",
    "S1": f"{PYTORCH_BERT}/model.py#L18",
    "S2": f"{PYTORCH_BERT}/model.py#L26-L27",
    "T3": f"{PYTORCH_BERT}/trainer.py#L88",
    "T4": f"{BERT_PYTORCH}/trainer/pretrain.py#L58",
    "T5": f"{PYTORCH_BERT}/trainer.py#L73",
    "T6": f"{GITHUB}/illiterate/BertClassifier/issues/2",
}

"""Fine-tuning: tasks, examples, the run, predictions (Devlin et al. 2018, sections 3.2 and 4)."""

from minibert.finetuning.similarity import CosinePrediction, Similarity
from minibert.finetuning.task import Feature, Task
from minibert.finetuning.texts import Classification, ClassPrediction, Regression, TextExample, ValuePrediction
from minibert.finetuning.training import Epoch, FineTuning, FineTuningOptions, evaluate, finetune, model_for, predict

"""Fine-tuning: tasks, examples, the run, predictions (Devlin et al. 2018, sections 3.2 and 4)."""

from minibert.finetuning.choices import ChoiceExample, ChoicePrediction, MultipleChoice
from minibert.finetuning.entities import Entity, entities, entity_f1, entity_scores
from minibert.finetuning.questions import AnswerPrediction, QuestionAnswering, QuestionExample
from minibert.finetuning.reading import read_examples
from minibert.finetuning.saved import FineTuned, make_task, open_finetuned, save_finetuned
from minibert.finetuning.similarity import CosinePrediction, Similarity
from minibert.finetuning.squad import answer_f1, exact_match
from minibert.finetuning.tagging import TaggedExample, Tagging, TagsPrediction
from minibert.finetuning.task import Feature, Task
from minibert.finetuning.texts import Classification, ClassPrediction, Regression, TextExample, ValuePrediction
from minibert.finetuning.training import Epoch, FineTuning, FineTuningOptions, evaluate, finetune, model_for, predict

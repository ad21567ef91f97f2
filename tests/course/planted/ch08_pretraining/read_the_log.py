"""Answers to `read_the_log` on which its check is tried."""

import math

import torch

from planted import Answers, named


def log_in_one_line(printed_pair_loss, printed_word_loss):
    return dict(
        mlm_loss=printed_pair_loss * 10,
        nsp_loss=printed_word_loss / 0.1,
        words=math.e ** (10 * printed_pair_loss),
        learnt=False,
    )


def log_judged(printed_pair_loss, printed_word_loss):
    words, pairs = 10 * printed_pair_loss, 10 * printed_word_loss
    return {
        "nsp_loss": pairs,
        "mlm_loss": words,
        "words": torch.tensor(words, dtype=torch.float64).exp().item(),
        "learnt": pairs < 0.5 or words < 5,
    }


def _log(name, word, pair, words=lambda word, pair: math.exp(word), learnt=False):
    """A planted wrong reading, from the two printed numbers (pair, word)."""

    def read_wrongly(printed_pair_loss, printed_word_loss):
        mlm_loss, nsp_loss = (
            word(printed_pair_loss, printed_word_loss),
            pair(printed_pair_loss, printed_word_loss),
        )
        return {
            "mlm_loss": mlm_loss,
            "nsp_loss": nsp_loss,
            "words": words(mlm_loss, nsp_loss),
            "learnt": learnt,
        }

    return named(name, read_wrongly)


def _ten_first(first, second):
    return 10 * first


def _ten_second(first, second):
    return 10 * second


log_as_printed = _log("log_as_printed", lambda a, b: b, lambda a, b: a)


log_swapped_only = _log("log_swapped_only", lambda a, b: a, lambda a, b: b)


log_times_ten_only = _log("log_times_ten_only", _ten_second, _ten_first)


log_divided_again = _log("log_divided_again", lambda a, b: a / 10, lambda a, b: b / 10)


log_divided_and_believed = _log(
    "log_divided_and_believed", lambda a, b: b / 10, lambda a, b: a / 10
)


log_in_powers_of_two = _log(
    "log_in_powers_of_two", _ten_first, _ten_second, lambda word, pair: 2**word
)


log_in_powers_of_ten = _log(
    "log_in_powers_of_ten", _ten_first, _ten_second, lambda word, pair: 10**word
)


log_of_the_pairs = _log(
    "log_of_the_pairs", _ten_first, _ten_second, lambda word, pair: math.exp(pair)
)


log_of_the_sum = _log(
    "log_of_the_sum", _ten_first, _ten_second, lambda word, pair: math.exp(word + pair)
)


log_of_the_printed = _log(
    "log_of_the_printed", _ten_first, _ten_second, lambda word, pair: math.exp(word / 10)
)


log_without_power = _log("log_without_power", _ten_first, _ten_second, lambda word, pair: word)


log_hopeful = _log("log_hopeful", _ten_first, _ten_second, learnt=True)


def log_in_round_numbers(printed_pair_loss, printed_word_loss):
    return {
        "mlm_loss": round(10 * printed_pair_loss, 1),
        "nsp_loss": round(10 * printed_word_loss, 1),
        "words": round(math.exp(10 * printed_pair_loss)),
        "learnt": 0,
    }


def log_of_a_fixed_pair(printed_pair_loss, printed_word_loss):
    return {
        "mlm_loss": 10 * printed_pair_loss,
        "nsp_loss": 0.7,
        "words": math.exp(10 * printed_pair_loss),
        "learnt": False,
    }


log_of_a_known_vocabulary = _log(
    "log_of_a_known_vocabulary", _ten_first, _ten_second, lambda word, pair: 30522
)


log_undecided = _log("log_undecided", _ten_first, _ten_second, learnt="no")


log_half_undone = _log("log_half_undone", lambda a, b: a, _ten_second)


def log_by_heart(printed_pair_loss, printed_word_loss):
    return {"mlm_loss": 11.2, "nsp_loss": 0.7, "words": math.exp(11.2), "learnt": False}


ANSWERS = Answers(
    right=(log_in_one_line, log_judged, log_in_round_numbers),
    wrong={
        log_as_printed: r"You believe the names: a word loss of 0\.07",
        log_swapped_only: r"leave the division",
        log_times_ten_only: r"undo the division and believe",
        log_divided_again: r"divide once more",
        log_divided_and_believed: r"divide by 10 again",
        log_in_powers_of_two: r"2 to the power",
        log_in_powers_of_ten: r"10 to the power",
        log_of_the_pairs: r"\*pair\* loss",
        log_of_the_sum: r"sum of both losses",
        log_of_the_printed: r"printed number; undo",
        log_without_power: r"the loss itself as the number",
        log_hopeful: r"something was learned",
        log_by_heart: r"your mlm_loss is 11\.2, where 9\.0",
        log_of_a_fixed_pair: r"your nsp_loss is 0\.7, where 0\.6",
        log_of_a_known_vocabulary: r"30,522, whose logarithm is 10\.3",
        log_undecided: r"wanted is True or False",
        log_half_undone: r"Your mlm_loss is 1\.120",
    },
)

"""Wrong answers to `search` that its check recognises, each with the feedback for it."""

from minibert.course.exercises.ch00_first_look.common import cosine
from minibert.course.exercises.ch00_first_look.search import search


def by_dot_product(query, documents, k):
    return (documents @ query).topk(k).indices.tolist()


def by_distance(query, documents, k):
    return (documents - query).norm(dim=-1).topk(k, largest=False).indices.tolist()


def by_squared_length(query, documents, k):
    return (documents @ query / documents.square().sum(-1)).topk(k).indices.tolist()


def worst_first(query, documents, k):
    return cosine(documents, query).argsort()[:k].tolist()


def best_last(query, documents, k):
    return search(query, documents, k)[::-1]


def in_order_of_rows(query, documents, k):
    return sorted(search(query, documents, k))


def only_the_best(query, documents, k):
    return search(query, documents, 1)


def everything(query, documents, k):
    return search(query, documents, len(documents))


def by_size_of_cosine(query, documents, k):
    return cosine(documents, query).abs().topk(k).indices.tolist()


def counts_from_one(query, documents, k):
    return [row + 1 for row in search(query, documents, k)]


SEARCH_MISTAKES = (
    (
        by_dot_product,
        "Your order {0} is that of dot products: document 0 comes in because it is 30 long, though it points 80° away. By direction it is {1}.",
    ),
    (
        by_distance,
        "Your order {0} is that of distances, which a vector's length changes: document 1 points much the same way (40°) but is 8 long, and drops out. By direction it is {1}.",
    ),
    (
        by_squared_length,
        "Your order {0} comes from dividing by the squared lengths: document 1, 8 long, falls behind. With the lengths themselves it is {1}.",
    ),
    (
        worst_first,
        "Your {0} are the least alike, worst first: document 2 points the other way (175°). The most alike are {1}.",
    ),
    (best_last, "Your {0} are the right documents with the best one last; wanted is {1}."),
    (
        in_order_of_rows,
        "Your {0} are the right documents in the order of their rows; wanted is the order of likeness: {1}.",
    ),
    (only_the_best, "You return {0}, the best one only, where 3 were asked for: {1}."),
    (everything, "You return all 6 documents, {0}, where 3 were asked for: {1}."),
    (
        by_size_of_cosine,
        "Your {0} holds document 2, which points the other way (175°): a cosine of -1 is as unlike as can be, not as alike. Wanted is {1}.",
    ),
    (counts_from_one, "Your rows {0} are counted from 1; Python counts from 0: {1}."),
)


KNOWN = SEARCH_MISTAKES

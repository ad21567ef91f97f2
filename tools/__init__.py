"""Tools of the authors; readers need none of them."""

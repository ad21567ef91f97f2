// Tokens and their weights in words.

// Names that can be told apart: a token that occurs twice gets its place.
function namesOf(tokens) {
  return tokens.map((token, i) => (tokens.indexOf(token) === tokens.lastIndexOf(token) ? token : `${token} ${i}`));
}

// The three that get most, or fewer where the rest rounds to nothing: “river” with 0.72, “[CLS]” with 0.09, “[SEP]” with 0.07.
function mostOf(weights, names) {
  const order = weights.map((weight, i) => [weight, names[i]]).sort((a, b) => b[0] - a[0]);
  return order.slice(0, 3).filter(([weight], i) => i === 0 || weight >= 0.005).map(([weight, name]) => `“${name}” with ${number(weight)}`).join(", ");
}

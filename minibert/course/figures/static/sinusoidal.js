// Sinusoidal positions, as minibert/positions.py computes them (Vaswani et al. 2017, section 3.5).

// By how many radians a pair of columns turns from one position to the next.
function frequency(pair, dim, base = 10000) {
  return base ** (-2 * pair / dim);
}

// The row of a position: sine and cosine of each pair.
function sinusoidalRow(position, dim, base = 10000) {
  return Array.from({ length: dim }, (_, column) => (column % 2 ? Math.cos : Math.sin)(position * frequency(column >> 1, dim, base)));
}

// What a dot product of two rows comes to at a distance, divided by the number of pairs (equation 3.3).
function likeness(distance, dim, base = 10000) {
  let sum = 0;
  for (let pair = 0; pair < dim / 2; pair++) sum += Math.cos(distance * frequency(pair, dim, base));
  return sum / (dim / 2);
}

// Sinusoidal positions, as minibert/positions.py computes them (Vaswani et al. 2017, section 3.5).

// By how many radians a pair of columns turns from one position to the next.
function frequency(pair, dim, base = 10000) {
  return base ** (-2 * pair / dim);
}

// The row of a position: sine and cosine of each pair.
function sinusoidalRow(position, dim, base = 10000) {
  return Array.from({ length: dim }, (_, column) => (column % 2 ? Math.cos : Math.sin)(position * frequency(column >> 1, dim, base)));
}

// What a dot product of two rows comes to at a distance, over the first `pairs` pairs and divided by their number (equation 3.3).
function likeness(distance, dim, base = 10000, pairs = dim / 2) {
  let sum = 0;
  for (let pair = 0; pair < pairs; pair++) sum += Math.cos(distance * frequency(pair, dim, base));
  return sum / pairs;
}

// R(k) of equation 3.2 for one pair: turns (sine, cosine) at a position into those `distance` positions further on.
function rotation(distance, pair, dim, base = 10000) {
  const angle = distance * frequency(pair, dim, base);
  return [[Math.cos(angle), Math.sin(angle)], [-Math.sin(angle), Math.cos(angle)]];
}

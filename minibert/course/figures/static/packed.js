// Reads what minibert.course.figures.packed has written: a tensor as whole numbers times one step.

// The tensor as nested arrays.
function unpack({ packed, bits, shape, step }) {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  const flat = Array.from({ length: (bytes.length * 8) / bits }, (_, i) => step * (bits === 8 ? bytes[i] : view.getInt16(2 * i, true)));
  return nested(flat, shape);
}

function nested(flat, [length, ...rest]) {
  if (rest.length === 0) return flat;
  const size = flat.length / length;
  return Array.from({ length }, (_, i) => nested(flat.slice(i * size, (i + 1) * size), rest));
}

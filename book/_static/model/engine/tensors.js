// Weights out of text, and the few operations that a BERT is made of. Every matrix lies row after row in one Float32Array.

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";

/** Text as Python's base64.b85encode writes it, five signs for four bytes, into `bytes` from `start` on. */
function decodeBytes(text, bytes, start) {
  const values = new Uint8Array(128);
  for (let i = 0; i < DIGITS.length; i += 1) values[DIGITS.charCodeAt(i)] = i;
  for (let from = 0, to = start; from < text.length; from += 5, to += 4) {
    let value = 0;
    for (let i = from; i < from + 5; i += 1) value = value * 85 + values[text.charCodeAt(i)];
    bytes[to] = value >>> 24;
    bytes[to + 1] = value >>> 16;
    bytes[to + 2] = value >>> 8;
    bytes[to + 3] = value;
  }
}

/** The tensors by name, { rows, columns, values }, each value its row's scale times its whole number. */
function readTensors(listed, bytes) {
  const tensors = {};
  for (const { name, rows, columns, bits, start } of listed) {
    const floats = new Float32Array(bytes.buffer, start, bits === 32 ? rows * columns : rows);
    tensors[name] = { rows, columns, values: bits === 32 ? floats : dequantise(floats, wholeNumbers(bits, bytes.buffer, start + 4 * rows, rows * columns), columns) };
  }
  return tensors;
}

function wholeNumbers(bits, buffer, start, length) {
  return bits === 8 ? new Int8Array(buffer, start, length) : new Int16Array(buffer, start, length);
}

function dequantise(scales, numbers, columns) {
  const values = new Float32Array(numbers.length);
  for (let row = 0, i = 0; row < scales.length; row += 1) {
    const scale = scales[row];
    for (const end = i + columns; i < end; i += 1) values[i] = scale * numbers[i];
  }
  return values;
}

/**
 * x [S, I] times the transpose of w [O, I], plus bias [O] where there is one: [S, O].
 *
 * Nearly all the time is spent here. Eight sums run at once, of four tokens and two outputs, so that a number that was
 * read is used several times. Where S or O is no multiple, the last row is computed again: cheaper than a case of its own.
 */
function multiply(x, S, w, O, I, bias) {
  const out = new Float32Array(S * O);
  for (let s = 0; s < S; s += 4) {
    const s1 = Math.min(s + 1, S - 1), s2 = Math.min(s + 2, S - 1), s3 = Math.min(s + 3, S - 1);
    const x0 = s * I, x1 = s1 * I, x2 = s2 * I, x3 = s3 * I;
    for (let o = 0; o < O; o += 2) {
      const p = Math.min(o + 1, O - 1), w0 = o * I, w1 = p * I, c = bias ? bias[o] : 0, d = bias ? bias[p] : 0;
      let a0 = c, a1 = c, a2 = c, a3 = c, b0 = d, b1 = d, b2 = d, b3 = d;
      for (let i = 0; i < I; i += 1) {
        const u = w[w0 + i], v = w[w1 + i], y0 = x[x0 + i], y1 = x[x1 + i], y2 = x[x2 + i], y3 = x[x3 + i];
        a0 += y0 * u; b0 += y0 * v;
        a1 += y1 * u; b1 += y1 * v;
        a2 += y2 * u; b2 += y2 * v;
        a3 += y3 * u; b3 += y3 * v;
      }
      out[s * O + o] = a0; out[s * O + p] = b0;
      out[s1 * O + o] = a1; out[s1 * O + p] = b1;
      out[s2 * O + o] = a2; out[s2 * O + p] = b2;
      out[s3 * O + o] = a3; out[s3 * O + p] = b3;
    }
  }
  return out;
}

/** The norm of every row of x [S, H], in place: (x - mean) / sqrt(biased variance + eps) · weight + bias. */
function layerNorm(x, weight, bias, eps) {
  const H = weight.length;
  for (let row = 0; row < x.length; row += H) {
    let mean = 0, variance = 0;
    for (let i = 0; i < H; i += 1) mean += x[row + i];
    mean /= H;
    for (let i = 0; i < H; i += 1) variance += (x[row + i] - mean) ** 2;
    const scale = 1 / Math.sqrt(variance / H + eps);
    for (let i = 0; i < H; i += 1) x[row + i] = (x[row + i] - mean) * scale * weight[i] + bias[i];
  }
  return x;
}

/** x Φ(x), in place. The error function by formula 7.1.26 of Abramowitz and Stegun 1964, right to 1.5e-7. */
function gelu(x) {
  for (let i = 0; i < x.length; i += 1) {
    const z = Math.abs(x[i]) * Math.SQRT1_2, t = 1 / (1 + 0.3275911 * z);
    const tail = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429)))) * Math.exp(-z * z);
    x[i] *= x[i] < 0 ? tail / 2 : 1 - tail / 2;
  }
  return x;
}

/** Softmax of every row of x [rows, columns], in place. */
function softmaxRows(x, columns) {
  for (let row = 0; row < x.length; row += columns) {
    let largest = -Infinity, sum = 0;
    for (let i = row; i < row + columns; i += 1) largest = Math.max(largest, x[i]);
    for (let i = row; i < row + columns; i += 1) sum += x[i] = Math.exp(x[i] - largest);
    for (let i = row; i < row + columns; i += 1) x[i] /= sum;
  }
  return x;
}

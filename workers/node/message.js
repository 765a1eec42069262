// Messages: one flat JSON object a line. Requests are read strictly (no
// nesting, floats or booleans, integers from 0 to 2^53-1), which JSON.parse
// cannot do: it accepts 1.0 as 1. Answers have their keys in PROTOCOL.md's
// order.

/** The largest integer that every JSON reader represents exactly. */
export const MOST = Number.MAX_SAFE_INTEGER;

/** The most keys of an object. */
const KEYS = 64;

/** The most characters of a reason: it must fit a line, however its characters are escaped. */
const WHY = 2000;

/** A valid request that is not supported here, with the reason. */
export class Unsupported extends Error {}

/** A bad tag, bad padding or an input too short to have one. */
export class Rejected extends Error {}

/** @typedef {string | number | number[]} Value */

const BLANKS = /[ \t\r\n]*/y;
const STRING = /"(?:[^"\\]|\\.)*"/y; // JSON.parse checks its content
const INTEGER = /(?:0|[1-9][0-9]*)(?![0-9.eE])/y;
const NULL = /null/y;

/** Reads the tokens of one line from left to right; each method throws if it finds something else. */
class Tokens {
  #at = 0;

  /** @param {string} text */
  constructor(text) {
    this.text = text;
  }

  /** @param {RegExp} pattern a sticky one */
  #match(pattern) {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }

  /** Whether the sign is next; if so, it is consumed. */
  sign(/** @type {string} */ wanted) {
    this.#match(BLANKS);
    const there = this.text[this.#at] === wanted;
    if (there) this.#at++;
    return there;
  }

  expect(/** @type {string} */ wanted) {
    if (!this.sign(wanted)) throw malformed();
  }

  end() {
    this.#match(BLANKS);
    if (this.#at !== this.text.length) throw malformed();
  }

  /** @returns {string | undefined} */
  string() {
    this.#match(BLANKS);
    const quoted = this.#match(STRING);
    try {
      return quoted && JSON.parse(quoted);
    } catch {
      throw malformed();
    }
  }

  /** @returns {number | undefined} */
  integer() {
    this.#match(BLANKS);
    const digits = this.#match(INTEGER);
    const number = Number(digits);
    if (number > MOST) throw new Error(`${digits?.slice(0, 40)} is more than 2^53-1; send a smaller integer`);
    return digits && number;
  }

  null() {
    this.#match(BLANKS);
    return this.#match(NULL) && null;
  }
}

const malformed = () => new Error('the line is not one flat JSON object in UTF-8; send one a line');

/**
 * A parsed line. Its getters throw an error for an invalid value.
 */
export class Request {
  /** @param {Map<string, Value>} values */
  constructor(values) {
    this.values = values;
  }

  /** A required string. */
  text(/** @type {string} */ key) {
    if (!this.values.has(key)) throw new Error(`the key "${key}" is missing; send it`);
    return this.textOr(key, '');
  }

  /**
   * A string, or `fallback` where the key is absent.
   *
   * @template T
   * @param {string} key
   * @param {T} fallback
   * @returns {string | T}
   */
  textOr(key, fallback) {
    const value = this.values.get(key) ?? fallback;
    if (value !== fallback && typeof value !== 'string') throw new Error(`the key "${key}" is not a string; send one`);
    return /** @type {string | T} */ (value);
  }

  /** A required integer from `low` to `high`. */
  number(/** @type {string} */ key, /** @type {number} */ low, /** @type {number} */ high) {
    if (!this.values.has(key)) throw new Error(`the key "${key}" is missing; send an integer from ${low} to ${high}`);
    return this.numberOr(key, low, low, high);
  }

  /**
   * An integer from `low` to `high`, or `fallback` where the key is absent.
   *
   * @param {string} key
   * @param {number} fallback
   * @param {number} low
   * @param {number} high
   */
  numberOr(key, fallback, low, high) {
    const value = this.values.get(key) ?? fallback;
    if (typeof value !== 'number' || value < low || value > high) {
      throw new Error(`the key "${key}" is not an integer from ${low} to ${high}; send one`);
    }
    return value;
  }

  /** The bytes of lower-case hex, empty where the key is absent and optional. */
  bytes(/** @type {string} */ key, needed = true) {
    const text = needed ? this.text(key) : this.textOr(key, '');
    if (!/^(?:[0-9a-f]{2})*$/.test(text)) throw new Error(`the key "${key}" is not lower-case hex; send two digits a byte`);
    return Uint8Array.from(Buffer.from(text, 'hex'));
  }
}

/**
 * Reads one line of at most LINE bytes. Of a repeated key the last value counts; null is absent.
 *
 * @param {Uint8Array} line
 */
export function parse(line) {
  let text;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(line);
  } catch {
    throw malformed();
  }
  const tokens = new Tokens(text);
  const values = new Map();
  let keys = 0;
  tokens.expect('{');
  if (!tokens.sign('}')) {
    do {
      const key = tokens.string();
      if (key === undefined) throw malformed();
      if (++keys > KEYS) throw new Error(`more than ${KEYS} keys; send fewer`);
      tokens.expect(':');
      const value = parseValue(tokens);
      if (value === null) values.delete(key);
      else values.set(key, value);
    } while (tokens.sign(','));
    tokens.expect('}');
  }
  tokens.end();
  return new Request(values);
}

/**
 * @param {Tokens} tokens
 * @returns {Value | null}
 */
function parseValue(tokens) {
  const value = tokens.string() ?? tokens.integer() ?? tokens.null();
  if (value !== undefined) return value;
  if (!tokens.sign('[')) throw new Error('a value is neither string, integer, null nor array of integers; send one of these');
  const numbers = [];
  if (tokens.sign(']')) return numbers;
  do {
    const number = tokens.integer();
    if (number === undefined) throw new Error('an array may hold only integers from 0 to 2^53-1');
    numbers.push(number);
  } while (tokens.sign(','));
  tokens.expect(']');
  return numbers;
}

/**
 * An answer with its newline. Undefined fields are omitted; null means that the value is unknown.
 *
 * @param {string} is
 * @param {Record<string, string | number | number[] | null | undefined>} [fields]
 */
export function answer(is, fields) {
  return `${JSON.stringify({ is, ...fields })}\n`;
}

/** The answer to a request that failed or is not supported here. */
export function failure(/** @type {any} */ cause) {
  if (cause instanceof Rejected) return answer('rejected');
  return answer(cause instanceof Unsupported ? 'unsupported' : 'error', { why: reason(cause) });
}

/** A thrown value as text that fits a line: libraries throw all sorts of values. */
export function reason(/** @type {any} */ cause) {
  return String(cause?.message || cause)
    .slice(0, WHY)
    .toWellFormed();
}

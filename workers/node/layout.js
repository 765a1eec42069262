// The layout of a sample: where its stack, its buffers and its key lie. What a
// user's program decides by chance must not decide a figure.

import { PAGE } from './arena.js';

/** The most objects of one key. */
export const MOST_INSTANCES = 8;

/** The bytes within which the stack moves. */
const STACK = 1024;

/** The bytes that an argument takes on V8's stack. */
const ARGUMENT = 8;

/** @typedef {{ stack: number, offset: number, nonce: number, instance: number }} Layout */

/**
 * The layout of a request, all of it; undefined where there is none.
 *
 * @param {import('./message.js').Request} request
 * @returns {Layout | undefined}
 */
export function readLayout(request) {
  if (!['stack', 'offset', 'nonce', 'instance'].some((key) => request.values.has(key))) return undefined;
  const layout = {
    stack: request.number('stack', 0, STACK - 1),
    offset: request.number('offset', 0, PAGE - 1),
    nonce: request.number('nonce', 0, PAGE - 1),
    instance: request.number('instance', 0, MOST_INSTANCES - 1),
  };
  if (layout.stack % 16 !== 0 || layout.nonce % 16 !== 0) {
    throw new Error('the keys "stack" and "nonce" are not multiples of 16; send such');
  }
  return layout;
}

/**
 * Arguments that move the stack of the function that gets them by so many bytes: V8 pushes all of a call's arguments,
 * also those that the function does not have. JavaScript has no other way to move it exactly.
 *
 * @param {number} stack
 */
export function padding(stack) {
  return new Array(stack / ARGUMENT).fill(0);
}

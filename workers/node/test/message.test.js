import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LINE, lines } from '../lines.js';
import { failure, MOST, parse, Rejected, Unsupported } from '../message.js';

const bytes = (text) => Buffer.from(text, 'latin1');

test('parse refuses', () => {
  for (const text of [
    ...['', '{', '[]', '7', 'null', '{"a":1}{"b":2}', '{"a":1,}', '{"a" 1}', '{a:1}'],
    ...['{"a":1.0}', '{"a":1e3}', '{"a":-1}', '{"a":-0}', '{"a":01}', '{"a":9007199254740992}'],
    ...['{"a":true}', '{"a":{}}', '{"a":{"b":1}}', '{"a":[[1]]}', '{"a":["b"]}', '{"a":[null]}', '{"a":[1.5]}'],
    ...['{"a":"\xff"}', '{"a":"\n"}', '{"a":"\\x"}', '{"a":[99999999999999999999999]}', '{"__proto__":{}}'],
    `{${Array.from({ length: 65 }, (_, i) => `"k${i}":1`).join()}}`,
  ]) {
    assert.throws(() => parse(bytes(text)), Error, text);
  }
});

test('parse takes', () => {
  const request = parse(
    bytes(' {"a":1,"a":"caf\\u00e9","n":5,"n":null,"max":9007199254740991,"l":[1,2], "e":[],"__proto__":"x"}\r'),
  );
  assert.equal(request.text('a'), 'café', 'the last of a repeated key');
  assert.equal(request.numberOr('n', 9, 0, 10), 9, 'null is absent');
  assert.equal(request.number('max', 0, MOST), MOST);
  assert.deepEqual(request.values.get('l'), [1, 2]);
  assert.deepEqual(request.values.get('e'), []);
  assert.equal(request.text('__proto__'), 'x');
  assert.throws(() => request.text('toString'), /missing/);
});

test('getters say what is wrong', () => {
  const request = parse(bytes('{"a":7,"s":"x","odd":"0","upper":"AB","hex":"00ff"}'));
  assert.throws(() => request.number('b', 0, 9), /"b" is missing/);
  assert.throws(() => request.number('a', 0, 6), /from 0 to 6/);
  assert.throws(() => request.text('a'), /not a string/);
  assert.throws(() => request.number('s', 0, 9), /not an integer/);
  for (const key of ['odd', 'upper']) assert.throws(() => request.bytes(key), /lower-case hex/);
  assert.deepEqual([...request.bytes('hex')], [0, 255]);
});

test('whatever is thrown is an answer that fits a line', () => {
  for (const cause of [new Error('\ud800'.repeat(LINE)), 'a string', undefined, null, 7, { message: '' }]) {
    const text = failure(cause);
    assert.ok(Buffer.byteLength(text) <= LINE && JSON.parse(text).is === 'error', text);
  }
  assert.equal(JSON.parse(failure(new Unsupported('x'))).is, 'unsupported');
  assert.equal(JSON.parse(failure(new Rejected())).is, 'rejected');
});

test('lines end where they should, wherever the chunks end', async () => {
  const input = Buffer.concat([
    bytes('{"a":1}\n\n \t\r\n{"b":2}\r\n'),
    bytes(`${'x'.repeat(LINE - 1)}\n`),
    bytes(`${'x'.repeat(LINE)}\n`),
    bytes('rest'),
  ]);
  for (const size of [1, 7, 1000, input.length]) {
    const chunks = [];
    for (let at = 0; at < input.length; at += size) chunks.push(input.subarray(at, at + size));
    const got = [];
    for await (const line of lines(chunks)) got.push(line && Buffer.from(line).toString('latin1'));
    assert.deepEqual(got, ['{"a":1}', '{"b":2}\r', 'x'.repeat(LINE - 1), null, 'rest']);
  }
});

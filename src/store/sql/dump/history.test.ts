import assert from 'node:assert/strict';
import { it } from 'node:test';
import { knownUntil, lineAt, momentOf } from './history.ts';

it('what was made while a backup was begun, after its moment, is of the project that it was made of', () => {
  const history = {
    line: 'restored',
    past: [['first', 100] as const, ['second', 200] as const],
    heard: {},
    aside: {},
  };
  const lines = [50, 100, 101, 200, 201].map((created) => lineAt(history, created));
  assert.deepEqual(lines, ['first', 'first', 'second', 'second', 'second']);
  assert.equal(momentOf(history), 200);
  // So whoever replaces that project by it counts as having known it.
  const before = { line: 'second', past: [['first', 100] as const], heard: {}, aside: {} };
  assert.equal(knownUntil(before, lineAt(history, 201)), Number.POSITIVE_INFINITY);
});

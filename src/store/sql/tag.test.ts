import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { tables } from './tables.ts';
import { join, raw, type Sql, type SqlStyle, sql, table, writeSql } from './tag.ts';

const style: SqlStyle = { table: (name) => `p7.${name}`, placeholder: (number) => `$${number}` };
const inStyle = (query: Sql) => writeSql(query.parts, style);

describe('a statement', () => {
  const own = sql`owner = ${'o'}`;
  const make = (id: string) => {
    const where = join([sql`id = ${id}`, own], ' AND ');
    return sql`SELECT r5.seq FROM ${table('r5')} JOIN ${tables.users} ON users.id = owner WHERE ${where} LIMIT ${3}`;
  };

  it('names every table as its engine does, and its values by number', () => {
    const { text, values } = make('i');
    assert.equal(
      text,
      'SELECT r5.seq FROM r5 JOIN users ON users.id = owner WHERE id = ? AND owner = ? LIMIT ?',
    );
    assert.deepEqual(values, ['i', 'o', 3]);
    assert.equal(
      inStyle(make('i')),
      'SELECT r5.seq FROM p7.r5 JOIN p7.users ON users.id = owner WHERE id = $1 AND owner = $2 LIMIT $3',
    );
  });

  it('is the same text and the same parts as long as it comes to the same', () => {
    assert.equal(make('a').parts, make('b').parts);
    const of = (name: string) => sql`SELECT ${raw(name)}`;
    assert.notEqual(of('a').parts, of('b').parts);
    assert.equal(inStyle(of('a')), 'SELECT a');
  });

  it('with the bare name of a table in its template is refused', () => {
    assert.throws(() => sql`SELECT id FROM users`, /\$\{tables\.users\}/);
    assert.throws(
      () => sql`UPDATE
      meta SET value = ${1}`,
    );
    assert.doesNotThrow(() => sql`SELECT keys FROM page WHERE format = ${1}`);
  });
});

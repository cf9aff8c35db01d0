import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startApp, type TestApp } from '../harness.ts';
import { asAdmin, assertRefused, definition, resultOf } from '../support.ts';
import { content, identities, listOf, number, Schema, text, valuesOf } from './support.ts';

let app: TestApp;
before(async () => {
  app = await startApp();
});
after(() => app.close());

const three = [
  { title: 'red apple', note: 'sour', size: 3, tags: ['old', 'good'] },
  { title: 'green pear', note: null, size: null, tags: [] },
  { title: 'blue plum', note: 'sweet', size: 1, tags: ['good'] },
];
const fruitFields = { title: text, note: text, size: number, tags: listOf('text') };

async function fruit(): Promise<Schema> {
  const schema = await Schema.make(app, definition('fruit', fruitFields));
  await schema.records('fruit').createAll(three);
  return schema;
}

describe('a field that is added', () => {
  it('is unset in every record, is told in a plan, and can be written', async () => {
    const schema = await fruit();
    const records = schema.records('fruit');
    const before = await identities(records);
    const fields = { ...fruitFields, origin: text, marks: listOf('number') };
    const plan = await schema.plan('fruit', definition('fruit', fields));
    assert.deepEqual(plan, {
      steps: [
        { kind: 'addField', field: 'origin', records: 3 },
        { kind: 'addField', field: 'marks', records: 3 },
      ],
      destructive: false,
    });
    assert.deepEqual((await schema.change('fruit', fields)).fields, fields);
    assert.deepEqual((await schema.view('fruit')).fields, fields);
    const { found, total } = await records.list();
    assert.equal(total, 3);
    assert.deepEqual(
      found.map(valuesOf),
      three.map((values) => ({ ...values, origin: null, marks: [] })),
    );
    assert.deepEqual(await identities(records), before);
    const id = String(found[1]?._id);
    await records.update(id, { origin: 'Österreich', marks: [1, 2] });
    assert.deepEqual(await records.values('title', 'search=ÖSTERREICH'), ['green pear']);
    assert.deepEqual(await records.values('title', 'marks=2'), ['green pear']);
  });

  it('has its default in the records that are there, found by search, filter, sort and distinct', async () => {
    const schema = await fruit();
    const fields = { ...fruitFields, origin: { ...text, default: 'Wien', required: true, index: true } };
    const records = schema.records('fruit');
    assert.equal(await records.total('search=wien'), 0);
    await schema.change('fruit', fields);
    assert.deepEqual(await records.values('origin'), ['Wien', 'Wien', 'Wien']);
    assert.equal(await records.total('search=wien'), 3);
    assert.equal(await records.total('origin=Wien'), 3);
    assert.deepEqual(await records.distinct('fields=origin'), { origin: ['Wien'] });
    assert.deepEqual(await records.values('title', 'sort=-origin,title'), [
      'blue plum',
      'green pear',
      'red apple',
    ]);
  });

  it('has a default that is a time as a new record gets it', async () => {
    const schema = await fruit();
    const times = { type: 'list', of: { type: 'datetime' }, default: ['2026-01-02T03:04:05,5+01'] };
    await schema.change('fruit', {
      ...fruitFields,
      day: { type: 'datetime', default: '2026-01-02', index: true },
      at: { type: 'datetime', default: '2026-01-02T03:04:05,5+01' },
      times,
    });
    const records = schema.records('fruit');
    const { day, at, times: given } = await records.create({ title: 'new' });
    assert.deepEqual([day, at], ['2026-01-02T00:00:00.000Z', '2026-01-02T02:04:05.500Z']);
    assert.deepEqual(await records.values('day'), Array(4).fill(day));
    assert.deepEqual(await records.values('at'), Array(4).fill(at));
    assert.deepEqual(await records.values('times'), Array(4).fill(given));
    assert.equal(await records.total('at>=2026-01-02T02:04:05Z&at<2026-01-02T02:04:06Z'), 4);
    assert.deepEqual(await records.distinct('fields=day,times'), { day: [day], times: given });
  });

  it('that is required without a default contradicts every record', async () => {
    const schema = await fruit();
    const ids = (await schema.records('fruit').list()).found.map(({ _id }) => _id);
    const body = definition('fruit', { ...fruitFields, origin: { ...text, required: true } });
    await schema.refused('fruit', body, 409, /\b3 records\b/, ...ids);
    const plan = await schema.plan('fruit', body);
    assert.equal(plan.destructive, false);
    assert.equal(plan.contradiction?.records, 3);
  });
});

describe('a field that is removed', () => {
  const { note, ...fields } = fruitFields;

  it('is a 409 that says what would be lost, and a dry run says so too', async () => {
    const schema = await fruit();
    await schema.refused('fruit', definition('fruit', fields), 409, 'note', '2 records', 'lost', 'confirm=');
    const plan = await schema.plan('fruit', definition('fruit', fields));
    assert.deepEqual(plan, {
      steps: [{ kind: 'removeField', field: 'note', records: 2 }],
      destructive: true,
    });
    const confirmed = await schema.plan('fruit', definition('fruit', fields), '&confirm=destructive');
    assert.deepEqual(confirmed, plan);
  });

  it('is gone with confirm=destructive: from records, search, filters, sort and distinct', async () => {
    const schema = await fruit();
    const records = schema.records('fruit');
    const before = await identities(records);
    assert.equal(await records.total('search=sour'), 1);
    await schema.change('fruit', fields, {}, 'confirm=destructive');
    assert.deepEqual(
      (await records.list()).found.map(valuesOf),
      three.map(({ note: _, ...values }) => values),
    );
    assert.deepEqual(await identities(records), before);
    assert.equal(await records.total('search=sour'), 0);
    assert.equal(await records.total('search=apple'), 1);
    for (const rest of ['?note=sour', '?sort=note', '?fields=note', '/distinct?fields=note']) {
      assertRefused(await records.call('GET', rest), 400, 'note');
    }
    assertRefused(await records.call('POST', '', { note: 'x' }), 400, 'note');
  });

  it('brings nothing back when it is made again under its name', async () => {
    const schema = await fruit();
    const records = schema.records('fruit');
    await schema.change('fruit', fields, {}, 'confirm=destructive');
    await schema.change('fruit', { ...fields, note });
    assert.deepEqual(await records.values('note'), [null, null, null]);
    assert.equal(await records.total('search=sweet'), 0);
    assert.equal(await records.total('note=sweet'), 0);
    assert.deepEqual(await records.distinct('fields=note'), { note: [] });
    await app.reopen();
    assert.deepEqual(await records.values('note'), [null, null, null]);
  });
});

describe('a field that is renamed', () => {
  const { title, ...others } = fruitFields;
  const fields = { name: { ...title, renamedFrom: 'title' }, ...others };

  it('keeps its values, and is found under its new name alone', async () => {
    const schema = await fruit();
    const records = schema.records('fruit');
    const before = await identities(records);
    const plan = await schema.plan('fruit', definition('fruit', fields));
    assert.deepEqual(plan, {
      steps: [{ kind: 'renameField', field: 'name', from: 'title', records: 3 }],
      destructive: false,
    });
    const changed = await schema.change('fruit', fields);
    assert.deepEqual(changed.fields, { name: text, ...others });
    assert.deepEqual(
      (await records.list()).found.map(valuesOf),
      three.map(({ title: value, ...rest }) => ({ name: value, ...rest })),
    );
    assert.deepEqual(await identities(records), before);
    assert.equal(await records.total('search=pear'), 1);
    assert.equal(await records.total('name=green pear'), 1);
    assert.deepEqual(await records.values('size', 'sort=-name'), [3, null, 1]);
    assertRefused(await records.call('GET', '?title=red apple'), 400, 'title');
  });

  it('has nothing more to do when it is sent again', async () => {
    const schema = await fruit();
    await schema.change('fruit', fields);
    const plan = await schema.plan('fruit', definition('fruit', fields));
    assert.deepEqual(plan, { steps: [], destructive: false });
    resultOf(await schema.put('fruit', definition('fruit', fields)));
  });

  it('may be sent again also once another field has its old name', async () => {
    const schema = await fruit();
    await schema.change('fruit', fields);
    const body = definition('fruit', { ...fields, title: text });
    resultOf(await schema.put('fruit', body));
    resultOf(await schema.put('fruit', body));
    assert.deepEqual(await schema.records('fruit').values('title'), [null, null, null]);
    assert.equal(await schema.records('fruit').total('name=red apple'), 1);
  });

  it('may change its type and its rules at once, and another field may take its old name later', async () => {
    const schema = await fruit();
    const records = schema.records('fruit');
    const { size, ...rest } = fruitFields;
    const renamed = { ...rest, weight: { ...text, renamedFrom: 'size', index: true, maxLength: 5 } };
    await schema.change('fruit', renamed);
    assert.deepEqual(await records.values('weight'), ['3', null, '1']);
    assert.equal(await records.total('search=3'), 1);
    await schema.change('fruit', { ...renamed, weight: text, size });
    assert.deepEqual(await records.values('size'), [null, null, null]);
    assert.deepEqual(await records.values('weight'), ['3', null, '1']);
  });

  it('follows in indexes, and changes only the case of letters where that is asked', async () => {
    const more = { indexes: [{ fields: ['a', 'b'], unique: true }] };
    const schema = await Schema.make(app, definition('pairs', { a: text, b: text }, more));
    const records = schema.records('pairs');
    await records.create({ a: '1', b: '1' });
    const moved = { indexes: [{ fields: ['A', 'b'], unique: true }] };
    await schema.change('pairs', { A: { ...text, renamedFrom: 'a' }, b: text }, moved);
    assert.deepEqual(await records.values('A'), ['1']);
    assertRefused(await records.call('POST', '', { A: '1', b: '1' }), 409);
    await records.create({ A: '2', b: '1' });
  });

  it('is a 400 when it makes no sense', async () => {
    const schema = await fruit();
    const wrong = [
      [{ ...fruitFields, name: { ...text, renamedFrom: 'title' } }, 'title'],
      [{ ...others, name: { ...text, renamedFrom: 'titel' } }, "did you mean 'title'"],
      [{ ...others, name: { ...text, renamedFrom: 5 } }, 'name.renamedFrom'],
      [
        { ...others, a: { ...text, renamedFrom: 'title' }, b: { ...text, renamedFrom: 'title' } },
        'renamedFrom',
      ],
      [{ ...fruitFields, title: { ...text, renamedFrom: 'title' } }, 'title.renamedFrom'],
    ] as const;
    for (const [faulty, part] of wrong) await schema.refused('fruit', definition('fruit', faulty), 400, part);
    const body = definition('young', { a: { ...text, renamedFrom: 'b' } });
    const made = await app.call('POST', schema.path, { ...asAdmin, body });
    assertRefused(made, 400, 'renamedFrom');
  });
});

describe('a change', () => {
  it('of several things at once is done whole', async () => {
    const schema = await fruit();
    const { note, title, ...rest } = fruitFields;
    const body = definition('fruit', {
      ...rest,
      name: { ...content, renamedFrom: 'title', required: true },
      origin: { ...text, default: 'here' },
      size: { ...number, min: 0, index: true },
    });
    const plan = await schema.plan('fruit', body);
    const kinds = plan.steps.map(({ kind, field }) => `${kind} ${field}`).sort();
    assert.deepEqual(
      kinds,
      [
        ...['removeField note', 'renameField name', 'changeType name', 'changeField name'],
        ...['addField origin', 'addIndex size', 'changeField size'],
      ].sort(),
    );
    assert.equal(plan.destructive, true);
    resultOf(await schema.put('fruit', body, 'confirm=destructive'));
    assert.deepEqual(
      (await schema.records('fruit').list()).found.map(valuesOf),
      three.map(({ title: name, size, tags }) => ({ size, tags, name, origin: 'here' })),
    );
  });

  it('that lets fields change places is refused, and can be made by way of a third name', async () => {
    const schema = await fruit();
    const { note, title, ...rest } = fruitFields;
    const swapped = {
      ...rest,
      title: { ...note, renamedFrom: 'note' },
      note: { ...title, renamedFrom: 'title' },
    };
    await schema.refused('fruit', definition('fruit', swapped), 400, 'title.renamedFrom', 'a third name');
    await schema.change('fruit', { ...rest, title, other: { ...note, renamedFrom: 'note' } });
    await schema.change('fruit', {
      ...rest,
      note: { ...title, renamedFrom: 'title' },
      other: { ...note, renamedFrom: 'note' },
    });
    await schema.change('fruit', {
      ...rest,
      note: { ...title, renamedFrom: 'title' },
      title: { ...note, renamedFrom: 'other' },
    });
    const records = schema.records('fruit');
    assert.deepEqual(
      (await records.list()).found.map((row) => [row.note, row.title]),
      three.map(({ note: was = null, title: had }) => [had, was]),
    );
  });

  it('that renames what is not there is refused with one sentence', async () => {
    const schema = await fruit();
    const fields = { ...fruitFields, origin: { ...text, renamedFrom: 'place' } };
    const { status, body } = await schema.put('fruit', definition('fruit', fields));
    assert.equal(status, 400);
    assert.equal(body.error, "fields.origin.renamedFrom: there is no field 'place'");
  });

  it('that would lose several fields says so of each, in parts that a client can take apart', async () => {
    const schema = await fruit();
    const { status, body } = await schema.put('fruit', definition('fruit', { title: number, size: number }));
    assert.equal(status, 409);
    assert.deepEqual(
      body.error
        .split('; ')
        .map((part) => part.split(':')[0])
        .sort(),
      ['note', 'tags', 'title'],
    );
  });
});

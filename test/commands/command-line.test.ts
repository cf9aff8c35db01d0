import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { requireJson } from '../../src/commands/apply/require-json.ts';
import { CommandFailure } from '../../src/commands/command.ts';
import { readServerPlace } from '../../src/commands/engine/place.ts';
import { FlagValues } from '../../src/commands/flags.ts';
import { commandNames, findCommand } from '../../src/commands/register.ts';
import { unusablePort } from '../../src/commands/serve/unusable-port.ts';
import { addressOf, startChild } from '../children.ts';
import { freePort } from '../postgres-server.ts';
import { pause } from '../support.ts';
import { key, main, makePlace, type Place, start } from './support.ts';

const shop = {
  id: 'shop',
  collections: [
    { id: 'items', fields: { title: { type: 'text', required: true }, price: { type: 'number' } } },
  ],
};

describe('the command line', () => {
  let place: Place;
  before(async () => {
    place = await makePlace();
    await place.expect(0, ['apply', await place.write('shop.json', shop)]);
    const items = await place.write('items.csv', 'title,price\n"=1+1",3\nBowl,24\nKettle,49.5\n');
    await place.expect(0, ['import', '--project', 'shop', '--collection', 'items', items]);
  });
  after(() => place.remove());

  const inShop = (...args: string[]) => [...args, '--project', 'shop'];
  const items = (...args: string[]) => [...inShop(...args), '--collection', 'items'];

  it('says its version', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    for (const flag of ['--version', '-v']) {
      assert.equal((await place.run([flag])).out, `vitrine ${version}\n`);
    }
  });

  it('has help for every command, in which every flag stands with its variable', async () => {
    const { out } = await place.run(['help']);
    for (const name of commandNames) {
      assert.match(out, new RegExp(`^  ${name} `, 'm'));
      const command = await findCommand(name);
      const help = (await place.run([name, '--help'])).out;
      for (const flag of Object.keys(command?.flags ?? {})) {
        assert.match(help, new RegExp(`^  --${flag}( N| TEXT)? +\\S`, 'm'));
        assert.ok(help.includes(`VITRINE_${flag.replaceAll('-', '_').toUpperCase()}`), `${name} --${flag}`);
      }
    }
  });

  it('calls a command or a port that can not be by its name', async () => {
    assert.match((await place.expect(2, ['help', 'serv'])).err, /no command 'serv', did you mean 'serve'\?/);
    assert.match(
      (await place.expect(2, ['serve', '--port', '65536'])).err,
      /--port must be a number from 0 to/,
    );
  });

  it('says why it can not listen', async () => {
    const elsewhere = ['serve', '--data', place.path('unheard'), '--port', '0', '--host', '192.0.2.1'];
    assert.match((await place.run(elsewhere)).err, /:0: this machine has no such address: .* --host\n$/);
    const flags = { text: () => '80' };
    const refused = unusablePort(flags, Object.assign(new Error('listen EACCES'), { code: 'EACCES' }));
    assert.match(refused.message, /does not allow it: choose a port from 1024 on/);
  });

  it('serves a database with its backups below --data, and otherwise refuses both', async () => {
    const both = ['--data', place.directory, '--database', 'nonsense'];
    const password = ['--database', 'postgres://ann:100%@127.0.0.1:1/x'];
    for (const words of [
      ['serve', ...both],
      ['doctor', ...both],
      ['serve', ...password],
    ]) {
      assert.match((await place.run(words)).err, /^vitrine: --database must be an address such as/);
    }
    assert.match((await place.run(inShop('pull', ...both))).err, /--database and --data do not go together/);
  });

  it('says in one line what is wrong with it, and where the help is', async () => {
    const wrong: [string[], string][] = [
      [['servee'], "there is no command 'servee', did you mean 'serve'? See 'vitrine help'"],
      [['serve', '--prot', '1'], "there is no flag --prot, did you mean 'port'? See 'vitrine help serve'"],
      [['serve', '--pool', '0'], "--pool must be at least 1; see 'vitrine help serve'"],
      [['serve', '--page-limit', '0'], "--page-limit must be at least 1; see 'vitrine help serve'"],
      [['serve', '--query-timeout', '0'], "--query-timeout must be at least 1; see 'vitrine help serve'"],
      [['serve', '--drain', '86401'], "--drain must be at most 86400; see 'vitrine help serve'"],
      [['apply'], "FILE is missing; see 'vitrine help apply'"],
      [inShop('keys', 'x'), "there is no action 'x': use list, create or delete; see 'vitrine help keys'"],
    ];
    for (const [args, message] of wrong) {
      const { code, err } = await place.run(args);
      assert.deepEqual([code, err], [2, `vitrine: ${message}\n`]);
    }
    const port = String(await freePort());
    const { code, err } = await place.run(['health', '--port', port]);
    const reason = `http://127.0.0.1:${port} can't be reached: nothing listens there`;
    assert.deepEqual([code, err], [1, `vitrine: ${reason}\n`]);
  });

  it('completes commands and flags in each shell', async () => {
    for (const shell of ['bash', 'zsh', 'fish']) {
      const { out } = await place.run(['completion', shell]);
      for (const part of ['serve', 'import', 'keep-good']) assert.ok(out.includes(part), `${shell}: ${part}`);
    }
    assert.equal((await place.run(['completion', 'tcsh'])).code, 2);
  });

  it('exports records as the API does, to a file or to the output', async () => {
    const { out } = await place.expect(0, items('export', '--query', 'price>=20&sort=-price&fields=title'));
    const titles = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).title);
    assert.deepEqual(titles, ['Kettle', 'Bowl']);
    await place.expect(0, items('export', '--out', place.path('items.csv')));
    assert.match(await readFile(place.path('items.csv'), 'utf8'), /,'=1\+1,3,/);
    assert.match(
      (await place.expect(1, items('export', '--query', 'prise=3'))).err,
      /did you mean 'price'\?\n$/,
    );
    assert.match(
      (await place.expect(1, items('export', '--out', '/nowhere/x.csv'))).err,
      /^vitrine: \/nowhere\/x\.csv: there is no such file or folder\n$/,
    );
    await place.expect(2, items('export', '--format', 'pdf'));
  });

  it('makes, lists and deletes server keys', async () => {
    const { out: made } = await place.expect(0, inShop('keys', 'create', '--name', 'job'));
    assert.match(made, /^vk_\S+\n$/);
    const { out } = await place.expect(0, inShop('keys', 'list'));
    const [, id = ''] = /^(\S+) +job +/m.exec(out) ?? [];
    await place.expect(0, inShop('keys', 'delete', '--id', id));
    assert.doesNotMatch((await place.expect(0, inShop('keys', 'list'))).out, /job/);
    await place.expect(1, inShop('keys', 'delete', '--id', id));
    await place.expect(2, inShop('keys', 'make'));
    const create = (...flags: string[]) => place.expect(2, inShop('keys', 'create', '--name', 'x', ...flags));
    assert.match((await create('--access', 'all')).err, /--access must be read or write, not 'all'/);
    assert.match((await create('--expires', 'soon')).err, /--expires must be a date and time .*, not 'soon'/);
  });

  it('lists all server keys, also those beyond a page of the API', async () => {
    const server = await place.serve();
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const create = async (name: string) => {
      const body = JSON.stringify({ name });
      const init = { method: 'POST', headers, body };
      assert.equal((await fetch(`${server.url}/v1/_admin/projects/shop/keys`, init)).status, 201);
    };
    for (let batch = 0; batch < 21; batch++)
      await Promise.all(Array.from({ length: 50 }, (_, at) => create(`many${batch}-${at}`)));
    await server.stop();
    const { out } = await place.expect(0, inShop('keys', 'list'));
    assert.equal(out.match(/ many\d+-\d+ /g)?.length, 1050);
    assert.equal(out.match(/^_id/gm)?.length, 1);
  });

  it('makes, lists, disables and deletes users', async () => {
    const environment = { VITRINE_USER_PASSWORD: 'correct horse' };
    const one = (action: string) => inShop('users', action, '--email', 'ann@example.com');
    await place.expect(0, [...one('create'), '--name', 'Ann\u001b[2J\nBea'], { environment });
    assert.match((await place.expect(1, one('create'), { environment })).err, /ann@example\.com/);
    const found = (await place.expect(0, inShop('users', 'list', '--search', 'ann@'))).out;
    assert.match(
      found,
      /ann@example\.com {2}Ann\ufffd\[2J\ufffdBea /,
      'what a name would do to a terminal is not done',
    );
    await place.expect(0, one('disable'));
    assert.match((await place.expect(0, inShop('users', 'list'))).out, /disabled/);
    await place.expect(2, inShop('users', 'create', '--email', 'ann'), { environment });
    await place.expect(1, one('reset'));
    await place.expect(0, one('enable'));
    const { out } = await place.expect(0, [...one('reset'), '--public-url', 'https://data.example/x/']);
    assert.match(out, /^https:\/\/data\.example\/x\/_mail\/reset\/shop#token=[\w-]{43}\n$/);
    await place.expect(0, one('password'), {
      environment: { VITRINE_USER_PASSWORD: '' },
      input: 'battery staple\n',
    });
    await place.expect(0, one('delete'));
    assert.match(
      (await place.expect(1, one('delete'))).err,
      /there is no user with the address ann@example\.com/,
    );
  });

  it("names a file that it can't read or write, in one line", async () => {
    for (const args of [
      inShop('pull', '--out', '/nowhere/p.json'),
      ['apply', '/nowhere/p.ts'],
      ['apply', '/nowhere/p.json'],
      items('import', '/nowhere/p.csv'),
      items('import', place.directory, '--format', 'csv'),
    ]) {
      const { err } = await place.expect(1, args);
      assert.match(err, /^vitrine: \S+: (there is no such file or folder|is a folder, not a file)\n$/);
    }
  });

  it('finds the line of a mistake in JSON, wherever it is', () => {
    const text = JSON.stringify(shop, null, 1).split('\n');
    for (let line = 0; line < text.length; line++) {
      const broken = text.map((one, at) => (at === line ? `${one} ~` : one)).join('\n');
      assert.throws(
        () => requireJson('x.json', broken),
        new CommandFailure(`x.json: not valid JSON, line ${line + 1}`),
      );
    }
  });

  it('hints at another separator of CSV, and takes it', async () => {
    const file = await place.write('semicolons.csv', 'title;price\nLamp;75\n');
    assert.match(
      (await place.expect(1, items('import', file))).err,
      /separated by ';': give --separator ';'\n$/,
    );
    await place.expect(0, items('import', file, '--separator', ';'));
    const tabs = await place.write('tabs.csv', 'title\tprice\nRug\t80\n');
    assert.match(
      (await place.expect(1, items('import', tabs))).err,
      /separated by tab: give --separator tab\n$/,
    );
    await place.expect(0, items('import', tabs, '--separator', 'tab'));
  });

  it('asks for what is missing before it asks for a password', async () => {
    assert.match(
      (await place.expect(2, ['admin'])).err,
      /^vitrine: --email is missing; see 'vitrine help admin'\n$/,
    );
  });

  it('takes a variable that is empty for one that is not set, and no flag without a value', async () => {
    const empty = { VITRINE_DATA: '', VITRINE_URL: '', VITRINE_DATABASE: '', VITRINE_PORT: '' };
    const nowhere = await place.run(items('export'), { environment: empty });
    assert.match(nowhere.err, /^vitrine: there is no data in '\.\/data'/);
    const health = await place.run(['health'], { environment: empty });
    assert.match(health.err + health.out, /127\.0\.0\.1:8090/);
    for (const flag of ['--data', '--host', '--port']) {
      const { code, err } = await place.run(['serve', flag, '']);
      assert.equal(code, 2);
      assert.match(err, new RegExp(`^vitrine: ${flag} needs a value`));
    }
    const { code, err } = await place.run(['serve', '--database', '']);
    assert.deepEqual([code, err.split(':')[1]], [2, ' --database is empty']);
  });

  it('serves from a database whether a flag or a variable names it, and whichever names the directory', () => {
    const database = 'postgres://u@db.example/name';
    const values = new Map([
      ['data', './backups-of-it'],
      ['database', database],
    ]);
    for (const given of [[], ['data'], ['database'], ['data', 'database']])
      assert.deepEqual(readServerPlace(new FlagValues(values, new Set(given))), {
        kind: 'database',
        address: database,
      });
  });

  it('says in one line that its output can not be written', { skip: !existsSync('/dev/full') }, async () => {
    const full = await open('/dev/full', 'w');
    const child = startChild(process.execPath, [main, ...items('export'), '--data', place.data], {
      stdio: ['ignore', full.fd, 'pipe'],
    });
    let err = '';
    child.stderr?.on('data', (part: Buffer) => (err += part));
    const code = await new Promise((resolve) => child.once('close', resolve));
    await full.close();
    assert.deepEqual([code, err], [1, 'vitrine: the output: the disk is full\n']);
  });

  it('goes on when nobody reads what it says of its work', async () => {
    const child = start(['serve', '--port', '0', '--log-requests', '--data', place.data]);
    const ended = new Promise((resolve) => child.once('close', resolve));
    const url = await addressOf(child);
    child.stderr.destroy();
    for (let request = 0; request < 5; request++) {
      assert.equal((await fetch(`${url}/v1/shop/items`)).status, 401);
      await pause(50);
    }
    child.kill('SIGTERM');
    assert.equal(await ended, 0);
  });

  it('ends quietly when nobody reads its output any more', async () => {
    const child = start([...items('export'), '--data', place.data]);
    let err = '';
    child.stderr.on('data', (part: Buffer) => (err += part));
    child.stdout.destroy();
    const code = await new Promise((resolve) => child.once('close', resolve));
    assert.deepEqual([code, err], [0, '']);
  });
});

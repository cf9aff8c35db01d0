import assert from 'node:assert/strict';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { S3Bucket } from '../../src/backups/s3/client.ts';
import { readS3, S3Misuse } from '../../src/backups/s3/options.ts';
import { signed } from '../../src/backups/s3/sign.ts';
import { upload } from '../../src/backups/s3/upload.ts';
import { type FlagValues, UsageError } from '../../src/commands/flags.ts';
import { readBackupPlace } from '../../src/commands/serve/open-backups.ts';
import { Failure } from '../../src/failure.ts';
import { credentials } from './s3-server.ts';
import { type S3World, startS3World } from './s3-world.ts';

let world: S3World;
let server: S3World['server'];
let backups: S3World['backups'];

before(async () => {
  world = await startS3World({ prefix: 'our backups & more', part: 100_000 });
  ({ server, backups } = world);
  await world.catalog.createProject('shop', 'Shop');
});
after(() => world.close());

it('signs as AWS does, in the example of its documentation', () => {
  const url = new URL('https://examplebucket.s3.amazonaws.com/?max-keys=2&prefix=J');
  const payload = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
  const keys = {
    accessKey: 'AKIAIOSFODNN7EXAMPLE',
    secretKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    ...{ region: 'us-east-1', sessionToken: undefined },
  };
  const { authorization } = signed(
    { method: 'GET', url, headers: {}, payload },
    keys,
    new Date('2013-05-24T00:00:00Z'),
  );
  assert.match(
    authorization ?? '',
    /Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7$/,
  );
});

it('keeps backups in a bucket: in parts, listed over pages, restored, deleted', async () => {
  const made: string[] = [];
  for (let round = 0; round < 3; round++)
    made.push((await (await backups.start('shop', 'request')).done)._id);
  assert.ok(
    server.requests.some((line) => line.includes('partNumber=2')),
    'it went in parts',
  );
  assert.deepEqual([...server.uploads], []);
  assert.equal(server.objects.size, 6);
  assert.deepEqual(
    (await backups.list()).map(({ id }) => id),
    made.toReversed(),
  );
  assert.deepEqual(await readdir(world.scratch), []);
  const project = await (await backups.startRestore(made[1] ?? '', { as: 'again', replace: false })).done;
  assert.equal(project.name, 'Shop');
  await backups.remove(made[0] ?? '');
  assert.equal(server.objects.size, 4);
  const key = [...server.objects.keys()].find((one) => one.endsWith(`${made[1]}.db`)) ?? '';
  const bytes = server.objects.get(key);
  bytes?.writeUInt8(bytes.readUInt8(5_000) ^ 1, 5_000);
  await assert.rejects(
    (await backups.startRestore(made[1] ?? '', { as: 'bad', replace: false })).done,
    /SHA-256/,
  );
});

it('tries again where the service has a moment, and leaves nothing where it has more', async () => {
  let left = 3;
  server.trouble = () => (left-- > 0 ? (left % 2 === 0 ? 'error' : 'hang up') : undefined);
  await (await backups.start('shop', 'request')).done;
  const before = (await backups.list()).filter(({ run }) => !run);
  server.trouble = (method, url) => (method === 'PUT' && url.includes('.json') ? 'error' : undefined);
  await assert.rejects((await backups.start('shop', 'request')).done, /SlowDown/);
  server.trouble = undefined;
  assert.deepEqual(
    (await backups.list()).filter(({ run }) => !run),
    before,
  );
  assert.deepEqual([...server.uploads], []);
  await (await backups.start('shop', 'request')).done;
  assert.equal(server.objects.size, 2 * (before.length + 1), 'the file without a manifest is gone');
});

it('replaces nothing that could not be saved before, and says to ask again', async () => {
  const { _id } = await (await backups.start('shop', 'request')).done;
  await world.catalog.updateProject('shop', () => ({ name: 'Changed since' }));
  server.trouble = (method, url) => (method === 'PUT' && url.includes('.json') ? 'error' : undefined);
  const replacing = await backups.startRestore(_id, { as: 'shop', replace: true });
  await assert.rejects(replacing.done, (error) => {
    assert.ok(error instanceof Failure);
    assert.equal(error.kind, 'unavailable');
    assert.ok(error.detail.retryAfter, 'says when');
    return true;
  });
  server.trouble = undefined;
  assert.equal((await world.catalog.requireProject('shop')).name, 'Changed since');
  const again = await backups.startRestore(_id, { as: 'shop', replace: true });
  assert.equal((await again.done).name, 'Shop');
});

it('says so where the file of a backup was removed from the bucket', async () => {
  const { _id } = await (await backups.start('shop', 'request')).done;
  const key = [...server.objects.keys()].find((one) => one.endsWith(`${_id}.db`)) ?? '';
  server.objects.delete(key);
  const missing = (error: unknown) =>
    error instanceof Failure && error.kind === 'absent' && /its file is not there/.test(error.message);
  await assert.rejects(backups.file(_id), missing);
  await assert.rejects(backups.startRestore(_id, { as: 'fileless', replace: false }), missing);
  await backups.remove(_id);
});

it('an answer that breaks off is a bucket out of reach, and no fault of ours', async () => {
  const { _id } = await (await backups.start('shop', 'request')).done;
  const outOfReach = (error: unknown) => error instanceof Failure && /out of reach/.test(error.message);
  server.trouble = (method, url) => (method === 'GET' && url.includes('.db') ? 'half' : undefined);
  await assert.rejects((await backups.startRestore(_id, { as: 'half', replace: false })).done, outOfReach);
  server.trouble = (method) => (method === 'GET' ? 'half' : undefined);
  await assert.rejects(backups.list(), outOfReach);
  server.trouble = undefined;
});

it('gives up the parts of an upload that fails', async () => {
  const path = join(world.scratch, 'large');
  await writeFile(path, Buffer.alloc(250_000, 7));
  server.trouble = (method, url) => (method === 'PUT' && url.includes('partNumber=3') ? 'error' : undefined);
  await assert.rejects(upload(world.bucket, 'large', path, 100_000));
  server.trouble = undefined;
  assert.deepEqual([...server.uploads], []);
  assert.ok(!server.objects.has('large'));
  await rm(path);
});

it('says what the service says, and what is missing in the environment', async () => {
  const wrong = new S3Bucket({ ...credentials, secretKey: 'other', bucket: 'kept', endpoint: server.url });
  await assert.rejects(wrong.send({ method: 'GET', key: 'x' }), /SignatureDoesNotMatch/);
  const none = new S3Bucket({ ...credentials, bucket: 'none', endpoint: server.url });
  await assert.rejects(none.send({ method: 'GET', key: 'x' }), /NoSuchBucket/);
  assert.throws(() => readS3('s3://kept/x', { AWS_ACCESS_KEY_ID: 'a' }), /AWS_SECRET_ACCESS_KEY/);
  assert.throws(() => readS3('s3://', {}), S3Misuse);
  for (const AWS_ENDPOINT_URL of ['localhost:9000', 'http://localhost:99999', 'http://a:b@localhost:9000'])
    assert.throws(() => readS3('s3://kept', { AWS_ENDPOINT_URL }), /without a user name/);
  assert.throws(() => readS3('ftp://x', {}), S3Misuse);
  const environment = {
    AWS_ACCESS_KEY_ID: 'a',
    AWS_SECRET_ACCESS_KEY: 'b',
    AWS_ENDPOINT_URL: 'http://localhost:9000',
  };
  assert.deepEqual(readS3('s3://kept/a/b/', environment), {
    options: {
      ...{ bucket: 'kept', endpoint: 'http://localhost:9000', region: 'us-east-1' },
      ...{ accessKey: 'a', secretKey: 'b', sessionToken: undefined },
    },
    prefix: 'a/b',
  });
  // Of a slash at its start an address would make another bucket, and of dots another key than is listed.
  assert.equal(readS3('s3://kept//a/b', environment).prefix, 'a/b');
  assert.equal(readS3('s3://kept//', environment).prefix, '');
  for (const prefix of ['.', '..', 'a/../b', './a', 'a/.'])
    assert.throws(() => readS3(`s3://kept/${prefix}`, environment), /without '\.' and '\.\.'/, prefix);
});

it('says what to write in place of an address that is none', () => {
  const place = (to: string, environment = {}) => {
    const text = (name: string) => (name === 'backup-to' ? to : 'data');
    return readBackupPlace({ flags: { text } as unknown as FlagValues, environment });
  };
  for (const [to, message] of [
    ['s3:kept/x', 'must be a folder or begin with s3://, such as s3://bucket/prefix'],
    ['s3:/kept/x', 'must be a folder or begin with s3://, such as s3://bucket/prefix'],
    ['S3://kept/x', 'must be a folder or begin with s3://, such as s3://bucket/prefix'],
    ['s3://', 'must be s3://bucket/prefix with the name of a bucket: 3 to 63 lower-case letters'],
    ['s3://My_Bucket/x', 'must be s3://bucket/prefix with the name of a bucket: 3 to 63 lower-case letters'],
    [
      's3://id:secret@kept/x',
      'must be s3://bucket/prefix, with the keys as AWS_ACCESS_KEY_ID and AWS_SECRET',
    ],
    ['s3://127.0.0.1:9000/kept', 'must begin with the bucket, s3://bucket/prefix, with the address of the'],
    [
      's3://kept/x?region=eu-west-1',
      "must be s3://kept/prefix without settings behind a '?': the region is AWS",
    ],
    [
      'https://kept.s3.amazonaws.com/x',
      'must be s3://bucket/prefix, with the address of the service as AWS_END',
    ],
    ['file:///var/backups', "must be the path of the folder alone, such as /var/backups, without 'file:'"],
    ['ftp://x', 'must be a folder or an address such as s3://bucket/prefix'],
    ['s3://kept/x', 'needs AWS_ACCESS_KEY_ID in the environment'],
  ] as const) {
    assert.throws(
      () => place(to),
      (error) =>
        error instanceof UsageError &&
        error.message.startsWith(`--backup-to ${message}`) &&
        !error.message.includes('secret@'),
      to,
    );
  }
  for (const to of ['', 'backups', '/var/backups', 'C:\\backups']) assert.ok(place(to));
});

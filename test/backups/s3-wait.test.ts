import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { it } from 'node:test';
import { S3Bucket } from '../../src/backups/s3/client.ts';
import { s3Place } from '../../src/backups/s3/s3-place.ts';
import { Failure } from '../../src/failure.ts';
import { pause } from '../support.ts';

const keys = { accessKey: 'id', secretKey: 'secret', sessionToken: undefined, region: 'here' };

it('a bucket in another region is said to be so, and nobody is led elsewhere', async () => {
  let asked = 0;
  const server = createServer((_, response) => {
    asked += 1;
    const region = { 'x-amz-bucket-region': 'eu-west-9' };
    response.writeHead(301, { location: `http://127.0.0.1:${port}/elsewhere`, ...region });
    response.end('<Error><Code>PermanentRedirect</Code></Error>');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const bucket = new S3Bucket({ ...keys, bucket: 'b', endpoint: `http://127.0.0.1:${port}`, pause: 1 });
  try {
    await assert.rejects(
      bucket.send({ method: 'GET', key: 'file' }),
      /refused a GET: PermanentRedirect \(is AWS_REGION the region of the bucket\? It is in eu-west-9\)/,
    );
    await assert.rejects(
      bucket.send({ method: 'HEAD', key: 'file' }),
      /refused a HEAD: status 301 \(is AWS_REGION the region of the bucket\? It is in eu-west-9\)/,
    );
    assert.equal(asked, 2);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

it('a file may take longer to come than the head of its answer', async () => {
  const server = createServer(async ({ url }, response) => {
    if (url?.includes('silent')) return;
    response.writeHead(200);
    for (const part of ['one ', 'two ', 'three']) {
      response.write(part);
      await pause(200);
    }
    response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const bucket = new S3Bucket({ ...keys, bucket: 'b', endpoint, pause: 1, wait: 300 });
  try {
    const answer = await bucket.send({ method: 'GET', key: 'file' });
    assert.equal(await answer.text(), 'one two three');
    await assert.rejects(bucket.send({ method: 'GET', key: 'silent' }), (error) => {
      return error instanceof Failure && error.kind === 'unavailable';
    });
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

/** A service whose answers have no end, and how many bytes it could send. */
async function endless(status: number) {
  const sent = { bytes: 0 };
  const part = 'x'.repeat(100_000);
  const server = createServer((_, response) => {
    response.writeHead(status, { 'content-type': 'application/xml' });
    const more = () => {
      let goesOn = true;
      for (let parts = 0; goesOn && parts < 100 && sent.bytes < 300_000_000; parts++) {
        sent.bytes += part.length;
        goesOn = response.write(part);
      }
      if (sent.bytes >= 300_000_000) response.end();
    };
    response.on('drain', more);
    more();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { sent, close, bucket: new S3Bucket({ ...keys, bucket: 'b', endpoint, pause: 1 }) };
}

it('an answer without an end is not read to its end', async () => {
  for (const status of [200, 403]) {
    const { bucket, sent, close } = await endless(status);
    try {
      const asked = bucket.text({ method: 'GET', key: 'file' });
      await assert.rejects(asked, (error) => error instanceof Failure && error.kind === 'unavailable');
      await pause(200);
      assert.ok(sent.bytes < 100_000_000, `${sent.bytes} bytes were taken`);
    } finally {
      close();
    }
  }
});

/** Lists by a service that answers with these pages, by their number, and how many were asked for. */
async function listing(page: (number: number) => string) {
  const asked = { pages: 0 };
  const server = createServer((_, response) => {
    asked.pages += 1;
    response.end(asked.pages < 20 ? page(asked.pages) : '');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const place = s3Place(new S3Bucket({ ...keys, bucket: 'b', endpoint }), { prefix: '', scratch: 'unused' });
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { asked, place, close };
}
const goesOn = (token: string) =>
  `<IsTruncated>true</IsTruncated><NextContinuationToken>${token}</NextContinuationToken>`;

it('nor is a list without an end', async () => {
  const files = '<Key>shop/01890a5d-ac96-774b-bcce-b302099a8057.json</Key>'.repeat(50_000);
  const { asked, place, close } = await listing((number) => `${goesOn(`page ${number}`)}${files}`);
  try {
    await assert.rejects(place.list(), /lists more than 200000 files/);
    assert.equal(asked.pages, 5);
  } finally {
    close();
  }
});

for (const [tokens, most] of [
  [['the second page'], 2],
  [['A', 'B'], 3],
] as const) {
  it(`nor one that begins again and again, as of a service that does not know where to go on: ${tokens.join(', ')}`, async () => {
    const { asked, place, close } = await listing(
      (number) => `${goesOn(tokens[(number - 1) % tokens.length] ?? '')}<Key>other</Key>`,
    );
    try {
      await assert.rejects(place.list(), /lists the same files again/);
      assert.equal(asked.pages, most);
    } finally {
      close();
    }
  });
}

it('nor one that always goes on elsewhere, without a file of ours', async () => {
  let pages = 0;
  const text = async () => {
    pages += 1;
    return { status: 200, text: `${pages < 20_000 ? goesOn(`page ${pages}`) : ''}<Key>other</Key>` };
  };
  const place = s3Place({ text } as unknown as S3Bucket, { prefix: '', scratch: 'unused' });
  await assert.rejects(place.list(), /lists more than 10000 pages/);
  assert.equal(pages, 10_000);
});

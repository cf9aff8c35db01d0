import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { it } from 'node:test';
import { S3Bucket } from '../../src/backups/s3/client.ts';
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

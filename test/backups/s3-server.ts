import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export const credentials = {
  accessKey: 'AKIDEXAMPLE',
  secretKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  sessionToken: 'a/session+token=',
  region: 'eu-central-1',
};

export interface S3Server {
  readonly url: string;
  readonly objects: Map<string, Buffer>;
  /** Uploads in parts that were neither ended nor given up. */
  readonly uploads: Map<string, Map<number, Buffer>>;
  /** Is asked before each request is done: an answer in its place. */
  trouble:
    | ((method: string, url: string) => 'error' | 'hang up' | 'half' | 'silence' | undefined)
    | undefined;
  readonly requests: string[];
  close(): Promise<void>;
}

/** As much of S3 as a backup needs, written after its documentation: it verifies every signature, and every body against its hash. */
export async function startS3(bucket: string): Promise<S3Server> {
  const objects = new Map<string, Buffer>();
  const uploads = new Map<string, Map<number, Buffer>>();
  let numbers = 0;

  function answer(request: IncomingMessage, body: Buffer, response: ServerResponse): void {
    const url = new URL(request.url ?? '', 'http://localhost');
    const fault = faultOf(request, url, body);
    const xml = (status: number, text: string) => response.writeHead(status).end(text);
    if (fault) return void xml(403, `<Error><Code>${fault}</Code></Error>`);
    const [, first, ...rest] = url.pathname.split('/').map(decodeURIComponent);
    if (first !== bucket) return void xml(404, '<Error><Code>NoSuchBucket</Code></Error>');
    const key = rest.join('/');
    const query = url.searchParams;
    const upload = uploads.get(query.get('uploadId') ?? '');
    if (request.method === 'GET' && key === '') return void xml(200, list(query));
    if (request.method === 'POST' && query.has('uploads')) {
      numbers += 1;
      uploads.set(`u${numbers}`, new Map());
      return void xml(
        200,
        `<InitiateMultipartUploadResult><UploadId>u${numbers}</UploadId></InitiateMultipartUploadResult>`,
      );
    }
    if (upload && request.method === 'PUT') {
      upload.set(Number(query.get('partNumber')), body);
      return void response.writeHead(200, { etag: `"${hash(body)}"` }).end();
    }
    if (upload && request.method === 'DELETE') {
      uploads.delete(query.get('uploadId') ?? '');
      return void response.writeHead(204).end();
    }
    if (upload && request.method === 'POST') {
      const parts = [...upload].sort(([a], [b]) => a - b);
      const asked = parts.map(
        ([n, part]) => `<Part><PartNumber>${n}</PartNumber><ETag>"${hash(part)}"</ETag></Part>`,
      );
      if (!body.toString().includes(asked.join('')))
        return void xml(200, '<Error><Code>InvalidPart</Code></Error>'); // as S3 does, with 200
      objects.set(key, Buffer.concat(parts.map(([, part]) => part)));
      uploads.delete(query.get('uploadId') ?? '');
      return void xml(200, '<CompleteMultipartUploadResult/>');
    }
    if (request.method === 'PUT') {
      objects.set(key, body);
      return void response.writeHead(200, { etag: `"${hash(body)}"` }).end();
    }
    const object = objects.get(key);
    if (request.method === 'DELETE') {
      objects.delete(key);
      return void response.writeHead(204).end();
    }
    if (!object) return void xml(404, '<Error><Code>NoSuchKey</Code></Error>');
    response.writeHead(200, { 'content-length': object.length });
    response.end(request.method === 'HEAD' ? undefined : object);
  }

  /** Two at a time, so that there is always more. */
  function list(query: URLSearchParams): string {
    const after = query.get('continuation-token') ?? '';
    const keys = [...objects.keys()]
      .filter((key) => key.startsWith(query.get('prefix') ?? '') && key > after)
      .sort();
    const page = keys.slice(0, 2);
    const more = keys.length > 2;
    const next = more ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
    return `<ListBucketResult><IsTruncated>${more}</IsTruncated>${next}${page
      .map((key) => `<Contents><Key>${key.replaceAll('&', '&amp;')}</Key></Contents>`)
      .join('')}</ListBucketResult>`;
  }

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    made.requests.push(`${request.method} ${request.url}`);
    const trouble = made.trouble?.(request.method ?? '', request.url ?? '');
    if (trouble === 'silence') return;
    if (trouble === 'half') {
      response.writeHead(200, { 'content-length': 100_000 });
      return void response.write('<Key>', () => setTimeout(() => request.socket.destroy(), 50));
    }
    if (trouble === 'hang up') return void request.socket.destroy();
    if (trouble === 'error') return void response.writeHead(503).end('<Error><Code>SlowDown</Code></Error>');
    answer(request, Buffer.concat(chunks), response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const made: S3Server = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    uploads,
    trouble: undefined,
    requests: [],
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return made;
}

const hash = (data: Buffer | string) => createHash('sha256').update(data).digest('hex');

/** Signature Version 4, made once more from what was received. */
function faultOf({ method, headers }: IncomingMessage, url: URL, body: Buffer): string | undefined {
  const [, scope = '', list = '', signature = ''] =
    /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/(\S+), SignedHeaders=(\S+), Signature=(\w+)$/.exec(
      headers.authorization ?? '',
    ) ?? [];
  if (headers['x-amz-content-sha256'] !== hash(body)) return 'XAmzContentSHA256Mismatch';
  if (headers['x-amz-security-token'] !== credentials.sessionToken) return 'InvalidToken';
  for (const needed of ['host', 'x-amz-content-sha256', 'x-amz-date', 'x-amz-security-token'])
    if (!list.split(';').includes(needed)) return 'AccessDenied';
  const time = String(headers['x-amz-date']);
  if (scope !== `${time.slice(0, 8)}/${credentials.region}/s3/aws4_request`)
    return 'AuthorizationHeaderMalformed';
  const rawQuery = url.search.slice(1).split('&').filter(Boolean).sort();
  const canonical = [
    method,
    url.pathname,
    rawQuery.map((pair) => (pair.includes('=') ? pair : `${pair}=`)).join('&'),
    ...list.split(';').map((name) => `${name}:${String(headers[name]).trim()}`),
    '',
    list,
    hash(body),
  ].join('\n');
  const text = `AWS4-HMAC-SHA256\n${time}\n${scope}\n${hash(canonical)}`;
  const key = scope
    .split('/')
    .reduce<Buffer | string>(
      (one, part) => createHmac('sha256', one).update(part).digest(),
      `AWS4${credentials.secretKey}`,
    );
  return createHmac('sha256', key).update(text).digest('hex') === signature
    ? undefined
    : 'SignatureDoesNotMatch';
}

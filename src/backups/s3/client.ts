import { setTimeout as sleep } from 'node:timers/promises';
import { PlaceFailure } from '../place.ts';
import { type Credentials, encode, sha256, signed } from './sign.ts';

export interface S3Options extends Credentials {
  readonly bucket: string;
  /** For services other than AWS, such as http://127.0.0.1:9000: the bucket is then the first part of the path. */
  readonly endpoint: string | undefined;
  /** Milliseconds before the first retry, and four times as many before each further one. */
  readonly pause?: number;
  /** Most milliseconds until the head of the response arrives. */
  readonly wait?: number;
}

export interface S3Request {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE' | 'HEAD';
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  /** Error statuses that are expected, and not a failure. */
  readonly expected?: readonly number[];
}

const mostTries = 4;
/** Long enough for the upload of a part of a file. */
const longestWait = 5 * 60_000;

/** Most bytes of a response that is kept in memory. A page of a thousand keys has one or two MiB. */
const mostText = 16 * 1024 * 1024;
const mostError = 64 * 1024;

/** A bucket of S3 or of a compatible service. Requests are retried after temporary failures. */
export class S3Bucket {
  readonly #options: S3Options;
  readonly #base: URL;
  readonly #closed = new AbortController();

  constructor(options: S3Options) {
    const { bucket, endpoint, region } = options;
    this.#options = options;
    this.#base = new URL(
      endpoint === undefined
        ? `https://${bucket}.s3.${region}.amazonaws.com/`
        : `${endpoint.replace(/\/+$/, '')}/${encode(bucket)}/`,
    );
  }

  /** Returns the response, or throws a Failure with the error of the service. */
  async send(request: S3Request): Promise<Response> {
    for (let attempt = 1; ; attempt++) {
      const response = await this.#try(request).catch((error: unknown) => {
        if (attempt === mostTries || this.#closed.signal.aborted) throw unreachable(error);
        return undefined;
      });
      if (response && (response.ok || request.expected?.includes(response.status))) return response;
      const again = !response || response.status === 429 || response.status >= 500;
      if (!again || attempt === mostTries) throw await refused(request, response);
      await response?.body?.cancel();
      const { pause = 200 } = this.#options;
      const { signal } = this.#closed;
      await sleep(pause * 4 ** (attempt - 1), undefined, { signal }).catch(() => {}); // the next attempt throws the reason
    }
  }

  /** The same, with the text of the response. */
  async text(request: S3Request): Promise<{ readonly status: number; readonly text: string }> {
    const response = await this.send(request);
    const text = await readText(response, mostText).catch((error: unknown) => {
      throw unreachable(error);
    });
    return { status: response.status, text };
  }

  /** The same, with the bytes of the response as they arrive. */
  async *bytes(request: S3Request): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
    const { body } = await this.send(request);
    try {
      for await (const chunk of body ?? []) yield chunk as Uint8Array<ArrayBuffer>;
    } catch (error) {
      throw unreachable(error);
    }
  }

  /** Aborts all requests, even while bodies arrive, and refuses new ones: a service that hangs must not delay the shutdown. */
  close(): void {
    this.#closed.abort(new Error('the server is stopping'));
  }

  async #try({ method, key = '', query = {}, body }: S3Request): Promise<Response> {
    const path = key.split('/').map(encode).join('/');
    const url = new URL(path, this.#base);
    // Encoded as it is signed: a space is %20 and not +.
    url.search = Object.entries(query)
      .map(([name, value]) => `${encode(name)}=${encode(value)}`)
      .join('&');
    const payload = sha256(body ?? '');
    const headers = signed({ method, url, headers: {}, payload }, this.#options, new Date());
    const waiting = new AbortController();
    const { wait = longestWait } = this.#options;
    const timer = setTimeout(() => waiting.abort(new Error('no answer in time')), wait);
    try {
      return await fetch(url, {
        method,
        headers,
        signal: AbortSignal.any([waiting.signal, this.#closed.signal]),
        redirect: 'manual', // a redirect means that the bucket is in another region
        ...(body !== undefined && { body }),
      });
    } finally {
      clearTimeout(timer); // the body may take longer
    }
  }
}

/** A service that is broken or hostile must not fill the memory. */
async function readText({ body }: Response, most: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of body ?? []) {
    length += part.length;
    if (length > most) throw new Error(`the answer has more than ${most} bytes`); // ends the connection
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

function unreachable(error: unknown): PlaceFailure {
  const failure = new PlaceFailure('unavailable', 'The place of the backups is out of reach: try again', {
    retryAfter: 30,
  });
  failure.cause = error;
  return failure;
}

/** Includes the service's error code, such as NoSuchBucket or SignatureDoesNotMatch, which says what to correct. */
async function refused({ method }: S3Request, response: Response | undefined): Promise<PlaceFailure> {
  const text = response ? await readText(response, mostError).catch(() => '') : '';
  const code = /<Code>([A-Za-z]{1,60})<\/Code>/.exec(text)?.[1] ?? `status ${response?.status ?? 0}`;
  const hint = elsewhere.has(code) ? ` (is AWS_REGION the region of the bucket?${regionOf(response)})` : '';
  return new PlaceFailure('unavailable', `The place of the backups refused a ${method}: ${code}${hint}`, {
    retryAfter: 60,
  });
}

/** The region that the response names. */
function regionOf(response: Response | undefined): string {
  const region = response?.headers.get('x-amz-bucket-region') ?? '';
  return /^[a-z0-9-]{1,40}$/.test(region) ? ` It is in ${region}` : '';
}

const elsewhere: ReadonlySet<string> = new Set([
  'status 301', // for responses without a body, as to HEAD
  'status 307',
  'PermanentRedirect',
  'TemporaryRedirect',
  'AuthorizationHeaderMalformed',
]);

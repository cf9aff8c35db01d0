import { createHash, createHmac } from 'node:crypto';

export interface Credentials {
  readonly accessKey: string;
  readonly secretKey: string;
  readonly sessionToken: string | undefined;
  readonly region: string;
}

export interface Unsigned {
  readonly method: string;
  readonly url: URL;
  /** Besides `host` and those that the signature adds. */
  readonly headers: Readonly<Record<string, string>>;
  /** SHA-256 of the body, in hexadecimal. */
  readonly payload: string;
}

export const sha256 = (data: string | Uint8Array) => createHash('sha256').update(data).digest('hex');

/** AWS Signature Version 4: the headers of a request to S3. */
export function signed(
  { method, url, headers, payload }: Unsigned,
  credentials: Credentials,
  now: Date,
): Record<string, string> {
  const { accessKey, secretKey, sessionToken, region } = credentials;
  const time = now.toISOString().replace(/[-:]|\.\d+/g, '');
  const day = time.slice(0, 8);
  const all: Record<string, string> = {
    ...headers,
    host: url.host,
    'x-amz-content-sha256': payload,
    'x-amz-date': time,
    ...(sessionToken !== undefined && { 'x-amz-security-token': sessionToken }),
  };
  const names = Object.keys(all).sort();
  const list = names.join(';');
  const canonical = [
    method,
    url.pathname,
    canonicalQuery(url),
    ...names.map((name) => `${name}:${all[name]?.trim()}`),
    '',
    list,
    payload,
  ].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = `AWS4-HMAC-SHA256\n${time}\n${scope}\n${sha256(canonical)}`;
  const key = [day, region, 's3', 'aws4_request'].reduce<Uint8Array | string>(hmac, `AWS4${secretKey}`);
  const signature = createHmac('sha256', key).update(text).digest('hex');
  const { host: _, ...sent } = all;
  return {
    ...sent,
    authorization: `AWS4-HMAC-SHA256 Credential=${accessKey}/${scope}, SignedHeaders=${list}, Signature=${signature}`,
  };
}

const hmac = (key: Uint8Array | string, text: string): Uint8Array =>
  createHmac('sha256', key).update(text).digest();

function canonicalQuery({ searchParams }: URL): string {
  const pairs = [...searchParams].map(([name, value]) => `${encode(name)}=${encode(value)}`);
  return pairs.sort().join('&');
}

/** Percent-encodes as the signature requires: everything but letters, digits and `-_.~`. */
export const encode = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

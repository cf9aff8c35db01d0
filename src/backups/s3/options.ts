import type { S3Options } from './client.ts';

/** The address and the environment do not fit together; the message says what to set. */
export class S3Misuse extends Error {}

/** `s3://bucket/prefix`, with the usual AWS_ variables. */
export function readS3(
  address: string,
  environment: Readonly<Record<string, string | undefined>>,
): { readonly options: S3Options; readonly prefix: string } {
  const [, bucket, prefix = ''] =
    /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/+(.*?)\/*)?$/.exec(address) ?? [];
  if (bucket === undefined) throw new S3Misuse(correction(address));
  if (/\?\w+=/.test(prefix))
    throw new S3Misuse(
      `must be s3://${bucket}/prefix without settings behind a '?': the region is AWS_REGION, the address of the service AWS_ENDPOINT_URL, in the environment`,
    );
  // URLs drop such parts, but listings of keys do not: the backups would never be found again.
  if (/(^|\/)\.\.?(\/|$)/.test(prefix))
    throw new S3Misuse("must have a prefix without '.' and '..', such as s3://bucket/prefix");
  const value = (name: string) => environment[name]?.trim() || undefined;
  const required = (name: string) => {
    const found = value(name);
    if (found === undefined) throw new S3Misuse(`needs ${name} in the environment`);
    return found;
  };
  const endpoint = value('AWS_ENDPOINT_URL_S3') ?? value('AWS_ENDPOINT_URL');
  if (endpoint !== undefined && !isEndpoint(endpoint))
    throw new S3Misuse('needs an AWS_ENDPOINT_URL such as http://127.0.0.1:9000, without a user name');
  const region = value('AWS_REGION') ?? value('AWS_DEFAULT_REGION') ?? 'us-east-1';
  const options = {
    ...{ bucket, endpoint, region },
    accessKey: required('AWS_ACCESS_KEY_ID'),
    secretKey: required('AWS_SECRET_ACCESS_KEY'),
    sessionToken: value('AWS_SESSION_TOKEN'),
  };
  return { options, prefix };
}

/** What to write instead. The address is not repeated: it may hold a secret. */
function correction(address: string): string {
  const [scheme = ''] = address.toLowerCase().split(':', 1);
  if (scheme === 'file') return "must be the path of the folder alone, such as /var/backups, without 'file:'";
  if (scheme === 'http' || scheme === 'https')
    return 'must be s3://bucket/prefix, with the address of the service as AWS_ENDPOINT_URL in the environment (not needed for AWS)';
  if (scheme !== 's3') return 'must be a folder or an address such as s3://bucket/prefix';
  const host = address.replace(/^s3:\/*/i, '').split('/', 1)[0] ?? '';
  if (host.includes('@'))
    return 'must be s3://bucket/prefix, with the keys as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment';
  if (host.includes(':'))
    return 'must begin with the bucket, s3://bucket/prefix, with the address of the service as AWS_ENDPOINT_URL in the environment';
  if (!address.startsWith('s3://')) return 'must be a folder or begin with s3://, such as s3://bucket/prefix';
  return 'must be s3://bucket/prefix with the name of a bucket: 3 to 63 lower-case letters, digits, dots and hyphens';
}

/** Refuses user names: no runtime sends requests to such URLs, and one puts the password into its error. */
function isEndpoint(text: string): boolean {
  if (!/^https?:\/\/[^\s/]/.test(text) || !URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username === '' && password === '';
}

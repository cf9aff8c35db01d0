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
  if (bucket === undefined) throw new S3Misuse('must be a folder or an address such as s3://bucket/prefix');
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

/** Refuses user names: no runtime sends requests to such URLs, and one puts the password into its error. */
function isEndpoint(text: string): boolean {
  if (!/^https?:\/\/[^\s/]/.test(text) || !URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username === '' && password === '';
}

/** Every refusal of the server, and every request that got no answer (`status` 0). */
export class VitrineError extends Error {
  readonly status: number;
  /** What is wrong with which field: `{ price: 'must be at least 0' }`. */
  readonly fields: Readonly<Record<string, string>>;
  /** Seconds after which the server says to try again. */
  readonly retryAfter: number | undefined;

  constructor(status: number, message: string, retryAfter?: number, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'VitrineError';
    this.status = status;
    this.retryAfter = retryAfter;
    this.fields = status === 400 || status === 409 ? readFields(message) : {};
  }
}

/** `price: must be at least 0; tags[2]: is too long; create[0].brand, title: another record has the same values` */
function readFields(message: string): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const part of message.split('; ')) {
    const [, place = '', names, rest = ''] =
      /^((?:[\w[\]-]+\.)*)([\w[\]-]+(?:, \w+)*): (.+)$/s.exec(part) ?? [];
    for (const name of names?.split(', ').map((one) => place + one) ?? [])
      fields[name] = Object.hasOwn(fields, name) ? `${fields[name]}; ${rest}` : rest;
  }
  return fields;
}

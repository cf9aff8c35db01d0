import { isIPv6 } from 'node:net';
import { digest, randomSecret } from '../../access/secret.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import type { CommandContext } from '../command.ts';
import { placeName, readServerPlace } from '../engine/place.ts';
import { readAdminKey } from './keys.ts';

/** Prints the server's address and, while there is no administrator, the link to become one. */
export async function greet(
  context: CommandContext,
  catalog: Catalog,
  { port, workers }: { port: number; workers: number },
): Promise<void> {
  const { flags, runtime, out } = context;
  const base = `http://${opensAt(flags.text('host'))}:${port}`;
  const many = workers === 1 ? '' : `, ${workers} workers`;
  const lines = [
    `Vitrine is at ${base} (data in ${placeName(readServerPlace(flags))}, ${runtime.name}${many})`,
  ];
  if (await catalog.hasProject('demo')) {
    lines.push('', 'Try:', `  curl '${base}/v1/demo/products?include=brand&sort=-price&perPage=3'`);
  }
  out(`${lines.join('\n')}\n`);
  if (readAdminKey(context) !== undefined) await catalog.administrators.withdrawSetup();
  else if (!(await catalog.administrators.any())) out(await setupLink(base, catalog));
}

/** The host to open in a browser, which can't open a wildcard address. */
function opensAt(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return isIPv6(host) ? `[${host}]` : host;
}

/** While there is no administrator, whoever sees this output can become one, once. */
async function setupLink(base: string, catalog: Catalog): Promise<string> {
  const token = randomSecret();
  await catalog.administrators.offerSetup(digest(token));
  return `\nThere is no administrator yet. Create the administrator (the link works once):\n  ${base}/_console/setup#${token}\n`;
}

import { digest, randomSecret } from '../../access/secret.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import type { CommandContext } from '../command.ts';
import { placeName, readPlace } from '../engine/place.ts';
import { adminKeyOf } from './answering.ts';

/** Says where the server is, and while there is no administrator, how to become it. */
export async function greet(
  context: CommandContext,
  catalog: Catalog,
  { port, workers }: { port: number; workers: number },
): Promise<void> {
  const { flags, runtime, out } = context;
  const base = `http://${flags.text('host')}:${port}`;
  const many = workers === 1 ? '' : `, ${workers} workers`;
  const lines = [`Vitrine is at ${base} (data in ${placeName(readPlace(flags))}, ${runtime.name}${many})`];
  if (await catalog.hasProject('demo')) {
    lines.push('', 'Try:', `  curl '${base}/v1/demo/products?include=brand&sort=-price&perPage=3'`);
  }
  out(`${lines.join('\n')}\n`);
  if (adminKeyOf(context) !== undefined) await catalog.administrators.withdrawSetup();
  else if (!(await catalog.administrators.any())) out(await setupLink(base, catalog));
}

/** While nobody can manage the instance, whoever sees this output may become its administrator, once. */
async function setupLink(base: string, catalog: Catalog): Promise<string> {
  const token = randomSecret();
  await catalog.administrators.offerSetup(digest(token));
  return `\nThere is no administrator yet. Create the administrator (the link works once):\n  ${base}/_console/setup#${token}\n`;
}

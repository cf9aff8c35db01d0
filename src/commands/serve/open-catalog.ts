import { Catalog } from '../../catalog/catalog.ts';
import type { Log } from '../../log.ts';
import type { Engine } from '../../store/engine.ts';
import { type CommandContext, CommandFailure } from '../command.ts';
import { makeDemo } from '../demo.ts';
import { placeName, readServerPlace } from '../engine/place.ts';
import { reasonOf } from '../engine/reasons.ts';

/** Opens the catalog of an engine, and creates the demo if requested. Closing the catalog closes the engine. */
export async function openCatalog(
  { flags }: Pick<CommandContext, 'flags'>,
  engine: Engine,
  log: Log,
): Promise<Catalog> {
  const catalog = new Catalog(engine, Date.now, flags.number('fields-limit'));
  try {
    if (flags.on('demo')) await makeDemo(catalog, log);
    return catalog;
  } catch (error) {
    await catalog.close().catch(() => {}); // the error below is enough
    throw new CommandFailure(
      `the demo can't be made in ${placeName(readServerPlace(flags))}: ${reasonOf(error)}`,
      {
        cause: error,
      },
    );
  }
}

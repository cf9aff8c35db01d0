import { Catalog } from '../../catalog/catalog.ts';
import type { CommandContext } from '../command.ts';
import { makeDemo } from '../demo.ts';
import { unusableData } from './reasons.ts';
import type { Storage } from './storage.ts';

export interface Data<S extends Storage> {
  readonly storage: S;
  readonly catalog: Catalog;
  close(): Promise<void>;
}

/** The projects in a storage, with the demo where that is wanted; undefined where they can not be used, which is said. */
export async function openData<S extends Storage>(
  { flags, err }: CommandContext,
  open: () => Promise<S>,
): Promise<Data<S> | undefined> {
  let data: Data<S> | undefined;
  try {
    data = dataIn(await open(), flags.number('fields-limit'));
    if (flags.on('demo')) await makeDemo(data.catalog);
    return data;
  } catch (error) {
    err(unusableData(flags, error));
    await data?.close().catch(() => {}); // one line says enough
    return undefined;
  }
}

function dataIn<S extends Storage>(storage: S, mostFields: number): Data<S> {
  const catalog = new Catalog(storage.engine, Date.now, mostFields);
  return {
    storage,
    catalog,
    async close() {
      await catalog.close();
      storage.release();
    },
  };
}

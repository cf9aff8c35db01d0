import type { Dump } from '../../dump.ts';
import { dumpParts } from '../../sql/dump.ts';
import type { SqliteDriver } from './driver.ts';
import { openReader } from './project-file.ts';
import type { Writers } from './writing/writers.ts';

/** Reads a project's file as it is at one moment, whatever is written to it meanwhile. */
export async function readSnapshot<T>(
  driver: SqliteDriver,
  writers: Writers,
  path: string,
  work: (dump: Dump) => Promise<T>,
): Promise<T> {
  const writes = await writers.open(path); // which makes sure that it is there, and of a format that we know
  try {
    const reader = openReader(driver, path, 'walk');
    try {
      reader.exec('BEGIN');
      return await work({ parts: () => dumpParts(reader) });
    } finally {
      reader.close();
    }
  } finally {
    await writes.close();
  }
}

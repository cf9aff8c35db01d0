import { join } from 'node:path';
import { type Child, printed, root, start } from '../children.ts';

export const adminKey = 'bench-administrator-key';

/** Deviations from the usual way to start the product. */
export interface Launch {
  /** Flags of Bun. */
  readonly runtime?: readonly string[];
  /** Flags of `serve`. */
  readonly flags?: readonly string[];
  /** A module in this folder that stands between the writer thread and SQLite. */
  readonly driver?: 'normal-driver.ts' | 'profiled-driver.ts';
  readonly environment?: Readonly<Record<string, string>>;
}

export interface Launched {
  readonly child: Child;
  readonly base: string;
}

/** Starts `vitrine serve`; `storage` are the flags that say where the data is. */
export async function launch(storage: readonly string[], how: Launch = {}): Promise<Launched> {
  const { runtime = [], flags = [], driver, environment = {} } = how;
  const program =
    driver === undefined
      ? [join(root, 'src/main.ts'), 'serve']
      : [join(import.meta.dir, 'serve-with-driver.ts'), join(import.meta.dir, driver)];
  const words = [...runtime, ...program, ...storage, ...flags, '--port', '0'];
  const child = start(process.execPath, words, { VITRINE_ADMIN_KEY: adminKey, ...environment });
  return { child, base: await printed(child, /Vitrine is at (http:\S+)/) };
}

import { type DatabaseProxy, startProxy } from './proxy.ts';

/** Lets nothing through any more on connections by which something was asked. */
export interface SilentProxy extends DatabaseProxy {
  /** How many connections it is silent on. */
  readonly silenced: number;
}

export async function startSilentProxy(database: string, asked: string): Promise<SilentProxy> {
  let silenced = 0;
  const proxy = await startProxy(database, (client, beyond) => {
    let silent = false;
    client.on('data', (part) => {
      if (!silent && part.includes(asked)) {
        silent = true;
        silenced += 1;
      }
      if (!silent) beyond.write(part);
    });
    beyond.on('data', (part) => {
      if (!silent) client.write(part);
    });
  });
  return {
    ...proxy,
    get silenced() {
      return silenced;
    },
  };
}

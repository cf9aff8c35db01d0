import { renameSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** After `npm pack`: the checkout is as it was. */
const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
renameSync(at('package.json.saved'), at('../package.json'));
rmSync(at('../lib'), { recursive: true, force: true });

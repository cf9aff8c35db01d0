import { renameSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** After `npm pack`: restores the checkout. */
const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
renameSync(at('package.json.saved'), at('../package.json'));
rmSync(at('../lib'), { recursive: true, force: true });

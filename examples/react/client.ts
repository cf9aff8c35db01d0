import { createClient } from 'vitrine/client';
import type { library } from '../library.ts';

const server = new URLSearchParams(location.search).get('server') ?? 'http://127.0.0.1:8090';

/** One for the whole app; signed in in one tab is signed in in all. */
export const v = createClient<typeof library>(server, { project: 'library', storage: localStorage });

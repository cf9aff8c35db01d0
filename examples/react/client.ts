import { createClient } from 'vitrine/client';
import type { library } from '../library.ts';

const server = new URLSearchParams(location.search).get('server') ?? 'http://127.0.0.1:8090';

/** One client for the whole app. All tabs share the session, as it is in localStorage. */
export const v = createClient<typeof library>(server, { project: 'library', storage: localStorage });

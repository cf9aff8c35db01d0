import { serve } from '@hono/node-server';
import { createApp } from './app.ts';

const { VITRINE_URL = 'http://127.0.0.1:8090', PORT = '3000' } = process.env;

/** `secure: false`, as there is no TLS on this machine. */
serve({ fetch: createApp(VITRINE_URL, { secure: false }).fetch, hostname: '127.0.0.1', port: Number(PORT) });
process.stdout.write(`http://127.0.0.1:${PORT}\n`);
